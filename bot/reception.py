"""Where leads and their words go to work, whichever way they came."""

from agent.clock import Clock
from agent.contacts import Contact
from agent.engine import Engine
from agent.leads.agent import NAME
from agent.outgoing import CardKind
from agent.proposals import ProposalState
from agent.runs import Lead, Run
from bot.ports import BotTransaction
from bot.settings import Settings


class Reception:
    """Gives every lead a run; what somebody writes while a run works for them is read by that run."""

    def __init__(self, *, engine: Engine, settings: Settings, clock: Clock) -> None:
        self._engine = engine
        self._settings = settings
        self._clock = clock

    def start(self, tx: BotTransaction, lead: Lead) -> None:
        """Begin the work on a lead, in the transaction that takes it in."""
        self._engine.start(tx, lead, NAME)

    def take_form(self, tx: BotTransaction, contact: Contact, lead: Lead, words: str) -> None:
        """Begin the work on a new lead that came by a form."""
        busy = tx.contacts.open_run(contact.id) is not None
        at = self._clock()
        tx.contacts.add_form(lead, words, at, read=not busy)
        if busy:
            self.follow_up(tx, contact, at)
        else:
            self.start(tx, lead)

    def follow_up(self, tx: BotTransaction, contact: Contact, at: int) -> None:
        """Wait for the burst's end.  What people are asked about in an open run is outdated at once."""
        settings = self._settings
        tx.contacts.open_burst(contact, at, quiet=settings.burst_quiet, longest=settings.burst_longest)
        run = tx.contacts.open_run(contact.id)
        if run is not None:
            self._engine.approvals.supersede(tx, run)
            refresh_cards(tx, run)


def refresh_cards(tx: BotTransaction, run: Run) -> None:
    """Show on the cards of an open run what its lead did since."""
    tx.cards.touch_if_shown(CardKind.RUN, run.id)
    for proposal in tx.proposals.of_run(run.id):
        if proposal.state in (ProposalState.PENDING, ProposalState.SUPERSEDED):
            tx.cards.touch_if_shown(CardKind.PROPOSAL, proposal.card)
