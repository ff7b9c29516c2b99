"""Several texts of one reply on one card: each decided on its own, or all that wait together."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from bot.sandbox.chats import Message
from bot.sandbox.faults import FaultKind
from bot.sandbox.script import Script, say, turn
from tests.bot.harness import APPROVE, HELLO, Office, data_of, labels_of, office, reply, text_of
from tests.bot.test_cards import files_of

OWN = "Hello, Dana! Olga here: I will call you at noon."
SHORTER = "Hello, Dana! We will call you."
SECOND = "Hello again! We can show you examples, too."
OUTDATED = "This card is out of date"


SEVERAL = [turn(reply(), reply(SECOND)), turn(say("Done."))]


@pytest.fixture
async def bot_of_two(tmp_path: Path) -> AsyncIterator[Office]:
    """An office where Dana's two replies wait on one card."""
    async with office(tmp_path, Script(SEVERAL)) as bot:
        await bot.start()
        bot.lead()
        yield bot


async def test_several_on_one_card_are_decided_one_by_one(tmp_path: Path) -> None:
    """Numbered; what is denied does not leave, what is approved does."""
    async with office(tmp_path, Script(SEVERAL)) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("2 replies to Dana", HELLO, SECOND)
        assert [label for label in labels_of(card) if APPROVE in label] == [
            "✅ Approve 1",
            "✅ Approve 2",
            "✅ Approve all (2)",
        ]
        await bot.pressed(card, "Deny 1")
        await bot.pressed(card, "Approve 2")
        await bot.replied(dana, SECOND)
        assert await bot.ended() == "done"
        assert bot.texts_to(dana) == [SECOND]


async def test_approve_all_means_what_was_shown(tmp_path: Path) -> None:
    """One press for the rest; a card that changed since has another button."""
    async with office(tmp_path, Script(SEVERAL)) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("2 replies to Dana")
        everything = data_of(card, "Approve all")
        assert "Begin with the number" in await bot.answered(card, f"= {OWN}")
        assert "Version 2 of P-2" in await bot.answered(card, f"2 = {OWN}")
        await bot.shows(card, OWN)
        late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, everything))
        assert OUTDATED in str(late.text)
        assert bot.rows("SELECT DISTINCT state FROM proposals") == [("pending",)]
        assert (await bot.pressed(card, "Approve all")).text == "✅ Approved: 2"
        await bot.replied(dana, OWN)
        assert await bot.ended() == "done"
        assert bot.texts_to(dana) == [HELLO, OWN]


THIRD = "Hello a third time! Do you have a website already?"


async def decided(bot: Office) -> list[tuple[str, str]]:
    """State and text of every proposal."""
    rows = bot.rows("SELECT state, arguments FROM proposals ORDER BY id")
    return [(state, json.loads(arguments)["text"]) for state, arguments in rows]


def both_sent(card: Message) -> bool:
    return text_of(card).count("· sent") == 2


async def test_each_is_changed_denied_and_approved_on_its_own(tmp_path: Path) -> None:
    """One is edited, one sent back, one denied with a reason; the card keeps each with what became of it."""
    script = Script([turn(reply(), reply(SECOND), reply(THIRD)), turn(reply(SHORTER)), turn(say("Done."))])
    async with office(tmp_path, script, deny_reason_wait="60s") as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("3 replies to Dana", HELLO, SECOND, THIRD)
        assert "Version 2 of P-1" in await bot.answered(card, f"1. = {OWN}")
        assert "writes P-3 again" in await bot.answered(card, "3) shorter, please", bot.igor)
        await bot.shows(card, OWN, "The agent writes it again: “shorter, please”")
        await bot.pressed(card, "Deny 2")
        await bot.until(lambda: "Tone 2" in labels_of(card), "reasons for the second")
        await bot.pressed(card, "Tone 2", bot.igor)
        await bot.pressed(card, "Approve 1", bot.igor)
        await bot.replied(dana, OWN)
        await bot.shows(card, "Version 2, by Olga", "Reason: Tone", SHORTER, "Version 2, by the agent")
        assert [label for label in labels_of(card) if "Copy" not in label] == [
            "✅ Approve 3",
            "❌ Deny 3",
            "✏️ Edit 3",
        ]
        await bot.pressed(card, "Approve 3")
        await bot.replied(dana, SHORTER)
        assert await bot.ended() == "done"
        assert await decided(bot) == [("executed", OWN), ("denied", SECOND), ("executed", SHORTER)]
        assert bot.texts_to(dana) == [OWN, SHORTER]
        told = bot.api.requests[1]["messages"][-1]["content"]
        assert [block.get("is_error", False) for block in told] == [False, True, True]
        for block, words in zip(told, ("edited_by_operator", "tone is not right", "shorter"), strict=True):
            assert words in block["content"]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("= " + OWN, "Begin with the number"),
        ("shorter, please", "Begin with the number"),
        ("3 = " + OWN, "Begin with the number"),
        ("0 = " + OWN, "Begin with the number"),
        ("22 = " + OWN, "Begin with the number"),
        ("2.5 times shorter, please", "Begin with the number"),
        ("2", "Begin with the number"),
        ("2 = Hi", "at least 20 letters"),
    ],
)
async def test_a_reply_that_says_not_which_is_asked_for_the_number(
    bot_of_two: Office, words: str, answer: str
) -> None:
    """Nothing is changed."""
    card = await bot_of_two.card("2 replies to Dana")
    assert answer in await bot_of_two.answered(card, words)
    assert await decided(bot_of_two) == [("pending", HELLO), ("pending", SECOND)]


async def test_a_denied_text_and_one_that_waits(bot_of_two: Office) -> None:
    """A reply without a number could be the reason of one, or a remark on the other."""
    card = await bot_of_two.card("2 replies to Dana")
    await bot_of_two.pressed(card, "Deny 1")
    assert "Begin with the number" in await bot_of_two.answered(card, "The price is wrong.")
    assert "Noted" in await bot_of_two.answered(card, "1 the price is wrong")
    await bot_of_two.shows(card, "Reason: the price is wrong")
    assert "Version 2 of P-2" in await bot_of_two.answered(card, f"2={OWN}")


async def test_without_a_number_where_only_one_waits(bot_of_two: Office) -> None:
    """The reply can mean no other."""
    card = await bot_of_two.card("2 replies to Dana")
    await bot_of_two.pressed(card, "Approve 1")
    assert "Version 2 of P-2" in await bot_of_two.answered(card, f"= {OWN}")
    assert (await decided(bot_of_two))[1] == ("pending", OWN)


async def test_one_is_decided_while_another_is_sent(bot_of_two: Office) -> None:
    """Two presses one after the other, as people make them: nothing stands still."""
    bot = bot_of_two
    dana = next(person for person in bot.world.leads() if person.name == "Dana")
    card = await bot.card("2 replies to Dana")
    bot.fault(FaultKind.SLOW, "sendMessage", chat_id=dana.id, seconds=0.5)
    await bot.pressed(card, "Approve 1")
    await bot.replied(dana)  # there, and not known to be
    await bot.pressed(card, "Approve 2")
    await bot.replied(dana, SECOND)
    assert await bot.ended() == "done"
    assert bot.texts_to(dana) == [HELLO, SECOND]


async def test_one_of_several_is_undone(tmp_path: Path) -> None:
    """The rest leaves when it is its turn, in the model's order."""
    async with office(tmp_path, Script(SEVERAL), undo_seconds=60) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("2 replies to Dana")
        assert (await bot.pressed(card, "Approve all")).text == "✅ Approved: 2"
        await bot.until(lambda: labels_of(card) == ["↩️ Undo 1", "↩️ Undo 2"], "the buttons")
        await bot.pressed(card, "Undo 1", bot.igor)
        await bot.until(lambda: "✅ Approve 1" in labels_of(card), "the first is open again")
        bot.rows("UPDATE proposals SET execute_after = 1 WHERE state = 'approved'")
        await bot.restart()
        await bot.command("/help")
        assert await decided(bot) == [("pending", HELLO), ("approved", SECOND)]
        assert bot.texts_to(dana) == []
        await bot.pressed(card, "Deny 1")
        await bot.replied(dana, SECOND)
        assert await bot.ended() == "done"


async def test_words_of_the_lead_outdate_all_that_wait(tmp_path: Path) -> None:
    """Not what was decided before; "approve all" of the old card approves nothing."""
    script = Script([turn(reply(), reply(SECOND), reply(THIRD)), turn(reply(SHORTER)), turn(say("Done."))])
    async with office(tmp_path, script) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("3 replies to Dana")
        await bot.pressed(card, "Approve 1")
        await bot.replied(dana)
        await bot.shows(card, "· sent")
        everything = data_of(card, "Approve all")
        bot.world.say(dana, "And a website.")
        await bot.shows(card, "Outdated: the lead wrote again")
        late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, everything))
        assert OUTDATED in str(late.text)
        await bot.card(SHORTER)
        assert await decided(bot) == [
            ("executed", HELLO),
            ("superseded", SECOND),
            ("superseded", THIRD),
            ("pending", SHORTER),
        ]
        assert bot.texts_to(dana) == [HELLO]


async def test_approve_all_on_a_copy_of_the_card(tmp_path: Path) -> None:
    """A posting whose answer was lost can be believed: its buttons carry the card's own tokens."""
    async with office(tmp_path, Script(SEVERAL)) as bot:
        await bot.start()
        bot.fault(FaultKind.LOST, "sendMessage", chat_id=bot.group_id)
        dana = bot.lead()
        await bot.until(lambda: len(bot.waiting("2 replies to Dana")) == 2, "the card twice")
        lost, card = bot.waiting("2 replies to Dana")
        assert (await bot.pressed(lost, "Approve all")).text == "✅ Approved: 2"
        await bot.replied(dana, SECOND)
        for message in (lost, card):
            await bot.until(partial(both_sent, message), "both were sent, it says")
            assert labels_of(message) == []


# --- too long for a message

LONG = [f"{letter} & {'<' * 480} & {letter * 10}" for letter in "vwxyz"]


async def test_five_long_texts_come_in_a_file_first(tmp_path: Path) -> None:
    """Before the buttons, and again with the card when a text of it has changed: whole, as it leaves."""
    turns = [turn(*(reply(text) for text in LONG)), turn(say("Done."))]
    async with office(tmp_path, Script(turns)) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("5 replies to Dana", "in the file above")
        document, shown = bot.in_group
        assert ("document" in document.body, shown is card) == (True, True)
        (first,) = files_of(bot)
        assert all(text in first for text in LONG)
        old = data_of(card, "Approve 3")
        own = f"Hello & {'>' * 480}"
        await bot.answered(card, f"3 = {own}")
        await bot.shows(card, "posted again below")
        again = await bot.card("5 replies to Dana", "in the file above")
        assert ("document" in bot.in_group[-2].body, bot.in_group[-1] is again) == (True, True)
        _, second = files_of(bot)
        assert all(text in second for text in (*LONG[:2], own, *LONG[3:]))
        assert LONG[2] not in second
        late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, old))
        assert OUTDATED in str(late.text)
        await bot.pressed(again, "Approve all")
        await bot.replied(dana, LONG[4])
        assert await bot.ended() == "done"
        assert bot.texts_to(dana) == [*LONG[:2], own, *LONG[3:]]
        await bot.shows(again, "· sent")
        assert len(files_of(bot)) == 2
