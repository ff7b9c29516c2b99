"""The pinned line: what waits at a glance, where the bot may pin; one message, whatever happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.check import _line, _telegram
from bot.sandbox.chats import ChatType, Message, Right
from bot.sandbox.world import World
from tests.bot.harness import APPROVE, Office, office, text_of

WAITING = "⏳ Waiting: {}, oldest 0 min"
NOTHING = "✅ Nothing waits for a decision."


def lines(bot: Office) -> list[Message]:
    return [message for message in bot.in_group if text_of(message).startswith(("⏳ Waiting", NOTHING))]


async def line(bot: Office, text: str) -> Message:
    """The only line, once it says so and is pinned."""

    def found() -> Message | None:
        pinned = [message for message in lines(bot) if message.id in bot.world.group.pinned]
        return next((message for message in pinned if text_of(message) == text), None)

    return await bot.until(found, text)


async def test_the_line_follows_what_waits(tmp_path: Path) -> None:
    """Silent, linked to the oldest card, edited in place; Telegram's word of the pinning is taken away."""
    async with office(tmp_path, pinned="on") as bot:
        await bot.start()
        bot.lead("Dana")
        card = await bot.card("Dana")
        first = await line(bot, WAITING.format(1))
        assert first.silent
        link = f"https://t.me/c/{str(bot.group_id)[4:]}/{card.id}"
        await bot.until(lambda: link in str(first.body["entities"]), "the link")
        bot.lead("Marat")
        second = await bot.card("Marat")
        assert await line(bot, WAITING.format(2)) is first
        await bot.restart()
        await bot.pressed(card, APPROVE)
        await bot.pressed(second, APPROVE)
        assert await line(bot, NOTHING) is first
        assert lines(bot) == [first]
        notices = bot.world.group.messages.values
        await bot.until(lambda: not any("pinned_message" in m.body for m in notices()), "no notice")


@pytest.mark.parametrize("rights", [(), (Right.DELETE_MESSAGES,)])
async def test_without_the_right_there_is_no_line(tmp_path: Path, rights: tuple[Right, ...]) -> None:
    """Nothing is posted; with the right it comes."""
    async with office(tmp_path, pinned="on") as bot:
        bot.world.grant(*rights)
        await bot.start()
        bot.lead()
        await bot.card("Dana")
        await bot.command("/help")
        assert lines(bot) == []
        bot.world.grant(Right.PIN_MESSAGES)
        await line(bot, WAITING.format(1))


async def test_a_deleted_line_comes_again(tmp_path: Path) -> None:
    """With the next change."""
    async with office(tmp_path, pinned="on") as bot:
        bot.refusals_expected = True  # an edit finds it gone
        await bot.start()
        bot.lead("Dana")
        await bot.card("Dana")
        first = await line(bot, WAITING.format(1))
        bot.world.delete(bot.group_id, first.id)
        bot.lead("Marat")
        assert (await line(bot, WAITING.format(2))).id != first.id


async def test_the_line_follows_the_group(tmp_path: Path) -> None:
    """A group that becomes a supergroup gets a line of its own."""
    async with office(tmp_path, world=World(group_type=ChatType.GROUP), pinned="on") as bot:
        bot.refusals_expected = True  # the old group is closed
        await bot.start()
        bot.lead("Dana")
        await bot.card("Dana")
        await line(bot, WAITING.format(1))
        bot.world.migrate_group()
        bot.lead("Marat")
        await line(bot, WAITING.format(2))


async def test_check_says_that_the_bot_may_not_pin(
    stopped: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    """`lead-agent check`: no fault, but one reads why there is no line; nothing where none is wanted."""
    stopped.world.grant(Right.DELETE_MESSAGES)
    for pinned in (True, False):
        await _line("telegram", stopped.settings(pinned=pinned), _telegram)
        told = capsys.readouterr().out
        assert told.startswith("ok    telegram: ")
        assert ("no right to pin messages" in told) is pinned
