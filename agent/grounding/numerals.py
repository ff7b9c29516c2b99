"""Numbers in words, in three languages: "полтора миллиона", "two hundred", "екі жүз елу мың"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_NUMERALS = {
    1: "один одна одно одну одного одной одним one бір",
    2: "два две двух двум двумя пару пара two couple екі",
    3: "три трёх трех трём трем тремя three үш",
    4: "четыре четырёх четырех четырём четырем four төрт",
    5: "пять пяти пятью five бес",
    6: "шесть шести шестью six алты",
    7: "семь семи семью seven жеті",
    8: "восемь восьми eight сегіз",
    9: "девять девяти nine тоғыз",
    10: "десять десяти ten десяток десятка он",
    11: "одиннадцать одиннадцати eleven",
    12: "двенадцать двенадцати twelve dozen",
    13: "тринадцать тринадцати thirteen",
    14: "четырнадцать четырнадцати fourteen",
    15: "пятнадцать пятнадцати fifteen",
    16: "шестнадцать шестнадцати sixteen",
    17: "семнадцать семнадцати seventeen",
    18: "восемнадцать восемнадцати eighteen",
    19: "девятнадцать девятнадцати nineteen",
    20: "двадцать двадцати twenty жиырма",
    30: "тридцать тридцати thirty отыз",
    40: "сорок сорока forty қырық",
    50: "пятьдесят пятидесяти fifty елу",
    60: "шестьдесят шестидесяти sixty алпыс",
    70: "семьдесят семидесяти seventy жетпіс",
    80: "восемьдесят восьмидесяти eighty сексен",
    90: "девяносто девяноста ninety тоқсан",
    100: "сто ста",
    200: "двести двухсот",
    300: "триста трёхсот трехсот",
    400: "четыреста четырёхсот четырехсот",
    500: "пятьсот пятисот",
    600: "шестьсот шестисот",
    700: "семьсот семисот",
    800: "восемьсот восьмисот",
    900: "девятьсот девятисот",
}
_VALUES = {word: Decimal(value) for value, words in _NUMERALS.items() for word in words.split()}
_VALUES |= dict.fromkeys(("полтора", "полторы", "полутора"), Decimal("1.5"))
_HALF = Decimal("0.5")
_HALVES = frozenset(("жарым", "half", "половиной"))
_HUNDREDS = frozenset(("hundred", "hundreds", "жүз"))
_MULTIPLIERS = {
    3: "тысяча тысячи тысяч тысячу тысячей тыс тыщ тыщи мың thousand thousands",
    6: "миллион миллиона миллионов млн лям ляма лямов million millions mln",
    9: "миллиард миллиарда миллиардов млрд billion billions bn",
}
MULTIPLIERS = {word: power for power, words in _MULTIPLIERS.items() for word in words.split()}
_SMALL = 10
# Words between the parts of one number.
_JOINERS = frozenset(("и", "and", "a", "of", "с"))
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeral:
    """A number in words.  `bare` if it is so small that it only counts before a unit: one of the managers."""

    start: int
    end: int
    value: Decimal
    bare: bool


def numerals(text: str) -> Iterator[Numeral]:
    """The numbers in words of a text; neighbouring words that together make one are one."""
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        beside = bool(run) and text[run[-1].end() : match.start()] == " "
        if beside and (_is_numeral(word) or word in _JOINERS):
            run.append(match)
            continue
        yield from _numeral(run)
        run = [match] if word in _VALUES or word in MULTIPLIERS or word in _HALVES else []
    yield from _numeral(run)


def _is_numeral(word: str) -> bool:
    return word in _VALUES or word in MULTIPLIERS or word in _HUNDREDS or word in _HALVES


def _numeral(run: list[re.Match[str]]) -> Iterator[Numeral]:
    while run and run[-1][0].casefold() in _JOINERS:
        run = run[:-1]
    words = [match[0].casefold() for match in run]
    if not words or words == ["половиной"]:
        return
    value = _value(words)
    yield Numeral(start=run[0].start(), end=run[-1].end(), value=value, bare=value <= _SMALL)


def _value(words: list[str]) -> Decimal:
    """Two hundred fifty thousand: what stands before a multiplier is multiplied, what follows is added."""
    total = group = Decimal(0)
    for word in words:
        if word in _VALUES:
            group += _VALUES[word]
        elif word in _HALVES:
            group += _HALF
        elif word in _HUNDREDS:
            group = (group or Decimal(1)).scaleb(2)
        elif power := MULTIPLIERS.get(word):
            total += (group or Decimal(1)).scaleb(power)
            group = Decimal(0)
    return total + group
