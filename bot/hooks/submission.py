"""What a form told, whichever product sent it."""

from dataclasses import dataclass

from agent.phones import Phone

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One form as it was sent.  All text is the person's: data, never instructions.

    `message` is what the person wants: the comment first, then every other answer as a "label: value" line.
    `fields` are all answers, contact details included; `meta` what the site or the product added (utm marks,
    form, consent), `page` the address of the page among it.
    `provider_id` tells a redelivery.  `ping`: a product's test, or nothing said at all: it makes no lead.
    `raw_only`: the body could not be read; `message` is its text, phones and e-mails those found in it.
    """

    name: str | None = None
    phones: tuple[Phone, ...] = ()
    emails: tuple[str, ...] = ()
    message: str = ""
    provider_id: str | None = None
    ping: bool = False
    raw_only: bool = False
    fields: Pairs = ()
    meta: Pairs = ()
    page: str | None = None
