"""E-mail, by SMTP.  The text leaves plain and in UTF-8, letter for letter as it was approved."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime

from aiosmtplib import SMTP, SMTPException, SMTPResponseException

from agent.channels import Letter
from agent.clock import Clock
from agent.errors import ChannelError, NotSent, OutcomeUnknown, Undeliverable
from agent.jsontext import JsonObject, one_line
from agent.language import language_of
from bot.mailboxes import mailbox
from bot.reply_settings import SmtpTls
from bot.settings import Language, Settings
from bot.texts import lead_texts

SECONDS_TO_ANSWER = 30.0
# The server may look for viruses before it says that it has the message (RFC 5321, 4.5.3.2, grants minutes).
SECONDS_TO_ACCEPT = 120.0
SECONDS_FOR_A_GOODBYE = 5.0
SECONDS_UNTIL_RECONNECT = 30.0
# Greylisting wants minutes.
SECONDS_UNTIL_ASKED_AGAIN = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MailServer:
    """Whom to give the messages to, and who sends them.

    subject: None is the catalogue's, in the language of the reply (`language` if it has no letters).
    """

    host: str
    port: int
    tls: SmtpTls
    user: str | None
    password: str | None
    sender: Address
    subject: str | None
    language: Language


def mail_server_of(settings: Settings) -> MailServer:
    """The server that the settings name; they have to name one."""
    password = settings.smtp_password
    return MailServer(
        host=settings.smtp_host,
        port=settings.mail_port,
        tls=settings.mail_tls,
        user=settings.smtp_user or None,
        password=password.get_secret_value() if password else None,
        sender=mailbox(settings.smtp_from),
        subject=settings.smtp_subject or None,
        language=settings.language,
    )


class Mail:
    """See agent.ports.Channel.  A message counts as left once its DATA was begun and nobody refused it."""

    def __init__(self, server: MailServer, clock: Clock) -> None:
        self._server = server
        self._clock = clock

    async def send(self, letter: Letter) -> JsonObject:
        """Give one message to the server; the receipt says to whom and under which Message-ID."""
        recipient = _recipient(letter)
        message = self._message(letter, recipient)
        connection = self._connection()
        try:
            await self._begin(connection, recipient.addr_spec)
            answer = await _hand_in(connection, message.as_bytes())
            with suppress(SMTPException, OSError):  # it has the message, whatever it says to our goodbye
                await connection.quit(timeout=SECONDS_FOR_A_GOODBYE)
        finally:
            connection.close()
        return {"to": recipient.addr_spec, "message_id": str(message["Message-ID"]), "answer": _line(answer)}

    async def greet(self) -> None:
        """Connect and log in, and nothing more; NotSent if that does not work."""
        connection = self._connection()
        try:
            await _connect(connection)
        finally:
            connection.close()

    def _connection(self) -> SMTP:
        server = self._server
        return SMTP(
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            use_tls=server.tls is SmtpTls.TLS,
            start_tls=server.tls is SmtpTls.STARTTLS,
            timeout=SECONDS_TO_ANSWER,
        )

    async def _begin(self, connection: SMTP, recipient: str) -> None:
        """Everything before the message itself: whatever goes wrong here, nothing was sent."""
        await _connect(connection)
        try:
            await connection.mail(self._server.sender.addr_spec)
            await connection.rcpt(recipient)
        except SMTPResponseException as error:
            raise _refusal(error) from error
        except (SMTPException, OSError) as error:
            words = f"the mail server went away: {_words(error)}"
            raise NotSent(words, retry_after=SECONDS_UNTIL_RECONNECT) from error

    def _message(self, letter: Letter, recipient: Address) -> EmailMessage:
        sender = self._server.sender
        message = EmailMessage(policy=SMTP_POLICY)
        message["From"] = sender
        message["To"] = recipient
        message["Subject"] = self._subject(letter)
        message["Date"] = format_datetime(datetime.fromtimestamp(self._clock() / 1000, UTC))
        message["Message-ID"] = f"<{letter.key}@{sender.domain}>"
        message.set_content(letter.text, cte="base64")
        return message

    def _subject(self, letter: Letter) -> str:
        server = self._server
        language = language_of(letter.text, apart_from=letter.lead.name)
        return server.subject or lead_texts(language, server.language).subject


def _recipient(letter: Letter) -> Address:
    """The address alone; Undeliverable if it is none: it is never guessed at."""
    try:
        return Address(addr_spec=mailbox(letter.route.address).addr_spec)
    except ValueError as error:
        raise Undeliverable(f"the lead's e-mail address cannot be used: {error}") from error


async def _connect(connection: SMTP) -> None:
    """With encryption and login as the settings want them."""
    try:
        await connection.connect()
    except (SMTPException, OSError) as error:
        words = f"the mail server cannot be used: {_words(error)}"
        raise NotSent(words, retry_after=SECONDS_UNTIL_RECONNECT) from error


async def _hand_in(connection: SMTP, message: bytes) -> str:
    """The message itself: only an answer tells whether the server has it.  What it said of it comes back."""
    try:
        answer = await connection.data(message, timeout=SECONDS_TO_ACCEPT)
    except SMTPResponseException as error:
        raise _refusal(error) from error
    except (SMTPException, OSError) as error:
        raise OutcomeUnknown(f"the mail server's answer was lost ({_words(error)})") from error
    return answer.message


def _refusal(error: SMTPResponseException) -> ChannelError:
    """What the server's own no means: 4xx for now, 5xx for good (RFC 5321, 4.2.1)."""
    words = f"the mail server says {error.code} {_line(error.message)}"
    if 400 <= error.code < 500:
        return NotSent(words, retry_after=SECONDS_UNTIL_ASKED_AGAIN)
    if 500 <= error.code < 600:
        return Undeliverable(words)
    return OutcomeUnknown(words)


def _words(error: Exception) -> str:
    return _line(str(error)) or type(error).__name__


def _line(words: str) -> str:
    return one_line(words)[:200]
