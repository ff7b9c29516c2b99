"""Taking a lead over: a person talks with them, the agent is silent until it is handed back."""

from __future__ import annotations

from pathlib import Path

from bot.sandbox.chats import Message, User
from bot.sandbox.faults import FaultKind
from bot.sandbox.script import Script, say, turn
from tests.bot.harness import (
    APPROVE,
    HELLO,
    Office,
    data_of,
    escalating,
    labels_of,
    office,
    reply,
    text_of,
)

MINE, BACK = "I'll answer", "Back to the agent"


def write(bot: Office, message: Message, words: str, user: User | None = None) -> int:
    """Reply to a message in the group."""
    return bot.world.say(user or bot.olga, words, chat_id=bot.group_id, reply_to=message.id)


async def test_a_conversation_is_taken_over_and_handed_back(tmp_path: Path) -> None:
    """What waits is outdated, words go both ways as they stand, and afterwards the agent knows them."""
    turns = [turn(reply()), turn(say("Done."))]
    async with office(tmp_path, Script(turns)) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        old = data_of(card, APPROVE)
        assert "It is yours" in str((await bot.pressed(card, MINE)).text)
        await bot.shows(card, "A person answers instead")
        mine = await bot.shown("Olga answers Dana")
        late = await bot.toast(bot.world.press(bot.igor, bot.group_id, card.id, old))
        assert "out of date" in str(late.text)
        assert (await bot.show())["status"] == "cancelled"

        said = write(bot, mine, "Hello Dana, <b>Olga</b> here. What do you need?")
        await bot.replied(dana, "Hello Dana, <b>Olga</b> here. What do you need?")
        reacted = bot.world.group.messages[said]
        await bot.until(lambda: reacted.reactions == ["👌"], "the sign that it arrived")

        asked = len(bot.api.requests)
        bot.world.say(dana, "Two <sites>, please")
        passed = await bot.shown("💬 Dana", "Two <sites>, please")
        write(bot, passed, "Fine, I will call you.")
        await bot.replied(dana, "Fine, I will call you.")
        assert len(bot.api.requests) == asked
        assert bot.value("SELECT count(*) FROM runs") == 1

        await bot.pressed(mine, BACK, bot.igor)
        await bot.until(lambda: not any(BACK in label for label in labels_of(mine)), "the agent's again")
        shown = text_of(mine)
        assert "Two <sites>" in shown
        assert not any(
            words in shown for words in ("What do you need", "I will call you", "a person answers")
        )
        bot.world.say(dana, "Any news?")
        await bot.card("Any news?")
        journal = [record.outcome for record in bot.records if record.kind == "talk"]
        assert journal == ["taken over", "relayed", "relayed", "handed back"]
        rows = bot.rows("SELECT speaker, text FROM messages WHERE lead_id = 1 ORDER BY id")
        assert [speaker for speaker, _ in rows] == ["lead", "company", "lead", "company"]


async def test_only_who_took_it_over_talks(tmp_path: Path) -> None:
    """Another operator is told who answers, and may take it over in turn; a stranger is not heard."""
    async with office(tmp_path, escalating()) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.shown("A person is needed: Dana")
        await bot.ended()
        await bot.pressed(card, MINE)
        await bot.shows(card, "Olga answers Dana")
        guest = bot.world.add_person("Guest", operator=True)
        write(bot, card, "Buy from me!", guest)
        other = write(bot, card, "I am Igor", bot.igor)
        answer = await bot.until(lambda: bot.answer_to(other), "an answer")
        assert "Olga answers this lead" in text_of(answer)
        assert bot.texts_to(dana) == []
        await bot.pressed(card, MINE, bot.igor)
        await bot.shows(card, "Igor answers Dana")
        write(bot, card, "Hello, Igor here.", bot.igor)
        await bot.replied(dana, "Hello, Igor here.")


async def test_what_does_not_arrive_is_told(tmp_path: Path) -> None:
    """Refused or unknown: the person reads it under their own message; it is never sent again by itself."""
    async with office(tmp_path, escalating()) as bot:
        bot.refusals_expected = True
        await bot.start()
        dana = bot.lead()
        card = await bot.shown("A person is needed: Dana")
        await bot.ended()
        await bot.pressed(card, MINE)
        bot.world.block(dana)
        said = write(bot, card, "Are you there?")
        answer = await bot.until(lambda: bot.answer_to(said), "an answer")
        assert "Not delivered" in text_of(answer)
        bot.world.unblock(dana)
        bot.fault(FaultKind.LOST, "sendMessage", chat_id=dana.id)
        said = write(bot, card, "And now?")
        answer = await bot.until(lambda: bot.answer_to(said), "an answer")
        assert "it may have arrived" in text_of(answer)
        assert bot.texts_to(dana).count("And now?") == 1


async def test_a_returning_lead_is_taken_over(tmp_path: Path) -> None:
    """What was sent before stays sent, what waits now is not."""
    async with office(tmp_path) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, APPROVE)
        await bot.replied(dana, HELLO)
        await bot.ended()
        bot.world.say(dana, "One more thing.")
        second = await bot.card("One more thing.")
        await bot.pressed(second, MINE)
        await bot.shows(second, "A person answers instead")
        assert bot.texts_to(dana) == [HELLO]
