"""What to click in each product, for the person who connects it."""

from bot.hooks.presets import Preset
from bot.settings import Language


def instructions(preset: Preset, language: Language, url: str, secret: str | None) -> str:
    """A few lines: where the URL (and the secret, if any) goes in that product."""
    raise NotImplementedError
