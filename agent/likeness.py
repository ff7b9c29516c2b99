"""What makes two requests alike: spam comes with other names and numbers, and the same words."""

import hashlib
import unicodedata

# Letters; what is shorter ("call me back") is alike by chance.
SHORTEST = 20


def likeness(text: str) -> str | None:
    """Equal for texts of the same letters, whatever case, digits, signs and spaces; None for a short one."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(filter(str.isalpha, folded))
    if len(letters) < SHORTEST:
        return None
    return hashlib.sha256(letters.encode()).hexdigest()
