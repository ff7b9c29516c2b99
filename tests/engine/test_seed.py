"""The specification's six tests, with its figures, on the real stack."""

from agent.journal import Kind
from agent.limits import Limits
from agent.proposals import Verdict
from agent.runs import Run, RunStatus
from bot.sandbox.script import Turn, Usage, call, say, turn
from tests.company import DANA, HELLO, NEW_DEAL, Company, results

HISTORY = call("get_customer_history")
REPLY = {"text": HELLO}


async def worked(company: Company, *turns: Turn, verdict: Verdict = Verdict.APPROVE) -> Run:
    """A run that has gone as far as it goes, every proposal answered with `verdict`."""
    company.script(*turns)
    run = await company.work(await company.lead())
    while run.status is RunStatus.AWAITING_CONFIRMATION:
        run = await company.settle(run, verdict)
    return run


async def test_reaches_the_goal_and_writes_a_journal_of_every_step(company: Company) -> None:
    """History, a deal and an approved reply: done, a record for each step, only the reply asked a human."""
    run = await worked(
        company,
        turn(HISTORY),
        turn(call("create_deal", NEW_DEAL), call("send_reply", REPLY)),
        turn(say("Created deal D-1 and replied.")),
    )
    assert run.status is RunStatus.DONE
    assert run.text == "Created deal D-1 and replied."
    assert await company.steps(run) == [
        "model::tool_use",
        "tool:get_customer_history:ok",
        "model::tool_use",
        "tool:create_deal:ok",
        "tool:send_reply:ok",
        "model::end_turn",
    ]
    assert [proposal.tool for proposal in await company.proposals(run)] == ["send_reply"]
    assert company.channel.sent == [(DANA, HELLO)]


async def test_the_specifications_demo_spends_its_figures(company: Company) -> None:
    """Three replies of 1,800 + 120 tokens are three steps and 5,760 tokens, and the deal is named."""
    run = await worked(
        company,
        turn(HISTORY),
        turn(call("create_deal", NEW_DEAL), call("send_reply", REPLY)),
        turn(say("Created deal D-1 (crm) and sent a reply to the lead.")),
    )
    assert (run.steps, run.usage.total) == (3, 5_760)
    view = await company.view(run)
    assert [(deal.deal_id, deal.service) for deal in view.deals] == [("D-1", "crm")]
    tokens = [record.tokens for record in await company.journal(run, Kind.MODEL)]
    assert tokens == [1_920, 1_920, 1_920]


async def test_does_not_send_when_the_operator_rejects_and_tells_the_model_why(company: Company) -> None:
    """A denied reply never leaves, and the model reads that a human operator rejected it."""
    run = await worked(
        company, turn(call("send_reply", REPLY)), turn(say("Reply was rejected.")), verdict=Verdict.DENY
    )
    assert company.channel.sent == []
    (rejected,) = results(company.requests[1])
    assert rejected["is_error"] is True
    assert "Rejected by a human operator" in rejected["content"]
    assert [record.outcome for record in await company.journal(run, Kind.TOOL)] == ["rejected"]


async def test_returns_invalid_arguments_as_an_error_and_changes_nothing(company: Company) -> None:
    """Arguments off the schema come back with every fault named, and nothing is written."""
    run = await worked(
        company,
        turn(call("create_deal", {"service": "seo", "summary": "x"})),
        turn(say("Could not create the deal.")),
    )
    (invalid,) = results(company.requests[1])
    assert invalid["is_error"] is True
    assert "service" in invalid["content"]
    assert "summary" in invalid["content"]
    assert (await company.view(run)).deals == []
    assert (await company.steps(run))[1] == "tool:create_deal:invalid"


async def test_stops_at_max_steps(company: Company) -> None:
    """A model that never ends is asked exactly as often as the limit says."""
    company.change(limits=Limits(max_steps=3, max_tokens=1_000_000))
    run = await worked(company, *[turn(HISTORY)] * 10)
    assert run.status is RunStatus.MAX_STEPS
    assert len(company.requests) == 3


async def test_stops_when_the_token_budget_is_spent_before_the_next_model_call(company: Company) -> None:
    """6,000 tokens a call against a budget of 10,000: two calls, 12,000 tokens, no third call."""
    company.change(limits=Limits(max_steps=10, max_tokens=10_000))
    costly = turn(HISTORY, usage=Usage(input_tokens=5_500, output_tokens=500))
    run = await worked(company, *[costly] * 10)
    assert (run.status, run.usage.total, len(company.requests)) == (RunStatus.BUDGET, 12_000, 2)


async def test_cannot_message_anyone_but_the_current_lead(company: Company) -> None:
    """The reply tool has no recipient argument, and one that the model invents is refused."""
    await worked(company, turn(call("send_reply", REPLY | {"phone": "+77779999999"})), turn(say("Done.")))
    assert results(company.requests[1])[0]["is_error"] is True
    assert company.channel.sent == []
    (tool,) = (tool for tool in company.requests[0]["tools"] if tool["name"] == "send_reply")
    assert list(tool["input_schema"]["properties"]) == ["text"]
