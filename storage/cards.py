"""Rows of cards and notes: what the group and the leads have yet to be shown."""

import json

from agent.jsontext import dumps
from agent.outgoing import Card, CardKind, CardMessage, Detour, Lane, Note, Posted, Question
from storage.commit import Wakes
from storage.pauses import Pauses
from storage.sql import Row, Sql


def card_of(row: Row) -> Card:
    return Card(
        id=row["id"],
        kind=CardKind(row["kind"]),
        subject=row["subject"],
        lane=Lane(row["lane"]),
        version=row["version"],
        attempts=row["attempts"],
        maybe_posted=bool(row["maybe_posted"]),
        document_id=row["document_id"],
        detour=Detour(row["detour"]) if row["detour"] else None,
    )


class Cards:
    """A card is dirty until every message that shows it shows its present version."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes

    def touch(self, kind: CardKind, subject: int, *, not_before: int = 0) -> None:
        """Something that the card shows has changed.  New cards queue behind edits that tell of decisions."""
        self._sql.run(
            "touch_card",
            kind=kind,
            subject=subject,
            lane=Lane.CARDS,
            edit_lane=Lane.DECISIONS,
            not_before=not_before,
        )
        self._wakes.commit.outgoing = True

    def touch_if_shown(self, kind: CardKind, subject: int) -> None:
        if self._sql.run("touch_card_if_shown", kind=kind, subject=subject):
            self._wakes.commit.outgoing = True

    def dirty(self, at: int, lane: Lane, limit: int) -> list[Card]:
        return [card_of(row) for row in self._sql.all("dirty_cards", at=at, lane=lane, limit=limit)]

    def get(self, id: int) -> Card:
        return card_of(self._sql.one("card", id=id))

    def of(self, kind: CardKind, subject: int) -> Card | None:
        row = self._sql.maybe("card_of", kind=kind, subject=subject)
        return card_of(row) if row else None

    def of_message(self, chat_id: int, message_id: int) -> Card | None:
        row = self._sql.maybe("card_of_message", chat_id=chat_id, message_id=message_id)
        return card_of(row) if row else None

    def messages(self, card: Card) -> list[CardMessage]:
        return [
            CardMessage(
                chat_id=row["chat_id"],
                message_id=row["message_id"],
                thread_id=row["thread_id"],
                shown=row["shown"],
                retired=bool(row["retired"]),
            )
            for row in self._sql.all("card_messages", card_id=card.id)
        ]

    def link(self, kind: CardKind, subject: int) -> Posted | None:
        """The message that shows the card now."""
        row = self._sql.maybe("message_of_card", kind=kind, subject=subject)
        return _posted(row) if row else None

    def message(self, chat_id: int, message_id: int) -> Posted | None:
        """That message, if it shows a card."""
        row = self._sql.maybe("card_message", chat_id=chat_id, message_id=message_id)
        return _posted(row) if row else None

    def add_message(self, card: Card, message: Posted, *, shown: int) -> None:
        self._sql.run(
            "add_card_message",
            chat_id=message.chat_id,
            message_id=message.message_id,
            thread_id=message.thread_id,
            card_id=card.id,
            shown=shown,
        )
        self._wakes.commit.outgoing = True

    def adopt(self, card: Card, message: Posted) -> None:
        """A message turned out to show the card: keep it true from now on too."""
        self.add_message(card, message, shown=0)
        self.touch(card.kind, card.subject)

    def shown(self, message: CardMessage, version: int) -> None:
        self._sql.run(
            "show_card_message", chat_id=message.chat_id, message_id=message.message_id, shown=version
        )

    def forget_message(self, chat_id: int, message_id: int) -> None:
        """Somebody deleted it, and perhaps the file above it, too."""
        self._sql.run("forget_card_document", chat_id=chat_id, message_id=message_id)
        self._sql.run("forget_card_message", chat_id=chat_id, message_id=message_id)

    def clean(self, card: Card) -> None:
        """All messages show `card.version`; nothing happens if it has changed since."""
        self._sql.run("clean_card", id=card.id, version=card.version)

    def delay(self, card: Card, not_before: int, error: str, *, maybe_posted: bool = False) -> None:
        self._sql.run("delay_card", id=card.id, not_before=not_before, error=error, maybe_posted=maybe_posted)

    def set_document(self, card: Card, message_id: int) -> None:
        """The file with the full text of this version of the card."""
        self._sql.run("set_card_document", id=card.id, version=card.version, document_id=message_id)

    def set_detour(self, card: Card, detour: Detour | None) -> None:
        """Why it is going to be posted in General; None where it goes where it belongs."""
        self._sql.run("set_card_detour", id=card.id, detour=detour)

    def outdate_document(self, kind: CardKind, subject: int) -> None:
        """Another text leaves than the file has."""
        self._sql.run("outdate_card_document", kind=kind, subject=subject)

    def leave_behind(self, card: Card) -> None:
        """The card is going to be posted anew; its messages so far only say so."""
        self._sql.run("retire_card_messages", card_id=card.id)

    def repost(self, kind: CardKind, subject: int) -> None:
        """Post a card; anew, further down, if it is in the group already."""
        if (card := self.of(kind, subject)) is not None:
            self.leave_behind(card)
        self.touch(kind, subject)

    def repost_open(self) -> int:
        """Post every card that still waits for people anew, further down; how many there were."""
        rows = self._sql.all("repost_open_cards")
        for row in rows:
            self._sql.run("retire_card_messages", card_id=row["id"])
        self._wakes.commit.outgoing = True
        return len(rows)

    def recover(self) -> None:
        """At start: what was being posted when the program stopped may be there or not."""
        self._sql.run("unposted_cards_maybe_posted")


def _posted(row: Row) -> Posted:
    return Posted(chat_id=row["chat_id"], message_id=row["message_id"], thread_id=row["thread_id"])


def _question(row: Row) -> Question | None:
    if row["asks_about"] is None:
        return None
    return Question(proposal_id=row["asks_about"], token=row["asks_token"])


class Notes:
    """Plain outgoing messages.  Those to leads wait while the manual stop is on."""

    def __init__(self, sql: Sql, wakes: Wakes, pauses: Pauses) -> None:
        self._sql = sql
        self._wakes = wakes
        self._pauses = pauses

    def add(self, note: Note, at: int) -> None:
        self._sql.run(
            "add_note",
            lane=note.lane,
            chat_id=note.chat_id,
            reply_to=note.reply_to,
            answers=note.answers,
            text=note.text,
            share_phone=note.share_phone,
            asks_about=note.question.proposal_id if note.question else None,
            asks_token=note.question.token if note.question else None,
            talks_with=note.talks_with,
            relayed_from=note.relayed_from,
            buttons=dumps(note.buttons) if note.buttons else None,
            silent=note.silent,
            once=note.once,
            at=at,
        )
        self._wakes.commit.outgoing = True

    def new(self, at: int, lane: Lane, limit: int) -> list[Note]:
        return [
            Note(
                id=row["id"],
                lane=Lane(row["lane"]),
                chat_id=row["chat_id"],
                reply_to=row["reply_to"],
                text=row["text"],
                share_phone=row["share_phone"],
                question=_question(row),
                talks_with=row["talks_with"],
                relayed_from=row["relayed_from"],
                buttons=tuple((label, data) for label, data in json.loads(row["buttons"] or "[]")),
                silent=bool(row["silent"]),
                once=bool(row["once"]),
                attempts=row["attempts"],
            )
            for row in self._sql.all("new_notes", at=at, lane=lane, limit=limit, paused=self._paused)
        ]

    def question(self, chat_id: int, message_id: int) -> Question | None:
        """What that message asked a person for."""
        row = self._sql.maybe("question", chat_id=chat_id, message_id=message_id)
        return _question(row) if row else None

    def talks_with(self, chat_id: int, message_id: int) -> int | None:
        """The contact whose words that message passed on."""
        row = self._sql.maybe("talks_with", chat_id=chat_id, message_id=message_id)
        return int(row["talks_with"]) if row else None

    @property
    def _paused(self) -> bool:
        return self._pauses.holding is not None

    def begin(self, note: Note) -> bool:
        """Whether it may leave; it may be on its way from here on."""
        return self._sql.run("begin_note", id=note.id, paused=self._paused) > 0

    def sent(self, note: Note, message_id: int) -> None:
        self._sql.run("end_note", id=note.id, state="sent", message_id=message_id, error=None)

    def failed(self, note: Note, error: str) -> None:
        self._sql.run("end_note", id=note.id, state="failed", message_id=None, error=error)

    def lost(self, note: Note, error: str) -> None:
        self._sql.run("end_note", id=note.id, state="lost", message_id=None, error=error)

    def detach(self, note: Note) -> None:
        """Send it without the message that it replied to, which is gone."""
        self._sql.run("detach_note", id=note.id)
        self._wakes.commit.outgoing = True

    def delay(self, note: Note, not_before: int, error: str) -> None:
        self._sql.run("delay_note", id=note.id, not_before=not_before, error=error)

    def recover(self) -> None:
        """At start: what was being sent to a lead is not sent again, the rest is."""
        self._sql.run("recover_notes")


class Chats:
    """Groups that became supergroups."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def migrated(self, old_id: int, new_id: int) -> None:
        self._sql.run("migrate_chat", old_id=old_id, new_id=new_id)

    def migrations(self) -> dict[int, int]:
        return {row["old_id"]: row["new_id"] for row in self._sql.all("migrated_chats")}
