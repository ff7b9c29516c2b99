"""E-mail addresses as mail servers take them."""

import re
from email.errors import MessageError
from email.headerregistry import Address, HeaderRegistry
from typing import Any

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# RFC 5321, 4.5.3.1.1.
LONGEST_NAME = 64


def mailbox(text: str) -> Address:
    """The one address in `text`, alone or as "Name <address>", its domain in ASCII.

    Raises ValueError for anything else: no address, several, control characters (which would begin another
    header), letters before the @ that not every server takes (RFC 6531).
    """
    if _CONTROL.search(text):
        raise ValueError("it holds control characters")
    try:
        header: Any = HeaderRegistry()("To", text)
        (found,) = header.addresses
        address = Address(found.display_name, found.username, found.domain.encode("idna").decode("ascii"))
    except (ValueError, MessageError, IndexError) as error:
        raise ValueError("it is not one e-mail address") from error
    if header.defects or not (address.username and address.domain):
        raise ValueError("it is not one e-mail address")
    if not address.username.isascii() or len(address.username) > LONGEST_NAME:
        raise ValueError("it is no address that every mail server takes")
    return address
