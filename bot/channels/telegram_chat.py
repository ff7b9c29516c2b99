"""The lead's private chat with the bot."""

from agent.errors import NotSent, Undeliverable
from agent.jsontext import JsonObject
from agent.outgoing import Lane
from agent.runs import Lead
from bot.gateway import Gateway

# Seconds that a message may wait for its place while it counts as being sent.
LONGEST_WAIT = 0.2


class TelegramChat:
    """See agent.ports.Channel.  The text leaves plain: what the card showed, letter for letter."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def send(self, lead: Lead, text: str) -> JsonObject:
        if lead.telegram_id is None:
            raise Undeliverable("the lead has no Telegram chat")
        if (delay := self._gateway.delay(lead.telegram_id, Lane.DECISIONS)) > LONGEST_WAIT:
            raise NotSent("Telegram's limits are reached", retry_after=delay)
        message_id = await self._gateway.send(lead.telegram_id, text, lane=Lane.DECISIONS, html=False)
        return {"chat_id": lead.telegram_id, "message_id": message_id}
