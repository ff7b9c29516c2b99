"""Delivery of updates to the bot's own web server."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from bot.sandbox.chats import Json
from bot.sandbox.errors import bad_request
from bot.sandbox.server import LOOPBACK
from bot.sandbox.updates import UpdateQueue

SECRET_HEADER: Final = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105 - a header's name
_SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
_ANSWER_SECONDS = 60.0
_LONGEST_PAUSE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """Where updates go, and the secret that proves where they come from."""

    url: str
    secret_token: str | None = None
    max_connections: int = 40
    ip_address: str | None = None


def checked_webhook(webhook: Webhook) -> Webhook:
    """`webhook` if Telegram would take it; plain HTTP is for this machine only, where tests listen."""
    parts = urlsplit(webhook.url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
    if webhook.secret_token is not None and not _SECRET.fullmatch(webhook.secret_token):
        raise bad_request("secret token contains unallowed characters")
    return webhook


class WebhookDelivery:
    """One ordered queue: an update is posted again, with growing pauses, until its answer is 2xx.

    `pause` is the first pause in seconds. The body of an answer is not read.
    """

    def __init__(self, queue: UpdateQueue, clock: Callable[[], float], pause: float) -> None:
        self._queue = queue
        self._clock = clock
        self._pause = pause
        self._task: asyncio.Task[None] | None = None
        self._webhook: Webhook | None = None
        self._error: Json = {}

    def start(self, webhook: Webhook) -> None:
        """Deliver to `webhook` from now on; ends a getUpdates that waits."""
        self.stop()
        self._webhook = webhook
        self._queue.webhook_active = True
        self._queue.interrupt("terminated by setWebhook request")
        self._task = asyncio.create_task(self._deliver(webhook))

    def stop(self) -> None:
        """Deliver no more; what is queued stays."""
        if self._task:
            self._task.cancel()
        self._task = self._webhook = None
        self._queue.webhook_active = False
        self._error = {}

    async def close(self) -> None:
        """Stop and wait for the end of a delivery under way."""
        task = self._task
        self.stop()
        if task:
            await asyncio.gather(task, return_exceptions=True)

    def info(self) -> Json:
        """The Bot API's WebhookInfo."""
        info: Json = {
            "url": self._webhook.url if self._webhook else "",
            "has_custom_certificate": False,
            "pending_update_count": len(self._queue.pending()),
            **self._error,
        }
        if self._webhook:
            info["max_connections"] = self._webhook.max_connections
        if self._queue.allowed:
            info["allowed_updates"] = sorted(self._queue.allowed)
        return info

    async def _deliver(self, webhook: Webhook) -> None:
        import httpx  # noqa: PLC0415 - long polling, the common case, needs no client

        headers = {SECRET_HEADER: webhook.secret_token} if webhook.secret_token else {}
        pause = self._pause
        async with httpx.AsyncClient(headers=headers, timeout=_ANSWER_SECONDS, trust_env=False) as client:
            while True:
                update = await self._queue.first()
                try:
                    response = await client.post(webhook.url, json=update.json())
                    response.raise_for_status()
                except httpx.HTTPError as error:
                    self._failed(error)
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
                else:
                    self._queue.confirm(update.id + 1)
                    pause = self._pause

    def _failed(self, error: Exception) -> None:
        self._error = {"last_error_date": int(self._clock()), "last_error_message": str(error).split("\n")[0]}
