"""Settings: environment or `.env` in, typed values out; every fault named at once, no secret printed."""

import json
import re
from decimal import Decimal
from enum import StrEnum
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Self

from phonenumbers import SUPPORTED_REGIONS
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_core import ErrorDetails
from pydantic_settings import NoDecode, SettingsConfigDict

from agent.costs import Tariff
from agent.errors import SettingsError
from agent.jsontext import clean
from agent.limits import Limits, Price
from agent.reminding import Reminding
from agent.turn import Policy
from bot import policy_file
from bot.crm_settings import CrmSettings
from bot.durations import Milliseconds, Some
from bot.time_settings import TimeSettings

POLICY_FILE = Path("policy.toml")
MEMBERS = "members"
OFF = "off"
ANTHROPIC = "https://api.anthropic.com"


class Language(StrEnum):
    """Of cards and commands."""

    RU = "ru"
    EN = "en"


def _plain(value: object) -> object:
    """Text that can be stored and sent on."""
    if isinstance(value, str) and value != clean(value):
        raise ValueError("it holds letters that are no text (NUL or broken UTF-8)")
    return value


def _ids(value: object) -> object:
    if not isinstance(value, str):
        return value
    words = [word.strip() for word in value.split(",") if word.strip()]
    if any(not word.isdecimal() for word in words):
        raise ValueError("write Telegram user ids (numbers), separated by commas")
    return frozenset(int(word) for word in words)


def _prices(value: object) -> object:
    try:
        found: Any = json.loads(value) if isinstance(value, str) else value
        return {
            model: Price(
                input=_money(price["input"]),
                output=_money(price["output"]),
                cache_read=_money(price["cache_read"]),
                cache_write=_money(price["cache_write"]),
            )
            for model, price in found.items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(
            'write JSON: {"model": {"input": 4, "output": 20, "cache_read": 0.4, "cache_write": 5}}'
        ) from error


def _money(value: object) -> Decimal:
    try:
        money = Decimal(str(value))
    except ArithmeticError as error:
        raise ValueError("write an amount like 0.002") from error
    if not money.is_finite() or money < 0:
        raise ValueError("an amount of money cannot be negative")
    return money


def _service_prices(value: object) -> object:
    try:
        found: Any = json.loads(value) if isinstance(value, str) else value
        return {str(unit): _money(price) for unit, price in found.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError('write JSON, the price of one call by tool: {"send_reply": 0.01}') from error


def _networks(value: object) -> object:
    """Addresses and networks, as they were written."""
    if not isinstance(value, str):
        return value
    words = tuple(word.strip() for word in value.split(",") if word.strip())
    try:
        for word in words:
            ip_network(word, strict=False)
    except ValueError as error:
        raise ValueError(
            "write addresses or networks, separated by commas: 127.0.0.1, 172.16.0.0/12"
        ) from error
    return words


Networks = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_networks)]
Ids = Annotated[frozenset[int], NoDecode, BeforeValidator(_ids)]
Prices = Annotated[dict[str, Price], NoDecode, BeforeValidator(_prices)]
ServicePrices = Annotated[dict[str, Decimal], NoDecode, BeforeValidator(_service_prices)]
Money = Annotated[Decimal, BeforeValidator(_money)]


class Settings(TimeSettings, CrmSettings):
    """Every setting; README and .env.example say the same in words."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True
    )

    telegram_bot_token: SecretStr | None = None
    telegram_api_url: str = "https://api.telegram.org"
    operators_chat_id: int | None = None
    operator_ids: str = ""
    admin_ids: Ids = frozenset()
    anthropic_api_key: SecretStr | None = None
    anthropic_base_url: str = ANTHROPIC
    anthropic_model: str = Field("claude-opus-5-5", min_length=1)
    anthropic_strict: bool = True
    anthropic_cache: bool = True
    model_timeout: Some = 120_000
    database_url: str = "sqlite:///data/lead-agent.db"
    max_steps: int = Field(8, ge=1, le=100)
    max_tokens: int = Field(60_000, ge=1, le=1_000_000_000)
    policy_file: Path = POLICY_FILE
    undo_seconds: float = Field(5, ge=0, le=3600, allow_inf_nan=False)
    deny_reason_wait: Milliseconds = 10_000
    language: Language = Language.RU
    company: str = "a software development studio in Almaty"
    company_name: str = ""
    privacy_url: str = ""
    greeting: str = ""
    acknowledgement: str = ""
    reaction: str = "👀"
    burst_quiet: Milliseconds = 3_000
    burst_longest: Milliseconds = 15_000
    group_messages_per_minute: int = Field(20, ge=1)
    private_messages_per_second: int = Field(1, ge=1)
    public_url: str = ""
    telegram_webhook_secret: SecretStr | None = None
    phone_region: str = "KZ"
    model_calls_per_day: int = Field(2_000, ge=0)
    hook_per_minute: int = Field(300, ge=0)
    hook_per_minute_per_address: int = Field(120, ge=0)
    trusted_proxies: Networks = ()
    hook_max_bytes: int = Field(1_000_000, ge=1_000, le=50_000_000)
    http_host: str = "127.0.0.1"
    http_port: int = Field(8080, ge=0, le=65535)
    prices: Prices = Field(default_factory=dict)
    service_prices: ServicePrices = Field(default_factory=dict)
    infra_cost_per_run: Money = Decimal(0)
    log_level: str = "INFO"

    @field_validator("*", mode="before")
    @classmethod
    def _is_plain_text(cls, value: object) -> object:
        return _plain(value)

    @field_validator("telegram_bot_token")
    @classmethod
    def _looks_like_a_token(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not re.fullmatch(r"\d+:[\w-]+", value.get_secret_value(), re.ASCII):
            raise ValueError("this is no bot token: @BotFather gives one like 123456:ABC-DEF")
        return value

    @field_validator("anthropic_api_key")
    @classmethod
    def _fits_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not re.fullmatch(r"[!-~]+", value.get_secret_value()):
            raise ValueError("the key holds spaces, line breaks or other letters: copy it again")
        return value

    @field_validator("telegram_api_url", "anthropic_base_url", "public_url", "privacy_url")
    @classmethod
    def _is_a_url(cls, value: str) -> str:
        if value and not re.fullmatch(r"https?://[^\s/]+(/\S*)?", value):
            raise ValueError("write a URL that begins with http:// or https://")
        return value.rstrip("/")

    @field_validator("database_url")
    @classmethod
    def _is_sqlite(cls, value: str) -> str:
        if not value.startswith("sqlite:///") or value == "sqlite:///":
            raise ValueError("write sqlite:///folder/name.db (four slashes for an absolute path)")
        return value

    @field_validator("operator_ids")
    @classmethod
    def _names_operators(cls, value: str) -> str:
        if value.strip() != MEMBERS:
            _ids(value)
        return value.strip()

    @field_validator("operators_chat_id")
    @classmethod
    def _is_a_group(cls, value: int | None) -> int | None:
        if value is not None and value >= 0:
            raise ValueError(
                "a group's id is negative, like -1001234567890; left out, `lead-agent check` lists groups"
            )
        return value

    @field_validator("phone_region")
    @classmethod
    def _is_a_region(cls, value: str) -> str:
        if value.upper() not in SUPPORTED_REGIONS:
            raise ValueError("write the two letters of a country, like KZ or RU")
        return value.upper()

    @field_validator("log_level")
    @classmethod
    def _is_a_level(cls, value: str) -> str:
        if value.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("write DEBUG, INFO, WARNING or ERROR")
        return value.upper()

    @field_validator("telegram_webhook_secret")
    @classmethod
    def _fits_telegram(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not re.fullmatch(r"[\w-]{16,256}", value.get_secret_value(), re.ASCII):
            raise ValueError("write 16 to 256 letters, digits, _ and - (openssl rand -hex 32)")
        return value

    @classmethod
    def load(cls, **overrides: Any) -> Self:
        """Read the environment and `.env`; SettingsError names every fault."""
        try:
            return cls(**overrides)
        except ValidationError as error:
            raise SettingsError([_fault(item) for item in error.errors()]) from None
        except UnicodeDecodeError:
            raise SettingsError([".env: is no UTF-8 text; save it as UTF-8"]) from None

    @classmethod
    def load_for_serving(cls) -> Self:
        """Like `load`, for a bot that serves: what is wrong and what is missing are named together."""
        try:
            settings = cls.load()
        except SettingsError as error:
            raise SettingsError([*error.faults, *cls._missing_beside(error.faults)]) from None
        return settings.for_serving()

    @classmethod
    def _missing_beside(cls, faults: list[str]) -> list[str]:
        """What is missing, apart from what the faults are about."""
        wrong = {fault.partition(":")[0].lower() for fault in faults} & set(cls.model_fields)
        right = {name: cls.model_fields[name].get_default(call_default_factory=True) for name in wrong}
        try:
            cls.load(**right).for_serving()
        except SettingsError as error:
            return [fault for fault in error.faults if fault.partition(":")[0].lower() not in wrong]
        return []

    def for_serving(self) -> Self:
        """The same settings if the bot can be served with them; SettingsError otherwise.

        Everything that would open a door by being unset is a fault: no allow-list, no webhook secret.
        """
        faults = []
        if self.telegram_bot_token is None:
            faults.append("TELEGRAM_BOT_TOKEN: missing; @BotFather gives one")
        if self.operators_chat_id is None:
            faults.append(
                "OPERATORS_CHAT_ID: missing; `lead-agent check` lists the groups that the bot has heard from"
            )
        if not self.everyone_decides and not self.deciders:
            faults.append(
                "OPERATOR_IDS: missing; user ids of those who may approve, or `members` for the whole group"
            )
        if self.anthropic_api_key is None and self.anthropic_base_url == ANTHROPIC:
            faults.append("ANTHROPIC_API_KEY: missing; make one in the Anthropic console")
        faults += self._policy_faults()
        if self.deciders and not self.everyone_decides and (others := set(self.escalate_to) - self.deciders):
            names = ", ".join(str(id) for id in sorted(others))
            faults.append(f"ESCALATE_TO: {names}: not among those who may decide (OPERATOR_IDS, ADMIN_IDS)")
        if self.public_url and self.telegram_webhook_secret is None:
            faults.append("TELEGRAM_WEBHOOK_SECRET: missing; needed with PUBLIC_URL (openssl rand -hex 32)")
        faults += self.reply_faults()
        faults += self.crm_faults()
        if faults:
            raise SettingsError(faults)
        return self

    def _policy_faults(self) -> list[str]:
        """What is wrong in the policy file, or cannot be met."""
        try:
            policies = self.policy.policies
        except SettingsError as error:
            return error.faults
        operators = None if self.everyone_decides else self.deciders or None  # none is a fault of its own
        faults = policy_file.faults(policies, operators, self.admin_ids)
        return [f"{self.policy_file.name}: {fault}" for fault in faults]

    @property
    def secrets(self) -> dict[str, str]:
        """What must turn up in no log, prompt or journal, by the setting's name."""
        found = ((name.upper(), value) for name, value in self)
        return {name: value.get_secret_value() for name, value in found if isinstance(value, SecretStr)}

    @property
    def database_path(self) -> Path:
        return Path(self.database_url.removeprefix("sqlite:///"))

    def web_url(self, port: int | None = None) -> str:
        """Where the web server is reached; `port`: the one really in use, where HTTP_PORT leaves it open."""
        host = f"[{self.http_host}]" if ":" in self.http_host else self.http_host
        return self.public_url or f"http://{host}:{port or self.http_port}"

    @property
    def everyone_decides(self) -> bool:
        """Whether every identified member of the group may decide."""
        return self.operator_ids == MEMBERS

    @property
    def deciders(self) -> frozenset[int]:
        """User ids that may decide; admins are operators."""
        named = frozenset() if self.everyone_decides else _ids(self.operator_ids)
        assert isinstance(named, frozenset)
        return named | self.admin_ids

    @property
    def tariff(self) -> Tariff:
        return Tariff(models=self.prices, units=self.service_prices, per_run=self.infra_cost_per_run)

    @property
    def limits(self) -> Limits:
        return Limits(max_steps=self.max_steps, max_tokens=self.max_tokens)

    @property
    def policy(self) -> Policy:
        """What the engine has to know; SettingsError for a policy file that says nothing clear."""
        named = "policy_file" in self.model_fields_set
        return Policy(
            approval_ttl=self.approval_ttl,
            undo=round(self.undo_seconds * 1000),
            reason=self.deny_reason_wait,
            admins=self.admin_ids,
            policies=policy_file.load(self.policy_file, required=named),
            reminding=Reminding(
                remind=self.approval_remind, escalate=self.approval_escalate, rounds=len(self.called_on)
            ),
        )

    @property
    def called_on(self) -> list[tuple[int, ...]]:
        """Who is called on when nobody decides, one escalation after another.

        Nobody in particular, which is everybody, where it is not known who may decide.
        """
        named = self.escalate_to or sorted(self.admin_ids)
        return [(id,) for id in named] or [tuple(sorted(self.deciders))]


# Pydantic's own complaints, in the words of the rest.
_PLAIN_WORDS = {
    "bool_parsing": "write on or off, or true or false",
    "int_parsing": "write a whole number",
    "int_parsing_size": "write a smaller number",
    "greater_than_equal": "write at least {ge}",
    "less_than_equal": "write at most {le}",
    "string_too_short": "write something",
    "enum": "write one of: {expected}",
}


def _fault(item: ErrorDetails) -> str:
    """NAME: what is wrong and what to write.  The value is left out: it may be a secret."""
    name = str(item["loc"][0]).upper() if item["loc"] else "settings"
    words = _PLAIN_WORDS.get(item["type"], item["msg"].removeprefix("Value error, "))
    return f"{name}: {words.format(**item.get('ctx', {})) if item['type'] in _PLAIN_WORDS else words}"
