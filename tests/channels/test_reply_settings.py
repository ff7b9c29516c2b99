"""Settings of the ways out: half of one is a fault at start, in plain words."""

from typing import Any

import pytest

from agent.errors import SettingsError
from bot.reply_settings import SmtpTls
from bot.settings import Settings
from tests.receiver import SECRET

SERVING = {
    "telegram_bot_token": "123456:ABC-DEF",
    "operators_chat_id": "-1001234567890",
    "operator_ids": "members",
    "anthropic_api_key": "sk-ant-123",
}


def faults(**overrides: Any) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        Settings.load(_env_file=None, **SERVING | overrides).for_serving()
    return caught.value.faults


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"smtp_host": "mail.test"}, "SMTP_FROM: missing"),
        ({"smtp_host": "mail.test", "smtp_from": "Studio"}, "SMTP_FROM: write an address"),
        ({"smtp_from": "a@x.test\nBcc: b@x.test"}, "SMTP_FROM: write an address"),
        ({"smtp_user": "studio"}, "SMTP_PASSWORD: missing"),
        ({"smtp_user": "studio", "smtp_password": "secret", "smtp_tls": "none"}, "SMTP_TLS: with `none`"),
        ({"smtp_tls": "maybe"}, "SMTP_TLS: write one of"),
        ({"smtp_port": "0"}, "SMTP_PORT: write at least 1"),
        ({"smtp_subject": "Hello\r\nBcc: all@x.test"}, "SMTP_SUBJECT: write one line"),
        ({"reply_webhook_url": "https://x.test/"}, "REPLY_WEBHOOK_SECRET: missing"),
        ({"reply_webhook_url": "x.test"}, "REPLY_WEBHOOK_URL: write a URL"),
        ({"reply_webhook_secret": "short"}, "REPLY_WEBHOOK_SECRET: write whsec_"),
        ({"reply_channels": "telegram,pigeon"}, "REPLY_CHANNELS: write each at most once"),
        ({"reply_channels": "email,email"}, "REPLY_CHANNELS: write each at most once"),
    ],
)
def test_a_fault_names_the_setting_and_what_to_write(given: dict[str, str], fault: str) -> None:
    """One line for one fault, and no value: it may be a secret."""
    (found,) = faults(**given)
    assert found.startswith(fault)


@pytest.mark.parametrize(
    ("given", "tls", "port"),
    [
        ({}, SmtpTls.STARTTLS, 587),
        ({"smtp_port": "465"}, SmtpTls.TLS, 465),
        ({"smtp_port": "2525"}, SmtpTls.STARTTLS, 2525),
        ({"smtp_tls": "tls"}, SmtpTls.TLS, 465),
        ({"smtp_tls": "none"}, SmtpTls.NONE, 25),
        ({"smtp_tls": "starttls", "smtp_port": "465"}, SmtpTls.STARTTLS, 465),
    ],
)
def test_encryption_and_port_belong_together(given: dict[str, str], tls: SmtpTls, port: int) -> None:
    """Only `none` said in so many words is not encrypted."""
    settings = Settings.load(_env_file=None, **given)
    assert (settings.mail_tls, settings.mail_port) == (tls, port)


def test_all_of_it_is_enough() -> None:
    """A mailbox and a webhook, set up whole."""
    Settings.load(
        _env_file=None,
        **SERVING,
        smtp_host="mail.test",
        smtp_user="studio",
        smtp_password="secret",
        smtp_from="Студия <hello@studio.test>",
        reply_webhook_url="http://n8n:5678/webhook/1",
        reply_webhook_secret=SECRET,
    ).for_serving()
