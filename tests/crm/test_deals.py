"""Deals in the operators' group: stages, owners and notes, each change with who and when."""

from __future__ import annotations

import sqlite3

import pytest

from bot.sandbox.chats import Message
from bot.sandbox.script import Script, say, turn
from bot.sandbox.updates import UpdateType
from tests.bot.harness import Office, data_of, labels_of, text_of
from tests.company import deal

STAGES = ["🆕 New", "▶️ In progress", "🏆 Won", "✖️ Lost"]


async def dealt(bot: Office, name: str = "Dana") -> None:
    """A lead whose run has opened a deal."""
    before = bot.value("SELECT count(*) FROM deals")
    bot.lead(name)
    await bot.until(lambda: bot.value("SELECT count(*) FROM deals") > before, "a deal")


async def shown(bot: Office, name: str = "D-1") -> Message:
    """The card that /deal posts."""
    already = {message.id for message in bot.cards("💼", name)}
    bot.world.say(bot.olga, f"/deal {name}", chat_id=bot.group_id)
    return await bot.until(
        lambda: next((m for m in bot.cards("💼", name) if m.id not in already), None), f"the card of {name}"
    )


async def test_a_deal_moves_through_its_stages(bot: Office) -> None:
    """The card says what it is and whose; each press moves it, is answered, and stays on the card."""
    await dealt(bot)
    card = await shown(bot)
    assert all(words in text_of(card) for words in ("D-1 · CRM · new", "C-1 · Dana", "nobody yet", "L-1"))
    assert labels_of(card) == [*STAGES[1:], "🙋 Mine"]
    assert (await bot.pressed(card, "In progress")).text == "D-1: in progress"
    await bot.shows(card, "D-1 · CRM · in progress", "Olga: new → in progress")
    await bot.pressed(card, "Mine", bot.igor)
    await bot.shows(card, "Owner: Igor", "Igor: takes it (before: nobody yet)")
    await bot.pressed(card, "Won", bot.igor)
    await bot.shows(card, "D-1 · CRM · won", "Igor: in progress → won")
    assert labels_of(card) == [*STAGES[:2], STAGES[3], "🙋 Mine"]
    assert bot.rows("SELECT kind, before, after, person_name FROM deal_changes ORDER BY id") == [
        ("stage", "new", "in_progress", "Olga"),
        ("owner", None, "Igor", "Igor"),
        ("stage", "in_progress", "won", "Igor"),
    ]


async def test_two_operators_press_at_once(bot: Office) -> None:
    """What is so already is no change; the record tells every step that was one."""
    await dealt(bot)
    card = await shown(bot)
    won = data_of(card, "Won")
    queries = [bot.world.press(who, bot.group_id, card.id, won) for who in (bot.olga, bot.igor)]
    assert {(await bot.toast(query)).text for query in queries} == {
        "D-1: won",
        "Nothing to change: it is so already.",
    }
    await bot.pressed(card, "Mine")
    assert (await bot.pressed(card, "Mine")).text == "Nothing to change: it is so already."
    assert bot.value("SELECT count(*) FROM deal_changes") == 2


async def test_the_card_is_posted_again_where_it_was_asked_for(bot: Office) -> None:
    """The earlier message says so, and has no buttons that somebody might press."""
    await dealt(bot)
    first = await shown(bot)
    second = await shown(bot)
    await bot.until(lambda: not labels_of(first), "the first message without buttons")
    await bot.pressed(second, "Lost")
    await bot.shows(second, "lost")


async def test_only_operators_press_and_ask(bot: Office) -> None:
    """A stranger's press or command does nothing, nor does a press under another message."""
    await dealt(bot)
    card = await shown(bot)
    eve = bot.world.add_person("Eve")
    assert (await bot.pressed(card, "Won", eve)).alert
    other = await bot.command("/help")
    assert (await bot.toast(bot.world.press(bot.olga, bot.group_id, other.id, "deal:won:1"))).alert
    posted = len(bot.in_group)
    for words in ("/deal D-1", "/deals", "/note D-1 Mine now."):
        bot.world.say(eve, words, chat_id=bot.group_id)
    await bot.command("/help")
    assert len(bot.in_group) == posted + 1
    assert bot.value("SELECT count(*) FROM deal_changes") == 0


async def test_notes(bot: Office) -> None:
    """Kept word for word, line breaks too, once, and shown on the card; only added to."""
    await dealt(bot)
    card = await shown(bot)
    noted = await bot.command("/note D-1 Asked to call <b>on Monday</b>.\nAt nine.", bot.igor)
    assert text_of(noted) == "📝 Noted on D-1."
    await bot.shows(card, "Igor: 📝 Asked to call <b>on Monday</b>.")
    asked = noted.body["reply_to_message"]
    bot.world.updates.push(UpdateType.MESSAGE, asked)
    await bot.command("/help")
    assert bot.rows("SELECT after FROM deal_changes") == [("Asked to call <b>on Monday</b>.\nAt nine.",)]
    for sql in ("DELETE FROM deal_changes", "UPDATE deal_changes SET after = ''"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            bot.rows(sql)


WRONG = [
    ("/deal", "/deal D-12"),
    ("/deal D-9", "no deal D-9"),
    ("/deal <b>", "no deal <b>"),
    ("/note", "/note D-12"),
    ("/note D-1", "/note D-12"),
    ("/note D-9 Hello.", "no deal D-9"),
    (f"/note D-9 {'x' * 1001}", "at most 1000 letters"),
    ("/deals", "no such deals"),
    ("/deals tomorrow", "/deals won 2"),
    ("/deals won 99999999", "/deals won 2"),
]


async def test_wrong_words_are_told_what_to_write(bot: Office) -> None:
    """Unknown deals, missing words, too long ones: each has its answer."""
    for command, words in WRONG:
        assert words in text_of(await bot.command(command)), command


async def test_the_list_by_stage_owner_and_page(bot: Office) -> None:
    """Newest first, fifteen at a time; those under way unless a stage, all or one's own are asked for."""
    await dealt(bot)
    for number in range(2, 19):
        bot.rows(
            "INSERT INTO deals (contact_id, lead_id, run_id, service, summary, created_at, stage, owner_id,"
            " owner_name) VALUES (1, 1, 1, 'website', 'x', 1, ?, ?, ?)",
            "won" if number > 16 else "new",
            *((bot.olga.id, "Olga") if number == 5 else (None, None)),
        )
    first = text_of(await bot.command("/deals"))
    assert first.startswith("Deals: 16\nD-16 · website · new · Dana\nD-15")
    assert "D-2 ·" in first
    assert "D-1 ·" not in first
    assert first.endswith("… more: /deals 2")
    assert text_of(await bot.command("/deals 2")) == "Deals: 16\nD-1 · CRM · new · Dana"
    assert text_of(await bot.command("/deals mine")) == "Deals: 1\nD-5 · website · new · Dana · Olga"
    assert text_of(await bot.command("/deals mine", bot.igor)) == "There are no such deals."
    assert "D-18" in text_of(await bot.command("/deals УСПЕХ"))
    assert "Deals: 18" in text_of(await bot.command("/deals all"))
    assert text_of(await bot.command("/deals in progress")) == "There are no such deals."


async def test_the_card_says_whom_its_contact_was_taken_for(bot: Office) -> None:
    """As the lead gave its name, and no longer than the merge holds."""
    await dealt(bot)
    await dealt(bot, "Timur")
    card = await shown(bot, "D-2")
    assert "Customer: C-2 · Timur" in text_of(card)
    bot.world.say(bot.olga, "/merge C-1 C-2", chat_id=bot.group_id)
    await bot.shows(card, "Customer: C-2 = C-1 · Timur")
    await bot.pressed(await bot.shown("C-2 is C-1"), "Take back")
    await bot.shows(card, "Customer: C-2 · Timur")


async def test_the_longest_card_fits_a_message(bot: Office) -> None:
    """With names, words and notes as long as they can be, all of them markup."""
    await dealt(bot, "<&>" * 21)
    bot.rows("UPDATE leads SET name = ?", "<&>" * 100)
    bot.rows("UPDATE deals SET summary = ?, owner_id = 1, owner_name = ?", "&" * 300, "&" * 200)
    for number in range(12):
        bot.rows(
            "INSERT INTO deal_changes (deal_id, kind, after, person_id, person_name, at)"
            " VALUES (1, 'note', ?, 1, ?, ?)",
            "&" * 1000,
            "&" * 200,
            number,
        )
    card = await shown(bot)
    assert "… and 4 earlier" in text_of(card)


async def test_deals_in_russian(stopped: Office) -> None:
    """The same in the company's language."""
    stopped.api.model = Script([turn(deal()), turn(say("Готово."))])
    await stopped.start(language="ru")
    await dealt(stopped)
    card = await shown(stopped)
    assert (await stopped.pressed(card, "Успех")).text == "D-1: успех"
    await stopped.shows(card, "D-1 · CRM · успех", "Olga: новая → успех")
    assert "D-1" in text_of(await stopped.command("/deals успех"))


async def test_deals_survive_a_restart(bot: Office) -> None:
    """The card is still true, and its buttons still work."""
    await dealt(bot)
    card = await shown(bot)
    bot.refusals_expected = True  # what is handled again after a restart is too old to answer
    await bot.restart()
    await bot.pressed(card, "Won")
    await bot.shows(card, "won")
