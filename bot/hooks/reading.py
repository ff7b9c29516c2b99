"""From the body of a request to a Submission."""

from bot.hooks.presets import Preset
from bot.hooks.submission import Submission


def read(preset: Preset, content_type: str | None, body: bytes, *, region: str) -> Submission:
    """What the form told; never raises, whatever the bytes.  `region` reads phones without country code."""
    raise NotImplementedError
