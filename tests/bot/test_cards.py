"""Cards: what operators see, and that it is there before anything can be approved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent.clock import now
from bot.sandbox.chats import ChatType, MemberStatus
from bot.sandbox.faults import FaultKind
from bot.sandbox.script import Script, call, say, turn
from bot.sandbox.world import World
from tests.bot.harness import (
    APPROVE,
    DENY,
    HELLO,
    NEED,
    Office,
    block_of,
    data_of,
    escalating,
    labels_of,
    office,
    reply,
    text_of,
)


async def test_a_card_says_what_will_happen(bot: Office) -> None:
    """Who gets it, their words, exactly what leaves, which run it is; and the buttons."""
    bot.lead(username="dana_k")
    card = await bot.card("Dana")
    lines = text_of(card).splitlines()
    assert lines[0] == "✉️ Reply to Dana · Telegram"
    assert block_of(card, "expandable_blockquote") == NEED
    assert block_of(card) == HELLO
    assert lines[-1].startswith("#P-1 · run-1 · until ")
    assert labels_of(card) == ["✅ Approve", "❌ Deny", "✏️ Edit", "📋 Copy", "🙋 I'll answer"]
    assert not card.silent


async def test_cards_speak_russian(stopped: Office) -> None:
    """LANGUAGE=ru, the default."""
    await stopped.start(language="ru")
    stopped.lead()
    card = await stopped.shown("Ответ", "Dana", "Уйдёт слово в слово")
    assert labels_of(card) == [
        "✅ Одобрить",
        "❌ Отклонить",
        "✏️ Изменить",
        "📋 Копировать",
        "🙋 Отвечу сам(а)",
    ]


def files_of(office: Office) -> list[str]:
    return [file.content.decode() for file in office.world.files.values()]


async def test_a_card_too_long_has_the_full_text_above_it(bot: Office) -> None:
    """Where escaping leaves no room for the lead's words, all of them come as a file before the card."""
    words = "&" * 2000
    bot.lead(text=words)
    card = await bot.card("Dana")
    document, shown = bot.in_group
    assert shown is card
    assert document.body["caption"] == "Full text of P-1"
    (content,) = files_of(bot)
    assert words in content
    assert HELLO in content
    assert block_of(card) == HELLO


async def test_without_the_file_there_is_no_card(bot: Office) -> None:
    """While the full text cannot be posted nothing can be approved."""
    bot.fault(FaultKind.ERROR, "sendDocument", times=2, status=429, description="Too Many", retry_after=1)
    bot.lead(text="&" * 2000)
    await bot.until(lambda: len(bot.calls("sendDocument")) == 2, "two attempts")
    assert bot.in_group == []
    await bot.card("Dana")
    assert "document" in bot.in_group[0].body


UNSENDABLE: dict[str, dict[str, Any]] = {
    "429": {"kind": FaultKind.ERROR, "status": 429, "description": "Too Many Requests", "retry_after": 1},
    "500": {"kind": FaultKind.ERROR, "status": 500, "description": "Internal Server Error"},
    "502": {"kind": FaultKind.GATEWAY},
    "403": {"kind": FaultKind.ERROR, "status": 403, "description": "Forbidden: bot was kicked"},
    "400": {"kind": FaultKind.ERROR, "status": 400, "description": "Bad Request: not enough rights"},
    "not ok": {"kind": FaultKind.NOT_OK},
    "html": {"kind": FaultKind.HTML},
}


@pytest.mark.parametrize("fault", UNSENDABLE.values(), ids=UNSENDABLE)
async def test_a_card_that_cannot_be_sent_blocks_the_action(bot: Office, fault: dict[str, Any]) -> None:
    """The action stays pending, /healthz says why, and the card comes later."""
    bot.fault(method="sendMessage", chat_id=bot.group_id, **fault)
    bot.lead()
    await bot.logged("card 1:")
    assert (await bot.proposal())["confirmation_status"] == "pending"
    assert "a card cannot be shown in the operators' group" in (await bot.app.faults())[0]
    assert bot.cards() == []
    card = await bot.card("Dana")
    await bot.pressed(card, APPROVE)
    assert await bot.ended() == "done"
    assert await bot.app.faults() == []


@pytest.mark.parametrize("which", [0, 1], ids=["the first copy", "the second copy"])
async def test_a_card_whose_answer_was_lost(bot: Office, which: int) -> None:
    """It may be there twice: either copy decides, once, and both tell the truth when they are touched."""
    bot.refusals_expected = True  # an edit that changes nothing
    bot.fault(FaultKind.LOST, "sendMessage", chat_id=bot.group_id)
    dana = bot.lead()
    await bot.until(lambda: len(bot.waiting("Dana")) == 2, "two copies")
    await bot.rests()
    pressed, other = bot.waiting("Dana")[which], bot.waiting("Dana")[1 - which]
    assert (await bot.pressed(pressed, APPROVE)).text == "✅ Approved"
    await bot.shows(pressed, "Approved by Olga", "· sent")
    if APPROVE in " ".join(labels_of(other)):
        assert "Olga decided already" in str((await bot.pressed(other, DENY, bot.igor)).text)
    await bot.shows(other, "Approved by Olga", "· sent")
    assert bot.texts_to(dana) == [HELLO]
    assert labels_of(pressed) == labels_of(other) == []


async def test_a_card_deleted_by_a_person_comes_again(bot: Office) -> None:
    """As soon as it has something to tell: the action is still pending, and can be decided there."""
    dana = bot.lead()
    bot.refusals_expected = True
    card = await bot.card("Dana")
    bot.world.delete(bot.group_id, card.id)
    bot.world.block(dana)
    again = await bot.card("Has blocked the bot")
    assert again.id != card.id
    bot.world.unblock(dana)
    await bot.pressed(again, APPROVE)
    await bot.replied(dana)


# --- the group itself


async def test_a_group_becomes_a_supergroup(tmp_path: Path) -> None:
    """Open cards are posted in the new group, presses there count, and a restart remembers where it is."""
    world = World(group_type=ChatType.GROUP)
    async with office(tmp_path, world=world, operators_chat_id=world.group.id) as bot:
        bot.refusals_expected = True
        await bot.start()
        dana = bot.lead()
        await bot.card("Dana")
        world.migrate_group()
        card = await bot.card("Dana")
        assert card.body["chat"]["id"] == world.group.id
        await bot.pressed(card, APPROVE)
        await bot.replied(dana)
        await bot.shows(card, "· sent")
        await bot.restart()
        bot.lead("Marat")
        assert (await bot.pressed(await bot.card("Marat"), DENY)).text == "❌ Denied"
        assert len(bot.cards("Reply to")) == 2


async def test_a_migration_missed_is_learnt_from_the_refusal(tmp_path: Path) -> None:
    """Where the update is lost the answer to the next card names the new group."""
    world = World(group_type=ChatType.GROUP)
    async with office(tmp_path, world=world, operators_chat_id=world.group.id) as bot:
        bot.refusals_expected = True
        world.migrate_group()
        world.updates.confirm(world.updates.pending()[-1].id + 1)
        await bot.start()
        for name in ("Dana", "Marat", "Aigul"):
            bot.lead(name)
        await bot.until(lambda: len(bot.waiting("Reply to")) == 3, "three cards")
        await bot.rests()
        assert len(bot.cards("Reply to")) == 3
        await bot.pressed(bot.waiting("Marat")[0], APPROVE)
        assert await bot.ended(2) == "done"


async def test_the_bot_is_thrown_out_of_the_group_and_back(bot: Office) -> None:
    """Meanwhile actions stay pending, and the log and /healthz say why; then their cards are posted."""
    bot.refusals_expected = True
    bot.world.kick_bot()
    bot.lead()
    await bot.logged("the bot was removed from the operators' group")
    await bot.logged("card 1:")
    assert (await bot.proposal())["confirmation_status"] == "pending"
    assert "kicked" in (await bot.app.faults())[0]
    bot.world.readmit_bot()
    await bot.pressed(await bot.card("Dana"), APPROVE)
    assert await bot.ended() == "done"


async def test_missing_rights(bot: Office) -> None:
    """A bot that may not write in the group keeps what waits until it may."""
    bot.refusals_expected = True
    bot.world.restrict_bot()
    bot.lead()
    await bot.logged("card 1:", "rights")
    bot.world.group.bot_status = MemberStatus.ADMINISTRATOR
    await bot.card("Dana")


# --- long outages


async def shows_anew(bot: Office, old: Any) -> None:
    await bot.shows(old, "posted again below")
    card = await bot.card("Dana")
    assert card.id > old.id
    assert labels_of(old) == []
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "· sent")


async def test_after_a_long_stop_open_cards_are_posted_anew(bot: Office) -> None:
    """Presses made in an outage of over 150 s are lost, so what still waits comes again, further down."""
    bot.lead()
    old = await bot.card("Dana")
    bot.lead("Marat")
    finished = await bot.card("Marat")
    await bot.pressed(finished, DENY)
    await bot.ended(2)
    await bot.shows(finished, "Denied")
    await bot.stop()
    bot.rows("UPDATE polls SET at = at - 200000")
    await bot.start()
    await shows_anew(bot, old)
    assert len(bot.cards("Marat")) == 1


async def test_after_a_long_outage_open_cards_are_posted_anew(stopped: Office) -> None:
    """The same where the bot ran all the time and Telegram was out of reach."""
    ahead = [0]
    await stopped.start(clock=lambda: now() + ahead[0])
    stopped.lead()
    old = await stopped.card("Dana")
    stopped.fault(FaultKind.RESET, "getUpdates")
    stopped.lead("Marat")
    await stopped.card("Marat")  # its poll was the last good one
    ahead[0] += 200_000
    await stopped.until(lambda: stopped.world.faults.waiting() == [], "the outage")
    await shows_anew(stopped, old)


async def test_a_short_stop_leaves_cards_where_they_are(bot: Office) -> None:
    """A restart is no outage."""
    bot.lead()
    await bot.card("Dana")
    await bot.restart()
    bot.lead("Marat")
    await bot.card("Marat")
    assert len(bot.in_group) == 2


async def test_a_file_comes_again_with_its_card(bot: Office) -> None:
    """A card posted anew says "the file above", so the file is posted anew too."""
    bot.lead(text="&" * 2000)
    old = await bot.card("Dana")
    await bot.stop()
    bot.rows("UPDATE polls SET at = at - 200000")
    await bot.start()
    await bot.shows(old, "posted again below")
    card = await bot.card("Dana")
    assert [("document" in message.body) for message in bot.in_group] == [True, False, True, False]
    assert bot.in_group[-1] is card


# --- cards of runs


async def test_an_escalation_is_posted(tmp_path: Path) -> None:
    """With the reason, the words and the phone, and with sound."""
    async with office(tmp_path, escalating("Asks for <others'> data & more")) as bot:
        await bot.start()
        dana = bot.world.add_person("Dana", username="dana_k")
        bot.world.share_contact(dana, "77010000000")
        bot.world.say(dana, "Tell me about <your> clients")
        card = await bot.shown("A person is needed: Dana")
        for words in (
            "Reason: Asks for <others'> data & more",
            "Tell me about <your> clients",
            "+77010000000",
        ):
            assert words in text_of(card)
        assert not card.silent
        profile, _ = labels_of(card)
        assert "Profile" in profile


ENDS: dict[str, tuple[Script, dict[str, Any], str, str]] = {
    "nothing done": (Script([turn(say("All good."))]), {}, "done", "the agent ended with “done”"),
    "step limit": (
        Script([turn(call("get_customer_history"))] * 2),
        {"max_steps": 2},
        "max_steps",
        "the agent ended with “step limit”",
    ),
    "token limit": (
        Script([turn(call("get_customer_history"))] * 2),
        {"max_tokens": 100},
        "budget",
        "the agent ended with “token limit”",
    ),
}


@pytest.mark.parametrize(("model", "settings", "status", "words"), ENDS.values(), ids=ENDS)
async def test_a_lead_that_nobody_answered_is_left_to_people(
    tmp_path: Path, model: Script, settings: dict[str, Any], status: str, words: str
) -> None:
    """Every end without an action shows the lead to the operators."""
    async with office(tmp_path, model, **settings) as bot:
        await bot.start()
        bot.lead()
        card = await bot.shown("Dana is left to you", words)
        assert NEED in text_of(card)
        assert await bot.ended() == status


async def test_many_long_reasons_fit_one_card(tmp_path: Path) -> None:
    """However much a model says of a lead, the lead is shown."""
    reasons = [call("escalate_to_manager", {"reason": f"{number} " + "<" * 290}) for number in range(12)]
    async with office(tmp_path, Script([turn(*reasons), turn(say("Done."))])) as bot:
        await bot.start()
        bot.lead("&" * 64)
        card = await bot.shown("A person is needed")
        assert "Reason: 0 <<<" in text_of(card)
        await bot.shows(card, "run-1 · L-1 · done")


async def test_words_that_come_while_a_card_waits(bot: Office) -> None:
    """The card is outdated at once, the model reads them after the results, and a new card shows both."""
    bot.api.model = Script(
        [turn(reply()), turn(reply("Hello! We will call you, as you ask.")), turn(say("Done."))]
    )
    dana = bot.lead()
    card = await bot.card("Dana")
    late = data_of(card, APPROVE)
    bot.world.say(dana, "and <b> & please call me")
    await bot.shows(card, "Outdated: the lead wrote again")
    answer = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, late))
    assert "out of date" in str(answer.text)
    new = await bot.card("We will call you, as you ask.")
    assert all(words in text_of(new) for words in (NEED, "and <b> & please call me"))
    last = bot.api.requests[-1]["messages"][-1]["content"]
    assert last[0]["type"] == "tool_result"
    assert "please call me" in last[-1]["text"]
    await bot.pressed(new, APPROVE)
    await bot.ended()
    assert bot.texts_to(dana) == ["Hello! We will call you, as you ask."]
    assert bot.value("SELECT count(*) FROM leads") == 1


async def test_a_returning_customer(tmp_path: Path) -> None:
    """The next run sees the earlier deal and the talk, as the result of a tool."""
    deal = call("create_deal", {"service": "crm", "summary": "Clinic wants a CRM for bookings."})
    turns = [turn(call("get_customer_history")), turn(deal, reply()), turn(say("Done."))]
    async with office(tmp_path, Script(turns)) as bot:
        await bot.start()
        dana = bot.lead()
        await bot.pressed(await bot.card("Dana", "run-1"), APPROVE)
        await bot.ended()
        bot.world.say(dana, "Any news about my CRM?")
        await bot.card("Dana", "run-2")
        history = bot.api.requests[-1]["messages"][-1]["content"][0]["content"]
        for words in ("D-1", "Clinic wants a CRM", NEED, HELLO):
            assert words in history
        assert len((await bot.show(2))["deals"]) == 0
        assert bot.value("SELECT count(*) FROM deals") == 1
