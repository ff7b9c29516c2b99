"""Other words for what waits: replies to cards, the ✏️ question, reasons, undoing, several on one card."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.jsontext import digest
from bot.sandbox.chats import Message, User
from bot.sandbox.script import Script, say, turn
from tests.bot.harness import (
    APPROVE,
    DENY,
    HELLO,
    Office,
    block_of,
    data_of,
    labels_of,
    office,
    reply,
    text_of,
)

EDIT, UNDO = "Edit", "Undo"
OWN = "Hello, Dana! Olga here: I will call you at noon."
SHORTER = "Hello, Dana! We will call you."
SECOND = "Hello again! We can show you examples, too."
OUTDATED = "This card is out of date"


async def answered(bot: Office, card: Message, words: str, user: User | None = None) -> str:
    """Reply to a message in the group; what the bot answers."""
    asked = bot.world.say(user or bot.olga, words, chat_id=bot.group_id, reply_to=card.id)
    return text_of(await bot.until(lambda: bot.answer_to(asked), f"an answer to {words[:30]}"))


async def stored(bot: Office) -> str:
    return str((await bot.proposal())["arguments"]["text"])


async def test_the_button_asks_for_the_new_text(bot: Office) -> None:
    """A question to this person alone; its answer is version 2 on the same card, sent only when approved."""
    dana = bot.lead()
    card = await bot.card("Dana")
    old = data_of(card, APPROVE)
    await bot.pressed(card, EDIT)
    question = await bot.shown("reply to this message with the new text for P-1")
    await bot.command("/help")  # by then the question's message is stored
    (asked,) = [call for call in bot.calls("sendMessage") if "reply to this message" in str(call["text"])]
    assert asked["reply_markup"] == {"force_reply": True, "selective": True}
    assert f"tg://user?id={bot.olga.id}" in asked["text"]
    assert "Version 2 of P-1" in await answered(bot, question, OWN)
    await bot.shows(card, OWN, "Version 2, by Olga")
    assert block_of(card) == OWN
    assert text_of(card).splitlines()[-1].startswith("#P-1 · run-1 · v2 · until ")
    late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, old))
    assert OUTDATED in str(late.text)
    assert bot.texts_to(dana) == []
    await bot.pressed(card, APPROVE, bot.igor)
    await bot.replied(dana, OWN)
    assert await bot.ended() == "done"
    assert bot.texts_to(dana) == [OWN]
    rows = bot.rows("SELECT verdict, person_id, version, arguments_hash FROM decisions ORDER BY id")
    hashed = digest({"text": OWN})
    assert rows == [("edit", bot.olga.id, 2, hashed), ("approve", bot.igor.id, 2, hashed)]


async def test_a_reply_with_an_equals_sign_is_the_text_itself(bot: Office) -> None:
    """Letter for letter, without the sign; whatever signs it holds."""
    dana = bot.lead()
    card = await bot.card("Dana")
    words = "<b>Hello</b> & 😀 مرحبا, we will call you."
    await answered(bot, card, f"=  {words} ")
    await bot.shows(card, "Version 2, by Olga")
    assert await stored(bot) == words
    await bot.pressed(card, APPROVE)
    await bot.replied(dana, words)


async def test_any_other_reply_is_a_remark_for_the_agent(tmp_path: Path) -> None:
    """The agent writes again; "yes" is a remark too, and never an approval."""
    async with office(tmp_path, Script([turn(reply()), turn(reply(SHORTER)), turn(say("Done."))])) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        assert "writes P-1 again" in await answered(bot, card, "yes ✅")
        await bot.shows(card, SHORTER, "Version 2, by the agent")
        assert "yes ✅" in bot.api.requests[-1]["messages"][-1]["content"][0]["content"]
        assert bot.texts_to(dana) == []
        await bot.pressed(card, APPROVE)
        await bot.replied(dana, SHORTER)
        assert bot.texts_to(dana) == [SHORTER]


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("= Hi", "at least 20 letters"),
        ("=", "at least 20 letters"),
        (f"= {'x' * 501}", "500 letters at most"),
    ],
)
async def test_a_text_that_may_not_be_sent_is_refused_in_words(bot: Office, words: str, answer: str) -> None:
    """Nothing is changed, and the card still can be approved."""
    bot.lead()
    card = await bot.card("Dana")
    assert answer in await answered(bot, card, words)
    assert await stored(bot) == HELLO
    assert any(APPROVE in label for label in labels_of(card))


async def test_replies_of_others_change_nothing(bot: Office) -> None:
    """A stranger in the group, a reply to something else, an edited reply: no answer, no change."""
    bot.lead()
    card = await bot.card("Dana")
    guest = bot.world.add_person("Guest", operator=True)
    help_ = await bot.command("/help")
    bot.world.say(guest, f"= {OWN}", chat_id=bot.group_id, reply_to=card.id)
    bot.world.say(bot.olga, f"= {OWN}", chat_id=bot.group_id, reply_to=help_.id)
    bot.world.say(bot.olga, f"= {OWN}", chat_id=bot.group_id)
    await bot.command("/help")  # what came before it has been handled
    assert await stored(bot) == HELLO
    assert bot.rows("SELECT * FROM decisions") == []


async def test_what_is_over_is_not_edited(bot: Office) -> None:
    """A reply to a decided card, or to the question of an older version, says so."""
    bot.lead()
    card = await bot.card("Dana")
    await bot.pressed(card, EDIT)
    question = await bot.shown("reply to this message with the new text")
    await bot.command("/help")  # by then the question's message is stored
    await answered(bot, card, f"= {OWN}")
    assert "no longer open" in await answered(bot, question, "Hello, Dana! Something else entirely.")
    await bot.pressed(card, APPROVE)
    await bot.ended()
    assert "no longer open (sent)" in await answered(bot, card, "= Hello, Dana! Too late for this one.")
    assert await stored(bot) == OWN


async def test_a_denial_with_a_tap(tmp_path: Path) -> None:
    """The run waits for the reason, which reaches the model and the card; the buttons go."""
    async with office(tmp_path, deny_reason_wait="60s") as bot:
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, DENY)
        await bot.shows(card, "Denied by Olga")
        await bot.until(lambda: labels_of(card) == ["Wrong facts", "Tone", "I'll call", "Spam"], "reasons")
        assert "the agent is told" in str((await bot.pressed(card, "I'll call", bot.igor)).text)
        assert await bot.ended() == "done"
        await bot.shows(card, "Reason: I'll call")
        assert labels_of(card) == []
        (result,) = bot.api.requests[-1]["messages"][-1]["content"]
        assert "a person will call the lead" in result["content"]


async def test_a_denial_with_a_reply(tmp_path: Path) -> None:
    """A reply to the denied card is the reason, in the operator's own words."""
    async with office(tmp_path, deny_reason_wait="60s") as bot:
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, DENY)
        assert "the agent is told" in await answered(bot, card, "she is <my> neighbour")
        await bot.shows(card, "Reason: she is <my> neighbour")
        assert await bot.ended() == "done"


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


SEVERAL = [turn(reply(), reply(SECOND)), turn(say("Done."))]


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
        assert "Begin with the number" in await answered(bot, card, f"= {OWN}")
        assert "Version 2 of P-2" in await answered(bot, card, f"2 = {OWN}")
        await bot.shows(card, OWN)
        late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, everything))
        assert OUTDATED in str(late.text)
        assert bot.rows("SELECT DISTINCT state FROM proposals") == [("pending",)]
        assert (await bot.pressed(card, "Approve all")).text == "✅ Approved: 2"
        await bot.replied(dana, OWN)
        assert await bot.ended() == "done"
        assert bot.texts_to(dana) == [HELLO, OWN]


async def test_two_people_and_a_marked_text(tmp_path: Path) -> None:
    """What the policy asks for and what no source says stand on the card, and both are heeded."""
    policy = tmp_path / "policy.toml"
    policy.write_text("[tools.send_reply]\nquorum = 2\n")
    script = Script([turn(reply("Hello, Dana! It costs 300 000 tenge.")), turn(say("Done."))])
    async with office(tmp_path, script, policy_file=str(policy)) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("No source says: 300 000 tenge", "0 of 2: –")
        for person in (bot.olga, bot.igor):
            assert "press again to approve" in str((await bot.pressed(card, APPROVE, person)).text)
        await past_the_slip(bot)
        assert "still needed: 1" in str((await bot.pressed(card, APPROVE, bot.olga)).text)
        await bot.shows(card, "1 of 2: Olga")
        assert "Other people's approvals still needed" in str((await bot.pressed(card, APPROVE)).text)
        await bot.pressed(card, APPROVE, bot.igor)
        await bot.replied(dana, "Hello, Dana! It costs 300 000 tenge.")
        await bot.shows(card, "Approved by Olga, Igor")


async def past_the_slip(bot: Office) -> None:
    """Make the warnings older than a slip of the finger."""
    await bot.until(lambda: bot.value("SELECT count(*) FROM warnings") == 2, "both warnings")
    bot.rows("UPDATE warnings SET at = at - 2000")
