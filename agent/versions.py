"""Which prompt, model, tools, result schema and program made a run: each by name and hash."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable

from agent.jsontext import JsonObject, digest
from agent.runs import Spec

DISTRIBUTION = "lead-agent"
PACKAGES = ("agent", "bot", "storage")
# What the program consists of; anything else in its folders (caches, type markers) does nothing.
SUFFIXES = (".py", ".sql", ".js", ".css", ".html")


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A part of what made a run: two are the same if their hashes are."""

    name: str
    hash: str

    def as_json(self) -> JsonObject:
        return {"name": self.name, "hash": self.hash}


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """All that decides what a run does, but its input.  `code` is None for runs older than its keeping."""

    prompt: Version
    model: Version
    tools: Version
    result_schema: Version
    code: Version | None

    def as_json(self) -> JsonObject:
        """What `show --json` prints as `versions`."""
        return {name: part.as_json() if part else None for name, part in self.parts()}

    def parts(self) -> list[tuple[str, Version | None]]:
        return [
            ("prompt", self.prompt),
            ("model", self.model),
            ("tools", self.tools),
            ("result_schema", self.result_schema),
            ("code", self.code),
        ]


def versions_of(spec: Spec, code: Version | None) -> Versions:
    """The versions of a run that was told `spec` by the program `code`."""
    tools = ", ".join(str(tool["name"]) for tool in spec.tools)
    return Versions(
        prompt=Version(name=spec.agent, hash=digest(spec.system)),
        model=Version(name=spec.model, hash=digest([spec.model, spec.max_tokens])),
        tools=Version(name=tools, hash=digest(spec.tools)),
        result_schema=Version(name=str(spec.result_schema["title"]), hash=digest(spec.result_schema)),
        code=code,
    )


@cache
def code_version() -> Version:
    """This program: its package's version, and a hash over its modules as they are installed.

    Read once, some milliseconds.  A file that is edited while the program runs changes nothing of it.
    """
    whole = hashlib.sha256()
    for package in PACKAGES:
        for path, content in sorted(_modules(files(package), package)):
            whole.update(f"{path}\0{len(content)}\0".encode())
            whole.update(content)
    return Version(name=version(DISTRIBUTION), hash=whole.hexdigest())


def _modules(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for item in folder.iterdir():
        name = f"{path}/{item.name}"
        if item.is_dir():
            yield from _modules(item, name)
        elif item.name.endswith(SUFFIXES):
            yield name, item.read_bytes()
