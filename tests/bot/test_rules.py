"""Rules over the stand-in Telegram: earned by approvals, accepted by an admin, suspended by one undoing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main
from bot.sandbox.chats import Message, User
from bot.sandbox.faults import FaultKind
from tests.bot.harness import APPROVE, HELLO, Office, data_of, labels_of, office, text_of

N = 3
POLICY = f"""
[rules]
propose_after = {N}

[tools.send_reply]
irreversible = false
"""
RULE = "rule-1"
ASKED = "shall such calls leave without a press?"
BY_RULE = "Nobody pressed"
FAR = 5_000_000_000


def governed(folder: Path, more: str = "") -> str:
    """A policy file by which three approvals in a row earn a rule."""
    path = folder / "policy.toml"
    path.write_text(POLICY + more)
    return str(path)


async def approved(bot: Office, name: str) -> User:
    """A lead whose reply Igor approves as it is."""
    lead = bot.lead(name)
    await bot.pressed(await bot.card(name), APPROVE, bot.igor)
    await bot.replied(lead)
    return lead


async def proposed(bot: Office) -> Message:
    """The card of the rule that is earned."""
    for letter in "ABC"[:N]:
        assert bot.cards(RULE) == []
        await approved(bot, f"Early {letter}")
    return await bot.shown(RULE, ASKED)


def is_silent(bot: Office, words: str) -> bool:
    """Whether the message with these words was posted without a sound."""
    (posted,) = [call for call in bot.calls("sendMessage") if words in str(call["text"])]
    return bool(posted.get("disable_notification"))


async def test_the_story_of_a_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Approvals earn it, only an admin accepts it, it sends silently, one undo suspends it; over restarts."""
    async with office(tmp_path, policy_file=governed(tmp_path), undo_seconds=0) as bot:
        admins: dict[str, Any] = {"admin_ids": str(bot.olga.id)}
        await bot.start(**admins)
        card = await proposed(bot)
        assert f"The last {N} of them were approved as they were" in text_of(card)
        assert f"it would have sent {N}; of those you denied 0, changed 0, took back 0" in text_of(card)
        assert "• language: en" in text_of(card)
        assert labels_of(card) == ["✅ Accept", "❌ Decline"]
        for label in labels_of(card):
            assert "Only admins decide on rules" in str((await bot.pressed(card, label, bot.igor)).text)
        await approved(bot, "Fourth")

        await bot.restart(**admins)
        accept = data_of(card, "Accept")
        assert (await bot.pressed(card, "Accept")).text == "✅ In force. You own it."
        await bot.shows(card, "In force", "owner: Olga")
        again = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, accept))
        assert "out of date" in str(again.text)
        dana = bot.lead("Dana")
        await bot.replied(dana)
        sent = await bot.shown("Dana", BY_RULE, "Approved by rule-1 (owner Olga)", "· sent")
        assert labels_of(sent) == []
        assert is_silent(bot, BY_RULE)
        assert not is_silent(bot, "Fourth")

        await bot.restart(**admins, undo_seconds=60)
        aida = bot.lead("Aida")
        sent = await bot.shown("Aida", BY_RULE)
        assert labels_of(sent) == ["↩️ Undo"]
        await bot.restart(**admins, undo_seconds=60)
        assert "Taken back" in str((await bot.pressed(sent, "Undo", bot.igor)).text)
        suspended = await bot.shown(RULE, "Suspended", "Igor took back P-6", "Olga, let it go on")
        assert suspended.id > sent.id
        await bot.shows(card, "posted again below")
        bot.lead("Zarina")
        await bot.card("Zarina")
        await bot.card("Aida")
        assert bot.texts_to(aida) == []
        listed = text_of(await bot.command("/rules"))
        assert "rule-1 · suspended · owner: Olga" in listed
        assert "used 2×" in listed
        await check_log(bot, capsys, monkeypatch)


async def check_log(bot: Office, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No reply has left without an approval of its very words in the chain, which is whole."""
    left = bot.rows(
        "SELECT count(*) FROM proposals WHERE began_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM decisions"
        " WHERE proposal_id = proposals.id AND verdict = 'approve'"
        " AND decisions.arguments_hash = proposals.arguments_hash)"
    )
    assert left == [(0,)]
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{bot.path}")
    assert await asyncio.to_thread(main, ["audit", "--verify"]) == 0
    assert await asyncio.to_thread(main, ["audit", "--person", RULE]) == 0
    assert capsys.readouterr().out.count("rule-1 (owner Olga)") == 2
    assert "rule-1 (owner Olga) · approved · P-5" in text_of(await bot.command("/audit rule-1"))


async def test_who_may_not_decide_changes_nothing(tmp_path: Path) -> None:
    """Strangers, anonymous admins, data that was made up, and everybody where no admins are named."""
    async with office(tmp_path, policy_file=governed(tmp_path, WRITTEN)) as bot:
        await bot.start()
        card = await bot.shown(RULE, "from the policy file", "no admins are named", "Set ADMIN_IDS")
        assert "• language: en" in text_of(card)
        assert "• text: contains “Hello”" in text_of(card)
        answer = await bot.pressed(card, "Accept")
        assert answer.alert
        assert "no admins are named" in str(answer.text)

        await bot.restart(admin_ids=str(bot.olga.id))
        await bot.shows(card, "Only an admin can accept it")
        stranger = bot.world.add_person("Stranger")
        assert "not among those" in str((await bot.pressed(card, "Accept", stranger)).text)
        assert "anonymous mode" in str((await bot.pressed(card, "Accept", anonymous=True)).text)
        for data in ("rule:a:" + "A" * 22, "rule:e:" + data_of(card, "Accept")[7:], "rule:a:", "rule:x:1"):
            made_up = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, data))
            assert "out of date" in str(made_up.text)
        assert bot.rows("SELECT state FROM rule_changes") == [("proposed",)]
        assert (await bot.pressed(card, "Decline")).text == "❌ Declined"
        await bot.shows(card, "Declined by Olga")
        bot.lead()
        await bot.card("Dana")


async def test_trouble_with_what_nobody_looked_at_is_posted_again(tmp_path: Path) -> None:
    """With sound: an edit of the silent card would be seen by nobody."""
    async with office(tmp_path, policy_file=governed(tmp_path, WRITTEN), undo_seconds=0.2) as bot:
        await bot.start(admin_ids=str(bot.olga.id))
        await bot.pressed(await bot.shown(RULE), "Accept")
        bot.fault(FaultKind.LOST, "sendMessage", chat_id=FAR)
        bot.lead(user_id=FAR)
        silent = await bot.shown(BY_RULE)
        loud = await bot.shown(BY_RULE, "delivery unknown")
        assert loud.id > silent.id
        await bot.shows(silent, "posted again below")
        posted = [call for call in bot.calls("sendMessage") if BY_RULE in str(call["text"])]
        assert [bool(call.get("disable_notification")) for call in posted] == [True, False]


WRITTEN = """
[[rule]]
tool = "send_reply"
when = [{ lead = "language", equals = "en" }, { argument = "text", contains = "Hello" }]
"""


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ru", ("из файла политики", "Принять может только администратор", "• язык: en", "✅ Принять")),
        ("en", ("from the policy file", "Only an admin can accept it", "• language: en", "✅ Accept")),
    ],
)
async def test_both_languages(tmp_path: Path, language: str, words: tuple[Any, ...]) -> None:
    """The card, and the list."""
    async with office(tmp_path, policy_file=governed(tmp_path, WRITTEN), language=language) as bot:
        await bot.start(admin_ids=str(bot.olga.id))
        *said, label = words
        card = await bot.shown(RULE, *said)
        assert labels_of(card)[0] == label
        assert HELLO[:5] in text_of(card)
        assert said[-1][2:] in text_of(await bot.command("/rules"))
