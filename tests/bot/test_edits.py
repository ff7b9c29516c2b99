"""Other words for what waits: replies to cards, the ✏️ question, reasons, undoing, several on one card."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.jsontext import digest
from bot.sandbox.chats import ChatType
from bot.sandbox.entities import plain
from bot.sandbox.faults import FaultKind
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
    assert "Version 2 of P-1" in await bot.answered(question, OWN)
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
    await bot.answered(card, f"=  {words} ")
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
        assert "writes P-1 again" in await bot.answered(card, "yes ✅")
        await bot.shows(card, SHORTER, "Version 2, by the agent")
        assert "yes ✅" in bot.api.requests[-1]["messages"][-1]["content"][0]["content"]
        assert bot.texts_to(dana) == []
        await bot.pressed(card, APPROVE)
        await bot.replied(dana, SHORTER)
        assert bot.texts_to(dana) == [SHORTER]


REFUSED = {
    "= Hi": "at least 20 letters",
    "=": "at least 20 letters",
    "= \u200b\u200b\u200b \x00\x00 \x00\x00\x00": "at least 20 letters",
    f"= {'x' * 501}": "500 letters at most",
    f"={'😀' * 501}": "500 letters at most",
    f"= {'Long words. ' * 400}"[:4096]: "500 letters at most",
}


async def test_a_text_that_may_not_be_sent_is_refused_in_words(bot: Office) -> None:
    """Nothing is changed, and the card still can be approved."""
    dana = bot.lead()
    card = await bot.card("Dana")
    shown = text_of(card)
    for words, answer in REFUSED.items():
        said = await bot.answered(card, words)
        assert said.startswith("Nothing was changed"), words
        assert answer in said, words
    assert bot.rows("SELECT * FROM decisions") == []
    assert text_of(card) == shown
    await bot.pressed(card, APPROVE)
    await bot.replied(dana)
    assert bot.texts_to(dana) == [HELLO]


VERBATIM = [
    "<b>Hello</b> & 😀 &amp; <pre>we will call you</pre>",
    "مرحبا دانا، سنتصل بك غدا إن شاء الله",
    "Hello\x00 Dana,\n\n  we will call\tyou: *soon* _really_ `today`",
    "👨‍👩‍👧‍👦" * 20,
    "= Hello, Dana! Two equals signs are one too many.",
    "x" * 500,
]


async def test_whatever_an_operator_writes_is_on_the_card_and_leaves_like_that(bot: Office) -> None:
    """Letter for letter as Telegram brings it, whatever signs it holds."""
    dana = bot.lead()
    card = await bot.card("Dana")
    for version, words in enumerate(VERBATIM, 2):
        assert f"Version {version} of P-1" in await bot.answered(card, f"= {words}")
        await bot.shows(card, f"Version {version}, by Olga")
        assert block_of(card) == await stored(bot) == plain(words).text
    assert bot.texts_to(dana) == []
    await bot.pressed(card, APPROVE)
    await bot.replied(dana, VERBATIM[-1])
    assert bot.texts_to(dana) == [VERBATIM[-1]]


@pytest.mark.parametrize("words", ["ok", "✅", "Approve", "да, отправляй"])
async def test_no_reply_approves(tmp_path: Path, words: str) -> None:
    """Whatever an operator replies, it is a remark, and the text that follows waits for a press."""
    async with office(tmp_path, Script([turn(reply()), turn(reply(SHORTER)), turn(say("Done."))])) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        assert "writes P-1 again" in await bot.answered(card, words)
        await bot.shows(card, SHORTER, "Version 2, by the agent")
        assert bot.rows("SELECT verdict FROM decisions") == [("rewrite",)]
        assert bot.texts_to(dana) == []


async def test_while_the_agent_writes_again_the_card_says_so(tmp_path: Path) -> None:
    """With the remark, without buttons; the old ones and another remark come too late."""
    async with office(tmp_path, Script([turn(reply()), turn(reply(SHORTER)), turn(say("Done."))])) as bot:
        await bot.start(admin_ids=str(bot.olga.id))
        bot.lead()
        card = await bot.card("Dana")
        old = {label: data_of(card, label) for label in (APPROVE, DENY, EDIT)}
        await bot.command("/pause")  # so that it takes its time
        await bot.answered(card, "<shorter> & kinder")
        await bot.shows(card, "The agent writes it again: “<shorter> & kinder”")
        assert labels_of(card) == []
        for data in old.values():
            late = await bot.toast(bot.world.press(bot.igor, bot.group_id, card.id, data))
            assert OUTDATED in str(late.text)
        assert "no longer open (being rewritten)" in await bot.answered(card, "and longer", bot.igor)
        await bot.command("/resume")
        await bot.shows(card, SHORTER, "Version 2, by the agent")


async def test_a_lead_changes_no_card(bot: Office) -> None:
    """What leads reply to the bot are words for the agent, whoever they are and whatever they begin with."""
    dana = bot.lead()
    card = await bot.card("Dana")
    await bot.pressed(card, APPROVE)
    await bot.replied(dana)
    await bot.ended()
    (received,) = bot.sent_to(dana.id)
    bot.world.say(dana, f"= {OWN}", reply_to=received.id)
    bot.world.say(bot.olga, f"= {OWN}")
    await bot.until(lambda: bot.value("SELECT count(*) FROM leads") == 3, "two more leads")
    assert bot.rows("SELECT verdict FROM decisions") == [("approve",)]
    assert bot.rows("SELECT * FROM proposal_versions") == []


async def test_replies_elsewhere_change_nothing(bot: Office) -> None:
    """In another group, or to somebody else's message that the bot hears of."""
    bot.lead()
    card = await bot.card("Dana")
    bot.world.privacy = False
    igors = bot.world.say(bot.igor, "Look at this, please.", chat_id=bot.group_id)
    bot.world.say(bot.olga, f"= {OWN}", chat_id=bot.group_id, reply_to=igors)
    other = bot.world.add_group("Elsewhere", ChatType.SUPERGROUP)
    copy = bot.world.put(other, bot.world.me, card.body)
    bot.world.say(bot.olga, f"= {OWN}", chat_id=other.id, reply_to=copy.id)
    await bot.command("/help")  # what came before it has been handled
    assert await stored(bot) == HELLO
    assert bot.rows("SELECT * FROM decisions") == []


async def test_an_edited_reply_changes_nothing(bot: Office) -> None:
    """What was said first counts: the card shows it, and everybody has read it there."""
    bot.lead()
    card = await bot.card("Dana")
    asked = bot.world.say(bot.olga, f"= {OWN}", chat_id=bot.group_id, reply_to=card.id)
    await bot.shows(card, OWN, "Version 2, by Olga")
    bot.world.edit(bot.olga, asked, f"= {SHORTER} Really.", chat_id=bot.group_id)
    await bot.command("/help")
    assert await stored(bot) == OWN


async def test_a_superseded_card_is_not_edited(tmp_path: Path) -> None:
    """The reply says why, and the new card is another proposal."""
    async with office(tmp_path, Script([turn(reply()), turn(reply(SHORTER)), turn(say("Done."))])) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, EDIT)
        question = await bot.shown("reply to this message with the new text")
        bot.world.say(dana, "And a website.")
        await bot.shows(card, "Outdated: the lead wrote again")
        for message in (card, question):
            assert "P-1 is no longer open (outdated)" in await bot.answered(message, f"= {OWN}")
        await bot.card(SHORTER)
        assert await stored(bot) == SHORTER


async def test_presses_and_replies_are_done_once(bot: Office) -> None:
    """They are marked as handled with what they do: no crash in between has them handled again."""
    bot.lead()
    card = await bot.card("Dana")
    unhandled: list[tuple[int, int]] = []

    def look(_: object) -> None:
        decided = bot.value("SELECT count(*) FROM decisions")
        unhandled.append((decided, bot.value("SELECT count(*) FROM inbox WHERE state = 'new'")))

    bot.app.store.subscribe(look)
    await bot.answered(card, f"= {OWN}")
    await bot.shows(card, OWN)
    await bot.pressed(card, APPROVE)
    await bot.ended()
    firsts = [next(new for decided, new in unhandled if decided == count) for count in (1, 2)]
    assert firsts == [0, 0]


async def test_a_reply_to_a_copy_of_the_card(bot: Office) -> None:
    """A posting whose answer was lost is the card too, for replies as for presses."""
    bot.fault(FaultKind.LOST, "sendMessage", chat_id=bot.group_id)
    bot.lead()
    await bot.until(lambda: len(bot.waiting("Dana")) == 2, "the card twice")
    lost, card = bot.waiting("Dana")
    assert "Version 2 of P-1" in await bot.answered(lost, f"= {OWN}")
    for message in (lost, card):
        await bot.shows(message, OWN, "Version 2, by Olga")


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
    await bot.answered(card, f"= {OWN}")
    assert "no longer open" in await bot.answered(question, "Hello, Dana! Something else entirely.")
    await bot.pressed(card, APPROVE)
    await bot.ended()
    assert "no longer open (sent)" in await bot.answered(card, "= Hello, Dana! Too late for this one.")
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


async def test_only_the_first_reason_counts(tmp_path: Path) -> None:
    """Another operator's tap comes too late, and a reason after the end is kept but told to nobody."""
    async with office(tmp_path, deny_reason_wait="60s") as bot:
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, DENY)
        await bot.until(lambda: "Tone" in labels_of(card), "reasons")
        tone, spam = data_of(card, "Tone"), data_of(card, "Spam")
        presses = [
            bot.world.press(user, bot.group_id, card.id, data)
            for user, data in ((bot.igor, tone), (bot.olga, spam))
        ]
        first, second = [await bot.toast(press) for press in presses]
        assert "the agent is told" in str(first.text)
        assert "decided already" in str(second.text)
        await bot.shows(card, "Reason: Tone")
        assert bot.rows("SELECT verdict, person_id FROM decisions WHERE verdict = 'reason'") == [
            ("reason", bot.igor.id)
        ]


async def test_a_reason_after_the_end(bot: Office) -> None:
    """It is kept with the denial, and nobody says that the agent hears it."""
    bot.lead()
    card = await bot.card("Dana")
    await bot.pressed(card, DENY)
    await bot.ended()
    assert "the agent had gone on already" in (await bot.answered(card, "She is my neighbour.")).lower()
    await bot.shows(card, "Reason: She is my neighbour.")


async def test_a_denial_with_a_reply(tmp_path: Path) -> None:
    """A reply to the denied card is the reason, in the operator's own words."""
    async with office(tmp_path, deny_reason_wait="60s") as bot:
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        await bot.pressed(card, DENY)
        assert "the agent is told" in await bot.answered(card, "she is <my> neighbour")
        await bot.shows(card, "Reason: she is <my> neighbour")
        assert await bot.ended() == "done"


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
