"""What changed between two saved evaluations of one suite, and whether it became worse."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.errors import SettingsError
from agent.jsontext import JsonObject
from bot.evals.outcome import Difference

# By the name of its list of cases, an evaluation tells its suite.
_SUITES = {"runs": "records", "cases": "leads"}
_JUDGEMENT = frozenset({"case", "matches", "differs", "versions"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What `lead-agent eval SUITE --json` printed: entries by case, versions by name."""

    path: Path
    suite: str
    entries: dict[str, JsonObject]
    totals: JsonObject
    versions: JsonObject
    matches: bool

    @property
    def matched(self) -> int:
        return sum(entry["matches"] for entry in self.entries.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two evaluations of one suite, the earlier first."""

    before: Saved
    after: Saved

    @property
    def moved(self) -> dict[str, list[str]]:
        """The cases by what became of their verdict."""
        before, after = self.before.entries, self.after.entries
        both = [case for case in before if case in after]
        return {
            "ceased to match": [c for c in both if before[c]["matches"] and not after[c]["matches"]],
            "began to match": [c for c in both if after[c]["matches"] and not before[c]["matches"]],
            "gone": [case for case in before if case not in after],
            "new": [case for case in after if case not in before],
        }

    @property
    def changed(self) -> dict[str, list[Difference]]:
        """By case, the fields that are not as they were."""
        before, after = self.before.entries, self.after.entries
        found = {case: _changes(before[case], after[case]) for case in before if case in after}
        return {case: changes for case, changes in found.items() if changes}

    @property
    def totals(self) -> list[Difference]:
        return _changes(self.before.totals, self.after.totals)

    @property
    def versions(self) -> list[Difference]:
        return _changes(self.before.versions, self.after.versions)

    @property
    def worse(self) -> bool:
        """Whether something that matched does not any more, or is not tried any more."""
        gone = any(self.before.entries[case]["matches"] for case in self.moved["gone"])
        return gone or bool(self.moved["ceased to match"]) or (self.before.matches and not self.after.matches)

    def as_json(self) -> JsonObject:
        """The object of `lead-agent eval --compare A B --json`."""
        moved = {what.replace(" ", "_"): cases for what, cases in self.moved.items()}
        return moved | {
            "changed": {case: _as_json(changes) for case, changes in self.changed.items()},
            "totals": _as_json(self.totals),
            "versions": _as_json(self.versions),
            "worse": self.worse,
        }


def compare(before: Path, after: Path) -> Comparison:
    """SettingsError if a file is no saved evaluation, or the two are of different suites."""
    comparison = Comparison(before=read(before), after=read(after))
    suites = (comparison.before.suite, comparison.after.suite)
    if suites[0] != suites[1]:
        raise SettingsError([f"{before} is an evaluation of {suites[0]}, {after} of {suites[1]}"])
    return comparison


def read(path: Path) -> Saved:
    """SettingsError if the file is no saved evaluation."""
    try:
        return _saved(path, json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise SettingsError([f"{path}: cannot be read ({error.strerror})"]) from error
    except (ValueError, TypeError, LookupError) as error:
        raise SettingsError([f"{path}: is not what `lead-agent eval SUITE --json` prints"]) from error


def _saved(path: Path, given: dict[str, Any]) -> Saved:
    """The evaluation in `given`; an error of its type, names or values if there is none."""
    (listed,) = [name for name in _SUITES if name in given]
    entries = {str(entry["case"]): dict(entry) for entry in given[listed]}
    judged = [given["matches"], *(entry["matches"] for entry in entries.values())]
    if len(entries) < len(given[listed]) or not all(isinstance(verdict, bool) for verdict in judged):
        raise ValueError
    return Saved(
        path=path,
        suite=_SUITES[listed],
        entries=entries,
        totals=dict(given["totals"]),
        versions=_versions([given, *entries.values()]),
        matches=given["matches"],
    )


def _versions(parts: list[JsonObject]) -> JsonObject:
    """All versions that an evaluation or a case of it names; one value for each name, a list if they vary."""
    found: dict[str, list[Any]] = {}
    for name, value in (item for part in parts for item in dict(part.get("versions") or {}).items()):
        if value not in found.setdefault(name, []):
            found[name].append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _changes(before: JsonObject, after: JsonObject) -> list[Difference]:
    was, now = dict(_fields(before)), dict(_fields(after))
    return [
        Difference(field=field, expected=was.get(field), found=now.get(field))
        for field in {**was, **now}
        if was.get(field) != now.get(field)
    ]


def _fields(entry: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The fields that tell what happened; those of an object by a name like result.status."""
    for name, value in entry.items():
        if name in _JUDGEMENT:
            continue
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", item) for inner, item in _fields(value))
        else:
            yield name, value


def _as_json(changes: list[Difference]) -> JsonObject:
    return {change.field: {"before": change.expected, "after": change.found} for change in changes}
