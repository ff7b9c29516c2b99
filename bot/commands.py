"""/run, /journal, /pending, /help: in the operators' group, for operators."""

from functools import partial
from html import escape
from typing import Any

from telegram import Message, Update
from telegram.ext import BaseHandler, CallbackContext, CommandHandler, filters

from agent.errors import NotFound
from agent.journal import Record
from agent.jsontext import dumps
from agent.records.agent import NAME as RECORDS
from agent.records.report import lines as record_lines
from agent.records.report import object_lines
from agent.runs import Run
from agent.versions import Versions
from agent.views import RunReport
from bot.cards import CardStyle, fitting
from bot.desk import Desk
from bot.handover import state_of, way
from bot.ports import BotStore, BotTransaction
from bot.settings import Settings

LATEST = 10
Context = CallbackContext[Any, Any, Any, Any]


class Commands:
    """Handlers of the group's commands that read."""

    def __init__(self, *, store: BotStore, desk: Desk, settings: Settings, style: CardStyle) -> None:
        self._store = store
        self._desk = desk
        self._settings = settings
        self._style = style
        self._texts = style.texts

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CommandHandler("run", self._on_run, filters=groups),
            CommandHandler("journal", self._on_journal, filters=groups),
            CommandHandler(["help", "start"], self._on_help, filters=groups),
            *self._private_handlers(),
        ]

    def _private_handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        """An operator who tries a command in private is told where it works, and becomes no lead."""
        if not self._settings.deciders:
            return []
        operators = filters.User(user_id=self._settings.deciders) & filters.ChatType.PRIVATE
        names = [
            "run",
            "journal",
            "pending",
            "classify",
            "help",
            "pause",
            "resume",
            "feedback",
            "audit",
            "rules",
            "spam",
            "notspam",
            "deals",
            "deal",
            "note",
            "merge",
        ]
        return [CommandHandler(names, self._on_private, filters=operators & filters.UpdateType.MESSAGE)]

    async def _on_private(self, update: Update, _: Context) -> None:
        if update.message is not None:
            await self._say(update.message, self._texts.only_in_group)

    def _allowed(self, update: Update) -> Message | None:
        asked = self._desk.asked(update)
        return asked[0] if asked else None

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
            report = await self._store.read(lambda tx: tx.views.report(tx.views.id_of(name)))
        except NotFound:
            await self._say(message, self._unknown(name))
        else:
            await self._say(message, self._run(report))

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

    async def _say(self, message: Message, text: str) -> None:
        await self._desk.answer(message, text)

    # --- words

    def _unknown(self, name: str) -> str:
        return self._texts.run_unknown.format(name=escape(name[:40]))

    def _list(self, runs: list[tuple[Run, str]]) -> str:
        if not runs:
            return self._texts.runs_none
        lines = [f"{run.run_id} · {self._texts.statuses[run.status]} · {run.lead_name}" for run, _ in runs]
        return "\n".join([self._texts.runs_title, *lines])

    def _run(self, report: RunReport) -> str:
        view, texts = report.view, self._texts
        run, money = view.run, report.cost(self._settings.tariff)
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
            by = f" · {channel}" if (channel := way(proposal.route, texts)) else ""
            lines.append(f"{proposal.proposal_id} · {proposal.tool} · {state_of(proposal, texts)}{who}{by}")
        tail = [escape(part) for part in (run.text, run.reason) if part]
        if run.result is not None:
            tail = [_code(line) for line in object_lines(run.result)]
        whole = [*head, *_version_lines(report.versions), *lines, *tail]
        return fitting(whole, self._texts.pending_more.format)

    def _journal(self, run: Run, records: list[Record]) -> str:
        name = run.run_id
        title = self._texts.journal_title.format(run=name)
        lines = [_record_line(record) for record in records]
        if run.agent == RECORDS:
            lines = [_code(line) for line in record_lines(run, records)]
        return fitting([title, *lines], partial(self._texts.journal_rest.format, run=name))


def _version_lines(versions: Versions) -> list[str]:
    """Name and the beginning of the hash of each: model claude-opus-5-5 3f9a12cd."""
    shown = [
        f"{part.replace('_', ' ')} {escape(version.name)} {version.hash[:8]}"
        for part, version in versions.parts()
        if version is not None
    ]
    return [f"<code>{line}</code>" for line in shown]


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
