"""/feedback RUN what was expected: an operator's remark, kept with the run it is about."""

from html import escape
from typing import Any

from telegram import Message, Update, User
from telegram.ext import BaseHandler, CallbackContext, CommandHandler, filters

from agent.clock import Clock
from agent.errors import NotFound
from agent.feedback import Feedback
from agent.jsontext import clean, one_line
from agent.recordings import recording_of
from agent.runs import Person, Run
from bot.desk import Desk, answer_to
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
        run_id = Run.id_of(name)
        if name and run_id is None:
            await self._desk.answer(message, self._unknown(name))
        elif run_id is None or not expected.strip():
            await self._desk.answer(message, self._texts.feedback_usage)
        else:
            await self._keep(message, user, run_id, str(clean(expected.strip())))

    async def _keep(self, message: Message, user: User, run_id: int, expected: str) -> None:
        def keep(tx: BotTransaction) -> None:
            feedback = self._feedback(tx, user, run_id, expected)
            id = tx.feedback.add(feedback, chat_id=message.chat_id, message_id=message.message_id)
            text = self._texts.feedback_stored.format(note=id, run=Run.name_of(run_id))
            tx.notes.add(answer_to(message, text), feedback.at)

        try:
            await self._store.transaction(keep)
        except NotFound:
            await self._desk.answer(message, self._unknown(Run.name_of(run_id)))

    def _feedback(self, tx: BotTransaction, user: User, run_id: int, expected: str) -> Feedback:
        report = tx.views.report(run_id)
        recording = recording_of(report, tx.runs.transcript(report.view.run))
        return Feedback(
            run_id=run_id,
            expected=expected,
            input=recording.input,
            result=recording.result,
            versions=report.versions.as_json(),
            by=Person(id=user.id, name=one_line(user.full_name)),
            at=self._clock(),
        )

    def _unknown(self, name: str) -> str:
        return self._texts.run_unknown.format(name=escape(name[:40]))
