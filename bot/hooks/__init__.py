"""Website forms: what each product posts, how it is proven and read.  Pure: bytes in, records out."""

from bot.hooks.authentication import address, authentic, delivery_id
from bot.hooks.instructions import instructions
from bot.hooks.presets import Preset
from bot.hooks.reading import read
from bot.hooks.submission import Submission

__all__ = ["Preset", "Submission", "address", "authentic", "delivery_id", "instructions", "read"]
