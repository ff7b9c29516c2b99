"""Logging to stderr, without secrets."""

import logging
import re
from collections.abc import Sequence

# A shorter one is no secret, and blanking it out would spoil every other word.
SHORTEST = 6
# The URL of a website form: whoever knows its end may post.
_TOKEN = re.compile(r"(/hooks/[^/\s]+/)[^/\s\"']+")


class Redacted(logging.Formatter):
    """A formatter that blanks out the given secrets wherever they turn up, tracebacks included.

    So are the tokens of website forms, which come and go while the bot serves.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = [secret for secret in secrets if len(secret) >= SHORTEST]

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _TOKEN.sub(r"\1***", text)


def configure(level: str, secrets: Sequence[str]) -> None:
    """Log to stderr.  HTTP libraries log URLs, which hold the bot's token: only their warnings pass."""
    handler = logging.StreamHandler()
    handler.setFormatter(Redacted(secrets))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for noisy in (
        "httpx",
        "httpx2",
        "httpcore",
        "httpcore2",
        "telegram",
        "uvicorn",
        "aiosqlite",
        "anthropic",
    ):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    # It logs whole answers that it cannot parse, with people's words in them; our own line says enough.
    logging.getLogger("telegram.request").setLevel(logging.CRITICAL)
    # A broken body is read as text; which of its bytes is wrong helps nobody.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL)
