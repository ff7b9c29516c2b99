"""What a lead writes while a run is at work reaches that run, in its place."""

from agent.errors import OutcomeUnknown
from agent.jsontext import JsonObject
from agent.limits import Limits
from agent.ports import Reply
from agent.proposals import Verdict
from agent.runs import RunStatus, Spec
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import call, labelled, say, turn
from bot.sandbox.transcript import turns
from tests.company import Company, deal, reply

LABEL = "further_messages_of_the_lead"
DONE = turn(say("Done."))


async def test_words_wait_until_every_call_has_its_result(company: Company) -> None:
    """Words written while an approval is pending come in one user message, after all results, as data."""
    run, _ = await company.waiting(turn(deal(), reply(), call("get_customer_history")), DONE)
    await company.write("Please also call me.")
    await company.write("After six.")
    assert await company.begin() == []  # no second run beside an open one
    await company.work(run)
    assert company.channel.texts == []
    last = company.requests[1]["messages"][-1]
    assert [block["type"] for block in last["content"]] == ["tool_result"] * 3 + ["text"]
    assert dict(labelled(turns(company.requests[1])[-1])) == {
        LABEL: [{"kind": "text", "text": "Please also call me."}, {"kind": "text", "text": "After six."}]
    }
    assert company.api.violations == []


class Interrupted:
    """A model that the lead writes another message to while it answers for the `turn`th time."""

    def __init__(self, company: Company, turn: int, text: str) -> None:
        self._company, self._turn, self._text = company, turn, text

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        answer = await self._company.model.reply(spec, messages, max_tokens=max_tokens)
        if len(self._company.requests) == self._turn:
            await self._company.write(self._text)
        return answer


async def test_a_run_about_to_end_reads_first(company: Company) -> None:
    """Words that arrive with the final answer are read before the run ends, and the same run acts on them."""
    company.engine = company.engine_of(company.agent, Interrupted(company, 2, "And a website."))
    run, _ = await company.waiting(turn(reply()), DONE, turn(deal()), turn(say("Done again.")))
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, run.text, run.steps) == (RunStatus.DONE, "Done again.", 4)
    asked = company.requests[2]["messages"]
    assert [message["role"] for message in asked] == ["user", "assistant", "user", "assistant", "user"]
    assert "And a website." in str(asked[-1])


async def test_words_are_read_once(company: Company) -> None:
    """Words that a run has read are neither shown to it again nor made into a lead of their own."""
    company.script(DONE, turn(say("Done again.")))
    run = await company.lead()
    await company.write("And a website.")
    run = await company.work(run)
    assert (run.status, len(company.requests)) == (RunStatus.DONE, 2)
    text = str(company.requests[1]["messages"])
    assert text.count("And a website.") == 1
    assert await company.begin() == []
    assert (await company.view(run)).unread == []


async def test_words_count_as_steps(company: Company) -> None:
    """A lead who writes on and on cannot keep a run going beyond its limits; the rest becomes a new lead."""
    company.script(*[turn(call("get_customer_history"))] * 8)
    run = await company.lead()
    await company.write("And more.")
    run = await company.work(run)
    assert run.status is RunStatus.MAX_STEPS
    await company.write("And still more.")
    (following,) = await company.begin()
    assert following.id != run.id


async def test_words_that_a_failed_run_never_read_become_the_next_lead(company: Company) -> None:
    """Nothing that was written is lost with a run that fails."""
    company.script(DONE)
    company.api.inject(Fault(kind=FaultKind.UNAUTHENTICATED))
    run = await company.lead()
    await company.write("Are you there?")
    assert await company.begin() == []
    run = await company.work(run)
    assert run.status is RunStatus.FAILED
    (following,) = await company.begin()
    await company.work(following)
    assert "Are you there?" in str(company.requests[-1]["messages"][0])


async def test_words_are_shown_to_people_while_the_run_waits(company: Company) -> None:
    """An operator who settles a reply of unknown fate sees what the lead has added since."""
    company.channel.faults.append(OutcomeUnknown("lost"))
    run, _ = await company.waiting()
    await company.settle(run, Verdict.APPROVE)
    await company.write("I changed my mind.")
    assert [said.text for said in (await company.view(run)).unread] == ["I changed my mind."]


async def test_words_that_a_run_cannot_read_make_a_lead(company: Company) -> None:
    """At the limit of steps later words are not marked as read by a run that ends: they are the next lead."""
    company.change(limits=Limits(max_steps=1))
    run, _ = await company.waiting(turn(reply()))
    await company.write("URGENT: call me.")
    assert await company.begin() == []
    run = await company.work(run)
    assert run.status is RunStatus.MAX_STEPS
    (lead,) = await company.begin()
    assert (await company.view(lead)).lead.message == "URGENT: call me."
