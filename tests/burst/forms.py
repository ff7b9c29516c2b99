"""Forms as websites post them: with an id of the product, or with nothing but what was answered."""

import re
from dataclasses import dataclass

from bot.hooks import Preset
from tests.hooks.posts import Request, form_body, json_body

SOURCES = {"json": Preset.GENERIC, "tilda": Preset.TILDA, "plain": Preset.GENERIC}
_REQUEST = re.compile(r"Request (\d+)\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One submission; its number is in its words, so that its lead can be told."""

    number: int

    @property
    def source(self) -> str:
        return list(SOURCES)[self.number % len(SOURCES)]

    @property
    def request(self) -> Request:
        """Content type and body, the same whenever it is posted."""
        words = f"Request {self.number}."
        match self.source:
            case "json":
                return json_body({"id": f"web-{self.number}", "name": "Dana", "message": words})
            case "tilda":
                return form_body({"Name": "Dana", "Comments": words, "tranid": f"700:{self.number}"})
        return json_body({"name": "Dana", "message": words})


def number_of(message: str) -> int | None:
    """The number of the form whose words these are."""
    found = _REQUEST.search(message)
    return int(found[1]) if found else None
