"""Other CRMs beside the built-in one, which stays the record."""

from agent.crm_link import Link
from bot.crm.bitrix24 import Bitrix24
from bot.crm.bitrix24_api import Bitrix24Api
from bot.settings import Settings

__all__ = ["bitrix24_of"]

# What the records would be called by a database that is not there yet.
NOBODY = "lead-agent"


def bitrix24_of(settings: Settings, link: Link | None = None) -> Bitrix24:
    """The portal that the settings name; without a link only to be checked."""
    assert settings.bitrix24_webhook_url is not None
    api = Bitrix24Api(settings.bitrix24_webhook_url.get_secret_value())
    return Bitrix24(api, link.origin if link else NOBODY, settings.bitrix24_stages)
