"""E-mail, against a real SMTP server: what arrives, and what is known when it does not."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from agent.errors import ChannelError, NotSent, OutcomeUnknown, Undeliverable
from bot.channels import mail
from bot.channels.mail import Mail, mail_server_of
from bot.settings import Settings
from tests.channels.letters import HELLO, letter
from tests.channels.post_office import Answer, PostOffice, content_of, hang_up, open_office

AT = 1_800_000_000_000
CERTIFICATE = Path(__file__).with_name("localhost.pem")


def mail_of(port: int, **overrides: Any) -> Mail:
    given = {"smtp_host": "localhost", "smtp_port": port, "smtp_tls": "none"}
    given |= {"smtp_from": "Студия <a@studio.test>"}
    return Mail(mail_server_of(Settings.load(_env_file=None, **given | overrides)), lambda: AT)


async def fault(office: PostOffice, **answers: Answer) -> ChannelError:
    """What is raised when the server answers so."""
    office.answers = dict(answers)
    with pytest.raises(ChannelError) as caught:
        await mail_of(office.port).send(letter())
    return caught.value


async def test_a_letter_arrives_as_it_was_approved() -> None:
    """Kazakh letters in subject, sender and body; one recipient; a dot alone on a line ends nothing."""
    async with open_office(PostOffice()) as office:
        receipt = await mail_of(office.port).send(letter())
    (message,), (taken,) = office.messages, office.taken
    assert message.get_content().replace("\r\n", "\n") == HELLO + "\n"
    assert message.get_content_type() == "text/plain"
    assert message["Subject"] == "Өтініміңізге жауап"
    assert (str(message["From"]), str(message["To"])) == ("Студия <a@studio.test>", "dana@example.test")
    assert message["Date"].datetime.timestamp() == AT / 1000
    assert (taken.mail_from, taken.rcpt_tos) == ("a@studio.test", ["dana@example.test"])
    assert receipt == {
        "to": "dana@example.test",
        "message_id": message["Message-ID"],
        "answer": "kept as 1",
    }
    assert content_of(taken).isascii()
    assert max(map(len, content_of(taken).splitlines())) <= 78


async def test_every_try_of_a_reply_is_the_same_message() -> None:
    """A person who had it sent again after a lost answer makes no second mail of it (Message-ID)."""
    async with open_office(PostOffice()) as office:
        sender = mail_of(office.port)
        await sender.send(letter())
        await sender.send(letter())
        await sender.send(letter(key="P-13.ffff"))
    first, again, other = (str(message["Message-ID"]) for message in office.messages)
    assert first == again == "<P-12.0a1b2c@studio.test>"
    assert other != first


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Здравствуйте! Мы позвоним завтра.", "Ответ на вашу заявку"),
        ("Hello! We will call you tomorrow.", "Reply to your request"),
        ("+7 701 555 01 42", "Ответ на вашу заявку"),
    ],
)
async def test_the_subject_speaks_the_language_of_the_reply(text: str, subject: str) -> None:
    """Of its letters; without any, LANGUAGE's; and SMTP_SUBJECT goes before."""
    async with open_office(PostOffice()) as office:
        await mail_of(office.port).send(letter(text=text))
        await mail_of(office.port, smtp_subject="Студия «Дана»").send(letter(text=text))
    assert [message["Subject"] for message in office.messages] == [subject, "Студия «Дана»"]


@pytest.mark.parametrize(
    "address",
    ["dana@x.test\r\nBcc: all@x.test", "dana@x.test, igor@x.test", "dana", "", "дана@x.test", "d@x.test\x00"],
)
async def test_an_address_adds_no_header_and_no_recipient(address: str) -> None:
    """What is not one plain address is sent to nobody."""
    async with open_office(PostOffice()) as office:
        with pytest.raises(Undeliverable):
            await mail_of(office.port).send(letter(address=address))
    assert office.taken == []


async def test_an_address_of_a_domain_in_letters_is_reached() -> None:
    """dana@пример.test goes out in the letters of the mail system (IDNA)."""
    async with open_office(PostOffice()) as office:
        await mail_of(office.port).send(letter(address="dana@пример.test"))
    assert office.taken[0].rcpt_tos == ["dana@xn--e1afmkfd.test"]


async def test_a_refusal_is_certain() -> None:
    """For now (4xx): it is tried again later; for good (5xx): a person has to know.  Nothing was sent."""
    async with open_office(PostOffice()) as office:
        for command in ("MAIL", "RCPT", "DATA"):
            later = await fault(office, **{command: "450 greylisted"})
            assert isinstance(later, NotSent)
            assert later.retry_after == mail.SECONDS_UNTIL_ASKED_AGAIN
            never = await fault(office, **{command: "550 no such user"})
            assert isinstance(never, Undeliverable)
            assert "550 no such user" in str(never)


async def test_a_line_cut_before_the_message_leaves_nothing_in_doubt() -> None:
    """No server, or one that hangs up before DATA: certainly not sent."""
    async with open_office(PostOffice()) as office:
        assert isinstance(await fault(office, RCPT=hang_up), NotSent)
    assert isinstance(await fault(office), NotSent)
    assert office.taken == []


async def test_a_line_cut_after_the_message_leaves_it_in_doubt() -> None:
    """The server may have it: only a person can tell."""
    async with open_office(PostOffice()) as office:
        assert isinstance(await fault(office, DATA=hang_up), OutcomeUnknown)
    assert len(office.taken) == 1


async def test_a_server_that_never_answers_leaves_it_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence after DATA is no answer; silence before it is a server that cannot be used."""
    monkeypatch.setattr(mail, "SECONDS_TO_ACCEPT", 0.05)
    never = asyncio.Event()

    class Silent(PostOffice):
        async def handle_DATA(self, *_: object) -> str:  # noqa: N802 - aiosmtpd's name
            await never.wait()
            return "250 OK"

    async with open_office(Silent()) as office:
        assert isinstance(await fault(office), OutcomeUnknown)
        never.set()
    monkeypatch.setattr(mail, "SECONDS_TO_ANSWER", 0.05)
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0) as mute:
        with pytest.raises(NotSent):
            await mail_of(mute.sockets[0].getsockname()[1]).send(letter())


# The server's half of a connection whose TLS failed is left to the garbage collector (aiosmtpd 1.4.6).
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_the_password_goes_only_into_an_encrypted_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """STARTTLS is demanded, the certificate checked; a server without it gets neither mail nor password."""
    seen: list[bytes] = []

    def authenticate(_: SMTP, __: Session, ___: Envelope, ____: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        seen.append(data.password)
        return AuthResult(success=data.password == b"secret", handled=False)

    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(CERTIFICATE)
    login = {"smtp_tls": "starttls", "smtp_user": "studio", "smtp_password": "secret"}
    options = {"tls_context": tls, "auth_required": True, "authenticator": authenticate}
    async with open_office(PostOffice(), **options) as office:
        with pytest.raises(NotSent):
            await mail_of(office.port, **login).send(letter())  # nobody vouches for the certificate
        assert seen == []
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        await mail_of(office.port, **login).greet()
        await mail_of(office.port, **login).send(letter())
        with pytest.raises(NotSent, match="cannot be used"):
            await mail_of(office.port, **login | {"smtp_password": "wrong"}).send(letter())
        assert len(office.taken) == 1
    async with open_office(PostOffice()) as bare:
        with pytest.raises(NotSent):
            await mail_of(bare.port, **login).send(letter())
    assert (set(seen), bare.taken) == ({b"secret", b"wrong"}, [])
