"""Where leads and their words go to work, whichever way they came."""

from collections.abc import Callable

from agent.clock import Clock
from agent.contacts import Contact
from agent.digests import Digest, DigestVerdict, WaitReason
from agent.engine import Engine
from agent.leads.agent import NAME
from agent.outgoing import CardKind
from agent.proposals import ProposalState
from agent.runs import Lead, Person, Run
from bot.allowance import Allowance
from bot.ports import BotTransaction
from bot.settings import Settings

# Runs begun in one transaction.
BATCH = 50
PassOn = Callable[[BotTransaction, Contact, str], None]


class Reception:
    """Gives every lead a run; what somebody writes while a run works for them is read by that run.

    Where a person has taken the conversation over, that person is told the words and the agent is silent.
    Spam gets no run.  Leads of a flood, or beyond the day's calls of the model, wait for the next day or for
    a person's word.
    """

    def __init__(self, *, engine: Engine, pass_on: PassOn, settings: Settings, clock: Clock) -> None:
        """pass_on: brings words to whoever talks with the contact."""
        self._engine = engine
        self._pass_on = pass_on
        self._settings = settings
        self._clock = clock
        self._allowance = Allowance(calls=settings.model_calls_per_day, zone=settings.zone)

    def begin(self, tx: BotTransaction, lead: Lead, *, flooding: bool = False) -> None:
        """Begin the work on a new lead now or later, in the transaction that takes it in."""
        at = self._clock()
        if lead.spam:
            return
        if flooding:
            tx.waiting.hold(lead, self._allowance.tomorrow(at))
            tx.digests.show(WaitReason.FLOOD, at)
        elif self._allowance.has_room(tx, at):
            self._engine.start(tx, lead, NAME)
        else:
            tx.waiting.hold(lead, at)
            self._ask_if_spent(tx, at)

    def take_form(
        self, tx: BotTransaction, contact: Contact, lead: Lead, words: str, *, flooding: bool = False
    ) -> None:
        """Begin the work on a new lead that came by a form."""
        at = self._clock()
        talked_with = contact.taken_by is not None or tx.contacts.open_run(contact.id) is not None
        joins = talked_with and not lead.spam
        tx.contacts.add_form(lead, words, at, read=not joins)
        if joins:
            self._join(tx, contact, words)
        else:
            self.begin(tx, lead, flooding=flooding)

    def _join(self, tx: BotTransaction, contact: Contact, words: str) -> None:
        """Have unread words read by whoever works for the contact now: a person, or an open run."""
        if contact.taken_by is not None:
            self._pass_on(tx, contact, words)
        else:
            self.follow_up(tx, contact, self._clock())

    def follow_up(self, tx: BotTransaction, contact: Contact, at: int) -> None:
        """Wait for the burst's end.  What people are asked about in an open run is outdated at once."""
        settings = self._settings
        tx.contacts.open_burst(contact, at, quiet=settings.burst_quiet, longest=settings.burst_longest)
        run = tx.contacts.open_run(contact.id)
        if run is not None:
            self._engine.approvals.supersede(tx, run)
            refresh_cards(tx, run)

    # --- leads that wait

    def release(self, tx: BotTransaction) -> int | None:
        """Begin with what has waited and may go now; when to look again (ms), None if only a commit tells."""
        at = self._clock()
        for _ in range(BATCH):
            found = tx.waiting.due(at)
            if found is None:
                self._close_if_nothing_waits(tx, at)
                return tx.waiting.next(at)
            lead, allowed = found
            if not (allowed or self._allowance.has_room(tx, at)):
                return self._ask_if_spent(tx, at)
            self._let_go(tx, lead)
        return at

    def _let_go(self, tx: BotTransaction, lead: Lead) -> None:
        tx.waiting.release(lead)
        contact = tx.contacts.get(lead.contact_id)
        if contact.taken_by is None and tx.contacts.open_run(contact.id) is None:
            self._engine.start(tx, lead, NAME)
        else:
            tx.waiting.unread(lead)
            self._join(tx, contact, lead.message)

    def _ask_if_spent(self, tx: BotTransaction, at: int) -> int | None:
        """People are asked once nothing goes by itself any more today; the end of the day then."""
        if not self._allowance.is_spent(tx, at):
            return None  # the end of a run makes room
        tx.digests.show(WaitReason.CALLS, at)
        return self._allowance.tomorrow(at)

    def _close_if_nothing_waits(self, tx: BotTransaction, at: int) -> None:
        digest = tx.digests.open()
        if digest is not None and not tx.waiting.any():
            tx.digests.decide(digest, DigestVerdict.NOTHING_WAITS, 0, None, at)

    def decide(
        self, tx: BotTransaction, digest: Digest, verdict: DigestVerdict, last_id: int, person: Person
    ) -> int | None:
        """Do what a person said with what waits up to the lead `last_id`.

        How many those were; None if it was decided before.
        """
        at = self._clock()
        if digest.verdict is not None:
            return None
        spam = verdict is DigestVerdict.SPAM
        count = tx.waiting.mark_spam(last_id) if spam else tx.waiting.let_go(last_id)
        tx.digests.decide(digest, verdict, count, person, at)
        if tx.waiting.any():  # they came after what the person saw
            tx.digests.show(digest.reason, at)
        return count


def refresh_cards(tx: BotTransaction, run: Run) -> None:
    """Show on the cards of an open run what its lead did since."""
    tx.cards.touch_if_shown(CardKind.RUN, run.id)
    for proposal in tx.proposals.of_run(run.id):
        if proposal.state in (ProposalState.PENDING, ProposalState.APPROVED, ProposalState.SUPERSEDED):
            tx.cards.touch_if_shown(CardKind.PROPOSAL, proposal.card)
