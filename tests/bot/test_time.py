"""Reminders, escalations, quiet hours, expiry: what waits leaves nobody alone, and wakes nobody at night."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.clock import now
from agent.errors import SettingsError
from agent.reminding import Reminding
from bot.quiet_hours import QuietHours, quiet_hours
from bot.sandbox.chats import Message
from bot.settings import Settings
from tests.bot.harness import APPROVE, DENY, Office, office, text_of

HOUR = 3_600_000
NIGHT = datetime(2026, 11, 30, 23, 0, tzinfo=UTC)
MOMENTS = st.integers(1_700_000_000_000, 1_900_000_000_000)
ZONES = st.sampled_from(["UTC", "Asia/Almaty", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])


class Clock:
    """Goes like the wall clock, from a moment of the test's choice; can be put forward."""

    def __init__(self, begin: datetime) -> None:
        self._ahead = int(begin.timestamp() * 1000) - now()

    def __call__(self) -> int:
        return now() + self._ahead

    def forward(self, ms: int) -> None:
        self._ahead += ms


async def wake(bot: Office) -> None:
    """The alarm was set by the clock that has been put forward since: have the worker look again."""
    await bot.app.store.transaction(lambda tx: setattr(tx.wakes.commit, "timed", True))


def mentioned(message: Message) -> list[str]:
    """Whom a message calls on."""
    links = [entity for entity in message.body["entities"] if "url" in entity or "user" in entity]
    return [str(entity.get("user", {}).get("id") or entity["url"]) for entity in links]


# --- reminders


async def test_a_reminder_replies_to_the_card_with_sound(tmp_path: Path) -> None:
    """Whom it concerns and since when; one only, and none for what was decided."""
    async with office(tmp_path, approval_remind="300ms", approval_escalate="0s") as bot:
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        reminder = await bot.shown("⏰ Dana waits for a decision: P-1, since")
        assert reminder.body["reply_to_message"]["message_id"] == card.id
        assert not reminder.silent
        assert bot.value("SELECT remind_at FROM proposals") is None
        await bot.pressed(card, APPROVE)
        await bot.ended()
        assert len(bot.cards("⏰")) == 1


async def test_what_is_due_at_once_is_one_digest(tmp_path: Path) -> None:
    """A group takes few messages a minute: several cards are told of in one note, with links to them."""
    async with office(tmp_path, approval_escalate="0s") as bot:
        clock = Clock(NIGHT)
        await bot.start(clock=clock)
        for name in ("Dana", "Marat", "Aigul"):
            bot.lead(name)
        await bot.until(lambda: len(bot.waiting()) == 3, "the cards")
        await bot.rests()
        clock.forward(HOUR // 2)
        await wake(bot)
        digest = await bot.shown("⏰ Waiting for a decision: 3", "Dana", "Marat", "Aigul", "(30 min)")
        cards = {f"https://t.me/c/{str(bot.group_id)[4:]}/{card.id}" for card in bot.waiting()}
        assert {entity["url"] for entity in digest.body["entities"] if "url" in entity} == cards
        assert len(bot.cards("⏰")) == 1


async def test_a_reminder_survives_a_restart(tmp_path: Path) -> None:
    """What became due while the bot was down is told of at its start, once."""
    async with office(tmp_path) as bot:
        clock = Clock(NIGHT)
        await bot.start(clock=clock)
        bot.lead()
        await bot.card("Dana")
        await bot.stop()
        clock.forward(HOUR)
        await bot.start(clock=clock)
        await bot.shown("⏰ Dana waits")
        await bot.restart(clock=clock)
        await bot.command("/help")
        assert len(bot.cards("⏰")) == 1


async def test_a_new_version_starts_anew(tmp_path: Path) -> None:
    """The time counts from when the present text was put before people."""
    async with office(tmp_path, approval_escalate="0s") as bot:
        clock = Clock(NIGHT)
        await bot.start(clock=clock)
        bot.lead()
        card = await bot.card("Dana")
        clock.forward(HOUR // 3)
        bot.world.say(bot.olga, "= Hello Dana, we call you.", chat_id=bot.group_id, reply_to=card.id)
        await bot.shown("Version 2 of P-1")
        clock.forward(HOUR // 3)
        await wake(bot)
        await bot.command("/help")
        assert not bot.cards("⏰")
        clock.forward(HOUR // 3)
        await wake(bot)
        await bot.shown("⏰ Dana waits", "(40 min)")


# --- escalations


async def test_escalation_calls_on_one_after_another(tmp_path: Path) -> None:
    """After the reminder the first of ESCALATE_TO, then the next; then nobody any more."""
    async with office(tmp_path) as bot:
        clock = Clock(NIGHT)
        await bot.start(clock=clock, escalate_to=f"{bot.igor.id}, {bot.olga.id}")
        bot.lead()
        await bot.card("Dana")
        for ms, person in ((2 * HOUR, bot.igor), (2 * HOUR, bot.olga)):
            clock.forward(ms)
            await wake(bot)
            called = await bot.shown(f"🔔 {person.first_name}: nobody has decided yet")
            assert any(str(person.id) in who for who in mentioned(called))
            assert not called.silent
        clock.forward(4 * HOUR)
        await wake(bot)
        await bot.command("/help")
        told = [text_of(card) for card in bot.cards("⏰")]
        assert len(told) == 2, told


async def test_everybody_is_called_on_where_nobody_is_named(tmp_path: Path) -> None:
    """OPERATOR_IDS=members without admins: the note rings for the group."""
    async with office(tmp_path) as bot:
        clock = Clock(NIGHT)
        await bot.start(clock=clock, operator_ids="members", approval_remind="0s")
        bot.lead()
        await bot.card("Dana")
        clock.forward(2 * HOUR)
        await wake(bot)
        await bot.shown("⏰ Dana waits", "🔔 Everybody: nobody has decided yet")


def test_who_is_called_on() -> None:
    """ESCALATE_TO in its order, else the admins by number, else all deciders at once."""

    def called_on(**fields: str) -> list[tuple[int, ...]]:
        return Settings.load(_env_file=None, **fields).called_on

    assert called_on(operator_ids="1, 2, 3", escalate_to="3, 1, 3") == [(3,), (1,)]
    assert called_on(operator_ids="1", admin_ids="9, 8") == [(8,), (9,)]
    assert called_on(operator_ids="2, 1") == [(1, 2)]
    assert called_on(operator_ids="members") == [()]


def test_only_deciders_are_called_on() -> None:
    """Calling on somebody whose press is refused would help nobody."""
    settings = Settings.load(_env_file=None, operator_ids="1, 2", escalate_to="1, 7")
    with pytest.raises(SettingsError, match="ESCALATE_TO: 7: not among those who may decide"):
        settings.for_serving()


@given(
    st.builds(
        Reminding,
        remind=st.integers(0, 10 * HOUR),
        escalate=st.integers(0, 10 * HOUR),
        rounds=st.integers(0, 4),
    ),
    st.lists(st.integers(0, HOUR), min_size=8, max_size=8),
)
def test_people_are_told_in_time_order_and_not_for_ever(reminding: Reminding, late: list[int]) -> None:
    """Every telling is later than the one before; each round comes once, in its time; then no more."""
    times: list[int] = []
    since, escalated = 1_000, 0
    due = reminding.first(since)
    for delay in late:
        if due is None:
            break
        at = due + delay
        assert not times or at > times[-1]
        times.append(at)
        escalated += reminding.escalates(since, at, escalated)
        assert not escalated or at >= since + reminding.escalate * escalated
        due = reminding.after(since, at, escalated)
    assert due is None
    assert escalated == (reminding.rounds if reminding.escalate else 0)


# --- quiet hours


async def test_nobody_is_woken_at_night(tmp_path: Path) -> None:
    """Cards come silently, reminders wait for the morning and are one digest then."""
    async with office(tmp_path, quiet_hours="22:00-08:00", escalate_to="") as bot:
        clock = Clock(NIGHT)
        await bot.start(clock=clock)
        bot.lead("Dana")
        bot.lead("Marat")
        await bot.until(lambda: len(bot.waiting()) == 2, "the cards")
        assert all(card.silent for card in bot.waiting())
        clock.forward(3 * HOUR)
        await wake(bot)
        await bot.command("/help")
        assert not bot.cards("⏰")
        clock.forward(6 * HOUR)
        await wake(bot)
        digest = await bot.shown("⏰ Waiting for a decision: 2", "🔔")
        assert not digest.silent
        assert len(bot.cards("⏰")) == 1
        bot.lead("Aigul")
        assert not (await bot.card("Aigul")).silent


@given(MOMENTS, ZONES, st.times(), st.integers(1, 12 * 60))
@example(int(datetime(2026, 10, 25, 0, 10, tzinfo=UTC).timestamp() * 1000), "Europe/Berlin", time(22), 270)
def test_quiet_hours_end(at: int, zone: str, begin: time, minutes: int) -> None:
    """Exactly the moments whose clock is between begin and end are quiet, and each has an end that is not."""
    begin = begin.replace(second=0, microsecond=0)
    end = (datetime.combine(NIGHT, begin) + timedelta(minutes=minutes)).time()
    hours = QuietHours(begin=begin, end=end, zone=ZoneInfo(zone))
    clock = datetime.fromtimestamp(at / 1000, UTC).astimezone(hours.zone).time()
    since = ((clock.hour - begin.hour) * 60 + clock.minute - begin.minute) % (24 * 60)
    until = hours.until(at)
    assert (until is not None) == (since < minutes)
    if until is not None:
        assert at < until <= at + 14 * HOUR
        shown = datetime.fromtimestamp(until / 1000, UTC).astimezone(hours.zone).time()
        assert shown == end or shown > end  # left out where the clocks are put forward


@pytest.mark.parametrize("text", ["22-8", "22:00", "25:00-08:00", "22:00-22:00", "night", "22:00-08:60"])
def test_hours_that_are_none(text: str) -> None:
    """A clear fault, before anything is served."""
    with pytest.raises(SettingsError, match="QUIET_HOURS: "):
        Settings.load(_env_file=None, quiet_hours=text)
    assert quiet_hours("9:00 - 18:30", ZoneInfo("UTC")).end == time(18, 30)


# --- expiry


async def test_what_expired_is_left_to_people(tmp_path: Path) -> None:
    """Nobody decided, nothing was sent: the model hears it, and people are told that the lead waits."""
    async with office(tmp_path, approval_ttl="300ms") as bot:
        await bot.start()
        dana = bot.lead()
        await bot.shown("Nobody decided in time")
        alert = await bot.shown("🙋 Dana is left to you")
        assert "Nobody decided on P-1 in time: the lead got no answer." in text_of(alert)
        assert not alert.silent
        assert "No operator decided in time" in str(bot.api.requests[-1])
        assert bot.texts_to(dana) == []


async def test_a_denial_is_an_answer(bot: Office) -> None:
    """Somebody has looked: no alert."""
    bot.lead()
    await bot.pressed(await bot.card("Dana"), DENY)
    await bot.ended()
    await bot.rests()
    assert not bot.cards("is left to you")
