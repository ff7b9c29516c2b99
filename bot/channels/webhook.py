"""An approved reply to a program of the company's own: n8n, Make, a CRM, an SMS gateway."""

from agent.channels import Letter
from agent.clock import Clock
from agent.errors import NotSent, OutcomeUnknown, Undeliverable
from agent.jsontext import JsonObject, dumps
from agent.views import lead_object
from bot.settings import Settings
from bot.webhooks import Answer, post

# Not now, says the server: it has not taken it (RFC 9110 and 6585).
NOT_NOW = frozenset({408, 425, 429})
SECONDS_UNTIL_ASKED_AGAIN = 30.0


class ReplyWebhook:
    """See agent.ports.Channel.  What happens next is the receiver's: a 2xx says that it has the reply."""

    def __init__(self, url: str, secret: str, clock: Clock) -> None:
        self._url = url
        self._secret = secret
        self._clock = clock

    async def send(self, letter: Letter) -> JsonObject:
        """Post the reply; the receipt says under which webhook-id."""
        body = dumps(reply_body(letter))
        answer = await post(self._url, self._secret, id=letter.key, body=body, clock=self._clock)
        _check(answer)
        return {"webhook_id": letter.key, "status": answer.status}


def reply_webhook_of(settings: Settings, clock: Clock) -> ReplyWebhook:
    """The webhook that the settings name; they have to name one."""
    assert settings.reply_webhook_secret is not None, "checked by for_serving"
    return ReplyWebhook(settings.reply_webhook_url, settings.reply_webhook_secret.get_secret_value(), clock)


def reply_body(letter: Letter) -> JsonObject:
    """See docs/events.md."""
    lead = lead_object(letter.lead)
    return {
        "type": "reply.send",
        "proposal_id": letter.proposal_id,
        "text": letter.text,
        "lead": lead,
        "phones": lead["phones"],
        "emails": lead["emails"],
    }


def _check(answer: Answer) -> None:
    """A 5xx may come after the reply was passed on; a 4xx and a redirect are a plain no."""
    words = f"the reply webhook answers {answer.status}"
    if answer.accepted:
        return
    if answer.status in NOT_NOW:
        raise NotSent(words, retry_after=answer.retry_after or SECONDS_UNTIL_ASKED_AGAIN)
    if 300 <= answer.status < 500:
        raise Undeliverable(words)
    raise OutcomeUnknown(words)
