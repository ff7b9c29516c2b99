"""/run, /journal, /pending, /classify, /help: in the operators' group, for operators."""

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from telegram import Message, Update
from telegram.ext import BaseHandler, CallbackContext, CommandHandler, filters

from agent.clock import Clock
from agent.engine import Engine
from agent.errors import NotFound
from agent.journal import Record
from agent.jsontext import dumps
from agent.limits import cost
from agent.outgoing import CardKind, Lane, Note
from agent.records import report
from agent.records.agent import NAME as RECORDS
from agent.runs import Run
from agent.views import ProposalView, RunView
from bot.cards import LIMIT, CardStyle
from bot.gateway import Gateway
from bot.ports import BotStore, BotTransaction
from bot.records import classify
from bot.settings import Settings

LATEST = 10
PENDING = 15
# Letters of a message kept for the line that counts what did not fit.
ROOM_FOR_THE_REST = 200
Context = CallbackContext[Any, Any, Any, Any]


class Commands:
    """Handlers of the group's commands.  Answers go through the outbox: they wait behind decisions."""

    def __init__(
        self,
        *,
        store: BotStore,
        engine: Engine,
        gateway: Gateway,
        settings: Settings,
        style: CardStyle,
        group_id: int,
        clock: Clock,
    ) -> None:
        self._store = store
        self._engine = engine
        self._gateway = gateway
        self._settings = settings
        self._style = style
        self._texts = style.texts
        self._group_id = group_id
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CommandHandler("run", self._on_run, filters=groups),
            CommandHandler("journal", self._on_journal, filters=groups),
            CommandHandler("pending", self._on_pending, filters=groups),
            CommandHandler("classify", self._on_classify, filters=groups),
            CommandHandler(["help", "start"], self._on_help, filters=groups),
            *self._private_handlers(),
        ]

    def _private_handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        """An operator who tries a command in private is told where it works, and becomes no lead."""
        if not self._settings.deciders:
            return []
        operators = filters.User(user_id=self._settings.deciders) & filters.ChatType.PRIVATE
        names = ["run", "journal", "pending", "classify", "help"]
        return [CommandHandler(names, self._on_private, filters=operators & filters.UpdateType.MESSAGE)]

    async def _on_private(self, update: Update, _: Context) -> None:
        if update.message is not None:
            await self._say(update.message, self._texts.only_in_group)

    def _allowed(self, update: Update) -> Message | None:
        """The message if it comes from an operator in the operators' group; others get no answer."""
        message, user = update.message, update.effective_user
        if message is None or user is None or message.chat_id != self._gateway.resolve(self._group_id):
            return None
        if message.sender_chat is not None or user.is_bot:
            return None
        known = self._settings.everyone_decides or user.id in self._settings.deciders
        return message if known else None

    async def _on_help(self, update: Update, _: Context) -> None:
        if message := self._allowed(update):
            await self._say(message, self._texts.help)

    async def _on_run(self, update: Update, context: Context) -> None:
        message = self._allowed(update)
        if message is None:
            return
        if not context.args:
            runs = await self._store.read(lambda tx: tx.views.latest(LATEST))
            await self._say(message, self._list(runs))
        else:
            await self._show(message, context.args[0])

    async def _show(self, message: Message, name: str) -> None:
        try:
            view = await self._store.read(lambda tx: tx.views.run(tx.views.id_of(name)))
        except NotFound:
            await self._say(message, self._unknown(name))
        else:
            await self._say(message, self._run(view))

    async def _on_journal(self, update: Update, context: Context) -> None:
        message = self._allowed(update)
        if message is None:
            return None
        if not context.args:
            return await self._say(message, self._texts.run_usage)
        name = context.args[0]

        def found(tx: BotTransaction) -> tuple[Run, list[Record]]:
            run_id = tx.views.id_of(name)
            return tx.runs.get(run_id), tx.views.journal(run_id)

        try:
            run, records = await self._store.read(found)
        except NotFound:
            return await self._say(message, self._unknown(name))
        return await self._say(message, self._journal(run, records))

    async def _on_classify(self, update: Update, context: Context) -> None:
        """Start a run of the record classifier; without an id it ends as a run without a record_id."""
        message = self._allowed(update)
        if message is None:
            return
        case = context.args[0] if context.args else None
        run = await self._store.transaction(lambda tx: classify(tx, self._engine, case, self._clock()))
        await self._say(message, self._texts.classify_started.format(run=run.run_id))

    async def _on_pending(self, update: Update, _: Context) -> None:
        message = self._allowed(update)
        if message is None:
            return

        def waiting(tx: BotTransaction) -> tuple[int, list[tuple[ProposalView, tuple[int, int] | None]]]:
            shown = tx.views.open_proposals(PENDING)
            links = [tx.cards.link(CardKind.PROPOSAL, item.proposal.id) for item in shown]
            return tx.views.count_open_proposals(), list(zip(shown, links, strict=True))

        count, items = await self._store.read(waiting)
        await self._say(message, self._pending(count, items))

    async def _say(self, message: Message, text: str) -> None:
        id = message.message_id
        note = Note(chat_id=message.chat_id, text=text, lane=Lane.NOTES, reply_to=id, answers=id)
        await self._store.transaction(lambda tx: tx.notes.add(note, self._clock()))

    # --- words

    def _unknown(self, name: str) -> str:
        return self._texts.run_unknown.format(name=escape(name[:40]))

    def _list(self, runs: list[tuple[Run, str]]) -> str:
        if not runs:
            return self._texts.runs_none
        lines = [f"{run.run_id} · {self._texts.statuses[run.status]} · {run.lead_name}" for run, _ in runs]
        return "\n".join([self._texts.runs_title, *lines])

    def _run(self, view: RunView) -> str:
        run, texts = view.run, self._texts
        money = cost(run.usage, view.model, self._settings.prices)
        head = [
            f"<b>{run.run_id}</b> · {texts.statuses[run.status]} · {run.lead_name}",
            f"{escape(view.lead.name)} · {escape(view.lead.phone or view.lead.source)}",
            f"{run.steps}/{run.limits.max_steps} · {run.usage.total}/{run.limits.max_tokens}"
            + (f" · ${money:.4f}" if money is not None else ""),
        ]
        lines = [f"{deal.deal_id} · {deal.service} · {escape(deal.summary)}" for deal in view.deals]
        lines += [f"🙋 {escape(reason)}" for reason in view.escalations]
        for proposal in view.proposals:
            who = f" · {escape(proposal.decided_by.name)}" if proposal.decided_by else ""
            lines.append(f"{proposal.proposal_id} · {proposal.tool} · {texts.states[proposal.state]}{who}")
        tail = [escape(part) for part in (run.text, run.reason) if part]
        if run.result is not None:
            tail = [_code(line) for line in report.object_lines(run.result)]
        return _fitting([*head, *lines, *tail], self._texts.pending_more.format)

    def _journal(self, run: Run, records: list[Record]) -> str:
        name = run.run_id
        title = self._texts.journal_title.format(run=name)
        lines = [_record_line(record) for record in records]
        if run.agent == RECORDS:
            lines = [_code(line) for line in report.lines(run, records)]
        return _fitting([title, *lines], partial(self._texts.journal_rest.format, run=name))

    def _pending(self, count: int, items: list[tuple[ProposalView, tuple[int, int] | None]]) -> str:
        if not items:
            return self._texts.pending_none
        lines = [self._pending_line(shown, link) for shown, link in items]
        title = self._texts.pending_title.format(count=count)
        return _fitting([title, *lines], self._texts.pending_more.format, count - len(items))

    def _pending_line(self, shown: ProposalView, link: tuple[int, int] | None) -> str:
        proposal, name = shown.proposal, escape(shown.view.lead.name[:60])
        label = proposal.proposal_id
        if link and str(link[0]).startswith("-100"):  # only supergroups have links to messages
            label = f'<a href="https://t.me/c/{str(link[0])[4:]}/{link[1]}">{label}</a>'
        when = self._style.time(proposal.created_at)
        return f"{label} · {name} · {self._texts.states[proposal.state]} · {when} · {shown.view.run.run_id}"


def _record_line(record: Record) -> str:
    """One record as the group sees it: 2 tool create_deal ok 1 ms {…}."""
    parts = [str(record.step), record.kind, record.name, record.outcome, f"{record.ms} ms"]
    if record.tokens is not None:
        parts.append(f"{record.tokens} tok")
    if record.note:
        parts.append(f"({record.note})")
    line = " ".join(parts)
    if record.input:
        line += f" {dumps(record.input)}"
    shown = line if len(line) <= 300 else f"{line[:299]}…"
    return _code(shown)


def _code(line: str) -> str:
    return f"<code>{escape(line, quote=False)}</code>"


def _fitting(lines: list[str], more: Callable[..., str], others: int = 0) -> str:
    """As many whole lines as a message takes, then how many more there are, `others` among them."""
    shown, used = 0, ROOM_FOR_THE_REST
    while shown < len(lines) and used + len(lines[shown]) + 1 <= LIMIT:
        used += len(lines[shown]) + 1
        shown += 1
    left = len(lines) - shown + others
    return "\n".join([*lines[:shown], *([more(count=left)] if left else [])])
