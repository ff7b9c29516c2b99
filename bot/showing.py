"""A card as its rows stand now: what it says, where it belongs, and the messages that show it."""

from dataclasses import dataclass

from agent.leads.agent import NAME as LEADS
from agent.outgoing import Card, CardKind, CardMessage
from agent.turn import Policy
from agent.views import RunView
from bot.cards import LIMIT, CardStyle, Rendered, run_card
from bot.deal_card import deal_card
from bot.digest_card import NAMED, digest_card
from bot.merge_card import merge_card
from bot.ports import BotTransaction
from bot.proposal_card import proposal_card
from bot.result_card import result_card
from bot.rule_card import rule_card
from bot.texts import Texts
from bot.topics import Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """owner: in whose topic it belongs; None for what concerns no lead."""

    card: Card
    rendered: Rendered
    messages: list[CardMessage]
    owner: Owner | None

    def text(self, texts: Texts) -> str:
        """What the card says, and why it is not where it belongs, as far as that fits."""
        detour = self.card.detour
        line = f"\n<i>{texts.detours[detour]}</i>" if detour else ""
        return self.rendered.text + (line if len(self.rendered.text) + len(line) <= LIMIT else "")


def shown_card(tx: BotTransaction, card_id: int, style: CardStyle, policy: Policy) -> Shown:
    """Draw a card.  policy: what the cards of rules say of it."""
    card = tx.cards.get(card_id)
    rendered, owner = _drawn(tx, card, style, policy)
    return Shown(card=card, rendered=rendered, messages=tx.cards.messages(card), owner=owner)


def _drawn(tx: BotTransaction, card: Card, style: CardStyle, policy: Policy) -> tuple[Rendered, Owner | None]:
    match card.kind:
        case CardKind.PROPOSAL:
            shown = tx.views.card(card.subject)
            return proposal_card(shown, style), _owner(tx, shown.view)
        case CardKind.RUN:
            view = tx.views.run(card.subject)
            return (run_card if view.run.result is None else result_card)(view, style), _owner(tx, view)
        case CardKind.DIGEST:
            return digest_card(tx.digests.view(card.subject, NAMED), style), None
        case CardKind.MERGE:
            return merge_card(tx.people.merge(card.subject), style), None
        case CardKind.DEAL:  # an answer to a command, like the list of all deals
            return deal_card(tx.deals.view(card.subject), style), None
        case CardKind.RULE:
            return rule_card(tx.rules.get(card.subject), style, policy), None


def _owner(tx: BotTransaction, view: RunView) -> Owner | None:
    """A run about a record is of no lead."""
    if view.run.agent != LEADS:
        return None
    return Owner.of(view.lead, tx.contacts.get(view.lead.contact_id))
