"""/classify R-001: a run of the record classifier, started in the operators' group."""

from typing import Any

from telegram import Update
from telegram.ext import BaseHandler, CallbackContext, CommandHandler, filters

from agent.clock import Clock
from agent.engine import Engine
from bot.desk import Desk, answer_to
from bot.ports import BotStore, BotTransaction
from bot.records import classify
from bot.texts import Texts

Context = CallbackContext[Any, Any, Any, Any]


class RecordDesk:
    """Handler of classify.  The run and the answer are one transaction."""

    def __init__(self, *, store: BotStore, engine: Engine, desk: Desk, texts: Texts, clock: Clock) -> None:
        self._store = store
        self._engine = engine
        self._desk = desk
        self._texts = texts
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [CommandHandler("classify", self._on_classify, filters=groups)]

    async def _on_classify(self, update: Update, context: Context) -> None:
        """Without an id the run ends as one without a record_id."""
        asked = self._desk.asked(update)
        if asked is None:
            return
        message, _ = asked
        case = context.args[0] if context.args else None

        def start(tx: BotTransaction) -> None:
            run = classify(tx, self._engine, case, self._clock())
            text = self._texts.classify_started.format(run=run.run_id)
            tx.notes.add(answer_to(message, text), self._clock())

        await self._store.transaction(start)
