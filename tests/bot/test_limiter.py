"""Telegram's limits, kept by windows on a clock that is moved."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.outgoing import Lane
from bot.limiter import Limiter

GROUP, DANA, MARAT = -100, 1, 2


class Clock:
    """Seconds; stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def limiter(clock: Clock) -> Limiter:
    return Limiter(clock=clock)


def test_one_a_second_in_a_private_chat(limiter: Limiter, clock: Clock) -> None:
    """The second waits, unless it is an approved reply; another person's does not."""
    limiter.take(DANA)
    assert limiter.delay(DANA, Lane.NOTES) == 1.0
    assert limiter.delay(DANA, Lane.DECISIONS) == 0.0
    assert limiter.delay(MARAT, Lane.NOTES) == 0.0
    limiter.take(DANA)
    assert limiter.delay(DANA, Lane.DECISIONS) == 1.0
    clock.now += 1.0
    assert limiter.delay(DANA, Lane.NOTES) == 0.0


def test_a_groups_minute_keeps_room_for_decisions(limiter: Limiter, clock: Clock) -> None:
    """17 cards, then three decisions may still go; the 21st of anything waits."""
    for _ in range(17):
        assert limiter.delay(GROUP, Lane.CARDS) == 0.0
        limiter.take(GROUP)
    assert limiter.delay(GROUP, Lane.CARDS) == limiter.delay(GROUP, Lane.NOTES) == 60.0
    for _ in range(3):
        assert limiter.delay(GROUP, Lane.DECISIONS) == 0.0
        limiter.take(GROUP)
    assert limiter.delay(GROUP, Lane.DECISIONS) == 60.0
    clock.now += 59.5
    assert limiter.delay(GROUP, Lane.DECISIONS) == 0.5


def test_a_429_holds_its_own_chat(limiter: Limiter, clock: Clock) -> None:
    """For as long as Telegram says, for every lane, and no other chat."""
    limiter.hold(GROUP, 33)
    assert limiter.delay(GROUP, Lane.DECISIONS) == 33
    assert limiter.delay(DANA, Lane.NOTES) == 0.0
    clock.now += 33
    assert limiter.delay(GROUP, Lane.DECISIONS) == 0.0


def test_thirty_a_second_in_all(limiter: Limiter, clock: Clock) -> None:
    """The 31st waits, wherever it goes."""
    for chat_id in range(1, 31):
        limiter.take(chat_id)
    assert limiter.delay(99, Lane.DECISIONS) == 1.0


def test_old_chats_are_forgotten(limiter: Limiter, clock: Clock) -> None:
    """Ten thousand people who once wrote cost no memory for ever, also those who were only asked about."""
    for chat_id in range(1, 20_002):
        clock.now += 1
        limiter.delay(-chat_id, Lane.NOTES)
        limiter.take(chat_id)
    assert len(limiter._chats) <= 10_001


STEPS = st.lists(
    st.tuples(
        st.sampled_from([GROUP, -200, DANA, MARAT]), st.sampled_from(Lane), st.floats(0, 5), st.booleans()
    ),
    max_size=200,
)


@given(STEPS)
def test_the_limits_are_never_exceeded(steps: list[tuple[int, Lane, float, bool]]) -> None:
    """Whatever is sent where and when: 20 a minute in a group, 2 a second in private, 30 a second in all."""
    clock = Clock()
    limiter = Limiter(clock=clock)
    sent: list[tuple[int, float]] = []
    for chat_id, lane, pause, waits in steps:
        clock.now += pause
        delay = limiter.delay(chat_id, lane)
        if delay and not waits:
            continue
        clock.now += delay
        if limiter.delay(chat_id, lane) == 0:
            limiter.take(chat_id)
            sent.append((chat_id, clock.now))
    for chat_id in (GROUP, -200):
        times = [at for chat, at in sent if chat == chat_id]
        assert all(late - early > 60 - 1e-6 for early, late in zip(times, times[20:], strict=False))
    for chat_id in (DANA, MARAT):
        times = [at for chat, at in sent if chat == chat_id]
        assert all(late - early > 1 - 1e-6 for early, late in zip(times, times[2:], strict=False))
    times = [at for _, at in sent]
    assert all(late - early > 1 - 1e-6 for early, late in zip(times, times[30:], strict=False))
