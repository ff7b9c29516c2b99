"""The lead's private chat with the bot."""

from agent.channels import Letter
from agent.errors import NotSent, Undeliverable
from agent.jsontext import JsonObject
from agent.outgoing import Lane
from bot.gateway import Gateway

# Seconds that a message may wait for its place while it counts as being sent.
LONGEST_WAIT = 0.2


class TelegramChat:
    """See agent.ports.Channel.  The text leaves plain: what the card showed, letter for letter."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def send(self, letter: Letter) -> JsonObject:
        chat_id = letter.lead.telegram_id
        if chat_id is None:
            raise Undeliverable("the lead has no Telegram chat")
        if (delay := self._gateway.delay(chat_id, Lane.DECISIONS)) > LONGEST_WAIT:
            raise NotSent("Telegram's limits are reached", retry_after=delay)
        sent = await self._gateway.send(chat_id, letter.text, lane=Lane.DECISIONS, html=False)
        return {"chat_id": chat_id, "message_id": sent.message_id}
