"""A run sees its own lead's contact, all of it that helps, and nobody else."""

import json
from typing import Any

from agent.jsontext import dumps
from agent.proposals import Verdict
from agent.runs import Run, RunStatus
from bot.sandbox.script import call, say, turn
from tests.company import HELLO, HOUR, Company, deal, reply, results

HISTORY = turn(call("get_customer_history"))


async def worked(company: Company, run: Run) -> Run:
    """Work the run to its end, approving everything."""
    run = await company.work(run)
    while run.status is RunStatus.AWAITING_CONFIRMATION:
        run = await company.settle(run, Verdict.APPROVE)
    return run


async def history(company: Company, run: Run) -> Any:
    """What get_customer_history shows in the run."""
    company.script(HISTORY, turn(say("Done.")))
    await worked(company, run)
    (result,) = results(company.requests[-1])
    return json.loads(result["content"])


async def test_a_new_customer_has_no_history(company: Company) -> None:
    """The lead's own words are the task, not its history."""
    assert await history(company, await company.lead()) == {"deals": [], "conversation": []}


async def test_a_returning_customer_is_known(company: Company) -> None:
    """Earlier deals and what both sides said before are shown, in order, the company's words only if sent."""
    company.script(turn(deal(), reply()), turn(say("Done.")))
    await worked(company, await company.lead("We need a CRM."))
    company.clock.forward(HOUR)
    company.script(turn(reply("These words were turned down by a person.")), turn(say("Done.")))
    run = await company.work(await company.lead("Are you there?"))
    await company.settle(run, Verdict.DENY)
    company.clock.forward(HOUR)
    assert await history(company, await company.lead("And a website?")) == {
        "deals": [{"deal_id": "D-1", "service": "crm", "summary": deal().input["summary"]}],
        "conversation": [
            {"from": "lead", "text": "We need a CRM."},
            {"from": "company", "text": HELLO},
            {"from": "lead", "text": "Are you there?"},
        ],
    }


async def test_the_conversation_is_the_latest_twenty_messages(company: Company) -> None:
    """A long conversation is cut at its old end, and stays in order."""
    company.script(turn(say("Done.")))
    for number in range(25):
        company.clock.forward(1)
        await company.write(f"word {number}")
    (run,) = await company.begin()
    await worked(company, run)
    found = await history(company, await company.lead("Me again."))
    assert [said["text"] for said in found["conversation"]] == [f"word {number}" for number in range(5, 25)]


async def test_the_same_request_again_is_no_second_deal(company: Company) -> None:
    """The same words for the same service get the deal that stands; another request gets its own."""
    for summary in ("A CRM for the clinic.", "a crm  FOR the clinic.", "A second CRM, for the school."):
        company.script(turn(deal(summary=summary)), turn(say("Done.")))
        run = await worked(company, await company.lead())
    assert company.tamper("SELECT summary FROM deals ORDER BY id") == [
        ("A CRM for the clinic.",),
        ("A second CRM, for the school.",),
    ]
    assert run.status is RunStatus.DONE


async def test_one_contact_never_sees_another(company: Company) -> None:
    """Two people with the same name, phone and words: each history holds its own contact only."""
    for telegram_id in (1, 2):
        company.script(
            turn(
                deal(summary=f"Secret wish of {telegram_id}."), reply(f"Hello, dear customer {telegram_id}!")
            ),
            turn(say("Done.")),
        )
        await worked(company, await company.lead(f"Secret words of {telegram_id}.", telegram_id))
    company.tamper("UPDATE contacts SET phone = '+77010000000'")
    company.clock.forward(HOUR)
    for telegram_id, other in ((1, 2), (2, 1)):
        company.api.requests.clear()
        seen = await history(company, await company.lead("Me again.", telegram_id))
        assert [found["summary"] for found in seen["deals"]] == [f"Secret wish of {telegram_id}."]
        everything = dumps(company.requests)
        assert f"Secret words of {telegram_id}." in everything
        assert f"of {other}." not in everything
        assert f"customer {other}!" not in everything
