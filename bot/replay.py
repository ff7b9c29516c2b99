"""`lead-agent replay RUN`: the same input again with today's prompt, model and tools, dry.

Works on a store of its own that is gone afterwards.  What the run was told by tools and people is read back;
nothing is sent anywhere but the model, and nothing of the company is changed.
"""

import asyncio
import json
import tempfile
from dataclasses import asdict, dataclass, replace
from itertools import count
from pathlib import Path

from agent.channels import ChannelKind, Letter, Route
from agent.clock import now
from agent.contacts import Contact
from agent.errors import LeadAgentError, NotSent, SettingsError
from agent.jsontext import JsonObject
from agent.playback import Difference, Player, differences
from agent.recordings import Recording, recording_of
from agent.runs import Lead, RunStatus
from agent.views import RunReport
from bot.agents import agents_of
from bot.app import claude_of
from bot.reports import say
from bot.settings import ANTHROPIC, Settings
from storage.store import SqliteStore, open_reader
from storage.transaction import SqliteTransaction

# The person of a replay has no account: whatever would be sent to them could not arrive.
TELEGRAM_ID = 1


class NoChannel:
    """See agent.ports.Channels.  A replay has nobody to write to."""

    def route(self, lead: Lead) -> Route:
        return Route(kind=ChannelKind.TELEGRAM)

    async def send(self, letter: Letter) -> JsonObject:
        raise NotSent("a replay sends nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """One performance of a run."""

    report: RunReport
    recording: Recording


def replay(run: str, *, as_json: bool) -> int:
    """0 if the run was played as far as it was decided, differing or not; 1 if the model failed."""
    settings = Settings.load()
    if settings.anthropic_api_key is None and settings.anthropic_base_url == ANTHROPIC:
        raise SettingsError(["ANTHROPIC_API_KEY: missing; a replay asks the model"])
    before, after = asyncio.run(_both(settings, run))
    found = differences(before.recording, after.recording)
    if as_json:
        say(json.dumps(_object(before, after, found), ensure_ascii=False, indent=1))
    else:
        _print(before, after, found)
    return 1 if after.recording.status is RunStatus.QUEUED else 0


async def _both(settings: Settings, run: str) -> tuple[Take, Take]:
    async with await open_reader(settings.database_path) as reader:
        before = await reader.read(lambda tx: _take(tx, tx.views.id_of(run)))
    with tempfile.TemporaryDirectory(prefix="lead-agent-replay-") as folder:
        async with SqliteStore(Path(folder) / "replay.db") as store:
            return before, await _again(settings, store, before.recording)


async def _again(settings: Settings, store: SqliteStore, recording: Recording) -> Take:
    agent = agents_of(settings, NoChannel()).get(recording.agent)
    if agent is None:
        raise LeadAgentError(f"there is no agent {recording.agent} any more that could play this run")
    claude = claude_of(settings)

    numbers = count(2)

    async def write(words: JsonObject) -> None:
        await store.transaction(lambda tx: _write(tx, recording.lead, words, next(numbers)))

    player = Player(store=store, model=claude, agent=agent, recording=recording, write=write)
    try:
        lead = await store.transaction(lambda tx: _arrive(tx, recording.lead))
        run = await player.play(lead)
    finally:
        await claude.close()
    return await store.read(lambda tx: _take(tx, run.id))


def _take(tx: SqliteTransaction, run_id: int) -> Take:
    report = tx.views.report(run_id)
    return Take(report=report, recording=recording_of(report, tx.runs.transcript(report.view.run)))


def _write(tx: SqliteTransaction, lead: Lead, words: JsonObject, number: int) -> None:
    """A message of the lead, in the replay's store."""
    contact = _contact(tx, lead)
    tx.contacts.add_message(
        contact,
        chat_id=TELEGRAM_ID,
        message_id=number,
        kind=str(words["kind"]),
        text=str(words["text"]),
        at=now(),
    )
    if tx.contacts.open_run(contact.id) is None:
        tx.contacts.open_burst(contact, now(), quiet=0, longest=0)


def _arrive(tx: SqliteTransaction, lead: Lead) -> Lead:
    """The lead's row in the replay's store."""
    contact = _contact(tx, lead)
    return tx.leads.add(replace(lead, contact_id=contact.id, telegram_id=TELEGRAM_ID), now())


def _contact(tx: SqliteTransaction, lead: Lead) -> Contact:
    return tx.contacts.upsert(telegram_id=TELEGRAM_ID, name=lead.name, username=None, language=None, at=now())


def _object(before: Take, after: Take, found: list[Difference]) -> JsonObject:
    return {
        "run_id": before.report.view.run.run_id,
        "same": not found,
        "differences": [asdict(difference) for difference in found],
        "before": _one(before),
        "after": _one(after),
    }


def _one(take: Take) -> JsonObject:
    return take.recording.result | {
        "tokens": take.report.view.run.usage.total,
        "versions": take.report.versions.as_json(),
    }


def _print(before: Take, after: Take, found: list[Difference]) -> None:
    run = after.report.view.run
    say(f"{before.report.view.run.run_id} again, dry: {run.steps} steps, {run.usage.total} tokens")
    old, new = dict(before.report.versions.parts()), dict(after.report.versions.parts())
    changed = [part.replace("_", " ") for part, version in new.items() if version != old[part]]
    say(f"changed since: {', '.join(changed) or 'nothing'}")
    for difference in found:
        say(f"{difference.at}")
        say(f"  before: {difference.before}")
        say(f"  after:  {difference.after}")
    if not found:
        say("It went exactly as before.")
