"""Which of the company's languages a text is in, by its letters alone."""

import re
from enum import StrEnum

_WORD = re.compile(r"[^\W\d_]+")
_CYRILLIC = re.compile(r"[а-яё]|[әғқңөұүһі]")
_KAZAKH = re.compile(r"[әғқңөұүһі]")

# Nearly every second word of a Kazakh text has such a letter; a Russian one may hold a name or two.
_KAZAKH_SHARE = 0.2


class Language(StrEnum):
    """What leads write and are answered in."""

    RU = "ru"
    KK = "kk"
    EN = "en"


def language_of(text: str, *, apart_from: str = "") -> Language | None:
    """The language of most words, those of `apart_from` (a name) not counted; None without any word."""
    names = set(_WORD.findall(apart_from.casefold()))
    words = [word for word in _WORD.findall(text.casefold()) if word not in names]
    if not words:
        return None
    cyrillic = [word for word in words if _CYRILLIC.search(word)]
    if 2 * len(cyrillic) < len(words):
        return Language.EN
    kazakh = sum(_KAZAKH.search(word) is not None for word in cyrillic)
    return Language.KK if kazakh > _KAZAKH_SHARE * len(cyrillic) else Language.RU
