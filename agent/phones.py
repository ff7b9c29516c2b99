"""Phone numbers as people write them, made international only where that is no guess.

`phonenumbers` finds the numbers; the rules beside it come from fifty spellings people really leave, of which
it reads forty-seven: extensions in Russian, WhatsApp links, numbers of abroad without a plus, a form's mask
that swallowed a digit.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from phonenumbers import (
    NumberParseException,
    PhoneNumber,
    PhoneNumberFormat,
    PhoneNumberMatch,
    PhoneNumberMatcher,
    PhoneNumberType,
    format_number,
    is_valid_number,
    national_significant_number,
    number_type,
    parse,
)

# Characters looked at, numbers taken, and false starts forgiven: what is hostile costs milliseconds too.
LONGEST = 10_000
_MOST_NUMBERS = 50
_MOST_FALSE_STARTS = 200
# Digits of an international number (E.164), and of one that has its country code for sure.
_LONGEST_NUMBER = 15
_SHORTEST_FOREIGN = 11
_LONGEST_PAIR = 2 * _LONGEST_NUMBER
# A number without plus is one of abroad only where hardly anything else is said.
_WORDS_BESIDE = 3

_ADDRESSES = re.compile(
    r"[^\s,;<>()@]{0,64}@\S+"
    # A link is full of digits that call nobody, except where it is made to call somebody.
    r"|(?:https?://|www\.)(?!\S*(?:wa\.me|whatsapp|viber|t\.me/\+))\S+",
    re.IGNORECASE,
)
# Letters before or after a number make the matcher take it for a part number.
_LATIN_WORDS = re.compile(r"(?!(?:ext(?:n|ension)?|x{1,9})(?![a-z]))[a-z]{3,}", re.IGNORECASE)
# Such links hold international numbers without their plus, or what their writer dials: 8 701 and so on.
_LINK_TO_NUMBER = re.compile(
    r"(?:(?<=wa\.me)/|(?<=phone)=)(?=\d)(?!8[79]\d{9}(?!\d))", re.IGNORECASE | re.ASCII
)
_EXTENSION = re.compile(
    r"[\s,;.(]*(?:доб(?:авочн\w+)?|вн(?:утр(?:енн\w+)?)?|ішкі|қосымша|ext(?:n|ension)?|x|#)"
    r"[\s.:=№]*(?:номер\w*|нөмір\w*|num(?:ber)?)?[\s.:=№]*(?P<digits>\d{1,7})(?!\d)\)?",
    re.IGNORECASE,
)
# Of a link, whose last sign stands for the plus.
_BEFORE_NUMBER = re.compile(r"[^\d+＋(（]*")
# What looks like a number but was not read: some digits may be masked, or letters in disguise.
_RUN = re.compile(r"(?<!\w)\+{0,2}\s?\(?\d(?:[\s().,/-]{0,3}(?:[\d*•_]|[OoОоXxХх](?![^\W\d_OoОоXxХх])))+")
_FEWEST_SIGNS = 6
_FEWEST_DIGITS = 4
_OTHER_NUMBERS = re.compile(
    r"\b(?:[иб]ин|инн|жсн|бсн|iin|bin|inn|заказ|счет|счёт|карт|договор|order|invoice|card)", re.IGNORECASE
)
# 8 777 555 01 42 typed into a "+7 (___) ___-__-__" mask: the 8 takes a place and the last digit falls out.
_TRUNK_IN_MASK = re.compile(r"8(?:7[0-8]|9)")


class Confidence(StrEnum):
    """Whether a number may be called, and a contact be recognised by it, without a person looking."""

    SURE = "sure"
    DOUBTFUL = "doubtful"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """One number of a text.

    `raw` is what was written.  `e164` is None where the number cannot be read without guessing (a digit
    lost, masked or mistyped, no area code).  A doubtful number may have one: written so, and hardly meant
    so (one digit repeated).  Only a sure one identifies anybody.
    """

    raw: str
    e164: str | None
    extension: str | None
    confidence: Confidence

    @property
    def trusted(self) -> str | None:
        """The E.164 form, where it may be relied on."""
        return self.e164 if self.confidence is Confidence.SURE else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    start: int
    end: int
    phone: Phone


def phones_in(text: str, region: str) -> list[Phone]:
    """The numbers of a text in their order, each once; `region` (KZ) reads those without a country code.

    Doubtful ones are meant for a field that asks for a phone: in free text any long number is one.
    """
    text = text[:LONGEST]
    plain = _plain(text)
    found = list(islice(_matches(text, plain, region), _MOST_NUMBERS))
    for each in found:
        plain = _blank(plain, each.start, each.end)
    for run in islice(_RUN.finditer(plain), _MOST_NUMBERS):
        found += _unmatched(text, plain, run, region)
    firsts: dict[tuple[str, str | None], Phone] = {}
    for each in sorted(found, key=lambda each: each.start):
        firsts.setdefault((each.phone.e164 or each.phone.raw, each.phone.extension), each.phone)
    return list(firsts.values())


def _plain(text: str) -> str:
    """The text, character for character, as the matcher reads it best."""
    plain = "".join(map(_plain_character, text)).replace("%2B", "  +").replace("%2b", "  +")
    plain = _LINK_TO_NUMBER.sub("+", plain)
    for noise in (_ADDRESSES, _LATIN_WORDS):
        plain = noise.sub(lambda match: " " * len(match[0]), plain)
    return plain


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    if (digit := unicodedata.digit(character, None)) is not None:
        return str(digit)
    match unicodedata.category(character):
        case "Pd":
            return "-"
        case "Zs" | "Zl" | "Zp" | "Cf":
            return " "
    wide = unicodedata.normalize("NFKC", character)
    return wide if len(wide) == 1 else character


def _blank(text: str, start: int, end: int) -> str:
    return f"{text[:start]}{'|' * (end - start)}{text[end:]}"


def _matches(text: str, plain: str, region: str) -> Iterator[_Found]:
    matcher = PhoneNumberMatcher(plain, region, max_tries=_MOST_FALSE_STARTS)
    for match in matcher:
        start, end = match.start, match.end
        extension = match.number.extension
        if not extension and (written := _EXTENSION.match(plain, end)):
            extension, end = written["digits"], written.end()
        phone = Phone(
            raw=_BEFORE_NUMBER.sub("", text[start:end], count=1).strip(),
            e164=format_number(match.number, PhoneNumberFormat.E164),
            extension=extension or None,
            confidence=_confidence(match, region),
        )
        yield _Found(start=start, end=end, phone=phone)


def _confidence(match: PhoneNumberMatch, region: str) -> Confidence:
    national = national_significant_number(match.number)
    masked = (
        region == "KZ"
        and match.raw_string.lstrip("+( ").startswith("7")
        and _TRUNK_IN_MASK.match(national) is not None
    )
    return Confidence.DOUBTFUL if masked or len(set(national)) == 1 else Confidence.SURE


def _unmatched(text: str, plain: str, run: re.Match[str], region: str) -> Iterator[_Found]:
    """What is to be made of digits in which the matcher saw no number."""
    signs = re.sub(r"[\s().,/+-]", "", run[0])
    if len(signs) < _FEWEST_SIGNS or sum(map(str.isdigit, signs)) < _FEWEST_DIGITS:
        return
    start, end = run.span()
    readings = _readings(plain, run, signs, region) if signs.isdigit() else []
    for raw, e164 in readings:
        sure = Phone(raw=raw, e164=e164, extension=None, confidence=Confidence.SURE)
        yield _Found(start=start, end=end, phone=sure)
    if not readings:
        raw = _BEFORE_NUMBER.sub("", text[start:end], count=1)
        unread = Phone(raw=raw, e164=None, extension=None, confidence=Confidence.DOUBTFUL)
        yield _Found(start=start, end=end, phone=unread)


def _readings(plain: str, run: re.Match[str], digits: str, region: str) -> list[tuple[str, str]]:
    """Each number in the run as it was written and in E.164; none, unless every digit is accounted for."""
    written = run[0].strip()
    if len(digits) > _LONGEST_NUMBER:
        return _split(re.findall(r"\+?\d+", written), region) if len(digits) <= _LONGEST_PAIR else []
    number = None
    if digits.startswith("00"):
        number = _valid(f"+{digits[2:]}", None)
    elif len(digits) >= _SHORTEST_FOREIGN and "+" not in written and _alone(plain, run):
        number = _valid(f"+{digits}", None, mobile=True)
    return [(written, number)] if number else []


def _split(groups: list[str], region: str) -> list[tuple[str, str]]:
    """Numbers written one after the other with nothing but spaces between."""
    for size in range(1, len(groups) + 1):
        part = " ".join(groups[:size])
        if number := _valid(part, region):
            rest = groups[size:]
            if not rest:
                return [(part, number)]
            if others := _split(rest, region):
                return [(part, number), *others]
    return []


def _valid(written: str, region: str | None, *, mobile: bool = False) -> str | None:
    try:
        number: PhoneNumber = parse(written, region)
    except NumberParseException:
        return None
    if not is_valid_number(number):
        return None
    if mobile and number_type(number) not in (PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE):
        return None
    return format_number(number, PhoneNumberFormat.E164)


def _alone(plain: str, run: re.Match[str]) -> bool:
    """Whether the digits are about all that is said; else twelve of them may be anything (a person's IIN)."""
    beside = f"{plain[: run.start()]} {plain[run.end() :]}"
    words = re.findall(r"\w+", beside)
    return len(words) <= _WORDS_BESIDE and not re.search(r"\d", beside) and not _OTHER_NUMBERS.search(beside)
