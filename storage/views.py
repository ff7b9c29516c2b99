"""Reads for people and scripts."""

import json

from agent.deals import Utterance
from agent.journal import Kind, Record
from agent.proposals import Proposal
from agent.runs import Run, Switch
from agent.versions import versions_of
from agent.views import CardView, ProposalView, RunReport, RunView
from storage.crm import deal_of
from storage.merges import Merges, taken_by
from storage.pauses import Pauses
from storage.proposals import Proposals, proposal_of
from storage.runs import Runs, run_of
from storage.sql import Row, Sql


def record_of(row: Row, run_id: str) -> Record:
    return Record(
        run_id=run_id,
        seq=row["seq"],
        at=row["at"],
        step=row["step"],
        kind=Kind(row["kind"]),
        name=row["name"],
        outcome=row["outcome"],
        ms=row["ms"],
        tokens=row["tokens"],
        input=json.loads(row["input"]) if row["input"] is not None else None,
        proposal_id=row["proposal_id"],
        note=row["note"],
        attempt=row["attempt"],
    )


class Views:
    """Everything here reads only."""

    def __init__(self, sql: Sql, runs: Runs, proposals: Proposals, pauses: Pauses, merges: Merges) -> None:
        self._sql = sql
        self._proposals = proposals
        self._pauses = pauses
        self._runs = runs
        self._merges = merges

    def latest(self, limit: int) -> list[tuple[Run, str]]:
        """The latest runs, newest first, each with its model."""
        return [(run_of(row), row["model"]) for row in self._sql.all("latest_runs", limit=limit)]

    def id_of(self, name: str) -> int:
        """The id of the run that people call demo-007a, run-12 or 12; NotFound if that is no run's name."""
        return self._runs.id_of(name)

    def run(self, id: int) -> RunView:
        """NotFound if there is no such run."""
        run = self._runs.get(id)
        contact = self._sql.one("contact", id=run.contact_id)
        return RunView(
            run=run,
            model=self._runs.spec(run).model,
            lead=self._runs.lead(run),
            username=contact["username"],
            blocked=bool(contact["blocked"]),
            deals=[deal_of(row) for row in self._sql.all("deals_of_run", run_id=id)],
            escalations=[row["reason"] for row in self._sql.all("escalations_of_run", run_id=id)],
            proposals=[proposal_of(row) for row in self._sql.all("proposals_of_run", run_id=id)],
            unread=self._since(run),
            pause=self._pause(run),
            taken_by=taken_by(contact),
            merge=self._merges.holding(run.contact_id),
        )

    def _pause(self, run: Run) -> Switch | None:
        pause = self._pauses.holding
        if pause is None or (run.finished_at is not None and run.finished_at < pause.at):
            return None
        return pause

    def report(self, id: int) -> RunReport:
        """NotFound if there is no such run."""
        view = self.run(id)
        versions = versions_of(self._runs.spec(view.run), self._runs.code(id))
        return RunReport(view=view, versions=versions, units=self.units(id, id).get(id, {}))

    def units(self, first: int, last: int) -> dict[int, dict[str, int]]:
        """The units of services of the runs from id `first` to `last`."""
        found: dict[int, dict[str, int]] = {}
        for row in self._sql.all("units_of_runs", first=first, last=last):
            found.setdefault(row["run_id"], {})[row["unit"]] = row["count"]
        return found

    def mentions(self, words: str) -> bool:
        """Whether any prompt or journal record holds the words."""
        return bool(self._sql.one("mentions", words=words)["found"])

    def count_unexplained(self) -> int:
        """How many runs ended badly with no reason kept."""
        return int(self._sql.one("count_unexplained")["runs"])

    def _since(self, run: Run) -> list[Utterance]:
        """What the lead wrote after the words that made the run's lead, read by the run or not."""
        rows = self._sql.all(
            "words_since_lead", contact_id=run.contact_id, lead_id=run.lead_id, since=run.created_at
        )
        return [Utterance(speaker="lead", kind=row["kind"], text=row["text"], at=row["at"]) for row in rows]

    def card(self, subject: int) -> CardView:
        """What the card of proposal `subject` shows: it, and those that were proposed beside it."""
        view = self.run(self._proposals.get(subject).run_id)
        shown = [proposal for proposal in view.proposals if proposal.card == subject]
        earlier = {item.id: self._proposals.versions(item) for item in shown if item.version > 1}
        return CardView(proposals=shown, view=view, earlier=earlier)

    def journal(self, id: int) -> list[Record]:
        """NotFound if there is no such run."""
        run_id = self._runs.get(id).run_id
        return [record_of(row, run_id) for row in self._sql.all("journal_of_run", run_id=id)]

    def open_proposals(self, limit: int, offset: int = 0) -> list[ProposalView]:
        """What waits for people, oldest first, without the first `offset`."""
        rows = self._sql.all("open_proposals", limit=limit, offset=offset)
        return [ProposalView(proposal=proposal_of(row), view=self.run(row["run_id"])) for row in rows]

    def oldest_open(self) -> Proposal | None:
        """What has waited for people for longest."""
        row = self._sql.maybe("oldest_open")
        return proposal_of(row) if row else None

    def count_open_proposals(self) -> int:
        return int(self._sql.one("count_open_proposals")["open"])
