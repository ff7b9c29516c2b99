"""All claims of a text but the names: each reader takes what is its own, the next sees the rest."""

import re
from collections.abc import Callable, Iterator

from agent.grounding.addresses import read_addresses, read_handles, read_hosts, read_links, read_phones
from agent.grounding.claim import Claim, blanked, claim
from agent.grounding.dates import SPOKEN, read_days, read_fractions, read_relative, read_times
from agent.grounding.names import latin
from agent.grounding.quantities import read_quantities
from agent.marks import MarkKind

_LISTED = re.compile(r"(?:^|(?<=[\s(]))(?P<number>\d{1,2})(?:\)|(?<=\n\d)\.|(?<=\n\d\d)\.|(?<=\A\d)\.)(?=\s)")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_AT = re.compile("@")
_DOT_OR_COLON = re.compile("[.:]")
# Written with digits, and no figures.
_PRODUCTS = frozenset(
    """
    1c 1s b2b b2c b2g c2c d2c p2p 2d 3d 2fa 3g 4g 5g web2 web3 mp3 mp4 h1 utf8 m2 m3 km2 cm2 s3 ipv4 ipv6
    bitriks24 bitrix24 office365 microsoft365 2gis o2o
    """.split()  # noqa: SIM905
)
_FREE = re.compile(
    r"(?<!\w)(?:бесплатн\w*|безвозмездн\w*|тегін\w*|(?:for free|free of charge|complimentary)"
    r"|free (?:consultation|audit|demo|trial|estimate|quote|support|of cost))(?!\w)",
    re.IGNORECASE,
)
_DISCOUNT = re.compile(
    r"(?<!\w)(?:скидк\w*|скидок|жеңілдік\w*|discount\w*|cashback|кешб[эе]к\w*"
    r"|half(?: the|-)? ?price|half off|(?:в ?)?пол-?цены|половин\w+ (?:цены|стоимости)|жарты баға\w*)",
    re.IGNORECASE,
)


def read(text: str) -> tuple[list[Claim], str]:
    """The claims of a plain text, and the text with nothing where they are."""
    rest = _without_numbering(text)
    claims: list[Claim] = []
    for reader, sign in READERS:
        if sign is not None and not sign.search(rest):
            continue
        if found := list(reader(rest)):
            claims += found
            rest = blanked(rest, found)
    return claims, rest


def _without_numbering(text: str) -> str:
    """Without the 1. 2. 3. of a list."""
    numbers: list[Claim] = []
    for match in _LISTED.finditer(text):
        if int(match["number"]) == len(numbers) + 1:
            numbers.append(claim(MarkKind.NUMBER, match.span("number")))
    return blanked(text, numbers)


def _read_offers(text: str) -> Iterator[Claim]:
    """Prices without a figure."""
    for match in _FREE.finditer(text):
        yield claim(MarkKind.PRICE, match.span(), "free")
    for match in _DISCOUNT.finditer(text):
        yield claim(MarkKind.DISCOUNT, match.span(), "discount")


def _read_codes(text: str) -> Iterator[Claim]:
    """Digits among letters that no reader knew: an order's number, an IBAN, a model."""
    for match in _WORD.finditer(text):
        if match[0].isdigit() or not _DIGIT.search(match[0]):
            continue
        code = latin(match[0]).strip("_")
        if code in _PRODUCTS:
            continue
        digits = tuple(f"n:{int(run)}" for run in re.findall(r"\d{1,18}", code))
        needs = digits if code.isdigit() else (f"c:{code}",)
        yield claim(MarkKind.NUMBER, match.span(), *needs, gives=digits)


# Each with a sign that all its patterns have, if there is one: most drafts hold neither figures nor links.
READERS: tuple[tuple[Callable[[str], Iterator[Claim]], re.Pattern[str] | None], ...] = (
    (read_addresses, _AT),
    (read_links, _DOT_OR_COLON),
    (read_hosts, _DOT_OR_COLON),
    (read_handles, _AT),
    (read_days, _DIGIT),
    (read_phones, _DIGIT),
    (read_times, _DIGIT),
    (read_fractions, _DIGIT),
    (_read_offers, None),
    (read_relative, SPOKEN),
    (read_quantities, None),
    (_read_codes, _DIGIT),
)
