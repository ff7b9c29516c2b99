"""Undoing: an approval waits a moment, and until the text leaves it can be taken back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from bot.cards import Code, callback_data
from bot.sandbox.chats import Message
from bot.sandbox.faults import FaultKind
from bot.sandbox.script import Script, say, turn
from tests.bot.harness import APPROVE, HELLO, data_of, labels_of, office, reply, text_of

SHORTER = "Hello, Dana! We will call you."
UNDO = "Undo"
OUTDATED = "This card is out of date"


def undoing(approval: str) -> str:
    """The button that takes back what this button approves, before it is on the card."""
    return callback_data(Code.UNDO, approval.partition(":")[2])


def tells_of_it(card: Message) -> bool:
    return "Approved by" in text_of(card)


async def test_undo(tmp_path: Path) -> None:
    """Within the wait nothing leaves; undone, the card asks again and the old buttons are dead."""
    async with office(tmp_path, undo_seconds=60) as bot:
        bot.refusals_expected = True  # a press that is handled again after a restart is too old to answer
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        old = data_of(card, APPROVE)
        assert "goes out in 60 s" in str((await bot.pressed(card, APPROVE)).text)
        await bot.shows(card, "goes out at")
        assert labels_of(card) == ["↩️ Undo"]
        await bot.restart()
        assert "Taken back" in str((await bot.pressed(card, UNDO, bot.igor)).text)
        await bot.until(lambda: any(APPROVE in label for label in labels_of(card)), "open again")
        late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, old))
        assert OUTDATED in str(late.text)
        assert bot.texts_to(dana) == []
        await bot.restart(undo_seconds=0)
        await bot.pressed(card, APPROVE)
        await bot.replied(dana)
        assert bot.texts_to(dana) == [HELLO]


async def test_it_leaves_when_the_wait_is_over(tmp_path: Path) -> None:
    """By itself, once; and then there is nothing to undo."""
    async with office(tmp_path, undo_seconds=1) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, APPROVE)
        await bot.until(lambda: labels_of(card) == ["↩️ Undo"], "the button")
        undo = data_of(card, UNDO)
        await bot.replied(dana)
        late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, undo))
        assert "Olga decided already" in str(late.text)
        assert await bot.ended() == "done"
        assert bot.texts_to(dana) == [HELLO]


async def test_undone_twice(tmp_path: Path) -> None:
    """The second press is too late: the card is open again, and its new buttons are others."""
    async with office(tmp_path, undo_seconds=60) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, APPROVE)
        await bot.until(lambda: labels_of(card) == ["↩️ Undo"], "the button")
        presses = [bot.press(card, UNDO, user) for user in (bot.igor, bot.olga)]
        first, second = [await bot.toast(press) for press in presses]
        assert "Taken back" in str(first.text)
        assert OUTDATED in str(second.text)
        assert bot.rows("SELECT verdict FROM decisions") == [("approve",), ("undo",)]
        assert bot.rows("SELECT state, decided_by FROM proposals") == [("pending", None)]
        assert bot.texts_to(dana) == []


async def test_undone_while_it_is_sent(tmp_path: Path) -> None:
    """What has begun to leave cannot be taken back, and the answer says so."""
    async with office(tmp_path, undo_seconds=0.1) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        undo = undoing(data_of(card, APPROVE))
        bot.fault(FaultKind.SLOW, "sendMessage", chat_id=dana.id, seconds=0.5)
        await bot.pressed(card, APPROVE)
        await bot.replied(dana)  # there, and not known to be
        late = await bot.toast(bot.world.press(bot.igor, bot.group_id, card.id, undo))
        assert late.text == "Olga decided already: being sent"
        await bot.shows(card, "· sent")
        assert bot.texts_to(dana) == [HELLO]


async def test_undone_at_the_last_moment(tmp_path: Path) -> None:
    """Whenever the press comes: either it was taken back and nothing left, or it left and was not."""
    leads = 8
    async with office(tmp_path, undo_seconds=0.05) as bot:
        await bot.start()
        people = [bot.lead(f"Lead {letter}") for letter in "abcdefgh"]
        await bot.until(lambda: len(bot.waiting()) == leads, "all cards")
        presses = []
        for number, card in enumerate(list(bot.waiting())):
            undo = undoing(data_of(card, APPROVE))
            await bot.pressed(card, APPROVE)
            if number % 2:  # one later than the others
                await bot.until(partial(tells_of_it, card), "what became of the approval")
            presses.append(bot.world.press(bot.igor, bot.group_id, card.id, undo))
        undone = ["Taken back" in str((await bot.toast(press)).text) for press in presses]
        await bot.until(lambda: len(bot.cards("· sent")) == leads - sum(undone), "what was not undone")
        await bot.rests()
        sent = [text for person in people for text in bot.texts_to(person)]
        assert len(sent) == leads - sum(undone)
        assert len(bot.waiting()) == sum(undone)


async def test_undone_during_the_pause(tmp_path: Path) -> None:
    """What was approved before or during the manual stop can be taken back; after it the rest leaves."""
    async with office(tmp_path, undo_seconds=0) as bot:
        await bot.start(admin_ids=str(bot.olga.id))
        dana = bot.lead()
        card = await bot.card("Dana")
        await bot.command("/pause")
        for _ in range(2):
            assert "It goes out after /resume" in str((await bot.pressed(card, APPROVE)).text)
            await bot.shows(card, "waits: paused")
            assert labels_of(card) == ["↩️ Undo"]
            assert "Taken back" in str((await bot.pressed(card, UNDO, bot.igor)).text)
            await bot.until(lambda: any(APPROVE in label for label in labels_of(card)), "open again")
        await bot.command("/resume")
        await bot.command("/help")
        assert bot.texts_to(dana) == []
        await bot.pressed(card, APPROVE)
        await bot.replied(dana)


async def test_undone_after_words_of_the_lead(tmp_path: Path) -> None:
    """An approval that is taken back asks nobody about words that are outdated by then."""
    script = Script([turn(reply()), turn(reply(SHORTER)), turn(say("Done."))])
    async with office(tmp_path, script, undo_seconds=60) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, APPROVE)
        await bot.until(lambda: labels_of(card) == ["↩️ Undo"], "the button")
        bot.world.say(dana, "And a website.")
        await bot.shows(card, "And a website.")
        await bot.pressed(card, UNDO)
        await bot.shows(card, "Outdated: the lead wrote again")
        assert labels_of(card) == []
        await bot.card(SHORTER)
        assert bot.texts_to(dana) == []
