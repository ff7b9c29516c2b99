"""What the person who connects a form is told."""

from pathlib import Path

import pytest

from bot.hooks import Preset, instructions
from bot.settings import Language

URL = "https://bot.example/hooks/site/TOKEN"
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("preset", Preset)
def test_the_steps_name_the_url_and_the_secret(preset: Preset, language: Language) -> None:
    """In both languages, numbered, for every product; braces in a secret are its own."""
    plain = instructions(preset, language, URL, None)
    assert plain.startswith("1. ")
    assert URL in plain
    with_secret = instructions(preset, language, URL, "s{0}")
    if preset is not Preset.WEBFLOW:  # there the secret is the app's, known to who sets it
        assert "s{0}" in with_secret or "?token=s%7B0%7D" in with_secret


def test_the_script_for_google_forms_sends_what_is_read() -> None:
    """The names of its headers and of its shape stand in the script as the reader wants them."""
    script = (ROOT / "docs" / "google-forms.md").read_text(encoding="utf-8").split("```")[1]
    for name in (
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
        "payload:",
        "response:",
        "test: true",
    ):
        assert name in script
