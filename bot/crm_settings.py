"""Settings of the other CRM."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode

from agent.crm_link import Provider
from agent.deals import Stage
from bot.webhook_urls import webhook_url

# Those that every portal has from the start, in its general funnel.
STAGES = {Stage.NEW: "NEW", Stage.IN_PROGRESS: "EXECUTING", Stage.WON: "WON", Stage.LOST: "LOSE"}


def _stages(value: object) -> object:
    """Those named instead of the ones that every portal has."""
    try:
        named: Any = json.loads(value) if isinstance(value, str) else value
        return STAGES | {Stage(stage): _stage(there) for stage, there in named.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            'write JSON, their stages by ours: {"new": "NEW", "in_progress": "C1:EXECUTING"}'
        ) from error


def _stage(there: object) -> str:
    if not isinstance(there, str) or not there:
        raise ValueError("no stage")
    return there


Stages = Annotated[Mapping[Stage, str], NoDecode, BeforeValidator(_stages)]


class CrmSettings(BaseSettings):
    """See bot.settings.Settings."""

    crm: Provider = Provider.BUILTIN
    bitrix24_webhook_url: SecretStr | None = None
    bitrix24_stages: Stages = Field(default_factory=lambda: dict(STAGES))

    @field_validator("bitrix24_webhook_url")
    @classmethod
    def _is_an_inbound_webhook(cls, value: SecretStr | None) -> SecretStr | None:
        if value:
            url = webhook_url(value.get_secret_value())
            if "/rest/" not in url or "?" in url or "#" in url:
                raise ValueError("copy the whole URL of the inbound webhook: https://…/rest/1/…/")
        return value

    def crm_faults(self) -> Sequence[str]:
        """What is missing for the CRM that is named."""
        if self.crm is Provider.BITRIX24 and self.bitrix24_webhook_url is None:
            return [
                "BITRIX24_WEBHOOK_URL: missing; needed with CRM=bitrix24: an inbound webhook with crm rights"
            ]
        return []
