"""How much and how long: prices, percentages, durations, and numbers that are none of these."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from agent.grounding.claim import Claim, claim
from agent.grounding.dates import day_value, time_value
from agent.grounding.numerals import MULTIPLIERS, numerals
from agent.marks import MarkKind

_DIGITS = re.compile(r"(?<!\w)(?:\d{1,3}(?:[ .,']\d{3}){1,5}(?!\d)(?:[.,]\d{1,2}(?!\d))?|\d++(?:[.,]\d++)?)")
# Digits beyond these tell no two numbers apart that anybody means.
_LONGEST = 40
_GROUPS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
_DAY_AND_MONTH = re.compile(r"(\d{1,2})\.(\d\d)")
_HOUR = re.compile(r"(?<!\w)(?:в|во|с|со|до|к|после|at|from|till|until|by|after|сағат) $", re.IGNORECASE)
_RANGE = re.compile(r" ?- ?| (?:до|или|и|to|or|and|дейін|немесе) ", re.IGNORECASE)

_WORD_GOES_ON = re.compile(r"(?<=\w)\w")
_ENDING = re.compile(r"-(?:х|ти|ми|го|му|й|я|е|ый|ой|ая|ое|ые|st|nd|rd|th|[тд][еа]|[гқ]а|[гк]е|ші|шы)(?!\w)")
_TIMES = re.compile(
    r"[кk](?!\w)|(?<=\d)m(?!\w)|[ -]?(?P<word>"
    + "|".join(sorted(MULTIPLIERS, key=len, reverse=True))
    + r")(?!\w)\.?",
    re.IGNORECASE,
)
_CURRENCIES = {
    "kzt": r"₸|тенге|теңге\w*|тг|tenge|kzt",
    "rub": r"₽|руб\w*|р|rub|rubles?|roubles?",
    "usd": r"(?:us)?\$|доллар\w*|бакс\w*|dollars?|bucks?|usd|у\.е",
    "eur": r"€|евро|euros?|eur",
    "gbp": r"£|фунт\w*|pounds?|gbp",
}
_AFTER = "|".join(rf"(?P<{code}>{words})" for code, words in _CURRENCIES.items())
CURRENCY = re.compile(rf"(?: ?|-)(?:{_AFTER})(?!\w)\.?", re.IGNORECASE)
_CURRENCY_BEFORE = re.compile(rf"(?<!\w)(?:{_AFTER}) ?$", re.IGNORECASE)
_PERCENT = re.compile(r"(?: ?|-)(?:%|процент\w*|percent|per cent|пайыз\w*)", re.IGNORECASE)
_COUNTED = {  # unit: minutes, or months
    "m1": r"минут\w*|мин|minutes?|mins?",
    "m60": r"час(?:а|ов|ам|ах|у)?|часов\w{1,3}|ч|hours?|hrs?|сағат\w*",
    "m1440": r"дн(?:я|ей|и|ю|ям|ях|е|ев\w+)|дн|день|сут(?:ки|ок|кам|ках)|суточн\w+|days?|күн\w*|тәулік\w*",
    "m10080": r"недел\w+|нед|weeks?|апта\w*",
    "y1": r"месяц\w*|мес|months?|ай(?:да|дан|ға|дың|лық|ы)?",
    "y12": r"лет|год(?:а|у|ом|ов\w+)?|years?|жыл\w*",
}
_WORKING = r"(?:(?P<working>рабоч\w+|business|working|жұмыс)|календарн\w+|полн\w+|calendar|full) "
_UNIT = re.compile(
    rf"(?: of)?[ -]?(?:{_WORKING})?(?:"
    + "|".join(f"(?P<{key}>{words})" for key, words in _COUNTED.items())
    + r")(?!\w)",
    re.IGNORECASE,
)
_YEAR_AFTER = re.compile(r" ?(?:год\w{0,2}|г|жыл\w*)(?!\w)\.?", re.IGNORECASE)
# A few questions or words are counted in many a polite reply, and promise nothing.
_FEW = 10
_NOTHING = re.compile(
    r" (?:[^\W\d_]{1,20} )?(?:вопрос\w*|слов\w*|questions?|words?|sentences?|сұрақ\w*|сөз\w*)",
    re.IGNORECASE,
)
# Units whose number is not written, or is none.
_UNCOUNTED = re.compile(
    r"(?<!\w)(?:(?P<half>пол|half an?|жарты)|(?P<some>нескольк\w+|(?:an?|the next) few|several|бірнеше)"
    r"|(?:через|за|в течени[ие]|спустя|within|in)(?: ближайш\w+)?(?: an?| the(?: next)?)?)" + _UNIT.pattern,
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?\n]")
_LONGEST_SENTENCE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Number:
    """A number, what it may amount to, and the words after it that say of what."""

    start: int
    end: int
    amounts: tuple[Decimal, ...]
    power: int = 0
    kind: MarkKind = MarkKind.NUMBER
    unit: str = ""
    bare: bool = False

    @property
    def values(self) -> list[str]:
        return [_written(amount.scaleb(self.power)) for amount in self.amounts]


def read_quantities(text: str) -> Iterator[Claim]:
    """All numbers in digits and in words, each with its currency, unit or percent sign.

    A range shares them: both numbers of "2-3 недели" are weeks.
    """
    found = _apart(sorted([*_in_digits(text), *_in_words(text)], key=lambda number: number.start))
    shared = [*(_sharing(text, one, after) for one, after in pairwise(found)), *found[-1:]]
    for number in shared:
        yield from _claims(text, number)
    yield from _uncounted(text)


def amounts(text: str) -> Iterator[Decimal]:
    """All that the numbers of a text may amount to, whatever they count; 1.500 may be either of two."""
    for number in (*_in_digits(text), *_in_words(text)):
        yield from (amount.scaleb(number.power) for amount in number.amounts)


def _apart(numbers: Iterable[_Number]) -> list[_Number]:
    """Without words that a number before them has taken: the thousands of "5 тысяч"."""
    found: list[_Number] = []
    for number in numbers:
        if not found or number.start >= found[-1].end:
            found.append(number)
    return found


def _in_digits(text: str) -> Iterator[_Number]:
    for match in _DIGITS.finditer(text):
        number = _completed(text, _Number(start=match.start(), end=match.end(), amounts=_amounts(match[0])))
        if not _WORD_GOES_ON.match(text, number.end):
            yield number


def _in_words(text: str) -> Iterator[_Number]:
    for numeral in numerals(text):
        number = _Number(start=numeral.start, end=numeral.end, amounts=(numeral.value,), bare=numeral.bare)
        yield _completed(text, number)


def _amounts(written: str) -> tuple[Decimal, ...]:
    """1 500 000 and 1.500.000 are the same; 1.500 may be either."""
    tight = written.replace(" ", "").replace("'", "")[:_LONGEST]
    whole = re.sub(r"[.,]", "", tight)
    head, mark, tail = tight.replace(",", ".").rpartition(".")
    decimal = Decimal(f"{head.replace('.', '') or 0}{mark}{tail}") if mark else Decimal(whole)
    if not _GROUPS.fullmatch(tight):
        return (decimal,)
    return (Decimal(whole), decimal) if len(re.findall(r"[.,]", tight)) == 1 else (Decimal(whole),)


def _written(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def _completed(text: str, number: _Number) -> _Number:
    """The number with what stands beside it."""
    if ending := _ENDING.match(text, number.end):
        number = replace(number, end=ending.end())
    if times := _TIMES.match(text, number.end):
        word = (times["word"] or "").casefold()
        power = MULTIPLIERS.get(word, 6 if times[0].casefold() == "m" else 3)
        number = replace(number, end=times.end(), power=power)
    if currency := CURRENCY.match(text, number.end):
        return replace(number, end=currency.end(), kind=MarkKind.PRICE, unit=currency.lastgroup or "")
    if before := _CURRENCY_BEFORE.search(text, max(0, number.start - 12), number.start):
        return replace(number, start=before.start(), kind=MarkKind.PRICE, unit=before.lastgroup or "")
    if percent := _PERCENT.match(text, number.end):
        return replace(number, end=percent.end(), kind=MarkKind.PERCENT, unit="%")
    if year := _year(text, number):
        return replace(number, end=year.end(), kind=MarkKind.DATE)
    if unit := _UNIT.match(text, number.end):
        return replace(number, end=unit.end(), kind=MarkKind.DURATION, unit=_unit(unit))
    return number


def _year(text: str, number: _Number) -> re.Match[str] | None:
    return _YEAR_AFTER.match(text, number.end) if 1900 <= number.amounts[0] <= 2100 else None


def _unit(match: re.Match[str]) -> str:
    """What one of the unit comes to, working days apart from days."""
    key = next(key for key in _COUNTED if match[key])
    return f"{key} working" if match["working"] else key


def _sharing(text: str, one: _Number, after: _Number) -> _Number:
    """The first number of a range, with what the second has and it has not."""
    if one.kind is not MarkKind.NUMBER or not _RANGE.fullmatch(text, one.end, after.start):
        return one
    if after.kind in (MarkKind.NUMBER, MarkKind.DATE) and not after.power:
        return one
    power = one.power or after.power
    return replace(one, end=after.end, power=power, kind=after.kind, unit=after.unit)


def _claims(text: str, number: _Number) -> Iterator[Claim]:
    span = number.start, number.end
    values = number.values
    plain = tuple(f"n:{value}" for value in values)
    match number.kind:
        case MarkKind.PRICE:
            prices = [f"price:{value}:{number.unit}" for value in values]
            bare = (f"bare:{value}" for value in values)
            yield claim(MarkKind.PRICE, span, *prices, accepts=bare, gives=plain)
        case MarkKind.PERCENT:
            yield claim(MarkKind.PERCENT, span, *(f"{value}%" for value in values), gives=plain)
        case MarkKind.DURATION:
            yield _duration(span, number, plain)
        case MarkKind.DATE:
            yield claim(MarkKind.DATE, span, *plain)
        case _ if number.bare and not number.power:  # said of nothing that counts: one of the managers
            yield claim(MarkKind.NUMBER, span, gives=(*plain, *(f"bare:{value}" for value in number.values)))
        case _ if number.power or number.amounts[0] > _FEW or not _NOTHING.match(text, number.end):
            yield from _bare(text, number, plain)


def _duration(span: tuple[int, int], number: _Number, plain: tuple[str, ...]) -> Claim:
    """Weeks are days and years are months; seventeen hours may be a time of day."""
    scale, _, working = number.unit.partition(" ")
    amount = number.amounts[0].scaleb(number.power)
    needs = [f"{scale[0]}{working}:{_written(amount * int(scale[1:]))}"]
    if scale == "m60" and amount == amount.to_integral_value() and amount < 24:
        needs.append(time_value(int(amount)))
    return claim(MarkKind.DURATION, span, *needs, gives=plain)


def _bare(text: str, number: _Number, plain: tuple[str, ...]) -> Iterator[Claim]:
    """Not said of what: maybe a day (12.03), maybe a time of day (в 17)."""
    span = number.start, number.end
    if day := _DAY_AND_MONTH.fullmatch(text, *span):
        date, month = int(day[1]), int(day[2])
        if 1 <= date <= 31 and 1 <= month <= 12:
            said = day_value(date, month)
            yield claim(MarkKind.DATE, span, said, *plain, gives=(f"{said}.any", f"m:{month}"))
            return
    bare = tuple(f"bare:{value}" for value in number.values)
    yield claim(MarkKind.NUMBER, span, *plain, gives=(*bare, *_times(text, number)))


def _times(text: str, number: _Number) -> Iterator[str]:
    hour = number.amounts[0]
    if number.power or hour != hour.to_integral_value() or not 0 <= hour <= 24:
        return
    if _HOUR.search(text, max(0, number.start - 12), number.start):
        yield time_value(int(hour))
        yield time_value(int(hour) % 12 + 12)


def _uncounted(text: str) -> Iterator[Claim]:
    """Units without a number: через неделю, within an hour, полгода.  In a question they ask, not promise."""
    for match in _UNCOUNTED.finditer(text):
        if _is_asked(text, match.end()):
            continue
        if match["some"]:
            yield claim(MarkKind.DURATION, match.span(), f"some:{_unit(match)}")
            continue
        amount = Decimal("0.5") if match["half"] else Decimal(1)
        number = _Number(start=match.start(), end=match.end(), amounts=(amount,), unit=_unit(match))
        yield _duration(match.span(), number, ())


def _is_asked(text: str, end: int) -> bool:
    stop = _SENTENCE_END.search(text, end, end + _LONGEST_SENTENCE)
    return stop is not None and stop[0] == "?"
