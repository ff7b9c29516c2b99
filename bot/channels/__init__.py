"""How an approved reply leaves the company."""

from agent.channels import ChannelKind
from agent.clock import Clock
from agent.ports import Channel
from bot.channels.mail import Mail, mail_server_of
from bot.channels.router import Channels, ways_of
from bot.channels.telegram_chat import TelegramChat
from bot.channels.webhook import reply_webhook_of
from bot.gateway import Gateway
from bot.settings import Settings

__all__ = ["channels_of"]


def channels_of(settings: Settings, gateway: Gateway, clock: Clock) -> Channels:
    """The ways out that the settings name."""
    channels: dict[ChannelKind, Channel] = {ChannelKind.TELEGRAM: TelegramChat(gateway)}
    if settings.smtp_host:
        channels[ChannelKind.EMAIL] = Mail(mail_server_of(settings), clock)
    if settings.reply_webhook_url:
        channels[ChannelKind.WEBHOOK] = reply_webhook_of(settings, clock)
    return Channels(channels, ways_of(settings))
