"""Personal details replaced: the same detail by the same stand-in, so that what is told stays whole.

Known details (the person's name) and the shapes of others (links, addresses, numbers, how people introduce
themselves) are replaced.  A name in the middle of a sentence has no shape: read a case before you share it.
"""

import re
from collections.abc import Iterable
from typing import Any

from agent.jsontext import JsonObject
from agent.records.agent import NAME as RECORDS

_SHAPES = {
    "link": r"(?:https?://|www\.)\S+|\b(?:t\.me|wa\.me|instagram\.com)/\S+",
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "username": r"(?<![\w@])@\w{3,}",
    "record": r"\b(?:run|[LDPF])-\d+\b",
    "date": r"\b\d{4}-\d\d-\d\d\b",  # kept: what was asked for
    "number": r"\+?\d(?:[\s().-]{0,2}\d){8,}",
}
# What people put before their name, in the languages of the leads.
_INTRODUCTION = (
    r"(?i:меня зовут|мо[её] имя|my name is|менің атым|менің есімім|есімім)\s+"
    r"(?P<introduced>[^\W\d_][\w’'-]*(?:\s+[A-ZА-ЯЁӘҒҚҢӨҰҮІҺ][\w’'-]+)?)"
)
# Endings of Russian and Kazakh cases: Марат, Марату, Маратом, Маратқа.
_ENDINGS = (
    "а|я|у|ю|е|и|ы|ь|й|ой|ей|ою|ею|ом|ем|ём|ым|им|ого|его|ому|ему|"
    "ға|ге|қа|ке|ның|нің|дың|дің|тың|тің|ды|ді|ты|ті|ны|ні|да|де|та|те|дан|ден|тан|тен|мен|пен|бен"
)
# Only words that are long enough are told by their stem.
_STEM = 4


class Anonymous:
    """Replaces personal details in any number of texts, consistently among them."""

    def __init__(self, names: Iterable[str]) -> None:
        self._stand_ins: dict[tuple[str, str], str] = {}
        self._people: dict[str, str] = {}
        patterns = [f"(?P<{kind}>{shape})" for kind, shape in _SHAPES.items()]
        for name in names:
            patterns += self._name_patterns(name)
        self._pattern = re.compile("|".join([*patterns, _INTRODUCTION]))

    def _name_patterns(self, name: str) -> list[str]:
        words = [word for word in re.findall(r"[^\W\d_]+", name) if len(word) > 1 and word != "id"]
        if not name.strip():
            return []
        person = self._stand_in("person", name.casefold())
        whole = r"\W+".join(map(re.escape, words)) or re.escape(name.strip())
        shapes = [whole, *(_inflected(word) for word in words)]
        group = f"person{len(self._people)}"
        self._people[group] = person
        return [rf"(?P<{group}>(?i:(?<!\w)(?:{'|'.join(shapes)})(?!\w)))"]

    def text(self, words: str) -> str:
        """The text with every detail replaced."""
        return self._pattern.sub(self._replaced, words)

    def value(self, value: Any) -> Any:
        """Any JSON value with every text in it replaced."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {key: self.value(item) for key, item in value.items()}
            case list():
                return [self.value(item) for item in value]
        return value

    def _replaced(self, match: re.Match[str]) -> str:
        kind, found = match.lastgroup or "", match[0]
        if kind in self._people:
            return self._people[kind]
        match kind:
            case "date":
                return found
            case "introduced":
                name = match["introduced"]
                return found.removesuffix(name) + self._stand_in("person", name.casefold())
            case "link":
                tail = found[len(found.rstrip(".,;:!?)»\"'")) :]
                return self._stand_in(kind, found.removesuffix(tail)) + tail
            case "record":
                prefix = found.partition("-")[0]
                return self._stand_in(f"record {prefix}", found)
            case "number":
                return self._stand_in(kind, re.sub(r"\D", "", found)[-10:])
        return self._stand_in(kind, found.casefold())

    def _stand_in(self, kind: str, found: str) -> str:
        number = 1 + sum(earlier == kind for earlier, _ in self._stand_ins)
        return self._stand_ins.setdefault((kind, found), _named(kind, number))


def _inflected(word: str) -> str:
    if len(word) < _STEM:
        return re.escape(word)
    stem = word[:-1] if word[-1].casefold() in "аяйь" else word  # Дана: Дане, Даной
    return rf"{re.escape(word)}|{re.escape(stem)}(?:{_ENDINGS})?"


def _named(kind: str, number: int) -> str:
    match kind.split():
        case ["person"]:
            return f"Person{number}"
        case ["link"]:
            return f"https://example.com/{number}"
        case ["email"]:
            return f"person{number}@example.com"
        case ["username"]:
            return f"@person{number}"
        case ["record", prefix]:
            return f"{prefix}-{number}"
    return f"+7000000{number:04d}"


def case_of(feedback_id: str, expected: str, input: JsonObject, result: JsonObject) -> JsonObject:
    """An eval case: the lead, what a person expected, what was seen; nobody can be told from it."""
    lead = input["lead"]
    hidden = Anonymous([] if input["agent"] == RECORDS else [lead["name"]])  # a record is nobody
    return {
        "name": f"feedback-{feedback_id.removeprefix('F-')}",
        "agent": input["agent"],
        "lead": {
            "name": hidden.text(lead["name"]),
            "phone": hidden.text(lead["phone"]) if lead["phone"] else None,
            "message": hidden.text(lead["message"]),
        },
        "later": hidden.value(input["later"]),
        "expected": hidden.text(expected),
        "observed": hidden.value(result),
    }
