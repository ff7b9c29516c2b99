"""CSV that spreadsheets open well and that no cell of can make them calculate or fetch anything.

People write the cells.  A cell that begins like a formula begins with an apostrophe instead, which changes
nothing of the rest: '+77015550142 keeps its plus.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

# With it Excel reads UTF-8 as such.
BOM = "\ufeff"
SEPARATORS = (",", ";", "\t")
# With the wide forms that some input methods write; spreadsheets read them as the plain ones.
_FORMULA = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_BEGINS = re.compile(rf"\s*[{_FORMULA}]|[\t\r\n']")


def safe(cell: str, separator: str) -> str:
    """The cell, read as text by every spreadsheet.

    Also where the file is opened with another separator than it was written with, as Excel does in countries
    with decimal commas: there a new cell begins in the middle of this one, and a new row at its line break.
    """
    marked = f"'{cell}" if _BEGINS.match(cell) else cell
    others = "".join(other for other in SEPARATORS if other != separator)
    return re.sub(rf"([{others}\r\n][\s\"]*)(?=[{_FORMULA}])", r"\1'", marked)


def lines(rows: Iterable[Sequence[object]], separator: str) -> str:
    """Rows as CSV text (RFC 4180); None is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\r\n")
    for row in rows:
        writer.writerow(["" if cell is None else safe(str(cell), separator) for cell in row])
    return text.getvalue()
