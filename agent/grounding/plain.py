"""A text as its reader sees it: one form of each letter and digit, and nothing invisible."""

import re
import unicodedata

# Signs that compatibility folding would glue to the word beside them; a keycap is a numbered list's number.
_APART = str.maketrans({"№": "# ", "™": " ", "℠": " ", "®": " ", "©": " ", "\u20e3": ") "})
_ALIKE = str.maketrans(dict.fromkeys("«»“”„‟″", '"') | dict.fromkeys("’‘ʼʻ`´", "'") | {"\u2212": "-"})
# Fillers that are letters to Unicode and nothing to the eye.
_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
# Folding sorts combining marks, slowly if there are thousands of them; no letter has more than a few.
_PILE = re.compile("([\u0300-\u036f]{4})[\u0300-\u036f]+")
# Letters that look like digits, in a word that has a digit: 2OO OOO, l5, 3О.
_SHAPES = "OoОоlIЗз"
_DISGUISED = re.compile(
    rf"(?<!\w)(?=[{_SHAPES}]*\d[\d{_SHAPES}]*[{_SHAPES}]|[{_SHAPES}]+\d|\d+[ .,][OoОо]{{3}}\b)"
    rf"[\d{_SHAPES}]+(?:[ .,][OoОо]{{3}})*(?!\w)"
)
_MARKUP = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_DIGITS = str.maketrans(dict(zip(_SHAPES, "00001133", strict=True)))


def plain(text: str) -> str:
    """The text with alike signs made one; its length may differ, its lines do not."""
    apart = _PILE.sub(r"\1", text.translate(_APART))
    folded = unicodedata.normalize("NFKC", apart).translate(_ALIKE)
    shown = _MARKUP.sub(" ", "".join(map(_shown, folded)))
    return _DISGUISED.sub(lambda match: match[0].translate(_DIGITS), shown)


def _shown(sign: str) -> str:
    if " " <= sign <= "~" or sign == "\n":
        return sign
    if sign.isspace():
        return " "
    match unicodedata.category(sign):
        case "Cf" | "Mn" | "Me" | "Cc":
            return ""
        case "Pd":
            return "-"
        case "Nd" | "No":
            return str(unicodedata.digit(sign, sign))
    return "" if sign in _FILLERS else sign
