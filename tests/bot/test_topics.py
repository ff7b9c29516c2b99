"""One topic of the operators' group for each lead: where cards and conversations go, and when they cannot."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.contacts import Contact, MergeReason
from agent.runs import TELEGRAM, Lead
from bot.check import _line, _telegram
from bot.sandbox.chats import Message, Right, Topic, User
from bot.sandbox.faults import FaultKind
from bot.sandbox.media import MediaKind
from bot.sandbox.script import Script, call, say, turn
from bot.sandbox.updates import UpdateType
from bot.sandbox.world import World
from bot.topics import Owner
from tests.bot.harness import (
    APPROVE,
    HELLO,
    Office,
    escalating,
    labels_of,
    office,
    reply,
    replying,
    text_of,
)

FLOOD = "Too Many Requests: retry later"
MINE, BACK = "I'll answer", "Back to the agent"


def forum(
    folder: Path, model: Script | None = None, **overrides: object
) -> AbstractAsyncContextManager[Office]:
    """An office whose group has topics, one for each lead."""
    return office(folder, model or replying(), world=World(forum=True), lead_topics=True, **overrides)


def topics(bot: Office) -> list[Topic]:
    return list(bot.world.group.topics.values())


def topic_of(message: Message) -> int | None:
    thread: int | None = message.body.get("message_thread_id")
    return thread


def write(bot: Office, thread: int, words: str, user: User | None = None, reply_to: int | None = None) -> int:
    """Write in a topic, as people do: without replying to anything."""
    return bot.world.say(user or bot.olga, words, chat_id=bot.group_id, thread=thread, reply_to=reply_to)


async def test_each_lead_has_one_topic(tmp_path: Path) -> None:
    """Cards of several leads stay apart, later runs of a lead come to its topic, and so after a restart."""
    async with forum(tmp_path) as bot:
        await bot.start()
        dana, _ = bot.lead("Dana"), bot.lead("Marat")
        cards = [await bot.card("Dana"), await bot.card("Marat")]
        titles = [bot.world.group.topics[topic_of(card) or 0].name for card in cards]
        numbers = [bot.value("SELECT id FROM leads WHERE name = ?", name) for name in ("Dana", "Marat")]
        assert titles == [f"Dana · L-{numbers[0]}", f"Marat · L-{numbers[1]}"]
        await bot.pressed(cards[0], APPROVE)
        await bot.replied(dana)
        await bot.shows(cards[0], "sent")
        await bot.ended()
        await bot.restart()
        bot.world.say(dana, "One more thing.")
        again = await bot.card("One more thing.")
        assert topic_of(again) == topic_of(cards[0])
        assert len(topics(bot)) == 2
        link = f"https://t.me/c/{str(bot.group_id)[4:]}/{topic_of(again)}/{again.id}"
        pending = await bot.command("/pending")
        assert link in str(pending.body["entities"])
        assert topic_of(pending) is None


async def test_cards_that_come_together_share_a_topic(tmp_path: Path) -> None:
    """A lead's first two cards are posted at the same time, and one topic is made."""
    both = turn(call("escalate_to_manager", {"reason": "Wants a discount."}), reply())
    async with forum(tmp_path, Script([both, turn(say("Done."))])) as bot:
        await bot.start()
        bot.lead()
        cards = [await bot.card("Dana"), await bot.shown("A person is needed: Dana")]
        assert len({topic_of(card) for card in cards}) == 1
        assert len(bot.calls("createForumTopic")) == 1


@given(name=st.text(min_size=1, max_size=300))
def test_a_title_names_the_lead_and_fits(name: str) -> None:
    """At most 128 code points (Bot API), with the lead's number at its end whatever the name is."""
    lead = Lead(id=12, contact_id=1, source=TELEGRAM, name=name, phone=None, message="")
    dana = Contact(
        id=1, telegram_id=None, name=name, username=None, phone=None, language=None, acknowledged_at=None
    )
    title = Owner.of(lead, dana).title
    assert len(title) <= 128
    assert title.endswith(" · L-12")
    assert "\n" not in title


async def test_a_lead_is_talked_with_in_its_topic(tmp_path: Path) -> None:
    """Who took it over just writes; colleagues may talk beside it, and what is no text is told."""
    async with forum(tmp_path, escalating()) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.shown("A person is needed: Dana")
        await bot.ended()
        thread = topic_of(card)
        assert thread is not None
        write(bot, thread, "Who takes her?")
        await bot.pressed(card, MINE)
        await bot.shows(card, "all that they write in this topic goes to the lead")

        igors = write(bot, thread, "Ask for the deadline.", bot.igor)
        write(bot, thread, "Will do.", reply_to=igors)
        said = write(bot, thread, "Hello Dana! By when?")
        await bot.replied(dana, "Hello Dana! By when?")
        reacted = bot.world.group.messages[said]
        await bot.until(lambda: reacted.reactions == ["👌"], "the sign that it arrived")
        bot.world.say(dana, "By May.")
        passed = await bot.shown("💬 Dana", "By May.")
        assert topic_of(passed) == thread
        write(bot, thread, "Fine.", reply_to=passed.id)
        await bot.replied(dana, "Fine.")
        picture = bot.world.send_media(bot.olga, MediaKind.PHOTO, chat_id=bot.group_id, thread=thread)
        told = await bot.until(lambda: bot.answer_to(picture), "an answer")
        assert "only text" in text_of(told)
        other = write(bot, thread, "Mine?", bot.igor, reply_to=passed.id)
        answer = await bot.until(lambda: bot.answer_to(other), "an answer")
        assert "Olga answers this lead" in text_of(answer)
        assert topic_of(answer) == thread

        await bot.pressed(card, BACK)
        await bot.until(lambda: not any(BACK in label for label in labels_of(card)), "the agent's again")
        write(bot, thread, "She is nice.")
        await bot.command("/help")
        assert bot.texts_to(dana) == ["Hello Dana! By when?", "Fine."]
        assert len(topics(bot)) == 1


async def test_one_person_has_one_topic(tmp_path: Path) -> None:
    """Contacts that were merged share the topic, and what is written there reaches who was taken over."""
    async with forum(tmp_path, escalating()) as bot:
        await bot.start()
        bot.lead("Dana")
        first = await bot.shown("A person is needed: Dana")
        await bot.ended(1)
        other = bot.lead("Dana at work")
        await bot.shown("A person is needed: Dana at work")
        await bot.ended(2)
        store = bot.app.store
        await store.transaction(lambda tx: tx.merges.join(1, 2, MergeReason.PERSON, 0))
        bot.world.say(other, "It is me again.")
        again = await bot.shown("A person is needed: Dana at work", "It is me again.", "run-3")
        await bot.ended(3)
        thread = topic_of(again)
        assert thread is not None
        assert thread == topic_of(first)
        await bot.pressed(again, MINE)
        write(bot, thread, "Hello, Dana!")
        await bot.replied(other, "Hello, Dana!")


async def test_two_chats_of_one_person_are_not_mixed_up(tmp_path: Path) -> None:
    """What is written in the topic goes to the chat that its writer took over; to none where that is two."""
    async with forum(tmp_path, escalating()) as bot:
        await bot.start()
        private = bot.lead("Dana")
        first = await bot.shown("A person is needed: Dana")
        work = bot.lead("Dana at work")
        second = await bot.shown("A person is needed: Dana at work")
        await bot.ended(2)
        await bot.app.store.transaction(lambda tx: tx.merges.join(1, 2, MergeReason.PERSON, 0))
        thread = topic_of(first)
        assert thread is not None
        await bot.pressed(first, MINE, bot.igor)
        await bot.pressed(second, MINE)
        write(bot, thread, "Hello at work!")
        await bot.replied(work, "Hello at work!")
        write(bot, thread, "Hello at home!", bot.igor)
        await bot.replied(private, "Hello at home!")

        await bot.pressed(first, MINE)
        await bot.shows(first, "Olga answers Dana")
        unclear = write(bot, thread, "Which one is it?")
        answer = await bot.until(lambda: bot.answer_to(unclear), "an answer")
        assert "two chats" in text_of(answer)
        write(bot, thread, "This one.", reply_to=first.id)
        await bot.replied(private, "This one.")
        assert bot.texts_to(work) == ["Hello at work!"]
        assert bot.texts_to(private) == ["Hello at home!", "This one."]


async def test_what_is_not_for_the_lead_stays_in_the_topic(tmp_path: Path) -> None:
    """A reply to a colleague in another topic or chat, or to another bot; words of others, forwarded."""
    elsewhere: dict[str, Any] = {
        "external_reply": {"origin": {"type": "hidden_user", "date": 1, "sender_user_name": "Igor"}}
    }
    forwarded: dict[str, Any] = {
        "forward_origin": {"type": "hidden_user", "date": 1, "sender_user_name": "Igor"}
    }
    async with forum(tmp_path, escalating()) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.shown("A person is needed: Dana")
        await bot.ended()
        await bot.pressed(card, MINE)
        where: dict[str, Any] = {"chat_id": bot.group_id, "thread": topic_of(card)}
        bot.world.say(bot.olga, "I would not trust her.", **where, **elsewhere)
        other = User(id=4242, first_name="Moderator", is_bot=True)
        said = bot.world.say(other, "Be polite.", **where)
        bot.world.say(bot.olga, "I am.", reply_to=said, **where)
        sent = bot.world.say(bot.olga, "Give her nothing for free.", **where, **forwarded)
        answer = await bot.until(lambda: bot.answer_to(sent), "an answer")
        assert "only text that you write" in text_of(answer)
        bot.world.say(bot.olga, "Hello, Dana!", **where)
        await bot.replied(dana, "Hello, Dana!")
        assert bot.texts_to(dana) == ["Hello, Dana!"]


async def test_a_reply_to_a_card_still_makes_another_version(tmp_path: Path) -> None:
    """In a topic, too; what is written there without a reply is no edit."""
    own = "Hello! We will call you at noon about the CRM."
    async with forum(tmp_path) as bot:
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        thread = topic_of(card)
        assert thread is not None
        write(bot, thread, f"= not this: {own}")
        assert "Version 2" in await bot.answered(card, f"= {own}")
        await bot.shows(card, own)
        assert "not this" not in text_of(card)


@pytest.mark.parametrize(
    ("rights", "is_forum", "why"),
    [((), True, "may not manage topics"), (tuple(Right), False, "has no topics")],
)
async def test_where_there_can_be_no_topic(
    tmp_path: Path, rights: tuple[Right, ...], is_forum: bool, why: str
) -> None:
    """Cards come into the group itself and say why; people reply to them; then it is tried again."""
    async with forum(tmp_path, escalating()) as bot:
        bot.refusals_expected = True
        bot.world.grant(*rights)
        bot.world.group.is_forum = is_forum
        await bot.start()
        dana = bot.lead()
        card = await bot.shown("A person is needed: Dana", why)
        assert topic_of(card) is None
        await bot.ended()
        await bot.pressed(card, MINE)
        await bot.shows(card, "Olga answers Dana", why)
        bot.world.say(dana, "Hello?")
        passed = await bot.shown("💬 Dana", "Hello?")
        assert passed.body["reply_to_message"]["message_id"] == card.id
        bot.world.say(bot.olga, "I am here.", chat_id=bot.group_id, reply_to=passed.id)
        await bot.replied(dana, "I am here.")
        assert len(bot.calls("createForumTopic")) == 1

        bot.world.group.is_forum = True
        bot.world.grant(*Right)
        bot.lead("Marat")
        assert topic_of(await bot.shown("A person is needed: Marat")) is not None
        bot.world.say(dana, "Still there?")
        assert topic_of(await bot.shown("💬 Dana", "Still there?")) is not None


async def test_a_deleted_topic_is_made_anew(tmp_path: Path) -> None:
    """The card that went with it comes again with the next change, with the same buttons."""
    async with forum(tmp_path) as bot:
        bot.refusals_expected = True
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        bot.world.delete_topic(topic_of(card) or 0)
        bot.world.block(dana)  # a change of the card
        again = await bot.card("Has blocked the bot")
        assert (topic_of(again) or 0) > (topic_of(card) or 0)
        assert [topic.id for topic in topics(bot)] == [topic_of(again)]
        bot.world.unblock(dana)
        await bot.pressed(again, APPROVE)
        await bot.replied(dana)


async def test_a_long_text_comes_again_with_its_file(tmp_path: Path) -> None:
    """No card asks for a decision on a shortened text whose file went with the topic."""
    async with forum(tmp_path) as bot:
        bot.refusals_expected = True
        await bot.start()
        dana = bot.lead(text="&" * 2000)
        card = await bot.card("Dana")
        file = next(m for m in bot.in_group if "document" in m.body)
        assert topic_of(file) == topic_of(card)
        bot.world.delete_topic(topic_of(card) or 0)
        bot.world.block(dana)  # a change of the card
        again = await bot.card("Dana")
        (file,) = [m for m in bot.in_group if "document" in m.body]
        assert topic_of(file) == topic_of(again)
        assert file.id < again.id


@pytest.mark.parametrize("may_open", [True, False])
async def test_a_closed_topic_is_opened_again(tmp_path: Path, may_open: bool) -> None:
    """For the next words of the lead; where that is refused they come to General."""
    async with forum(tmp_path, escalating()) as bot:
        bot.refusals_expected = True
        await bot.start()
        dana = bot.lead()
        card = await bot.shown("A person is needed: Dana")
        await bot.ended()
        await bot.pressed(card, MINE)
        thread = topic_of(card)
        assert thread is not None
        bot.world.close_topic(thread)
        if not may_open:
            bot.world.grant()
        bot.world.say(dana, "Hello?")
        passed = await bot.shown("💬 Dana", "Hello?")
        assert topic_of(passed) == (thread if may_open else None)
        assert bot.world.group.topics[thread].closed is not may_open


async def test_a_topic_of_which_only_the_group_tells(tmp_path: Path) -> None:
    """Telegram's answer is lost: the notice of the new topic says which it is; nothing is posted twice."""
    async with forum(tmp_path) as bot:
        await bot.start()
        bot.fault(FaultKind.LOST, "createForumTopic")
        bot.lead()
        card = await bot.card("Dana")
        assert [topic.id for topic in topics(bot)] == [topic_of(card)]
        assert len(bot.waiting("Dana")) == 1


async def test_a_topic_that_may_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody tells of it: the card comes to General and says so; nothing asks for a second topic."""
    monkeypatch.setattr("bot.topics.SECONDS_UNTIL_TOLD", 0.05)
    async with forum(tmp_path) as bot:
        await bot.start()
        bot.fault(FaultKind.RESET, "createForumTopic")
        dana = bot.lead()
        card = await bot.card("Dana", "did not say whether")
        assert topic_of(card) is None
        await bot.pressed(card, APPROVE)
        await bot.replied(dana)
        await bot.ended()
        bot.world.say(dana, "One more thing.")
        assert topic_of(await bot.card("One more thing.")) is None
        assert len(bot.calls("createForumTopic")) == 1
        assert len(bot.cards("Dana")) == 2


async def test_a_crash_while_a_topic_is_made(tmp_path: Path) -> None:
    """The program died before the answer was kept: the group's notice tells of the topic afterwards."""
    async with forum(tmp_path) as bot:
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        await bot.stop()
        bot.rows("UPDATE topics SET state = 'making', thread_id = NULL")
        made = bot.world.group.messages[topic_of(card) or 0]
        bot.world.updates.push(UpdateType.MESSAGE, made.body)
        await bot.start()
        await bot.until(lambda: bot.value("SELECT state FROM topics") == "open", "the topic")
        assert bot.value("SELECT thread_id FROM topics") == topic_of(card)


async def test_telegram_wants_no_new_topics(tmp_path: Path) -> None:
    """A short wait is waited for; for a long one the card comes to General at once."""
    async with forum(tmp_path) as bot:
        await bot.start()
        bot.fault(FaultKind.ERROR, "createForumTopic", status=429, description=FLOOD, retry_after=1)
        bot.lead("Dana")
        assert topic_of(await bot.card("Dana")) is not None
        bot.fault(FaultKind.ERROR, "createForumTopic", status=429, description=FLOOD, retry_after=300)
        bot.lead("Marat")
        assert topic_of(await bot.card("Marat", "no new topics")) is None
        assert len(bot.waiting()) == 2


async def test_a_reminder_finds_the_card_gone(tmp_path: Path) -> None:
    """Somebody deleted the topic: the reminder comes to General, and the card is posted again."""
    async with forum(tmp_path) as bot:
        bot.refusals_expected = True
        await bot.start()
        bot.lead()
        card = await bot.card("Dana")
        await bot.stop()
        bot.world.delete_topic(topic_of(card) or 0)
        bot.rows("UPDATE proposals SET remind_at = 1")
        await bot.start()
        reminder = await bot.shown("P-1", "waits")
        assert topic_of(reminder) is None
        again = await bot.card("Dana")
        assert again.id > card.id
        assert topic_of(again) == topics(bot)[0].id


async def test_topics_are_off_by_default(tmp_path: Path) -> None:
    """A forum without LEAD_TOPICS gets its cards in General, as before."""
    async with office(tmp_path, world=World(forum=True)) as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        assert topic_of(card) is None
        await bot.pressed(card, APPROVE)
        await bot.replied(dana, HELLO)
        assert topics(bot) == []


@pytest.mark.parametrize(
    ("is_forum", "rights", "words"),
    [
        (True, tuple(Right), "each lead gets a topic"),
        (True, (), "may not manage topics"),
        (False, tuple(Right), "the group has no topics"),
    ],
)
async def test_check_says_whether_topics_can_be_used(
    stopped: Office,
    capsys: pytest.CaptureFixture[str],
    is_forum: bool,
    rights: tuple[Right, ...],
    words: str,
) -> None:
    """`lead-agent check`: no fault, for cards come in any case; not a word where they are not wanted."""
    stopped.world.group.is_forum = is_forum
    stopped.world.grant(*rights)
    for lead_topics in (True, False):
        await _line("telegram", stopped.settings(lead_topics=lead_topics), _telegram)
        told = capsys.readouterr().out
        assert told.startswith("ok    telegram: ")
        assert (words in told) is lead_topics
        assert ("topic" in told) is lead_topics
