"""E-mail addresses as people write them."""

import re
import unicodedata

# Characters looked at: what is hostile costs milliseconds too.
LONGEST = 10_000
_LONGEST_ADDRESS = 254  # RFC 5321
# Narrower than RFC 5322, which allows signs that stand beside addresses in free text: "mail=anna@example.kz".
_ADDRESS = re.compile(
    r"(?<![\w.+%&'~-])(?P<local>[\w.+%&'~-]{1,64})@(?P<domain>(?:[\w-]{1,63}\.){1,8}"
    r"(?:xn--[a-z\d-]{1,59}|[A-Za-z]{2,63}+(?!\d)|(?:(?![A-Za-z])[^\W\d_]){2,63}))"
)
_INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad]")


def emails_in(text: str) -> list[str]:
    """The addresses of a text in their order, each once, the domain in lower case.

    Links (`mailto:`), names around them (`Anna <anna@example.kz>`) and the signs of a sentence are left out;
    so is what only resembles an address (`anna@home`), which no mail would reach.
    """
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text[:LONGEST]))
    firsts: dict[str, str] = {}
    for match in _ADDRESS.finditer(plain):
        if address := _address(match):
            firsts.setdefault(address.casefold(), address)
    return list(firsts.values())


def _address(match: re.Match[str]) -> str | None:
    local, domain = match["local"].strip("'"), match["domain"].rstrip("-").lower()
    labels = domain.split(".")
    if local.startswith(".") or local.endswith(".") or ".." in local or not local:
        return None
    if any(label.startswith("-") or label.endswith("-") or "_" in label for label in labels):
        return None
    if domain.isascii() and not local.isascii():  # a Cyrillic letter that looks Latin
        return None
    address = f"{local}@{domain}"
    return address if len(address) <= _LONGEST_ADDRESS else None
