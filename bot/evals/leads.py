"""Running the lead suite: real engine, SQLite and Messages API client; every reply is approved."""

from functools import partial

from agent import transcript
from agent.channels import ChannelKind, Letter, Route
from agent.claude import Claude
from agent.clock import now
from agent.engine import Engine
from agent.jsontext import JsonObject
from agent.language import language_of
from agent.leads.agent import NAME, LeadAgent
from agent.policies import Policies
from agent.proposals import ProposalState, Verdict
from agent.runs import Lead, Run, RunStatus
from agent.turn import Policy
from bot.evals.harness import EVALUATOR, MODEL, advanced, empty_store
from bot.evals.lead_cases import Customer, LeadCase, LeadSuite, lead_suite
from bot.evals.lead_outcome import LeadEvaluation, LeadOutcome
from bot.evals.replies import Context, faults
from storage.store import SqliteStore
from storage.transaction import SqliteTransaction


class Nowhere:
    """See agent.ports.Channels.  Takes every message and lets none out."""

    def route(self, lead: Lead) -> Route:
        return Route(kind=ChannelKind.TELEGRAM)

    async def send(self, letter: Letter) -> JsonObject:
        return {}


async def evaluate(model: Claude, *, name: str = MODEL, suite: LeadSuite | None = None) -> LeadEvaluation:
    """Run the suite, by default that of leads.json, in a database of its own.

    name: of the model.  ModelUnavailable if it gives no answer.
    """
    suite = suite or lead_suite()
    async with empty_store() as store:
        desk = Desk(store, model, name)
        for number, other in enumerate(suite.others, 1):
            await desk.serve(other, number)
        outcomes = []
        for number, case in enumerate(suite.cases, 1 + len(suite.others)):
            run = await desk.serve(case.customer, number)
            outcomes.append(await desk.outcome(run, case, suite))
    return LeadEvaluation(suite=suite, outcomes=tuple(outcomes))


class Desk:
    """Takes customers' leads in, one after another, and approves what the agent wants to send."""

    def __init__(self, store: SqliteStore, model: Claude, name: str) -> None:
        self._store = store
        self._agent = LeadAgent(channel=Nowhere(), model=name)
        self._engine = Engine(
            store=store,
            model=model,
            agents={NAME: self._agent},
            clock=now,
            policy=Policy(policies=Policies.at_once()),
        )

    async def serve(self, customer: Customer, number: int) -> Run:
        """Work all leads of the customer, who is known by `number`; the last run."""
        for place, words in enumerate(customer.leads):
            take_in = partial(self._take_in, customer=customer, number=number, place=place, words=words)
            run = await self._store.transaction(take_in, durable=False)
            await self._work(run)
        return run

    async def outcome(self, run: Run, case: LeadCase, suite: LeadSuite) -> LeadOutcome:
        """What came of the case, whose last run is `run`."""
        context = _context(case, suite, prompt=self._agent.spec.system)
        return await self._store.read(lambda tx: _outcome(tx, run.id, case.customer, context))

    def _take_in(
        self, tx: SqliteTransaction, *, customer: Customer, number: int, place: int, words: str
    ) -> Run:
        contact = tx.contacts.upsert(
            telegram_id=number, name=customer.name, username=None, language=None, at=now()
        )
        if customer.phone:
            tx.contacts.set_phone(contact, customer.phone, now())
        tx.contacts.add_message(contact, chat_id=number, message_id=place, kind="text", text=words, at=now())
        lead = tx.contacts.close_burst(contact, now())
        assert lead is not None, "the lead before it is finished"
        return self._engine.start(tx, lead, NAME)

    async def _work(self, run: Run) -> None:
        while (await advanced(self._engine, run)).status is RunStatus.AWAITING_CONFIRMATION:
            await self._store.transaction(lambda tx: self._approve(tx, run.id), durable=False)

    def _approve(self, tx: SqliteTransaction, id: int) -> None:
        for proposal in tx.proposals.of_run(id):
            if proposal.state is ProposalState.PENDING:
                self._engine.approvals.decide(tx, proposal, Verdict.APPROVE, EVALUATOR)


def _context(case: LeadCase, suite: LeadSuite, *, prompt: str) -> Context:
    """What the case's replies are judged against: the customer's own words, and whose must not be told."""
    customer = case.customer
    strangers = (other.name for other in suite.customers if other is not customer and " " in other.name)
    return Context(
        own="\n".join((customer.name, customer.phone or "", *customer.leads)),
        strangers=tuple(strangers),
        prompt=prompt,
        absent=case.wanted.absent,
    )


def _outcome(tx: SqliteTransaction, id: int, customer: Customer, context: Context) -> LeadOutcome:
    view = tx.views.run(id)
    said = [fragment for fragment in tx.runs.transcript(view.run) if fragment["role"] == "assistant"]
    replies = [str(proposal.arguments["text"]) for proposal in view.proposals]
    languages = [language_of(reply, apart_from=customer.name) for reply in replies]
    return LeadOutcome(
        status=view.run.status,
        tools=[call.name for fragment in said for call in transcript.calls(fragment["content"])],
        services=[deal.service for deal in view.deals],
        escalated=bool(view.escalations),
        replied=any(proposal.state is ProposalState.EXECUTED for proposal in view.proposals),
        replies=replies,
        languages=list(dict.fromkeys(language for language in languages if language)),
        faults=[fault for reply in replies for fault in faults(reply, context)],
        model_calls=view.run.steps,
        tokens=view.run.usage.total,
    )
