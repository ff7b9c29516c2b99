"""What a lead's words ask for, told by keywords: language, services, wishes, and what is suspicious."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass
from enum import Enum, unique

from bot.sandbox import vocabulary as words
from bot.sandbox.vocabulary import Language, Service

_WORD = re.compile(r"\w+")
_CYRILLIC = re.compile(r"[а-яәғқңөұүһі]")
_LATIN = re.compile(r"[a-z]")
_LOOK_ALIKES = str.maketrans("aceopxykmthb", "асеорхукмтнв")
_SPELLED_WORDS = 60
_MANY_LINKS = 3


@unique
class Matter(Enum):
    """What a message is about, most pressing first."""

    INJECTION = "tries to give the model orders"
    OTHERS_DATA = "asks for other customers' data"
    CRIME = "asks for something illegal"
    SPAM = "looks like spam"
    JOB = "is about a job"
    CANCEL = "takes something back"
    COMPLAINT = "complains"
    SERVICE = "asks for a service"
    EMPTY = "has no words"
    GREETING = "only greets"
    THANKS = "only thanks"
    HUMAN = "asks for a person"
    PRICE = "asks for a price without saying of what"
    UNCLEAR = "does not say what is needed"

    @property
    def suspicious(self) -> bool:
        """Whether no reply should be drafted."""
        return self in (Matter.INJECTION, Matter.OTHERS_DATA, Matter.CRIME, Matter.SPAM)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was understood; `services` in the order of mention, those asked for before those already there."""

    language: Language
    matter: Matter
    services: tuple[Service, ...]
    price: bool
    deadline: bool
    human: bool


def read(message: str, name: str = "") -> Reading:
    """Read a lead's `message`; a stranger chose the display `name` too, so it is searched for tricks."""
    text = normal(message)
    services = _services(words.LINK.sub(" ", text))
    return Reading(
        language=_language(text) or _language(normal(name)) or Language.RU,
        matter=_matter(text, normal(name), services),
        services=services,
        price=_has(words.PRICE, text),
        deadline=_has(words.DEADLINE, text),
        human=_has(words.HUMAN, text),
    )


def normal(text: str) -> str:
    """Return `text` as the patterns expect it: compatible forms, lower case, no invisible characters."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("ё", "е").replace("’", "'")
    visible = "".join(char for char in folded if unicodedata.category(char) not in ("Cf", "Cs", "Mn"))
    return " ".join(_one_alphabet(word) for word in visible.split())


def _one_alphabet(word: str) -> str:
    """Return `word` with Latin look-alikes among Cyrillic letters made Cyrillic (the c of cайт)."""
    return word.translate(_LOOK_ALIKES) if _CYRILLIC.search(word) else word


def clean(text: str) -> str:
    """Return `text` on one line without control characters and half characters, white space collapsed."""
    spaced = " ".join(text.split())
    kept = (char for char in spaced if char == "\u200d" or not unicodedata.category(char).startswith("C"))
    return " ".join("".join(kept).split())


def _has(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _matter(text: str, name: str, services: tuple[Service, ...]) -> Matter:
    return _wrong(text, name, services) or _business(text, services) or _small_talk(text)


def _wrong(text: str, name: str, services: tuple[Service, ...]) -> Matter | None:
    if _has(words.INJECTION, text) or _has(words.INJECTION, name):
        return Matter.INJECTION
    if _has(words.OTHERS_DATA, text):
        return Matter.OTHERS_DATA
    if _has(words.CRIME, text):
        return Matter.CRIME
    return Matter.SPAM if _spam(text, services) else None


def _spam(text: str, services: tuple[Service, ...]) -> bool:
    links = len(words.LINK.findall(text))
    asks = bool(services) and _has(words.REQUEST, text)
    if asks and links < _MANY_LINKS:
        return False  # a site for a casino is a request like any other
    return links >= _MANY_LINKS - (not services) or _has(words.SPAM, text) or _has(words.OFFER, text)


def _business(text: str, services: tuple[Service, ...]) -> Matter | None:
    if _has(words.JOB, text):
        return Matter.JOB
    if _has(words.CANCEL, text):
        return Matter.CANCEL
    if _has(words.COMPLAINT, text) and not (services and _has(words.REQUEST, text)):
        return Matter.COMPLAINT
    return Matter.SERVICE if services else None


def _small_talk(text: str) -> Matter:
    said = _WORD.findall(text)
    if not any(char.isalpha() for char in text):
        return Matter.EMPTY
    if words.GREETINGS.issuperset(said):
        return Matter.GREETING
    if words.THANKS.issuperset(said):
        return Matter.THANKS
    if _has(words.HUMAN, text):
        return Matter.HUMAN
    return Matter.PRICE if _has(words.PRICE, text) else Matter.UNCLEAR


def _services(text: str) -> tuple[Service, ...]:
    text = words.NO_MENTION.sub(" ", text)
    wanted: list[Service] = []
    owned: list[Service] = []
    for match in words.SERVICES.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        if words.DENIED_BEFORE.search(before[-30:]) or words.DENIED_AFTER.search(after[:60]):
            continue
        there_already = words.OWNED_BEFORE.search(before[-30:]) or words.OWNED_AFTER.search(after[:30])
        (owned if there_already else wanted).append(Service(str(match.lastgroup)))
    found = wanted + owned
    return tuple(dict.fromkeys(found)) if words.SERVICES.search(text) else _misspelled(text)


def _misspelled(text: str) -> tuple[Service, ...]:
    long_words = [word for word in _WORD.findall(text) if len(word) > 5][:_SPELLED_WORDS]
    for word in long_words:
        if close := difflib.get_close_matches(word, words.SPELLINGS, n=1, cutoff=0.82):
            return (words.SPELLINGS[close[0]],)
    return ()


def _language(text: str) -> Language | None:
    """Return the language that most words of `text` belong to; None where nothing tells it."""
    text = words.SAME_IN_ALL.sub(" ", text)
    kazakh = len(words.KAZAKH_WORDS.findall(text.replace("і", "и")))
    kazakh += sum(not words.KAZAKH_LETTERS.isdisjoint(word) for word in _WORD.findall(text))
    russian = len(words.RUSSIAN_WORDS.findall(text))
    english = len(words.ENGLISH_WORDS.findall(text))
    best = max(kazakh, russian, english)
    if best == 0:
        return _by_letters(text)
    if best == kazakh:
        return Language.KK
    return Language.RU if best == russian else Language.EN


def _by_letters(text: str) -> Language | None:
    if not any(char.isalpha() for char in text):
        return None
    return Language.RU if len(_CYRILLIC.findall(text)) > len(_LATIN.findall(text)) else Language.EN
