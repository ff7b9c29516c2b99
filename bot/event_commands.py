"""`lead-agent events`: who is told of what happens, and what became of each delivery."""

import json
import secrets
from base64 import b64encode
from collections.abc import Sequence

from agent.clock import iso, now
from agent.errors import NotFound, SettingsError
from agent.events import Delivery, DeliveryState, EventType, Subscription, SubscriptionState
from agent.jsontext import JsonObject
from agent.names import number_in
from bot.control import Operation, Request, perform
from bot.ports import BotTransaction
from bot.reports import read_rows, say
from bot.settings import Settings
from bot.webhook_urls import PREFIX, webhook_url

_SECRET_BYTES = 32


def log(*, limit: int, as_json: bool) -> int:
    """The latest deliveries, newest first."""
    found = read_rows(Settings.load(), lambda tx: tx.deliveries.latest(limit))
    if as_json:
        return _print([delivery_object(delivery) for delivery in found])
    for delivery in found:
        say(_delivery_line(delivery))
    if not found:
        say("Nothing has been told to anybody yet; `lead-agent events add URL` subscribes a receiver.")
    return 0


def subscriptions(*, as_json: bool) -> int:
    """Who is told, without their secrets."""
    found = read_rows(Settings.load(), lambda tx: tx.subscriptions.all())
    if as_json:
        return _print([subscription_object(subscription) for subscription in found])
    for subscription in found:
        say(_subscription_line(subscription_object(subscription)))
    if not found:
        say("Nobody is told; `lead-agent events add URL` subscribes a receiver.")
    return 0


def add(url: str, types: str | None, *, as_json: bool) -> int:
    """Subscribe a URL; its secret is shown now and never again."""
    secret = PREFIX + b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")
    wanted, checked = _types(types), _url(url)
    asked = Subscribing(url=checked, secret=secret, types=wanted)
    added = perform(Settings.load(), SUBSCRIBE, asked).result
    if as_json:
        return _print(added | {"secret": secret})
    say(_subscription_line(added))
    say(f"Secret, shown only now: {secret}")
    say("What is posted there, and how to check the signature: docs/events.md")
    return 0


def remove(name: str) -> int:
    """Tell a URL nothing more; its log stays."""
    id = _id(name, "S", "a subscription")
    perform(Settings.load(), UNSUBSCRIBE, Numbered(id=id))
    say(f"S-{id} is told nothing more.")
    return 0


def redeliver(name: str) -> int:
    """Have an event posted again, with the same webhook-id and body."""
    id = _id(name, "E", "a delivery")
    perform(Settings.load(), RENEW, Numbered(id=id))
    say(f"E-{id} goes out again; `lead-agent events` shows what becomes of it.")
    return 0


# --- what is written


class Subscribing(Request):
    """Who wants to be told, and of what; no types means all."""

    url: str
    secret: str
    types: frozenset[EventType]


class Numbered(Request):
    """A subscription or delivery by its id."""

    id: int


def subscribe(tx: BotTransaction, asked: Subscribing) -> JsonObject:
    """SettingsError if the URL is told already: it would get everything twice."""
    added = tx.subscriptions.add(asked.url, asked.secret, asked.types, now())
    if added is None:
        raise SettingsError(["events add: this URL is told already; `lead-agent events remove` ends that"])
    return subscription_object(added)


def unsubscribe(tx: BotTransaction, asked: Numbered) -> JsonObject:
    tx.subscriptions.get(asked.id)
    tx.subscriptions.end(asked.id, SubscriptionState.REMOVED, "removed by hand")
    return {}


def renew(tx: BotTransaction, asked: Numbered) -> JsonObject:
    """SettingsError where the receiver is not told any more, or gets an earlier event of the lead first."""
    delivery = tx.deliveries.get(asked.id)
    try:
        active = tx.subscriptions.get(delivery.subscription_id).state is SubscriptionState.ACTIVE
    except NotFound:
        active = False
    if not active:
        raise SettingsError([f"events redeliver: {delivery.url} is told nothing any more; add it again"])
    if not tx.deliveries.renew(delivery):
        raise SettingsError([f"events redeliver: E-{asked.id} waits for an earlier event of its lead"])
    return {}


SUBSCRIBE = Operation(name="events.add", request=Subscribing, perform=subscribe)
UNSUBSCRIBE = Operation(name="events.remove", request=Numbered, perform=unsubscribe)
RENEW = Operation(name="events.redeliver", request=Numbered, perform=renew)
OPERATIONS = (SUBSCRIBE, UNSUBSCRIBE, RENEW)


# --- words in, words out


def _url(text: str) -> str:
    try:
        return webhook_url(text)
    except ValueError as error:
        raise SettingsError([f"events add: {error}"]) from error


def _types(words: str | None) -> frozenset[EventType]:
    """The named types; none of them means all."""
    named = {word.strip() for word in (words or "").split(",") if word.strip()}
    if not named <= set(EventType) or (words is not None and not named):
        raise SettingsError([f"events add: --events takes, separated by commas: {', '.join(EventType)}"])
    return frozenset(EventType(name) for name in named)


def _id(name: str, letter: str, what: str) -> int:
    id = number_in(name, letter)
    if id is None:
        raise SettingsError([f"events: write the name of {what}, like {letter}-1"])
    return id


def delivery_object(delivery: Delivery) -> JsonObject:
    """One delivery of `lead-agent events --json`."""
    waits = delivery.state is DeliveryState.READY and delivery.not_before > 0
    return {
        "delivery_id": delivery.delivery_id,
        "webhook_id": delivery.key,
        "type": delivery.type.value,
        "lead_id": f"L-{delivery.lead_id}",
        "subscription_id": f"S-{delivery.subscription_id}",
        "url": delivery.url,
        "state": delivery.state.value,
        "attempts": delivery.attempts,
        "status": delivery.status,
        "error": delivery.error,
        "at": iso(delivery.at),
        "tried_at": iso(delivery.tried_at),
        "next_try_at": iso(delivery.not_before) if waits else None,
    }


def subscription_object(subscription: Subscription) -> JsonObject:
    """One subscription of `lead-agent events list --json`."""
    return {
        "subscription_id": subscription.subscription_id,
        "url": subscription.url,
        "events": sorted(subscription.types or EventType),
        "state": subscription.state.value,
        "reason": subscription.reason,
        "created_at": iso(subscription.created_at),
    }


def _delivery_line(delivery: Delivery) -> str:
    line = "{delivery_id:<8} {at}  {type:<15} {lead_id:<8} {subscription_id:<5} {state:<9} {attempts} tries"
    tail = f"  {delivery.error}" if delivery.error else ""
    return line.format(**delivery_object(delivery)) + tail


def _subscription_line(subscription: JsonObject) -> str:
    types = ", ".join(subscription["events"])
    shown = "all events" if len(subscription["events"]) == len(EventType) else types
    why = f" ({subscription['reason']})" if subscription["reason"] else ""
    return "{subscription_id:<5} {state}{why}  {url}  {shown}".format(**subscription, why=why, shown=shown)


def _print(value: JsonObject | Sequence[JsonObject]) -> int:
    say(json.dumps(value, ensure_ascii=False, indent=1))
    return 0
