"""What leaves the bot besides Telegram: letters to leads, and events that other programs are told."""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from standardwebhooks import Webhook, WebhookVerificationError

from bot.sandbox.chats import Json

Tell: TypeAlias = Callable[[Json], None]

_SECRET_BYTES: Final = 32


class Inbox:
    """Letters and events in the order in which they came.

    `secret` is what events are signed with; `tell` is called with each item, as the page shows it.
    """

    def __init__(self, clock: Callable[[], float], tell: Tell) -> None:
        self.items: list[Json] = []
        self.secret = "whsec_" + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()
        self._clock = clock
        self._tell = tell
        self._known: set[str] = set()

    def letter(self, *, sender: str, to: str, subject: str, text: str) -> None:
        """Keep a letter."""
        self._add({"kind": "letter", "from": sender, "to": to, "subject": subject, "text": text})

    def event(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Keep an event, one that came before not again; whether it is signed as it has to be."""
        try:
            event = Webhook(self.secret).verify(body, dict(headers))
            key, kind = headers["webhook-id"], str(event["type"])
        except (WebhookVerificationError, ValueError, KeyError, TypeError):
            return False
        if key not in self._known:
            self._known.add(key)
            self._add({"kind": "event", "key": key, "type": kind, "data": event.get("data")})
        return True

    def _add(self, item: Json) -> None:
        added = {"number": len(self.items) + 1, "at": self._clock(), **item}
        self.items.append(added)
        self._tell(added)
