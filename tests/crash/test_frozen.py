"""A serving process that is stopped for a while, and wakes up when another one has taken over."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from agent.jsontext import JsonObject
from tests.crash import truth
from tests.crash.database import Database, copied
from tests.crash.people import WAS_SENT, decisions
from tests.crash.serving import LEAD_AGENT, Order, Process, Zygote, zygote
from tests.crash.story import CAST, Story
from tests.crash.trial import Trial, beginning

TIMUR = next(one for one in CAST if one.name == "Timur")
STORY = Story(seed=0, cast=(TIMUR,), settings={"ACKNOWLEDGEMENT": "off", "REACTION": "off"}, crowd=False)
# Two bots that poll at once complain of each other, and rightly so.
CHECKS = [check for check in truth.CHECKS if check is not truth.nothing_broke]


@pytest.fixture
async def trial() -> AsyncIterator[Trial]:
    """A lead who wants one reply."""
    async with beginning(STORY) as begun:
        begun.people.begin()
        yield begun


@pytest.fixture(scope="module")
def successor() -> Iterator[Zygote]:
    """Starts the process that takes over."""
    with zygote() as made:
        yield made


def freezing(trial: Trial, words: str) -> Order:
    """An order to serve, and to stop at the first point of those words."""
    log = trial.log.with_name("frozen.log")
    return Order(settings=trial.settings, log=str(log), words=words, signal=signal.SIGSTOP)


def taking_over(trial: Trial) -> Order:
    """An order to serve in spite of the lock."""
    return Order(settings=trial.settings, log=str(trial.log), locked=False)


async def frozen_at(trial: Trial, process: Process, words: str) -> None:
    """Wait until the process is at the point; people press what is due."""

    def is_there() -> bool:
        trial.people.act()
        return words in process.points

    await trial.world.until(is_there, what=words)


async def woken(trial: Trial, process: Process) -> None:
    """Wake the process, and wait until it has found out that its run is not its own any more."""
    log = trial.log.with_name("frozen.log")
    process.wake()
    await trial.world.until(lambda: " by another worker" in log.read_text(), what="the fence")


async def over(trial: Trial) -> None:
    with Database(trial.path) as database:
        await trial.world.until(lambda: trial.is_over(database), what="the end of the story")


def unknown_delivery(trial: Trial) -> Callable[[], list[JsonObject]]:
    return lambda: [body for body in trial.people.cards() if WAS_SENT in decisions(body)]


def faults(trial: Trial) -> list[str]:
    with copied(trial.path) as database:
        return [fault for check in CHECKS for fault in check(trial, database)]


async def test_a_second_process_is_refused_in_clear_words(trial: Trial, forking: Zygote) -> None:
    """Even a frozen process keeps its database: another one ends at once, and says what to do."""
    words = "before a call of the model"
    async with forking.serving(freezing(trial, words), trial.world.changed) as first:
        await frozen_at(trial, first, words)
        second = await asyncio.create_subprocess_exec(
            LEAD_AGENT, "serve", env=trial.settings, cwd=trial.path.parent, stderr=asyncio.subprocess.PIPE
        )
        _, told = await asyncio.wait_for(second.communicate(), 20)
    assert second.returncode == 1
    assert told.decode() == (
        f"lead-agent: {trial.path} is in use: another lead-agent works on it; stop that one first\n"
    )


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_message_of_a_woken_process_is_uncertain_and_sent_once(
    trial: Trial, forking: Zygote, successor: Zygote, when: str
) -> None:
    """It may still leave, but only once; its outcome is a person's to tell, not the woken process's."""
    words = f"{when} sendMessage to {trial.people.leads[TIMUR.name].id}"
    async with forking.serving(freezing(trial, words), trial.world.changed) as first:
        await frozen_at(trial, first, words)
        async with successor.serving(taking_over(trial), trial.world.changed):
            await trial.world.until(unknown_delivery(trial), what="an uncertain card")
            await woken(trial, first)
            assert unknown_delivery(trial)(), "settled by the process that had lost the run"
            trial.lost.add(1)
            await over(trial)
    assert faults(trial) == []


async def test_a_woken_process_adds_nothing_to_a_run_that_went_on(
    trial: Trial, forking: Zygote, successor: Zygote
) -> None:
    """What the model answers to a process that lost the run is dropped."""
    words = "before a call of the model"
    async with forking.serving(freezing(trial, words), trial.world.changed) as first:
        await frozen_at(trial, first, words)
        async with successor.serving(taking_over(trial), trial.world.changed):
            await over(trial)
            await woken(trial, first)
            await over(trial)
    assert faults(trial) == []
