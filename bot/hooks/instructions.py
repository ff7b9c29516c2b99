"""What to click in each product, for the person who connects it."""

from bot.hooks.authentication import address
from bot.hooks.presets import Preset
from bot.settings import Language
from bot.texts.sources import CLICKS


def instructions(preset: Preset, language: Language, url: str, secret: str | None) -> str:
    """Numbered steps, a line each: where the URL (and the secret, if any) goes in that product."""
    clicks = CLICKS[language][preset]
    steps = [*clicks.steps, *([clicks.proof] if secret and clicks.proof else [])]
    filled = (step.format(url=address(preset, url, secret), secret=secret) for step in steps)
    return "\n".join(f"{number}. {step}" for number, step in enumerate(filled, start=1))
