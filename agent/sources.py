"""Where leads come from besides Telegram: website forms, and the requests that they post."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A website form, or whoever else may post leads to a URL of its own.

    preset: the product that posts.  token: the end of the URL, which nobody else knows.  secret: what the
    product proves to know beside it; None where it proves nothing.
    """

    id: int
    name: str
    preset: str
    token: str = field(repr=False)
    secret: str | None = field(repr=False)
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A request as it came.  delivery_id: its id, where the headers had one.

    flooding: it was one too many of its source or its address.
    """

    id: int
    source: Source
    content_type: str | None
    delivery_id: str | None = field(repr=False)
    body: bytes = field(repr=False)
    flooding: bool
    attempts: int
    received_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a lead was posted, and what tells the same lead posted again.

    provider_id: the product's own id of the submission.  content_hash: of all that was answered.
    form: the answers and what the site added, as JSON.
    """

    source: Source
    content_hash: str
    provider_id: str | None
    form: str
