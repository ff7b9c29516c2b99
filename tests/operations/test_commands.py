"""/pause, /resume, /feedback and /run in the group, over real HTTP."""

from bot.sandbox.chats import User
from tests.bot.harness import APPROVE, DENY, HELLO, NEED, Office, labels_of, text_of

Governed = tuple[Office, User]
PAUSED = "paused by Aida"


async def test_a_pause_is_on_every_open_card_and_holds_what_is_approved(governed: Governed) -> None:
    """The footer says who; a press counts and waits, over a restart too; after the resume it leaves once."""
    bot, aida = governed
    dana = bot.lead()
    card = await bot.card("Dana")
    answer = await bot.command("/pause", aida)
    assert "Paused by Aida" in text_of(answer)
    await bot.shows(card, PAUSED)
    toast = await bot.pressed(card, APPROVE)
    assert "waits: paused" in (toast.text or "")
    await bot.shows(card, "waits: paused", "Olga")
    await bot.restart()
    assert PAUSED in text_of(await bot.command("/pending"))
    assert bot.texts_to(dana) == []
    assert "Resumed by Aida" in text_of(await bot.command("/resume", aida))
    await bot.replied(dana)
    await bot.until(lambda: PAUSED not in text_of(card) and "sent" in text_of(card), "the card without pause")
    await bot.ended()
    assert bot.texts_to(dana) == [HELLO]
    assert PAUSED not in text_of(await bot.command("/pending"))


async def test_leads_are_taken_in_and_shown_during_a_pause(governed: Governed) -> None:
    """Their words are on a card that says why they wait; nothing is asked, nothing is written to them."""
    bot, aida = governed
    bot.overrides |= {"greeting": "Hello!", "acknowledgement": "Thank you.", "reaction": "👀"}
    await bot.restart()
    await bot.command("/pause", aida)
    dana = bot.lead(text="/start")
    bot.world.say(dana, NEED)
    card = await bot.shown("Dana", "waits", "the agent is paused")
    assert NEED in text_of(card)
    assert PAUSED in text_of(card)
    await bot.restart()
    await bot.command("/pending")
    assert (list(bot.api.requests), bot.texts_to(dana), bot.calls("setMessageReaction")) == ([], [], [])
    await bot.command("/resume", aida)
    proposal = await bot.card("Reply to Dana")
    await bot.shows(card, "is at work")
    await bot.pressed(proposal, APPROVE)
    await bot.replied(dana)
    await bot.shows(card, "the agent is done")


async def test_only_admins_pause_and_without_admins_nobody(bot: Office) -> None:
    """The refusal says what to do; nothing changes, and leads never learn of the command."""
    for command in ("/pause", "/resume"):
        assert "ADMIN_IDS" in text_of(await bot.command(command, bot.olga))
    aida = bot.world.add_person("Aida", operator=True)
    bot.overrides["admin_ids"] = str(aida.id)
    await bot.restart()
    assert "Only admins" in text_of(await bot.command("/pause", bot.olga))
    assert "Not paused" in text_of(await bot.command("/resume", aida))
    assert bot.rows("SELECT * FROM switches") == []
    await bot.command("/pause", aida)
    assert "already, by Aida" in text_of(await bot.command("/pause", aida))
    assert "Only admins" in text_of(await bot.command("/resume", bot.olga))
    assert bot.rows("SELECT paused, person_id, person_name FROM switches") == [(1, aida.id, "Aida")]


async def test_an_admin_in_private_is_told_where_it_works(governed: Governed) -> None:
    """A command beside the group pauses nothing and makes no lead."""
    bot, aida = governed
    bot.world.say(aida, "/pause")
    await bot.until(lambda: bot.texts_to(aida), "an answer in private")
    assert bot.rows("SELECT * FROM switches") == bot.rows("SELECT * FROM messages") == []


async def test_a_card_of_a_run_that_ended_during_the_pause_is_made_true(governed: Governed) -> None:
    """A denial during the pause shows at once, can be given a reason, and is free of the pause afterwards."""
    bot, aida = governed
    bot.lead()
    card = await bot.card("Dana")
    await bot.command("/pause", aida)
    await bot.shows(card, PAUSED)
    await bot.pressed(card, DENY)
    await bot.shows(card, "Denied by Olga", PAUSED)
    assert labels_of(card) == ["Wrong facts", "Tone", "I'll call", "Spam"]
    await bot.command("/resume", aida)
    await bot.ended()
    await bot.until(lambda: PAUSED not in text_of(card) and not labels_of(card), "the card without pause")


async def test_the_journal_tells_of_pause_and_resume(governed: Governed) -> None:
    """Who and when, in the journal of each run that was open."""
    bot, aida = governed
    bot.lead()
    await bot.card("Dana")
    await bot.command("/pause", aida)
    await bot.command("/resume", aida)
    journal = text_of(await bot.command("/journal 1"))
    assert f"paused 0 ms (Aida ({aida.id}))" in journal
    assert f"resumed 0 ms (Aida ({aida.id}))" in journal


async def test_feedback_is_stored_and_answered_with_its_id(bot: Office) -> None:
    """By any operator, with the words as they were written; what it cannot be about is told."""
    bot.lead()
    await bot.card("Dana")
    answer = await bot.command("/feedback run-1 a question\nabout the <term> & date", bot.igor)
    assert "F-1" in text_of(answer)
    assert bot.rows("SELECT run_id, expected, person_name FROM feedback") == [
        (1, "a question\nabout the <term> & date", "Igor")
    ]
    assert "no run" in text_of(await bot.command("/feedback 77 whatever"))
    assert "no run" in text_of(await bot.command("/feedback nonsense whatever"))
    for incomplete in ("/feedback", "/feedback 1"):
        assert "/feedback 12" in text_of(await bot.command(incomplete))
    assert bot.value("SELECT count(*) FROM feedback") == 1


async def test_a_run_is_shown_with_versions_and_cost(bot: Office) -> None:
    """Each part by name and hash; money only with prices."""
    bot.lead()
    await bot.card("Dana")
    shown = text_of(await bot.command("/run 1"))
    for part in (
        "prompt lead ",
        "model claude-opus-5-5 ",
        "tools get_customer_history",
        "result schema text ",
        "code ",
    ):
        assert part in shown
    assert "$" not in shown
    price = '{"input": 4, "output": 20, "cache_read": 0.4, "cache_write": 5}'
    await bot.restart(prices=f'{{"claude-opus-5-5": {price}}}', infra_cost_per_run="7")
    assert "$7.0" in text_of(await bot.command("/run 1"))
