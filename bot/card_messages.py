"""Which card a message of the operators' group shows."""

from telegram import MaybeInaccessibleMessage, Message

from agent.outgoing import Card, CardKind
from bot.cards import parse_callback_data
from bot.gateway import posted
from bot.ports import BotTransaction


def card_of(tx: BotTransaction, message: MaybeInaccessibleMessage) -> Card | None:
    """The card; None for a message that shows none of ours.

    A message that we do not know of is believed only while it may be the card, because its posting is not
    answered yet or was answered by nobody, and its own buttons, as Telegram knows them, carry a token of
    the card, which none can guess.  From then on it is kept true like every message of the card.
    """
    card = tx.cards.of_message(message.chat.id, message.message_id)
    if card is not None:
        return card
    proposal = next((found for token in _tokens(message) if (found := tx.by_token(token))), None)
    card = tx.cards.of(CardKind.PROPOSAL, proposal.card) if proposal else None
    if card is None or not isinstance(message, Message):
        return None
    if not card.maybe_posted and tx.cards.messages(card):
        return None
    tx.cards.adopt(card, posted(message))
    return card


def data_on(message: MaybeInaccessibleMessage) -> list[str]:
    """The callback data of the message's buttons, as Telegram knows them."""
    markup = message.reply_markup if isinstance(message, Message) else None
    rows = markup.inline_keyboard if markup else ()
    return [str(button.callback_data) for row in rows for button in row if button.callback_data]


def _tokens(message: MaybeInaccessibleMessage) -> list[str]:
    """What the buttons carry."""
    return [token for _, token in filter(None, map(parse_callback_data, data_on(message)))]
