"""/feedback RUN what was expected: an operator's remark, kept with the run it is about."""

from html import escape
from typing import Any

from telegram import Message, Update, User
from telegram.ext import BaseHandler, CallbackContext, CommandHandler, filters

from agent.clock import Clock
from agent.errors import NotFound
from agent.feedback import Feedback
from agent.jsontext import clean
from agent.recordings import recording_of
from bot.desk import Desk, answer_to, person_of
from bot.ports import BotStore, BotTransaction
from bot.texts import Texts

Context = CallbackContext[Any, Any, Any, Any]


class FeedbackDesk:
    """Handler of feedback.  The remark, the run as it stood and the answer are one transaction."""

    def __init__(self, *, store: BotStore, desk: Desk, texts: Texts, clock: Clock) -> None:
        self._store = store
        self._desk = desk
        self._texts = texts
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [CommandHandler("feedback", self._on_feedback, filters=groups)]

    async def _on_feedback(self, update: Update, _: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        message, user = asked
        name, expected = [*(message.text or "").split(maxsplit=2)[1:], "", ""][:2]
        try:
            await self._store.transaction(
                lambda tx: self._answer(tx, message, user, name, str(clean(expected.strip())))
            )
        except NotFound:
            await self._desk.answer(message, self._texts.run_unknown.format(name=escape(name[:40])))

    def _answer(self, tx: BotTransaction, message: Message, user: User, name: str, expected: str) -> None:
        """NotFound if the first word is no run's name."""
        text = self._texts.feedback_usage
        run_id = tx.views.id_of(name) if name else None
        if run_id is not None and expected:
            feedback = self._feedback(tx, user, run_id, expected)
            id = tx.feedback.add(feedback, chat_id=message.chat_id, message_id=message.message_id)
            text = self._texts.feedback_stored.format(note=id, run=tx.runs.get(run_id).run_id)
        tx.notes.add(answer_to(message, text), self._clock())

    def _feedback(self, tx: BotTransaction, user: User, run_id: int, expected: str) -> Feedback:
        report = tx.views.report(run_id)
        recording = recording_of(report, tx.runs.transcript(report.view.run))
        return Feedback(
            run_id=run_id,
            expected=expected,
            input=recording.input,
            result=recording.result,
            versions=report.versions.as_json(),
            by=person_of(user),
            at=self._clock(),
        )
