"""A form of somebody whose run is open: its words go to that run, or make a run once that is over."""

from __future__ import annotations

from agent.contacts import Contact
from agent.runs import Lead, Run, RunStatus
from bot.reception import Reception
from bot.sandbox.script import labelled, say, turn
from bot.sandbox.transcript import turns
from bot.settings import Settings
from storage.transaction import SqliteTransaction
from tests.company import HOUR, OLGA, Company, reply

WORDS = "And a website, please."
PASSED_ON: list[str] = []


def reception(company: Company, **settings: int) -> Reception:
    given = {"burst_quiet": 0, "burst_longest": 0, "model_calls_per_day": 0, **settings}
    return Reception(
        engine=company.engine,
        pass_on=lambda tx, contact, words: PASSED_ON.append(words),
        settings=Settings.load(_env_file=None, **given),
        clock=company.clock,
    )


def post(tx: SqliteTransaction, company: Company, contact: Contact, words: str, **settings: int) -> Lead:
    """What HookInbox does with a new form of a contact."""
    lead = tx.leads.add(
        Lead(id=0, contact_id=contact.id, source="site", name="Dana", phone=None, message=words),
        company.clock(),
    )
    reception(company, **settings).take_form(tx, contact, lead, words)
    return lead


async def begun(company: Company, words: str = "We need a CRM for our clinic.") -> tuple[Contact, Run]:
    """Somebody new posts a form, and the run of it."""

    def take(tx: SqliteTransaction) -> tuple[Contact, Run]:
        contact = tx.contacts.identify(name="Dana", phones=(), emails=(), source="site", at=company.clock())
        post(tx, company, contact, words)
        run = tx.contacts.open_run(contact.id)
        assert run is not None
        return contact, run

    return await company.store.transaction(take)


async def test_the_open_run_reads_what_is_posted_meanwhile(company: Company) -> None:
    """What people are asked about is outdated; both leads are listed; one run answers them."""
    company.script(turn(reply()), turn(say("Done.")))
    contact, run = await begun(company)
    await company.work(run)
    await company.store.transaction(lambda tx: post(tx, company, contact, WORDS))
    assert (await company.proposal(run)).state == "superseded"
    assert await company.begin() == []
    run = await company.work(run)
    assert run.status is RunStatus.DONE
    told = dict(labelled(turns(company.requests[-1])[-1]))
    assert told["further_messages_of_the_lead"] == [{"kind": "form", "text": WORDS}]
    leads = await company.store.read(lambda tx: tx.leads.latest(9))
    assert [view.lead.lead_id for view in leads] == ["L-2", "L-1"]


async def test_words_that_the_run_could_not_read_make_a_run_of_their_own(company: Company) -> None:
    """The lead that was posted is the one that is worked; no other is made of its words."""
    company.script(turn(say("Done.")))
    company.change(limits=company.agent.limits.__class__(max_steps=1, max_tokens=60_000))
    contact, run = await begun(company)
    await company.store.transaction(lambda tx: post(tx, company, contact, WORDS))
    assert (await company.work(run)).status in (RunStatus.DONE, RunStatus.MAX_STEPS)
    (second,) = await company.begin()
    assert second.lead_name == "L-2"
    assert len(await company.store.read(lambda tx: tx.leads.latest(9))) == 2
    assert WORDS in str(await company.store.read(lambda tx: tx.runs.transcript(second)))


async def test_a_lead_that_waited_goes_to_a_run_that_is_open_by_then(company: Company) -> None:
    """Two forms of one person wait; the second is read by the run of the first."""
    company.script(turn(say("Done.")))
    contact, run = await begun(company)
    await company.work(run)

    def take(tx: SqliteTransaction) -> None:
        post(tx, company, contact, "First.", model_calls_per_day=1)
        post(tx, company, contact, "Second.", model_calls_per_day=1)

    await company.store.transaction(take)
    assert await company.store.read(lambda tx: tx.contacts.open_run(contact.id)) is None
    company.clock.forward(24 * HOUR)
    await company.store.transaction(reception(company).release)
    opened = await company.store.read(lambda tx: tx.contacts.open_run(contact.id))
    assert opened is not None
    assert opened.lead_name == "L-2"
    assert await company.begin() == []
    await company.work(opened)
    assert "Second." in str(company.requests[-1]["messages"])
    assert (await company.store.read(lambda tx: tx.contacts.open_run(contact.id))) is None


async def test_a_person_who_talks_with_somebody_gets_what_is_posted(company: Company) -> None:
    """The agent is silent; so it is with a lead that had waited."""
    company.script(turn(say("Done.")))
    contact, run = await begun(company)
    await company.work(run)
    PASSED_ON.clear()

    def take(tx: SqliteTransaction) -> None:
        post(tx, company, contact, "Waited.", model_calls_per_day=1)
        tx.contacts.take_over(contact.id, OLGA)
        post(tx, company, tx.contacts.get(contact.id), WORDS)

    await company.store.transaction(take)
    company.clock.forward(24 * HOUR)
    await company.store.transaction(reception(company).release)
    assert PASSED_ON == [WORDS, "Waited."]
    assert len(await company.store.read(lambda tx: tx.leads.latest(9))) == 3
    assert await company.store.read(lambda tx: tx.contacts.open_run(contact.id)) is None
