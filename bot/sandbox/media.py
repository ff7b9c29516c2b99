"""Attachments that people send: as much of each as a bot needs to read it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from bot.sandbox.chats import Json


class MediaKind(StrEnum):
    """What can be attached; the value is the field of Message that holds it."""

    PHOTO = "photo"
    VOICE = "voice"
    DOCUMENT = "document"
    STICKER = "sticker"
    LOCATION = "location"
    VENUE = "venue"
    VIDEO = "video"
    VIDEO_NOTE = "video_note"
    AUDIO = "audio"
    ANIMATION = "animation"
    DICE = "dice"
    POLL = "poll"


_PLACE: Final[Json] = {"latitude": 43.238, "longitude": 76.945}
_SHAPES: Final[dict[MediaKind, Json]] = {
    MediaKind.PHOTO: {"width": 800, "height": 600},
    MediaKind.VOICE: {"duration": 7, "mime_type": "audio/ogg"},
    MediaKind.DOCUMENT: {"file_name": "brief.pdf", "mime_type": "application/pdf"},
    MediaKind.STICKER: {
        "type": "regular",
        "width": 512,
        "height": 512,
        "is_animated": False,
        "is_video": False,
        "emoji": "👍",
    },
    MediaKind.LOCATION: _PLACE,
    MediaKind.VENUE: {"location": _PLACE, "title": "Office", "address": "Abay 1"},
    MediaKind.VIDEO: {"width": 640, "height": 360, "duration": 5},
    MediaKind.VIDEO_NOTE: {"length": 240, "duration": 5},
    MediaKind.AUDIO: {"duration": 7, "mime_type": "audio/ogg"},
    MediaKind.ANIMATION: {"width": 640, "height": 360, "duration": 5},
    MediaKind.DICE: {"emoji": "🎲", "value": 4},
    MediaKind.POLL: {
        "id": "1",
        "question": "Shall we?",
        "options": [{"persistent_id": text, "text": text, "voter_count": 0} for text in ("Yes", "No")],
        "total_voter_count": 0,
        "is_closed": False,
        "is_anonymous": True,
        "type": "regular",
        "allows_multiple_answers": False,
        "allows_revoting": False,
        "members_only": False,
    },
}
# These are no files.
_PLAIN: Final = {MediaKind.LOCATION, MediaKind.VENUE, MediaKind.DICE, MediaKind.POLL}


def media(kind: MediaKind) -> Json:
    """The fields of a message with such an attachment."""
    if kind is MediaKind.PHOTO:
        return {"photo": [_file("photo") | _SHAPES[kind]]}
    if kind in _PLAIN:
        return {kind.value: _SHAPES[kind]}
    return {kind.value: _file(kind.value) | _SHAPES[kind]}


def _file(name: str) -> Json:
    return {"file_id": f"people-{name}", "file_unique_id": f"unique-{name}", "file_size": 2048}
