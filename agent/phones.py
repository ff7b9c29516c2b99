"""Phone numbers as people write them, made international only where that is no guess."""

from dataclasses import dataclass
from enum import StrEnum


class Confidence(StrEnum):
    """Whether a number may be called, and a contact be recognised by it, without a person looking."""

    SURE = "sure"
    DOUBTFUL = "doubtful"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """One number of a text.

    `raw` is what was written.  `e164` is None where the number cannot be read without guessing (a digit
    lost, masked or mistyped, no area code); only a `SURE` one identifies anybody.
    """

    raw: str
    e164: str | None
    extension: str | None
    confidence: Confidence

    @property
    def trusted(self) -> str | None:
        """The E.164 form, where it may be relied on."""
        return self.e164 if self.confidence is Confidence.SURE else None


def phones_in(text: str, region: str) -> list[Phone]:
    """The numbers of a text in their order, each once; `region` (KZ) reads those without a country code."""
    raise NotImplementedError
