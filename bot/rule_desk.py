"""Presses on the cards of rules, and /rules."""

import re
from typing import Any

from telegram import CallbackQuery, Update
from telegram.ext import BaseHandler, CallbackQueryHandler, CommandHandler, filters

from agent.engine import Engine
from agent.outgoing import CardKind
from agent.rulebook import RuleAnswer
from agent.rules import Rule, RuleRefusal
from agent.runs import Person
from bot.cards import CardStyle, fitting, linked
from bot.desk import Desk
from bot.ports import BotStore, BotTransaction
from bot.presses import Context, Presses
from bot.rule_card import CODES, PREFIX, rule_line
from bot.toasts import Toast

_PRESS = re.compile(rf"{PREFIX}:(?P<code>[adre]):(?P<token>[\w-]{{1,40}})\Z", re.ASCII)
_VERDICTS = {code: verdict for verdict, code in CODES.items()}


class RuleDesk:
    """Handlers; who may decide on a rule is for agent.rulebook to say."""

    def __init__(
        self, *, store: BotStore, engine: Engine, desk: Desk, presses: Presses, style: CardStyle
    ) -> None:
        self._store = store
        self._engine = engine
        self._desk = desk
        self._presses = presses
        self._style = style

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CallbackQueryHandler(self._on_press, pattern=_PRESS),
            CommandHandler("rules", self._on_rules, filters=groups),
        ]

    async def _on_press(self, update: Update, context: Context) -> None:
        query = update.callback_query
        assert query
        await self._presses.answer(update, context, lambda tx, person: self._press(tx, query, person))

    def _press(self, tx: BotTransaction, query: CallbackQuery, person: Person) -> Toast:
        """Whoever has the token has seen the card as it is: it is 128 random bits, new with every state."""
        match = _PRESS.fullmatch(query.data or "")
        elsewhere = query.message is not None and not self._desk.is_group(query.message.chat.id)
        if match is None or elsewhere:
            return Toast(text=self._style.texts.toast_outdated, alert=True)
        return self._told(self._engine.rules.decide(tx, match["token"], _VERDICTS[match["code"]], person))

    def _told(self, answer: RuleAnswer) -> Toast:
        texts = self._style.texts
        match answer.refusal:
            case None:
                return Toast(text=texts.rules.toasts[answer.verdict])
            case RuleRefusal.NO_ADMINS:
                return Toast(text=texts.rules.toast_nobody_may, alert=True)
            case RuleRefusal.NOT_ADMIN:
                return Toast(text=texts.rules.toast_not_admin, alert=True)
            case RuleRefusal.OUTDATED:
                return Toast(text=texts.toast_outdated, alert=True)

    async def _on_rules(self, update: Update, _: Context) -> None:
        if (asked := self._desk.asked(update)) is not None:
            await self._desk.answer(asked[0], await self._store.read(self._list))

    def _list(self, tx: BotTransaction) -> str:
        """Those that are open first, newest first."""
        texts, uses = self._style.texts, tx.rules.uses()
        rules = sorted(tx.rules.all(), key=lambda rule: (rule.state.over, -rule.id))
        if not rules:
            return texts.rules.none
        lines = [self._line(tx, rule, uses.get(rule.id, 0)) for rule in rules]
        return fitting([texts.rules.title, *lines], texts.pending_more.format)

    def _line(self, tx: BotTransaction, rule: Rule, uses: int) -> str:
        line, message = rule_line(rule, uses, self._style), tx.cards.link(CardKind.RULE, rule.id)
        return line.replace(rule.rule_id, linked(rule.rule_id, message), 1)
