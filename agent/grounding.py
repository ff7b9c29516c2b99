"""What of a draft no source says: a deterministic look at its figures, dates, addresses and names.

Both the draft and its sources (the lead's words, the history, the company's facts) are read into claims, and
a claim of the draft counts as said where a source makes the same one in any spelling: 1 500 000 ₸ is
1,5 млн, 12.03 is 12 марта, +7 (701) 555-01-42 is 87015550142.  Words of relative time (today) are no claims.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from agent.marks import Mark, MarkKind

# Letters of one text that are read; no message is longer (Bot API: 4096), no history need be.
LONGEST = 20_000
MOST = 20

_CURRENCY = (
    r"(?:тенге|теңге|тг\b|руб\w*|доллар\w*|евро\b|tenge\b|dollars?\b|euros?\b|kzt\b|rub\b|usd\b|eur\b|[₸₽$€])"
)
_TIMES = {"тыс": 3, "мың": 3, "thousand": 3, "k": 3, "к": 3, "млн": 6, "миллион": 6, "million": 6, "m": 6}
_MULTIPLIER = r"(?:тыс\w*\.?|мың\b|thousands?\b|[kк]\b|млн\.?|миллион\w*|millions?\b)"
_PLAIN = r"\d{1,3}(?:[ .,]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_NUMBER = rf"(?P<number>{_PLAIN})(?:\s?(?P<times>{_MULTIPLIER}))?"
_UNIT = (
    r"(?:дн(?:я|ей|и)|день|сут(?:ки|ок)|недел\w+|месяц\w*|час(?:а|ов)?|минут\w*|лет|год(?:а)?"
    r"|days?|weeks?|months?|hours?|minutes?|years?|күн\w*|апта\w*|ай\w{0,3}|сағат\w*|жыл\w*)\b"
)
_TOP = r"(?:kz|ru|com|net|org|io|me|app|dev|info|рф|қаз)"
_MONTHS = (
    "янв jan қаңт",
    "фев feb ақпа",
    "мар mar наур",
    "апр apr сәуі",
    "ма may мамы",
    "июн jun маус",
    "июл jul шілд",
    "авг aug тамы",
    "сен sep қырк",
    "окт oct қаза",
    "ноя nov қара",
    "дек dec желт",
)
_MONTH_OF = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts.split()}
_MONTH = (
    r"(?P<month>январ\w*|феврал\w*|марта?\b|апрел\w*|ма[яй]\b|июн\w*|июл\w*|август\w*|сентябр\w*|октябр\w*"
    r"|ноябр\w*|декабр\w*|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|қаңтар\w*|ақпан\w*|наурыз\w*|сәуір\w*|мамыр\w*|маусым\w*|шілде\w*|тамыз\w*|қыркүйек\w*"
    r"|қазан\w*|қараша\w*|желтоқсан\w*)"
)
_YEAR = r"(?:,?\s*(?P<year>\d{4}))?"
_LETTER = r"A-Za-zА-Яа-яЁёӘәҒғҚқҢңӨөҰұҮүҺһІі"
_UPPER = r"A-ZА-ЯЁӘҒҚҢӨҰҮҺІ"
_NAME = re.compile(rf"(?<![{_LETTER}\d@./-])[{_UPPER}][{_LETTER}'’-]+")
_WORD = re.compile(rf"[{_LETTER}]+")
# A word behind one of these begins a sentence, a line or a quotation.
_BEGINNING = re.compile(r"(?:^|[.!?…\n:;«“\"(—–-])\s*$")
# Words that are written large without being anybody's name.
_NO_NAMES = frozenset(
    """
    i you your yours we our mr mrs ms dear hello hi hey good thank thanks english russian kazakh
    monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december
    вы вас вам вами ваш ваша ваше ваши вашу вашей вашего вашему вашим ваших здравствуйте привет добрый спасибо
    сіз сізге сізді сіздің сізбен сәлеметсіз сәлем рахмет
    telegram whatsapp instagram google email internet android iphone ios web seo crm wordpress tilda excel
    """.split()  # noqa: SIM905, a list of sixty words reads best as words
)


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a text says: how it is written there, and what it amounts to in any spelling."""

    kind: MarkKind
    text: str
    value: str


@dataclass(frozen=True, slots=True)
class _Form:
    """How one kind of claim is written, and what such a match amounts to; None if it is no such claim."""

    kind: MarkKind
    pattern: re.Pattern[str]
    value: Callable[[re.Match[str]], str | None]


def ungrounded(draft: str, sources: Iterable[str]) -> tuple[Mark, ...]:
    """The claims of the draft that no source makes, at most `MOST`."""
    text = _plain(draft)
    read = [_plain(source) for source in sources]
    said = {claim.value for source in read for claim in _claims(source)}
    words = {word.casefold() for source in read for word in _WORD.findall(source)}
    digits = {str(int(found)) for source in read for found in re.findall(r"\d{1,30}", source)}
    missing = [claim for claim in _claims(text) if not _is_said(claim, said, digits)]
    missing += [claim for claim in _names(text) if not _is_known(claim.value, words)]
    found = dict.fromkeys(Mark(kind=claim.kind, text=claim.text) for claim in missing)
    return tuple(found)[:MOST]


def _plain(text: str) -> str:
    """As it reads: one form of each letter and digit, nothing invisible, one kind of space."""
    folded = unicodedata.normalize("NFKC", text[:LONGEST])
    seen = (letter for letter in folded if unicodedata.category(letter) != "Cf")
    shown = "".join(str(unicodedata.decimal(one, one)) for one in seen)
    return re.sub(r"[^\S\n]", " ", shown)


def _is_said(claim: _Claim, said: set[str], digits: set[str]) -> bool:
    if claim.value in said:
        return True
    match claim.kind:
        case MarkKind.DATE:  # a year may be left out on either side
            return any(other.startswith(claim.value) or claim.value.startswith(other) for other in said)
        case MarkKind.NUMBER:  # it may be a part of something larger: the year of a date, a house
            return claim.value.removeprefix("n:") in digits
    return False


def _claims(text: str) -> Iterator[_Claim]:
    """Kind by kind; what was read as one kind is not read as another."""
    for form in _FORMS:
        rest, position = [], 0
        for match in form.pattern.finditer(text):
            value = form.value(match)
            if value is not None:
                yield _Claim(form.kind, match[0].strip(), value)
                rest += [text[position : match.start()], " \x00 "]
                position = match.end()
        text = "".join([*rest, text[position:]])


def _names(text: str) -> Iterator[_Claim]:
    """Words written large inside a sentence; abbreviations and whatever begins a sentence are no names."""
    for match in _NAME.finditer(text):
        name = match[0]
        small = name.casefold()
        before = text[max(0, match.start() - 3) : match.start()]
        if not (name.isupper() or small in _NO_NAMES or _BEGINNING.search(before)):
            yield _Claim(MarkKind.NAME, name, small)


def _is_known(name: str, words: set[str]) -> bool:
    """Whether a source has the word, in any case of Russian or Kazakh."""
    stem = name[: max(3, len(name) - 2)]
    return name in words or any(word.startswith(stem) and len(word) - len(name) < 4 for word in words)


def _amount(match: re.Match[str]) -> str | None:
    """A number's value: 1 500 000, 1.500.000, 1,5 млн and 1500k are the same."""
    written = match["number"].replace(" ", "")
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", written):
        written = re.sub(r"[.,]", "", written)
    head, separator, tail = written.replace(",", ".").rpartition(".")
    digits = f"{head.replace('.', '')}{separator}{tail}"
    try:
        value = Decimal(digits[:40]).scaleb(_power(match["times"]))
    except InvalidOperation:
        return None
    return f"n:{value.normalize():f}"


def _power(times: str | None) -> int:
    word = (times or "").casefold().rstrip(".")
    return next((power for name, power in _TIMES.items() if word and word.startswith(name)), 0)


def _percent(match: re.Match[str]) -> str | None:
    amount = _amount(match)
    return amount and f"{amount}%"


def _phone(match: re.Match[str]) -> str | None:
    """The last ten digits: 8 701… and +7 701… are the same phone."""
    digits = re.sub(r"\D", "", match[0])
    return f"p:{digits[-10:]}" if 10 <= len(digits) <= 15 else None


def _date(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    month = _month(groups["month"])
    day = int(groups["day"])
    if month is None or not 1 <= day <= 31:
        return None
    year = groups.get("year")
    full = f"20{year}" if year and len(year) == 2 else year
    return f"d:{day}.{month}." + (full or "")


def _month(word: str) -> int | None:
    if word.isdigit():
        return int(word) if 1 <= int(word) <= 12 else None
    small = word.casefold()
    # March and May begin alike in Russian: the longest beginning counts.
    fitting = [start for start in _MONTH_OF if small.startswith(start)]
    return _MONTH_OF[max(fitting, key=len)] if fitting else None


def _time(match: re.Match[str]) -> str | None:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    half = (match.groupdict().get("half") or "").casefold().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    return f"t:{hour}:{minute:02}" if hour < 24 and minute < 60 else None


def _address(match: re.Match[str]) -> str:
    """A link without its scheme, www. and last sign."""
    link = re.sub(r"^(?:https?://)?(?:www\.)?", "", match[0].casefold())
    return f"l:{link.rstrip('/.,;:!?)')}"


def _whole(match: re.Match[str]) -> str:
    return match[0].casefold()


def _form(kind: MarkKind, pattern: str, value: Callable[[re.Match[str]], str | None]) -> _Form:
    return _Form(kind, re.compile(pattern, re.IGNORECASE), value)


# In this order: a date holds numbers, a link holds a domain, an e-mail both.
_FORMS = (
    _form(MarkKind.EMAIL, r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", _whole),
    _form(MarkKind.LINK, r"https?://\S{1,300}", _address),
    _form(MarkKind.LINK, rf"(?<![\w.])(?:[\w-]{{1,63}}\.){{1,5}}{_TOP}\b(?:/\S{{0,300}})?", _address),
    _form(MarkKind.HANDLE, r"(?<!\w)@\w{3,64}", _whole),
    _form(MarkKind.DATE, r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})(?!\d)", _date),
    _form(
        MarkKind.DATE, r"(?<!\d)(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4}|\d\d)(?!\d)", _date
    ),
    _form(
        MarkKind.DATE, rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|-?го|-?ші|-?шы)?\s+{_MONTH}{_YEAR}", _date
    ),
    _form(MarkKind.DATE, rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d){_YEAR}", _date),
    _form(MarkKind.PHONE, r"(?<![\w+])\+?\d(?:[ ()-]{0,3}\d){9,14}(?!\d)", _phone),
    _form(
        MarkKind.TIME,
        r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d\d)(?:\s?(?P<half>[ap]\.?m\b\.?))?(?![\d:])",
        _time,
    ),
    _form(MarkKind.TIME, r"(?<![\d:])(?P<hour>\d{1,2})(?P<minute>)\s?(?P<half>[ap]\.?m\b)", _time),
    _form(MarkKind.PERCENT, rf"{_NUMBER}\s?(?:%|процент\w*|percent\b|пайыз\w*)", _percent),
    _form(MarkKind.PRICE, rf"{_NUMBER}\s?{_CURRENCY}", _amount),
    _form(MarkKind.PRICE, rf"{_CURRENCY}\s?{_NUMBER}", _amount),
    _form(MarkKind.DURATION, rf"{_NUMBER}[ -]?{_UNIT}", _amount),
    _form(MarkKind.DATE, r"(?<!\d)(?P<day>\d{1,2})\.(?P<month>\d{2})(?![\d.])", _date),
    _form(MarkKind.NUMBER, rf"(?<![\w.,]){_NUMBER}", _amount),
)
