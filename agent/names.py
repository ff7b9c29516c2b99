"""The names that people call things by: C-12, D-12, M-3, L-7, run-12; the number alone means the same."""

import re


def number_in(name: str, prefix: str) -> int | None:
    """The id in such a name, however it is written; None if it is no name with that prefix."""
    match = re.fullmatch(rf"(?:{prefix}-)?(\d{{1,18}})", name.strip(), re.IGNORECASE | re.ASCII)
    return int(match[1]) if match else None
