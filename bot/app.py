"""The wiring: settings in, a serving bot out.  With the commands, all that knows the storage."""

import asyncio
import logging
import os
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import cache, partial
from typing import Any

import httpx
from telegram import Bot
from telegram.error import InvalidToken, TelegramError
from telegram.ext import Application, ApplicationBuilder
from telegram.request import HTTPXRequest

from agent.claude import Claude, ClaudeSettings
from agent.clock import Clock, now
from agent.engine import Engine
from agent.errors import SettingsError, StorageError
from agent.journal import Record
from agent.jsontext import dumps
from bot import contact_commands, event_commands, source_commands, web
from bot.agents import agents_of
from bot.approvals import Approvals
from bot.audit_desk import AuditDesk
from bot.cards import CardStyle
from bot.channels import channels_of
from bot.commands import Commands
from bot.control import Control
from bot.crm import bitrix24_of
from bot.crm.sync import CrmSync
from bot.deal_desk import DealDesk
from bot.deliveries import Deliveries
from bot.desk import Desk
from bot.digest_desk import DigestDesk
from bot.edits import Edits
from bot.feedback import FeedbackDesk
from bot.gateway import Gateway
from bot.groups import Groups
from bot.hook_inbox import HookInbox
from bot.hook_routes import HookRoutes
from bot.intake import ALLOWED_UPDATES, Heartbeat, Inbox, Poller
from bot.leads import Leads
from bot.limiter import Limiter
from bot.merge_desk import MergeDesk
from bot.outbox import Outbox
from bot.pages import Pages
from bot.pinned import Pinned
from bot.presses import Presses
from bot.reception import Reception
from bot.record_desk import RecordDesk
from bot.reminders import Reminders
from bot.rule_desk import RuleDesk
from bot.settings import Settings
from bot.standing import Deciders
from bot.stopping import Stopping
from bot.talks import Talks
from bot.texts import texts
from bot.topics import Topics
from bot.worker import Worker
from storage.commit import Commit
from storage.store import SqliteStore

log = logging.getLogger(__name__)
journal = logging.getLogger("journal")

# Longer than one long poll and its answer.
SILENCE_MS = 90_000
SECONDS_BEFORE_WARM_UP = 1.0
OPERATIONS = (*source_commands.OPERATIONS, *event_commands.OPERATIONS, *contact_commands.OPERATIONS)
OnRecord = Callable[[Record], None]


def log_record(record: Record) -> None:
    """A line of the journal in the log, without the words of any person."""
    line = {key: value for key, value in record.as_json().items() if key not in ("input", "note")}
    journal.info("%s %s", record.run_id, dumps(line))


@asynccontextmanager
async def serving(
    settings: Settings, on_record: OnRecord = log_record, clock: Clock = now
) -> AsyncIterator["App"]:
    """Serve while the block runs; `on_record` is called with every journal record once it is committed.

    Raises SettingsError or StorageError before anything is taken in.
    """
    settings.for_serving()
    os.environ["PTB_TIMEDELTA"] = "true"  # python-telegram-bot warns of each retry_after otherwise
    listener = web.listen(settings.http_host, settings.http_port)
    try:
        async with SqliteStore(settings.database_path) as store:
            migrations = await store.read(lambda tx: tx.chats.migrations())
            await store.transaction(lambda tx: tx.crm_outbox.connect(settings.crm))
            app = App(settings, store, listener, migrations=migrations, on_record=on_record, clock=clock)
            try:
                app.open()
                await app.connect()
                await app.read_policy()
                app.start()
                yield app
            finally:
                await app.stop()
    finally:
        listener.close()


class App:
    """All parts of a serving bot."""

    def __init__(
        self,
        settings: Settings,
        store: SqliteStore,
        listener: socket.socket,
        *,
        migrations: dict[int, int],
        on_record: OnRecord,
        clock: Clock,
    ) -> None:
        assert settings.telegram_bot_token is not None
        assert settings.operators_chat_id is not None
        self._settings = settings
        self.store = store
        self._clock = clock
        group_id = settings.operators_chat_id
        words = texts(settings.language)
        style = CardStyle(texts=words, zone=settings.zone, topics=settings.lead_topics)

        self._bot = telegram_of(settings)
        self._polling = _request(2)
        self._application = _application(self._bot)
        limiter = Limiter(
            group_per_minute=settings.group_messages_per_minute,
            private_per_second=settings.private_messages_per_second,
        )
        self._gateway = gateway = Gateway(self._bot, limiter, migrations, self._migrated)
        self.claude = claude_of(settings)
        self._engine = engine = Engine(
            store=store,
            model=self.claude,
            agents=agents_of(settings, channels_of(settings, gateway, clock)),
            clock=clock,
            policy=settings.policy,
        )
        talks = Talks(
            engine=engine,
            gateway=gateway,
            texts=words,
            group_id=group_id,
            clock=clock,
            topics=settings.lead_topics,
        )
        reception = Reception(engine=engine, pass_on=talks.pass_on, settings=settings, clock=clock)
        leads = Leads(
            store=store, reception=reception, gateway=gateway, talks=talks, settings=settings, clock=clock
        )
        deciders = Deciders(gateway=gateway, settings=settings, group_id=group_id)
        desk = Desk(store=store, gateway=gateway, settings=settings, group_id=group_id, clock=clock)
        presses = Presses(store=store, desk=desk, gateway=gateway, deciders=deciders, texts=words)
        approvals = Approvals(
            engine=engine,
            gateway=gateway,
            presses=presses,
            texts=words,
            group_id=group_id,
            talks=talks,
            clock=clock,
        )
        classifier = RecordDesk(store=store, engine=engine, desk=desk, texts=words, clock=clock)
        stopping = Stopping(
            store=store, engine=engine, desk=desk, settings=settings, style=style, clock=clock
        )
        audit = AuditDesk(store=store, desk=desk, style=style)
        edits = Edits(store=store, engine=engine, desk=desk, talks=talks, texts=words, clock=clock)
        feedback = FeedbackDesk(store=store, desk=desk, texts=words, clock=clock)
        digests = DigestDesk(
            store=store,
            reception=reception,
            presses=presses,
            desk=desk,
            texts=words,
            clock=clock,
        )
        self._pinned = Pinned(
            store=store, gateway=gateway, group_id=group_id, style=style, clock=clock, on=settings.pinned
        )
        topics = Topics(store=store, gateway=gateway, group_id=group_id, clock=clock, on=settings.lead_topics)
        # The first that takes an update has it: the buttons of other cards before all others.
        for part in (
            digests,
            MergeDesk(store=store, desk=desk, presses=presses, texts=words, clock=clock),
            DealDesk(store=store, desk=desk, presses=presses, style=style, clock=clock),
            RuleDesk(store=store, engine=engine, desk=desk, presses=presses, style=style),
            Pages(store=store, desk=desk, deciders=deciders, gateway=gateway, style=style, clock=clock),
            approvals,
            Commands(store=store, desk=desk, settings=settings, style=style),
            classifier,
            stopping,
            feedback,
            audit,
            edits,
            self._pinned,
            topics,
            leads,
            Groups(gateway=gateway, group_id=group_id, on_rights=(self._pinned.learn, topics.learn)),
        ):
            self._application.add_handlers(part.handlers())

        self._inbox = Inbox(
            store=store, application=self._application, group_id=group_id, texts=words, clock=clock
        )
        self._heartbeat = Heartbeat(store, clock)
        self._poller = Poller(
            bot=self._bot, request=self._polling, inbox=self._inbox, heartbeat=self._heartbeat, clock=clock
        )
        self._reminders = Reminders(
            reminding=engine.policy.reminding,
            settings=settings,
            gateway=gateway,
            group_id=group_id,
            style=style,
            clock=clock,
        )
        self._worker = Worker(
            store=store,
            engine=engine,
            close_bursts=leads.close_bursts,
            release=reception.release,
            remind=self._reminders.remind,
            clock=clock,
        )
        self._outbox = Outbox(
            store=store,
            gateway=gateway,
            group_id=group_id,
            style=style,
            topics=topics,
            quiet=settings.quiet,
            policy=engine.policy,
            clock=clock,
        )
        self._deliveries = Deliveries(store=store, clock=clock)
        self._crm = CrmSync(
            store=store, crm=partial(bitrix24_of, settings), style=style, group_id=group_id, clock=clock
        )
        self._hooks = HookInbox(
            store=store,
            reception=reception,
            region=settings.phone_region,
            group_id=group_id,
            texts=words,
            clock=clock,
        )
        secret = settings.telegram_webhook_secret if settings.public_url else None
        routes = web.application(
            faults=self.faults,
            receive=self._inbox.receive,
            webhook_secret=secret.get_secret_value() if secret else None,
            others=HookRoutes(store=store, settings=settings, clock=clock).routes(),
        )
        self.web = web.WebServer(routes, listener)
        self._control = Control(
            store=store, operations=OPERATIONS, database=settings.database_path, url=self._url
        )
        self._doors: asyncio.Task[None] | None = None
        self._task: asyncio.Task[None] | None = None
        self._unmet: str | None = None
        self._dead: str | None = None
        self._unset: str | None = None
        store.subscribe(_showing(on_record))

    def open(self) -> None:
        """Take in what forms post and commands ask, whether or not Telegram can be reached yet."""
        self._doors = asyncio.create_task(self._answer())
        log.info("listening on http://%s:%d", self._settings.http_host, self.web.port)

    async def _answer(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.web.run())
            group.create_task(self._control.run())

    def _url(self) -> str:
        return self._settings.web_url(self.web.port)

    async def connect(self) -> None:
        """Meet Telegram.  A wrong token ends the start; an unreachable Telegram only delays it."""
        delay = 1.0
        while True:
            try:
                await self._application.initialize()
            except InvalidToken as error:
                raise SettingsError(["TELEGRAM_BOT_TOKEN: Telegram does not know this token"]) from error
            except (TelegramError, KeyError) as error:
                self._unmet = f"Telegram cannot be reached ({type(error).__name__})"
                log.error("%s; trying again", self._unmet)
                await asyncio.sleep(delay)
                delay = min(delay * 2, 30.0)
            else:
                await self._own()
                self._unmet = None
                log.info("serving as @%s", self._bot.username)
                return

    async def _own(self) -> None:
        """Refuse to serve on the rows of another bot, whose messages would pass for ones seen before."""
        if not await self.store.transaction(lambda tx: tx.inbox.belongs_to(self._bot.id)):
            raise SettingsError(
                ["DATABASE_URL: this database belongs to another bot; with another token take another file"]
            )

    async def read_policy(self) -> None:
        """Put the rules that the policy file names before the admins."""
        await self.store.transaction(self._engine.rules.read_policy)

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def until(self, stop: asyncio.Event) -> None:
        """Wait for `stop`; raises what ended the bot if it ended by itself."""
        assert self._task is not None
        stopping = asyncio.create_task(stop.wait())
        done, _ = await asyncio.wait({stopping, self._task}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if self._task in done:
            await self._task

    async def stop(self) -> None:
        """Stop taking in; what is being sent gets its outcome stored.  All is closed, whatever fails."""
        async with AsyncExitStack() as closing:  # from the last to the first
            closing.push_async_callback(self.claude.close)
            closing.push_async_callback(self._polling.shutdown)
            closing.push_async_callback(self._bot.shutdown)  # the application may not know it yet
            closing.push_async_callback(self._disconnect)
            closing.push_async_callback(self._gateway.close)
            closing.push_async_callback(self._close_doors)
            if self._task is not None:
                self._task.cancel()
                with suppress(asyncio.CancelledError):
                    await self._task

    async def _close_doors(self) -> None:
        if self._doors is not None:
            self._doors.cancel()
            await asyncio.wait({self._doors})

    async def _disconnect(self) -> None:
        with suppress(TelegramError):
            await self._application.shutdown()

    async def _run(self) -> None:
        """Until cancelled.  A part that ends is a bug: everything stops, and the service manager restarts."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._take_in())
                group.create_task(self._inbox.run())
                group.create_task(self._worker.run())
                group.create_task(self._outbox.run())
                group.create_task(self._pinned.run())
                group.create_task(self._deliveries.run())
                group.create_task(self._crm.run())
                group.create_task(self._hooks.run())
                group.create_task(self._warm_up())
                group.create_task(self._reminders.learn_names(self._bot))
                group.create_task(self._keep_open())
        except* Exception as errors:
            self._dead = f"a part of the bot ended ({type(errors.exceptions[0]).__name__})"
            log.critical("the bot stops: %s", self._dead, exc_info=errors)
            raise

    async def _keep_open(self) -> None:
        """A server that ends is a part that ends."""
        assert self._doors is not None
        await asyncio.shield(self._doors)

    async def _take_in(self) -> None:
        """Updates by webhook where PUBLIC_URL is set, else by long polling."""
        settings = self._settings
        if not settings.public_url:
            await self._poller.run()
        assert settings.telegram_webhook_secret is not None
        while True:
            try:
                await self._bot.set_webhook(
                    settings.public_url + web.WEBHOOK_PATH,
                    secret_token=settings.telegram_webhook_secret.get_secret_value(),
                    allowed_updates=ALLOWED_UPDATES,
                )
            except (TelegramError, KeyError) as error:
                self._unset = f"the webhook cannot be set ({type(error).__name__}); trying again"
                log.error("%s", self._unset)
                await asyncio.sleep(10)
            else:
                self._unset = None
                await self._heartbeat.keep()

    async def _warm_up(self) -> None:
        """Import the SDK off the event loop, and not while the first poll is being made."""
        await asyncio.sleep(SECONDS_BEFORE_WARM_UP)
        await self.claude.warm_up()

    async def _migrated(self, old_id: int, new_id: int) -> None:
        """Store a group's new id; its cards are posted anew there, since the old messages stay behind."""

        def follow(tx: Any) -> None:
            tx.chats.migrated(old_id, new_id)
            tx.cards.repost_open()

        await self.store.transaction(follow)

    async def faults(self) -> list[str]:
        """What does not move, for /healthz."""
        polls = not self._settings.public_url
        heard = max(self._poller.last_success, self._poller.started)
        silent = polls and self._clock() - heard > SILENCE_MS
        found = [self._dead, self._unmet, self._unset, self._poller.fault, self._outbox.fault]
        if silent and self._poller.fault is None:
            found.append("Telegram has given no answer for too long")
        try:
            await self.store.transaction(lambda tx: None, durable=False)
        except StorageError as error:
            found.append(str(error))
        return [fault for fault in found if fault]


def _showing(on_record: OnRecord) -> Callable[[Commit], None]:
    def show(commit: Commit) -> None:
        for record in commit.records:
            on_record(record)

    return show


@cache
def _tls() -> ssl.SSLContext:
    """Loaded once: nothing at the start takes longer than the certificates."""
    return httpx.create_ssl_context()


def _request(connections: int, *, read_timeout: float = 5.0) -> HTTPXRequest:
    return HTTPXRequest(
        connection_pool_size=connections,
        connect_timeout=10.0,
        pool_timeout=10.0,
        read_timeout=read_timeout,
        httpx_kwargs={"verify": _tls()},
    )


def telegram_of(settings: Settings) -> Bot:
    assert settings.telegram_bot_token is not None
    root = settings.telegram_api_url
    return Bot(
        settings.telegram_bot_token.get_secret_value(),
        base_url=f"{root}/bot",
        base_file_url=f"{root}/file/bot",
        request=_request(16, read_timeout=30.0),
        get_updates_request=_request(1),
    )


def _application(bot: Bot) -> Application[Any, Any, Any, Any, Any, Any]:
    """python-telegram-bot's dispatching of updates, without its updater, which would lose leads."""
    return ApplicationBuilder().bot(bot).updater(None).job_queue(None).concurrent_updates(False).build()


def claude_of(settings: Settings) -> Claude:
    key = settings.anthropic_api_key
    return Claude(
        ClaudeSettings(
            api_key=key.get_secret_value() if key else None,
            base_url=settings.anthropic_base_url,
            timeout=settings.model_timeout / 1000,
            strict=settings.anthropic_strict,
            cache=settings.anthropic_cache,
        )
    )
