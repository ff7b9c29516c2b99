"""Settings of the ways out for an approved reply."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

from agent.channels import ChannelKind
from agent.jsontext import one_line
from bot.mailboxes import mailbox
from bot.webhook_urls import webhook_secret, webhook_url


class SmtpTls(StrEnum):
    """How the connection to the mail server is encrypted; there is no "if it happens to offer it"."""

    STARTTLS = "starttls"
    TLS = "tls"
    NONE = "none"


_PORTS = {SmtpTls.STARTTLS: 587, SmtpTls.TLS: 465, SmtpTls.NONE: 25}
DEFAULT_CHANNELS = tuple(ChannelKind)


def _channels(value: object) -> object:
    if not isinstance(value, str):
        return value
    words = [word.strip().lower() for word in value.split(",") if word.strip()]
    if len(set(words)) < len(words) or not set(words) <= set(ChannelKind):
        raise ValueError(f"write each at most once, separated by commas: {', '.join(ChannelKind)}")
    return tuple(ChannelKind(word) for word in words)


Channels = Annotated[tuple[ChannelKind, ...], NoDecode, BeforeValidator(_channels)]


class ReplySettings(BaseSettings):
    """See bot.settings.Settings."""

    reply_channels: Channels = DEFAULT_CHANNELS
    reply_webhook_url: str = ""
    reply_webhook_secret: SecretStr | None = None
    smtp_host: str = ""
    smtp_port: int | None = Field(None, ge=1, le=65535)
    smtp_tls: SmtpTls | None = None
    smtp_user: str = ""
    smtp_password: SecretStr | None = None
    smtp_from: str = ""
    smtp_subject: str = ""

    @field_validator("reply_webhook_url")
    @classmethod
    def _can_be_posted_to(cls, value: str) -> str:
        return webhook_url(value) if value else value

    @field_validator("reply_webhook_secret")
    @classmethod
    def _can_sign(cls, value: SecretStr | None) -> SecretStr | None:
        if value:
            webhook_secret(value.get_secret_value())
        return value

    @field_validator("smtp_from")
    @classmethod
    def _is_a_mailbox(cls, value: str) -> str:
        try:
            return str(mailbox(value)) if value else value
        except ValueError as error:
            raise ValueError('write an address like "Studio <hello@studio.kz>"') from error

    @field_validator("smtp_subject")
    @classmethod
    def _is_a_line(cls, value: str) -> str:
        if value != one_line(value):
            raise ValueError("write one line")
        return value

    @property
    def mail_tls(self) -> SmtpTls:
        """As it was said, else what belongs to the port; without any word always encrypted."""
        return self.smtp_tls or (SmtpTls.TLS if self.smtp_port == _PORTS[SmtpTls.TLS] else SmtpTls.STARTTLS)

    @property
    def mail_port(self) -> int:
        return self.smtp_port or _PORTS[self.mail_tls]

    def reply_faults(self) -> Sequence[str]:
        """What is missing for the ways out that are set up; half of one would lose replies."""
        faults = []
        if self.smtp_host and not self.smtp_from:
            faults.append("SMTP_FROM: missing; needed with SMTP_HOST: the address that replies come from")
        if self.smtp_user and self.smtp_password is None:
            faults.append("SMTP_PASSWORD: missing; needed with SMTP_USER")
        if self.smtp_user and self.mail_tls is SmtpTls.NONE:
            faults.append("SMTP_TLS: with `none` the password would travel readable; write starttls or tls")
        if self.reply_webhook_url and self.reply_webhook_secret is None:
            faults.append(
                "REPLY_WEBHOOK_SECRET: missing; needed with REPLY_WEBHOOK_URL: whsec_ and the output of "
                "`openssl rand -base64 32`"
            )
        return faults
