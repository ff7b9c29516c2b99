"""Words for people, by language."""

from bot.settings import Language
from bot.texts import en, kk, ru
from bot.texts.catalogue import LeadTexts, Texts

__all__ = ["LeadTexts", "Texts", "lead_texts", "texts"]

_TEXTS = {Language.RU: ru.TEXTS, Language.EN: en.TEXTS}
_LEAD_TEXTS = {"ru": ru.LEAD, "en": en.LEAD, "kk": kk.LEAD}


def texts(language: Language) -> Texts:
    """The operators' catalogue."""
    return _TEXTS[language]


def lead_texts(language_code: str | None, default: Language) -> LeadTexts:
    """The lead's catalogue by the language of their Telegram ("kk", "en-GB"), else the company's."""
    primary = (language_code or "").split("-")[0].lower()
    return _LEAD_TEXTS.get(primary, _LEAD_TEXTS[default.value])
