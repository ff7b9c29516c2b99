"""When: days, months, weekdays, times of day, and the days that are counted from today.

Today itself is no claim: "a manager will call you today" is how honest replies end.
"""

import re
from collections.abc import Iterator

from agent.grounding.claim import Claim, blanked, claim
from agent.marks import MarkKind

_MONTHS = (
    "январ jan қаңт",
    "феврал feb ақпа",
    "март mar наур",
    "апрел apr сәуі",
    "мая май мае may мамы",
    "июн jun маус",
    "июл jul шілд",
    "август aug тамы",
    "сентябр sep қырк",
    "октябр oct қаза",
    "ноябр nov қара",
    "декабр dec желт",
)
_MONTH_OF = {start: number for number, starts in enumerate(_MONTHS, 1) for start in starts.split()}
_MONTH_RU_KK = (
    r"январ\w*|феврал\w*|март(?:а|е|у|ом)?|апрел\w*|ма[йяею]|июн\w*|июл\w*|август\w*|сентябр\w*|октябр\w*"
    r"|ноябр\w*|декабр\w*|қаңтар\w*|ақпан\w*|наурыз\w*|сәуір\w*|мамыр\w*|маусым\w*|шілде\w*|тамыз\w*"
    r"|қыркүйек\w*|қазан\w*|қараша\w*|желтоқсан\w*"
)
_MONTH_EN = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_MONTH = rf"(?P<month>{_MONTH_RU_KK}|{_MONTH_EN})(?!\w)\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|-?(?:го|е|ого|ому|ші|шы|нші|ншы))?"
_YEAR = r"(?:,? ?(?P<year>(?:19|20)\d\d)(?!\d))?"
_FROM = r"(?:(?P<from>\d{1,2})(?:st|nd|rd|th|-?го)? ?(?:-|до|по|to|and|и) ?)?"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_DAYS = (
    _form(r"(?<![\d.-])(?P<year>(?:19|20)\d\d)[-./](?P<month>\d{1,2})[-./](?P<day>\d{1,2})(?![\d.-]*\d)"),
    _form(r"(?<![\d./])(?P<day>\d{1,2})(?P<mark>[./-])(?P<month>\d{1,2})(?P=mark)(?P<year>\d{4}|\d\d)(?!\d)"),
    _form(rf"(?<!\d){_FROM}{_DAY} ?(?:of )?{_MONTH}{_YEAR}"),
    _form(rf"(?<!\w){_MONTH} {_FROM}{_DAY}(?!\d){_YEAR}"),
    _form(rf"(?<!\w)(?P<year>(?:19|20)\d\d) ?(?:жыл\w*|года?|г\.),? {_DAY} {_MONTH}"),
)
_FRACTION = re.compile(r"(?<![\d/.,])(?P<day>\d{1,4})/(?P<month>\d{1,4})(?![\d/])")
_MONTH_ALONE = _form(
    rf"(?<!\w)(?:{_MONTH_RU_KK})(?!\w)"
    rf"|(?<!\w)(?:in|by|until|till|since|from|early|mid|late|of|next|this) (?:{_MONTH_EN})(?!\w)"
)
_WEEKDAYS = (
    r"понедельник\w*|monday|дүйсенбі\w*",
    r"вторник\w*|tuesday|сейсенбі\w*",
    r"среду|(?:к|до|со?) сред[еы]|wednesday|сәрсенбі\w*",
    r"четверг\w*|thursday|бейсенбі\w*",
    r"пятниц\w*|friday|жұма(?:ға|да|дан|сы)?",
    r"суббот\w*|saturday|сенбі\w*",
    r"воскресень\w*|sunday|жексенбі\w*",
)
_WEEKDAY = _form("|".join(rf"(?<!\w)(?P<d{number}>{names})(?!\w)" for number, names in enumerate(_WEEKDAYS)))
_RELATIVE = {
    "tomorrow": r"завтра\w*|tomorrow|ертең\w*",
    "after": r"послезавтра|(?:the )?day after tomorrow|бүрсігүні",
    "this week": r"(?:на )?(?:этой|эту) неделе?ю?|this week|осы аптада?",
    "next week": r"(?:на )?(?:следующ|будущ)(?:ей|ую) недел[еюи]|next week|келесі апта\w*",
    "this month": r"(?:в )?этом месяце|this month|осы айда?",
    "next month": r"(?:в )?(?:следующем|будущем) месяце|next month|келесі айд?а?",
    "day's end": r"(?:к|до) (?:конц[ау]|вечера) дня|(?:by|before) the end of (?:the )?(?:working )?day",
    "week's end": r"(?:к|до|в) конц[ауе] (?:этой |следующей )?недели"
    r"|(?:by|at|before|until) the end of (?:the |this |next )?week|апта\w* соң\w*",
    "month's end": r"(?:к|до|в) конц[ауе] (?:этого |следующего )?месяца"
    r"|(?:by|at|before|until) the end of (?:the |this |next )?month|ай\w{0,3} соң\w*",
    "year's end": r"(?:к|до|в) конц[ауе] (?:этого |следующего )?года"
    r"|(?:by|at|before|until) the end of (?:the |this |next )?year|жыл\w* соң\w*",
    "soon": r"(?:на )?днях|в ближайши[ех] дн[ия]|(?:with)?in the next few days|жақын күндері",
}
_COUNTED = {name: _form(rf"(?<!\w)(?:{words})(?!\w)") for name, words in _RELATIVE.items()}
# The sign of `read_relative`: one look at each word instead of one for each form.
SPOKEN = _form(
    rf"(?<!\w)(?:{'|'.join(form.pattern for form in (*_COUNTED.values(), _WEEKDAY, _MONTH_ALONE))})"
)

_MORNING = r"утра|таңғы|таңертең"
_EVENING = r"вечера|кешкі|түскі"
_TIMES = (
    _form(
        r"(?<![\d:])(?P<hour>\d{1,2})(?P<sign>[:.]?)(?P<minute>(?:(?<=[:.])\d\d)?)(?::\d\d)?"
        rf" ?(?:час(?:а|ов)? )?(?P<half>[ap]\.? ?m\b\.?|{_MORNING}|{_EVENING})(?!\w)"
    ),
    _form(
        rf"(?<!\w)(?P<half>{_MORNING}|{_EVENING}) (?:сағат )?(?P<hour>\d{{1,2}})(?::(?P<minute>\d\d))?(?!\d)"
    ),
    _form(r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d\d)(?P<half>)(?::\d\d)?(?![\d:]*\d)"),
)
_LATER = re.compile(rf"p|{_EVENING}", re.IGNORECASE)
_EARLIER = re.compile(rf"a|{_MORNING}", re.IGNORECASE)


def read_days(text: str) -> Iterator[Claim]:
    """Days of a month, with and without their year; two of them where only the last is written out."""
    for form in _DAYS:
        found: list[Claim] = []
        for match in form.finditer(text):
            if month := _month(match["month"]):
                found += _days(match, month)
        yield from found
        text = blanked(text, found)


def read_fractions(text: str) -> Iterator[Claim]:
    """12/03, the twelfth of March or the third of December; 24/7 and 50/50 are no days."""
    for match in _FRACTION.finditer(text):
        first, second = int(match["day"]), int(match["month"])
        days = [
            f"d:{day}.{month}"
            for day, month in ((first, second), (second, first))
            if 1 <= month <= 12 and 1 <= day <= 31
        ]
        kind = MarkKind.DATE if days and first != second else MarkKind.NUMBER
        parts = (f"n:{first}", f"n:{second}")
        yield claim(kind, match.span(), f"f:{first}/{second}", *days, gives=parts)


def read_relative(text: str) -> Iterator[Claim]:
    """Months and weekdays by their name, and days counted from today."""
    for name, form in _COUNTED.items():
        for match in form.finditer(text):
            yield claim(MarkKind.DATE, match.span(), f"r:{name}")
    for match in _WEEKDAY.finditer(text):
        yield claim(MarkKind.DATE, match.span(), f"w:{match.lastgroup}")
    for match in _MONTH_ALONE.finditer(text):
        yield claim(MarkKind.DATE, match.span(), f"m:{_month(match[0].split()[-1])}")


def read_times(text: str) -> Iterator[Claim]:
    """Times of day on the clock of 24 hours."""
    for form in _TIMES:
        found = [time for match in form.finditer(text) for time in _time(match)]
        yield from found
        text = blanked(text, found)


def time_value(hour: int, minute: int = 0) -> str:
    """A time of day as a claim's value."""
    return f"t:{hour}:{minute:02}"


def day_value(day: int, month: int) -> str:
    """A day of a month as a claim's value."""
    return f"d:{day}.{month}"


def _time(match: re.Match[str]) -> Iterator[Claim]:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if hour < 12 and _LATER.match(match["half"]):
        hour += 12
    elif hour == 12 and _EARLIER.match(match["half"]):
        hour = 0
    if hour <= 24 and minute < 60:
        parts = f"n:{hour}", f"n:{int(match['hour'])}"
        yield claim(MarkKind.TIME, match.span(), time_value(hour, minute), gives=parts)


def _days(match: re.Match[str], month: int) -> Iterator[Claim]:
    groups = match.groupdict()
    pairs = [(int(groups["day"]), month)]
    if groups.get("from"):
        pairs.append((int(groups["from"]), month))
    if groups.get("mark") == "/":  # the American order
        pairs = [*pairs, (month, int(groups["day"]))]
    year = groups.get("year")
    year = f"20{year}" if year and len(year) == 2 else year
    real = [(day, number) for day, number in pairs if 1 <= number <= 12 and 1 <= day <= 31]
    if groups.get("mark") == "/" and real:
        yield _day(match.span(), real, year)
        return
    for pair in real:
        yield _day(match.span(), [pair], year)


def _day(span: tuple[int, int], readings: list[tuple[int, int]], year: str | None) -> Claim:
    """A day in its possible readings.  Its year may be left out on either side, but not differ."""
    days = [day_value(*reading) for reading in readings]
    parts = [f"m:{month}" for _, month in readings] + [f"n:{day}" for day, _ in readings]
    if year is None:
        return claim(MarkKind.DATE, span, *days, gives=(*parts, *(f"{day}.any" for day in days)))
    dated = (f"{day}.{year}" for day in days)
    undated = (f"{day}.any" for day in days)
    return claim(MarkKind.DATE, span, *dated, accepts=undated, gives=(*days, *parts, f"n:{year}"))


def _month(word: str) -> int | None:
    small = word.casefold()
    if small.isdigit():
        return int(small)
    return next((number for start, number in _MONTH_OF.items() if small.startswith(start)), None)
