"""The methods by which a bot receives updates."""

from __future__ import annotations

from bot.sandbox.chats import Json
from bot.sandbox.errors import bad_request
from bot.sandbox.params import Params
from bot.sandbox.state import State
from bot.sandbox.webhook import Webhook, checked_webhook


async def get_updates(state: State, params: Params) -> list[Json]:
    """getUpdates: long polling up to 50 s; a later call ends an earlier one with 409."""
    limit = params.integer("limit")
    if limit is not None and not 1 <= limit <= 100:
        raise bad_request("limit must be between 1 and 100")
    _allow(state, params)
    return await state.updates.poll(
        offset=params.integer("offset") or 0,
        limit=limit or 100,
        seconds=max(params.integer("timeout") or 0, 0),
    )


def set_webhook(state: State, params: Params) -> bool:
    """setWebhook; an empty URL removes it."""
    url = params.string("url")
    if not url:
        return delete_webhook(state, params)
    webhook = checked_webhook(
        Webhook(
            url=url,
            secret_token=params.string("secret_token"),
            max_connections=params.integer("max_connections") or 40,
            ip_address=params.string("ip_address"),
        )
    )
    _allow(state, params)
    _drop_pending(state, params)
    state.delivery.start(webhook)
    return True


def delete_webhook(state: State, params: Params) -> bool:
    """deleteWebhook."""
    _drop_pending(state, params)
    state.delivery.stop()
    return True


def get_webhook_info(state: State, params: Params) -> Json:
    """getWebhookInfo."""
    return state.delivery.info()


def _allow(state: State, params: Params) -> None:
    if (kinds := params.array("allowed_updates")) is not None:
        state.updates.allow(str(kind) for kind in kinds)


def _drop_pending(state: State, params: Params) -> None:
    if params.flag("drop_pending_updates") and (pending := state.updates.pending()):
        state.updates.confirm(pending[-1].id + 1)
