"""Commands of the group: for operators, there, and nowhere else."""

from __future__ import annotations

import re
from dataclasses import fields
from operator import attrgetter
from pathlib import Path
from string import Formatter

import pytest

from bot.sandbox.chats import ANONYMOUS, ChatType
from bot.sandbox.script import Script, call, say, turn
from bot.sandbox.telegram_html import parse_html
from bot.sandbox.updates import UpdateType
from bot.settings import Language
from bot.texts import lead_texts, texts
from bot.texts.catalogue import LeadTexts, Texts
from bot.texts.crm import CrmTexts
from bot.texts.rules import RuleTexts
from tests.bot.harness import APPROVE, NEED, Office, escalating, labels_of, office, text_of


async def worked(bot: Office) -> None:
    bot.lead()
    await bot.pressed(await bot.card("Dana"), APPROVE)
    await bot.ended()


@pytest.mark.parametrize("name", ["run-1", "1", "RUN-1", " 1 "])
async def test_run(bot: Office, name: str) -> None:
    """/run ID shows status, lead, steps and tokens, and each proposal with its decision."""
    await worked(bot)
    answer = text_of(await bot.command(f"/run {name}"))
    for words in ("run-1 · done", "Dana", "2/8 · 3840/60000", "P-1 · send_reply · sent · Olga", "Done."):
        assert words in answer


async def test_latest_runs(bot: Office) -> None:
    """/run lists the latest ones; before the first it says so."""
    assert text_of(await bot.command("/run")) == "There are no runs yet: nobody has written to the bot."
    await worked(bot)
    bot.lead("Marat")
    await bot.card("Marat")
    assert text_of(await bot.command("/run")).splitlines() == [
        "Latest runs",
        "run-2 · awaiting a decision · L-2",
        "run-1 · done · L-1",
    ]


async def test_a_run_that_was_escalated(tmp_path: Path) -> None:
    """/run shows deals and reasons, whatever signs they hold."""
    async with office(tmp_path, escalating("wants <script> & more")) as bot:
        await bot.start()
        bot.lead("<3")
        await bot.shown("A person is needed")
        assert "🙋 wants <script> & more" in text_of(await bot.command("/run 1"))


UNKNOWN = ["99", "run-999999999999999999", "9" * 40, "junk", "<b>&", "-1", "1;--", "run-", "٣"]


@pytest.mark.parametrize("command", ["/run", "/journal"])
async def test_an_unknown_run(bot: Office, command: str) -> None:
    """Ids that are none get a clear answer, with the id as it was written."""
    for name in UNKNOWN:
        answer = text_of(await bot.command(f"{command} {name}"))
        assert answer == f"There is no run {name[:40]}. /run shows the latest ones."


async def test_journal(bot: Office) -> None:
    """/journal ID shows a line for every step, in order."""
    await worked(bot)
    lines = text_of(await bot.command("/journal 1")).splitlines()
    assert lines[0] == "Journal of run-1"
    kinds = [line.split()[1] for line in lines[1:]]
    assert kinds == ["model", "proposal", "decision", "execution", "execution", "tool", "model", "run"]
    assert text_of(await bot.command("/journal")) == "Write the number of the run: /journal 12"


async def test_a_very_long_journal_fits(tmp_path: Path) -> None:
    """It is cut at a whole line and says how to see the rest."""
    junk = [call("no_such_tool", {"text": "<" * 200}) for _ in range(60)]
    async with office(tmp_path, Script([turn(*junk), turn(say("Done."))])) as bot:
        await bot.start()
        bot.lead()
        await bot.ended()
        lines = text_of(await bot.command("/journal 1")).splitlines()
        found = re.fullmatch(r"… (\d+) more lines: lead-agent journal run-1", lines[-1])
        assert found
        assert int(found[1]) + len(lines) - 2 == 63


async def test_pending(bot: Office) -> None:
    """/pending names what waits, each with a link to its card."""
    assert text_of(await bot.command("/pending")) == "Nothing waits for a decision."
    bot.lead("<3 & co")
    card = await bot.card("<3 & co")
    answer = await bot.command("/pending")
    assert text_of(answer).splitlines()[0] == "Waiting for a decision: 1"
    assert "P-1 · <3 & co · awaiting a decision" in text_of(answer)
    (link,) = [entity for entity in answer.body["entities"] if entity["type"] == "text_link"]
    assert link["url"] == f"https://t.me/c/{str(bot.group_id)[4:]}/{card.id}"


async def test_many_pending(bot: Office) -> None:
    """A page of the oldest, with a button that turns to the next in the same message, and back."""
    for number in range(18):
        bot.lead("&" * 60 + str(number))
    await bot.until(lambda: len(bot.waiting()) == 18, "the cards")
    page = await bot.command("/pending")
    for label, shown, labels in (
        ("", "1–8", ["▶"]),
        ("▶", "9–16", ["◀", "▶"]),
        ("▶", "17–18", ["◀"]),
        ("◀", "9–16", ["◀", "▶"]),
    ):
        if label:
            assert (await bot.pressed(page, label)).text in (None, "")
        await bot.shows(page, f"Waiting for a decision: 18 · {shown}", "awaiting a decision · 0 min · run-")
        assert labels_of(page) == labels


async def test_pending_tells_who_has_approved(tmp_path: Path) -> None:
    """Where two have to, the first one is named."""
    (tmp_path / "policy.toml").write_text("[tools.send_reply]\nquorum = 2\n")
    async with office(tmp_path) as bot:
        await bot.start()
        bot.lead()
        await bot.pressed(await bot.card("Dana"), APPROVE)
        assert "✅ 1 of 2: Olga" in text_of(await bot.command("/pending"))


async def test_pages_are_turned_by_operators_on_pages_alone(bot: Office) -> None:
    """A stranger turns none, and no other message becomes a page whatever a client sends."""
    bot.lead()
    card = await bot.card("Dana")
    guest = bot.world.add_person("Guest", operator=True)
    for user in (guest, bot.olga):
        answer = await bot.toast(bot.world.press(user, bot.group_id, card.id, "page:0"))
        assert answer.alert
    assert text_of(card).startswith("✉️ Reply to Dana")


@pytest.mark.parametrize("command", ["/help", "/start", "/help@StudioSandboxBot", "/HELP@studiosandboxbot"])
async def test_help(bot: Office, command: str) -> None:
    """/help names the commands; a command for this bot by name, in any case, is ours."""
    answer = await bot.command(command)
    for words in ("/pending", "/run", "/journal"):
        assert words in text_of(answer)


async def test_what_gets_no_answer(bot: Office) -> None:
    """Other bots' commands, strangers, the nameless, edits, other groups: silence, and no lead."""
    world = bot.world
    world.privacy = False
    guest = world.add_person("Guest", operator=True)
    other = world.add_group("Elsewhere", ChatType.SUPERGROUP)
    asked = world.say(bot.olga, "/run@other_bot", chat_id=bot.group_id)
    world.say(guest, "/run", chat_id=bot.group_id)
    world.say(ANONYMOUS, "/run", chat_id=bot.group_id, sender_chat=world.group.json())
    world.say(
        bot.olga, "/run", chat_id=bot.group_id, sender_chat={"id": -1, "type": "channel", "title": "News"}
    )
    world.say(bot.olga, "/run", chat_id=other.id)
    world.edit(bot.olga, asked, "/run", chat_id=bot.group_id)
    assert "/pending" in text_of(await bot.command("/help"))
    assert len(bot.in_group) == 1
    assert bot.sent_to(other.id) == []
    assert bot.value("SELECT count(*) FROM contacts") == 0


async def test_commands_in_private(bot: Office) -> None:
    """An operator is told where they work and becomes no lead; from others it is what they wrote."""
    for command in ("/run 1", "/pending", "/journal 1"):
        bot.world.say(bot.olga, command)
    await bot.until(lambda: len(bot.texts_to(bot.olga)) == 3, "the answers")
    assert set(bot.texts_to(bot.olga)) == {"Commands work in the operators' group."}
    bot.lead("Dana", "/run 1")
    await bot.card("/run 1")
    assert bot.rows("SELECT message FROM leads") == [("/run 1",)]


async def test_an_operator_can_be_a_lead(bot: Office) -> None:
    """Who tries the bot from their own account gets a card like anyone."""
    bot.world.say(bot.olga, NEED)
    await bot.pressed(await bot.card("Reply to Olga"), APPROVE)
    await bot.replied(bot.olga)


async def test_everyone_may_ask_where_everyone_decides(stopped: Office) -> None:
    """OPERATOR_IDS=members."""
    await stopped.start(operator_ids="members")
    guest = stopped.world.add_person("Guest", operator=True)
    assert "/pending" in text_of(await stopped.command("/help", guest))


async def test_an_answer_to_a_deleted_command(bot: Office) -> None:
    """It comes all the same, as a message of its own."""
    asked = bot.world.say(bot.olga, "/help", chat_id=bot.group_id)
    bot.world.delete(bot.group_id, asked)
    await bot.shown("/pending")


async def test_a_command_without_a_sender(bot: Office) -> None:
    """A message of a channel in the group has no user: it is no command."""
    body = {"message_id": 5, "date": 0, "chat": bot.world.group.json(), "text": "/help"}
    body["entities"] = [{"type": "bot_command", "offset": 0, "length": 5}]
    bot.world.updates.push(UpdateType.MESSAGE, body)
    await bot.command("/help")
    assert len(bot.in_group) == 1
    assert bot.rows("SELECT * FROM inbox WHERE attempts > 0") == []


# --- catalogues

CRM_FIELDS = [f"crm.{field.name}" for field in fields(CrmTexts)]
RULE_FIELDS = [f"rules.{field.name}" for field in fields(RuleTexts)]
OWN_FIELDS = [field.name for field in fields(Texts) if field.name not in ("crm", "rules")]
FIELDS = [*OWN_FIELDS, *CRM_FIELDS, *RULE_FIELDS]
LEAD_FIELDS = [field.name for field in fields(LeadTexts)]
VALUES = {"name", "tool", "proposal", "run", "time", "who", "note", "status", "reason", "deals", "phone"} | {
    "state", "count", "attempts", "update", "error", "url", "database", "command", "model",
    "later", "remark", "version", "seconds", "bound", "marks", "needed", "settler", "settled",
    "source", "post", "lead", "age", "first", "last",
    "rule", "support", "sent", "denied", "edited", "undone", "days", "until", "owner", "what", "uses",
    "calls",
    "winner", "loser", "shared", "merge", "before", "after", "deal", "stage", "words",
}  # fmt: skip


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("field", FIELDS)
def test_both_languages_say_the_same(field: str) -> None:
    """Every text has the same places for values in both languages, formats, and is valid HTML."""
    both = [attrgetter(field)(texts(language)) for language in Language]
    if not isinstance(both[0], str):
        assert len(both[0]) == len(both[1])
        return
    assert placeholders(both[0]) == placeholders(both[1]) <= VALUES
    for text in both:
        assert parse_html(text.format(**dict.fromkeys(VALUES, "&lt;3"))).text


def test_toasts_are_short() -> None:
    """An answer to a press holds 200 characters, the longest name and state included."""
    for language in Language:
        catalogue = texts(language)
        states = max(catalogue.states.values(), key=len)
        for field in FIELDS:
            if "toast_" in field:
                assert (
                    len(
                        attrgetter(field)(catalogue).format(
                            who="W" * 129,
                            state=states,
                            seconds=3600,
                            count=5,
                            marks="m" * 80,
                            deal="D-123456",
                            stage="in progress",
                        )
                    )
                    <= 200
                ), field


@pytest.mark.parametrize("field", LEAD_FIELDS)
def test_leads_read_plain_words(field: str) -> None:
    """The company's words go out without markup, in three languages, each in its own."""
    said = [getattr(lead_texts(code, Language.EN), field) for code in ("ru", "en", "kk")]
    assert len(set(said)) == 3
    assert not any("<" in text or "&" in text for text in said)
    assert all(placeholders(text) == placeholders(said[0]) for text in said)
