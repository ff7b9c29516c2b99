"""The largest figure of a text, for rules that bound it."""

import re
from decimal import Decimal

from agent.grounding.addresses import read_phones
from agent.grounding.claim import Claim, blanked
from agent.grounding.plain import plain
from agent.grounding.quantities import CURRENCY, amounts

_RUN = re.compile(r"\d+")
# Digits beyond these are above any bound that anybody sets.
_LONGEST = 40


def largest_figure(text: str) -> Decimal | None:
    """1 500 000, 1.500.000, 1,5 млн and "полтора миллиона" are the same; None without any.

    Whatever it is a figure of counts: too many people asked is better than too few.  Only a phone number with
    a plus is none, unless a currency follows it.
    """
    read = plain(text)
    rest = blanked(read, (claim for claim in read_phones(read) if _is_phone(claim, read)))
    runs = (Decimal(match[0][:_LONGEST]) for match in _RUN.finditer(rest))
    return max((*runs, *amounts(rest)), default=None)


def _is_phone(claim: Claim, text: str) -> bool:
    return text[claim.start] == "+" and not CURRENCY.match(text, claim.end)
