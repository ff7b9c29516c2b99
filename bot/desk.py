"""The operators' group as the place of commands: who may ask there, and how they are answered."""

from telegram import Message, Update, User

from agent.clock import Clock
from agent.jsontext import one_line
from agent.outgoing import Lane, Note
from agent.runs import Person
from bot.gateway import Gateway
from bot.ports import BotStore
from bot.settings import Settings


class Desk:
    """Answers go through the outbox: they wait behind decisions."""

    def __init__(
        self, *, store: BotStore, gateway: Gateway, settings: Settings, group_id: int, clock: Clock
    ) -> None:
        self._store = store
        self._gateway = gateway
        self._settings = settings
        self._group_id = group_id
        self._clock = clock

    def asked(self, update: Update) -> tuple[Message, User] | None:
        """The message and its sender, if an operator wrote in the operators' group; others get no answer."""
        message, user = update.message, update.effective_user
        if message is None or user is None or message.chat_id != self._gateway.resolve(self._group_id):
            return None
        if message.sender_chat is not None or user.is_bot:
            return None
        known = self._settings.everyone_decides or user.id in self._settings.deciders
        return (message, user) if known else None

    def is_group(self, chat_id: int) -> bool:
        """Whether it is the operators' group, as it is now."""
        return chat_id == self._gateway.resolve(self._group_id)

    async def answer(self, message: Message, text: str) -> None:
        await self._store.transaction(lambda tx: tx.notes.add(answer_to(message, text), self._clock()))


def person_of(user: User) -> Person:
    """Who wrote or pressed, as rows and cards name them."""
    return Person(id=user.id, name=one_line(user.full_name))


def answer_to(message: Message, text: str) -> Note:
    """The note that answers a message, for a transaction that does more than answer."""
    id = message.message_id
    return Note(chat_id=message.chat_id, text=text, lane=Lane.NOTES, reply_to=id, answers=id)
