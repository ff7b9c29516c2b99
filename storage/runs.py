"""Rows of runs: claimed by epoch, appended to by seq, journaled."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count

from agent.deals import Utterance
from agent.errors import Fenced, NotFound
from agent.jsontext import JsonObject, dumps
from agent.limits import Limits, Usage
from agent.runs import Lead, Run, RunStatus, Spec
from agent.versions import Version, code_version
from storage.commit import Wakes
from storage.events import Events
from storage.leads import lead_of
from storage.sql import Row, Sql


def run_of(row: Row) -> Run:
    return Run(
        id=row["id"],
        agent=row["agent"],
        lead_id=row["lead_id"],
        contact_id=row["contact_id"],
        spec_hash=row["spec_hash"],
        status=RunStatus(row["status"]),
        limits=Limits(max_steps=row["max_steps"], max_tokens=row["max_tokens"]),
        created_at=row["created_at"],
        epoch=row["epoch"],
        seq=row["seq"],
        steps=row["steps"],
        usage=Usage(
            input=row["tokens_input"],
            output=row["tokens_output"],
            cache_write=row["tokens_cache_write"],
            cache_read=row["tokens_cache_read"],
        ),
        attempts=row["attempts"],
        failing_since=row["failing_since"],
        retry_at=row["retry_at"],
        text=row["text"],
        reason=row["reason"],
        finished_at=row["finished_at"],
        name=row["name"],
        result=json.loads(row["result"]) if row["result"] is not None else None,
    )


def spec_of(row: Row) -> Spec:
    return Spec(
        agent=row["agent"],
        model=row["model"],
        system=row["system"],
        tools=json.loads(row["tools"]),
        max_tokens=row["max_tokens"],
        result_schema=json.loads(row["result_schema"]),
    )


class Runs:
    """See agent.ports.Runs."""

    def __init__(self, sql: Sql, wakes: Wakes, events: Events) -> None:
        self._sql = sql
        self._wakes = wakes
        self._events = events
        # Named by its content, so it can't be out of date; nearly all runs of a time share one.
        self._latest_spec: Spec | None = None
        self._stored_specs: set[str] = set()

    def create(self, run: Run, lead: Lead, spec: Spec, task: JsonObject) -> Run:
        self._store_spec(spec)
        row = self._sql.one(
            "add_run",
            agent=run.agent,
            lead_id=lead.id,
            contact_id=lead.contact_id,
            spec_hash=run.spec_hash,
            status=run.status,
            epoch=run.epoch,
            max_steps=run.limits.max_steps,
            max_tokens=run.limits.max_tokens,
            created_at=run.created_at,
            code_hash=code_version().hash,
            name=run.name,
        )
        self._sql.run("add_fragment", run_id=row["id"], seq=1, fragment=dumps(task))
        self._wakes.commit.queued.append(row["id"])
        return replace(run, id=row["id"], seq=1)

    def _store_spec(self, spec: Spec) -> None:
        if spec.hash in self._stored_specs:
            return
        self._sql.run(
            "add_spec",
            hash=spec.hash,
            agent=spec.agent,
            model=spec.model,
            system=spec.system,
            tools=dumps(spec.tools),
            max_tokens=spec.max_tokens,
            result_schema=dumps(spec.result_schema),
        )
        self._wakes.commit.calls.append(lambda: self._stored_specs.add(spec.hash))

    def keep_code(self) -> None:
        """At start: the program that makes runs from here on."""
        code = code_version()
        self._sql.run("add_code", hash=code.hash, name=code.name)

    def code(self, id: int) -> Version | None:
        """The program that made a run."""
        row = self._sql.maybe("code_of_run", id=id)
        return Version(name=row["name"], hash=row["hash"]) if row else None

    def free_name(self, name: str) -> str:
        """`name` itself, or the first of name-2, name-3… that no run has."""
        numbered = chain([name], (f"{name}-{number}" for number in count(2)))
        return next(free for free in numbered if self._sql.maybe("run_named", name=free) is None)

    def id_of(self, name: str) -> int:
        """The id of a run by the name that people write: demo-007a, run-12 or 12; NotFound."""
        row = self._sql.maybe("run_named", name=name.strip().lower())
        id = int(row["id"]) if row else Run.id_of(name)
        if id is None:
            raise NotFound(f"there is no run {name[:40]}; `lead-agent runs` lists them")
        return id

    def get(self, id: int) -> Run:
        row = self._sql.maybe("run", id=id)
        if row is None:
            raise NotFound(f"there is no run {id}; `lead-agent runs` lists them")
        return run_of(row)

    def open(self) -> list[Run]:
        """All that are not over."""
        return [run_of(row) for row in self._sql.all("open_runs")]

    def lead(self, run: Run) -> Lead:
        return lead_of(self._sql.one("lead_of_run", lead_id=run.lead_id))

    def spec(self, run: Run) -> Spec:
        if self._latest_spec is None or self._latest_spec.hash != run.spec_hash:
            self._latest_spec = spec_of(self._sql.one("spec", hash=run.spec_hash))
        return self._latest_spec

    def claim(self, id: int, at: int) -> Run | None:
        row = self._sql.maybe("claim_run", id=id, at=at)
        return run_of(row) if row else None

    def transcript(self, run: Run) -> list[JsonObject]:
        return [json.loads(row["fragment"]) for row in self._sql.all("fragments", run_id=run.id)]

    def save(self, run: Run, fragments: Sequence[JsonObject] = ()) -> Run:
        after = run.seq + len(fragments)
        leaves = run.status is not RunStatus.RUNNING  # else nothing that is indexed has changed
        changed = self._sql.run(
            "leave_run" if leaves else "save_run",
            id=run.id,
            epoch=run.epoch,
            seq=run.seq,
            after=after,
            steps=run.steps,
            tokens_input=run.usage.input,
            tokens_output=run.usage.output,
            tokens_cache_write=run.usage.cache_write,
            tokens_cache_read=run.usage.cache_read,
            attempts=run.attempts,
            failing_since=run.failing_since,
            text=run.text,
            reason=run.reason,
            status=run.status,
            retry_at=run.retry_at,
            finished_at=run.finished_at,
            result=dumps(run.result) if run.result is not None else None,
        )
        if not changed:
            raise Fenced(f"{run.run_id} was taken up by another worker")
        for seq, fragment in enumerate(fragments, run.seq + 1):
            self._sql.run("add_fragment", run_id=run.id, seq=seq, fragment=dumps(fragment))
        if leaves:
            self._leave(run)
        return run.at_seq(after) if fragments else run

    def _leave(self, run: Run) -> None:
        """The run is in no worker's hands any more."""
        if run.status.over:
            self._sql.run("reopen_burst_if_unread", id=run.contact_id, at=run.finished_at)
            self._events.run_finished(run, run.finished_at or 0)
        if run.status.over or run.retry_at is not None:
            self._wakes.commit.timed = True

    def queue(self, id: int, *, not_before: int = 0) -> bool:
        changed = self._sql.run("queue_run", id=id, not_before=not_before) > 0
        if changed and not_before:
            self._wakes.commit.timed = True
        elif changed:
            self._wakes.commit.queued.append(id)
        return changed

    def cancel(self, run: Run, reason: str, at: int) -> None:
        """End a run that people took over; a worker that has it in hand can store nothing more of it."""
        if self._sql.run("cancel_run", id=run.id, reason=reason, at=at):
            cancelled = replace(run, status=RunStatus.CANCELLED, finished_at=at, reason=reason)
            self._events.run_finished(cancelled, at)

    def has_unread(self, run: Run) -> bool:
        """Whether the lead has written what the run has not read."""
        return bool(self._sql.one("has_unread", contact_id=run.contact_id)["found"])

    def unread(self, run: Run) -> list[Utterance]:
        rows = self._sql.all("unread_messages", contact_id=run.contact_id)
        if rows:
            self._sql.run("read_messages", contact_id=run.contact_id, lead_id=run.lead_id)
        said = [Utterance(speaker="lead", kind=row["kind"], text=row["text"], at=row["at"]) for row in rows]
        self._events.lead_updated(run, said)
        return said

    def is_returning(self, lead: Lead) -> bool:
        """Whether the contact had a lead before this one."""
        found = self._sql.one("has_earlier_lead", contact_id=lead.contact_id, lead_id=lead.id)
        return bool(found["found"])

    def needs_person(self, run: Run) -> bool:
        if run.status is not RunStatus.DONE:
            return True
        return bool(self._sql.one("needs_person", run_id=run.id)["needed"])
