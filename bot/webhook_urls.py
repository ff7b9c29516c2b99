"""Where signed webhooks may go, and what they are signed with."""

import base64
import binascii
import ipaddress
from urllib.parse import urlsplit

ADVICE = "write whsec_ and at least 24 random bytes in base64: openssl rand -base64 32"
PREFIX = "whsec_"
# Standard Webhooks: 24 to 64 bytes.
SHORTEST_SECRET = 24


def webhook_url(text: str) -> str:
    """The URL if something can be posted there; ValueError, in plain words, if not."""
    if not text.isprintable() or any(letter.isspace() for letter in text):
        raise ValueError("the URL holds spaces or control characters")
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError("write a URL that begins with https:// (http:// only inside your own network)")
    if url.username or url.password:
        raise ValueError("write no password into the URL: what is sent there is signed")
    try:
        _ = url.port
    except ValueError as error:
        raise ValueError("the port of the URL is no port") from error
    return text


def webhook_secret(text: str) -> str:
    """The secret if Standard Webhooks can sign with it; ValueError if not."""
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(ADVICE) from error
    if not text.startswith(PREFIX) or len(key) < SHORTEST_SECRET:
        raise ValueError(ADVICE)
    return text


def may_be_reached(scheme: str, address: str) -> bool:
    """Whether a webhook may be posted to this IP address.

    Clear text stays inside one's own network; and nothing goes to addresses that are no server's: link-local
    ones (where clouds keep the keys of their machines), multicast, unspecified.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if ip.is_link_local or ip.is_multicast or ip.is_unspecified or (ip.version == 4 and ip.is_reserved):
        return False
    return scheme == "https" or not ip.is_global
