"""Where somebody can be reached: e-mail addresses, links, handles, phone numbers."""

import re
from collections.abc import Iterator

from agent.grounding.claim import Claim, claim
from agent.marks import MarkKind

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]++(?:\.[\w-]++)+")
_LINK = re.compile(r"(?<![a-z0-9])(?:[a-z][a-z0-9+.-]{1,15}+://|mailto:|tel:|www\.)\S+", re.IGNORECASE)
_HOST = re.compile(r"(?<![\w.@-])(?:[\w-]++\.)+(?P<top>[^\W\d_]{2,24})(?![\w-])(?::\d{1,5})?(?:[/?#]\S*)?")
_IP = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)(?::\d{1,5})?(?:/\S*)?")
_HANDLE = re.compile(r"(?<![\w@])@\w{2,64}")
_PREFIX = re.compile(r"(?:[a-z][a-z0-9+.-]*+://|mailto:|tel:)?(?:www\.)?", re.IGNORECASE)
_AFTER_LINK = "/.,;:!?)]}>\"'*_|"
_LATIN = re.compile("[a-z]", re.IGNORECASE)
_CYRILLIC = re.compile("[а-яёәғқңөұүһі]", re.IGNORECASE)
# Without a space after a full stop two sentences look like a domain: only these follow one with a capital.
_TOPS = frozenset("kz ru com net org io me app dev info biz kg uz by uk us de pro".split())  # noqa: SIM905
# The last is three Cyrillic letters that look like com.
_CYRILLIC_TOPS = frozenset("рф қаз бел укр рус москва сайт онлайн орг ком сом".split())  # noqa: SIM905
_PRODUCTS = re.compile(r"\w+\.js|asp\.net", re.IGNORECASE)

_PHONES = (
    re.compile(r"(?<![\w+])\+ ?\d(?:[ ()./-]{0,3}\d){7,14}(?!\d)"),
    re.compile(r"(?<![\w+])[78](?:[ ()-]{0,3}\d){10}(?!\d)"),
    re.compile(r"(?<![\w+])\(?7\d\d\)?[ -]{0,2}\d{3}[ -]?\d\d[ -]?\d\d(?!\d)"),
    re.compile(r"(?<![\w+])(?:1[ -]?)?\(\d{3,5}\)(?:[ -]?\d){5,8}(?!\d)"),
    re.compile(r"(?<![\w+])0(?:[ ()-]{0,2}\d){8,10}(?!\d)"),
    re.compile(r"(?<![\w-])\d{2,3}-\d\d-\d\d(?![\d-])"),
)
_GROUPED_BY_THREE = re.compile(r"\d{1,3}(?: \d{3})+")
_SHORTEST_PHONE = 6


def read_addresses(text: str) -> Iterator[Claim]:
    """E-mails before links before handles: each holds what looks like the next."""
    for match in _EMAIL.finditer(text):
        yield claim(MarkKind.EMAIL, match.span(), _email(match[0]))


def read_links(text: str) -> Iterator[Claim]:
    """Links with a scheme, and whatever else a messenger makes a link of."""
    for match in _LINK.finditer(text):
        yield _link(match)


def read_hosts(text: str) -> Iterator[Claim]:
    """Domains and addresses of machines without a scheme."""
    for match in _HOST.finditer(text):
        if _is_domain(match):
            yield _link(match)
    for match in _IP.finditer(text):
        if all(_is_octet(part) for part in re.split(r"[:/]", match[0])[0].split(".")):
            yield _link(match)


def _is_octet(digits: str) -> bool:
    """No zeros stand before it: 1.000.000.000 is a sum."""
    return int(digits) < 256 and digits == str(int(digits))


def read_handles(text: str) -> Iterator[Claim]:
    """@names."""
    for match in _HANDLE.finditer(text):
        yield claim(MarkKind.HANDLE, match.span(), match[0].casefold())


def read_phones(text: str) -> Iterator[Claim]:
    """Phone numbers: of Kazakhstan and Russia in every spelling, of abroad with a plus or an area code."""
    taken = 0
    found = sorted(
        (match.span() for form in _PHONES for match in form.finditer(text)),
        key=lambda span: (span[0], -span[1]),
    )
    for start, end in found:
        if start >= taken and not _GROUPED_BY_THREE.fullmatch(text[start:end]):
            taken = end
            yield _phone((start, end), text[start:end])


def _email(written: str) -> str:
    return f"e:{written.casefold().rstrip('.')}"


def _is_domain(match: re.Match[str]) -> bool:
    host, top = match[0], match["top"]
    if _PRODUCTS.fullmatch(host):
        return False
    if _mixes_scripts(re.split(r"[/?#:]", host)[0]) or top.casefold() in _CYRILLIC_TOPS:
        return True
    return top.isascii() and (top.islower() or top.isupper() or top.casefold() in _TOPS)


def _mixes_scripts(host: str) -> bool:
    """Whether a part of it is written in two scripts: a letter in disguise."""
    return any(_LATIN.search(part) and _CYRILLIC.search(part) for part in re.split(r"[.-]", host))


def _link(match: re.Match[str]) -> Claim:
    """A link without its scheme, www. and last sign; what it only wraps (a phone, a handle) is that."""
    written = match[0].rstrip(_AFTER_LINK) or match[0]
    span = match.start(), match.start() + len(written)
    address = _PREFIX.sub("", written, count=1).casefold()
    host, _, path = address.partition("/")
    if written.casefold().startswith("mailto:"):
        return claim(MarkKind.EMAIL, span, _email(address))
    if written.casefold().startswith("tel:") or host in ("wa.me", "api.whatsapp.com"):
        if re.search(r"\d{6}", address):
            return _phone(span, address)
    elif host in ("t.me", "telegram.me") and re.fullmatch(r"\w{2,64}", path):
        return claim(MarkKind.HANDLE, span, f"@{path}")
    return claim(MarkKind.LINK, span, f"l:{address}", gives=(f"l:{re.split('[/?#:]', address)[0]}",))


def _phone(span: tuple[int, int], written: str) -> Claim:
    """Its digits with the country's; a source gives its last ones too, as neighbours write them."""
    digits = re.sub(r"\D", "", written).removeprefix("00")
    if len(digits) == 11 and digits.startswith("8"):
        digits = f"7{digits[1:]}"
    elif len(digits) == 10 and digits.startswith("7"):
        digits = f"7{digits}"
    elif digits.startswith("0"):
        digits = digits[1:]
    ends = tuple(f"p:{digits[-length:]}" for length in range(_SHORTEST_PHONE, len(digits)))
    return claim(MarkKind.PHONE, span, f"p:{digits}", gives=ends)
