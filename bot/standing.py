"""Who may decide: asked of the settings, or of Telegram where every member may."""

from enum import Enum, auto

from telegram import Bot, User
from telegram.error import TelegramError

from bot.gateway import Gateway
from bot.settings import Settings
from bot.texts import Texts
from bot.toasts import Toast

# Anonymous admins, channels and Telegram itself press under these ids: nobody in particular.
NOBODY = frozenset({1087968824, 136817688, 777000})
INSIDE = frozenset({"creator", "administrator", "member"})


class Standing(Enum):
    """Whether a person may decide."""

    MAY_DECIDE = auto()
    STRANGER = auto()
    NAMELESS = auto()
    UNKNOWN = auto()


class Deciders:
    """Fails closed: who is not known to be allowed is not."""

    def __init__(self, *, gateway: Gateway, settings: Settings, group_id: int) -> None:
        self._gateway = gateway
        self._settings = settings
        self._group_id = group_id

    async def standing(self, user: User, bot: Bot) -> Standing:
        if user.is_bot or user.id in NOBODY:
            return Standing.NAMELESS
        if user.id in self._settings.deciders:
            return Standing.MAY_DECIDE
        if not self._settings.everyone_decides:
            return Standing.STRANGER
        try:
            group = self._gateway.resolve(self._group_id)
            member = await bot.get_chat_member(group, user.id, read_timeout=5)
        except (TelegramError, KeyError):
            return Standing.UNKNOWN
        inside = member.status in INSIDE or (
            member.status == "restricted" and getattr(member, "is_member", False)
        )
        return Standing.MAY_DECIDE if inside else Standing.STRANGER


def refusal(standing: Standing, texts: Texts) -> Toast | None:
    """What somebody is told who may not decide."""
    match standing:
        case Standing.MAY_DECIDE:
            return None
        case Standing.STRANGER:
            return Toast(text=texts.toast_stranger, alert=True)
        case Standing.NAMELESS:
            return Toast(text=texts.toast_anonymous, alert=True)
        case Standing.UNKNOWN:
            return Toast(text=texts.toast_unreachable, alert=True)
