"""Rows of proposals: every transition is one compare-and-set, and makes the card dirty."""

import json
from dataclasses import replace

from agent.errors import Fenced, NotFound
from agent.jsontext import JsonObject, dumps
from agent.outgoing import CardKind
from agent.proposals import Proposal, ProposalState, Verdict
from agent.runs import Person, Run
from storage.cards import Cards
from storage.commit import Wakes
from storage.sql import Row, Sql


def proposal_of(row: Row) -> Proposal:
    decided_by = None
    if row["decided_by"] is not None:
        decided_by = Person(id=row["decided_by"], name=row["decided_name"])
    return Proposal(
        id=row["id"],
        run_id=row["run_id"],
        call_id=row["call_id"],
        tool=row["tool"],
        arguments=json.loads(row["arguments"]),
        arguments_hash=row["arguments_hash"],
        token=row["token"],
        state=ProposalState(row["state"]),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        available=bool(row["available"]),
        irreversible=bool(row["irreversible"]),
        execute_after=row["execute_after"],
        decided_by=decided_by,
        decided_at=row["decided_at"],
        began_at=row["began_at"],
        executed_at=row["executed_at"],
        note=row["note"],
        name=row["name"],
    )


class Proposals:
    """See agent.ports.Proposals."""

    def __init__(self, sql: Sql, cards: Cards, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes
        self._cards = cards

    def create(self, proposal: Proposal) -> Proposal:
        """The proposal with its id; Fenced if another worker has made one of the same call."""
        row = self._sql.maybe(
            "add_proposal",
            run_id=proposal.run_id,
            call_id=proposal.call_id,
            tool=proposal.tool,
            arguments=dumps(proposal.arguments),
            arguments_hash=proposal.arguments_hash,
            token=proposal.token,
            state=proposal.state,
            available=proposal.available,
            irreversible=proposal.irreversible,
            created_at=proposal.created_at,
            expires_at=proposal.expires_at,
            name=proposal.name,
        )
        if row is None:
            raise Fenced(f"{Run.name_of(proposal.run_id)} was taken up by another worker")
        self._cards.touch(CardKind.PROPOSAL, row["id"])
        self._wakes.commit.timed = True
        return replace(proposal, id=row["id"])

    def get(self, id: int) -> Proposal:
        row = self._sql.maybe("proposal", id=id)
        if row is None:
            raise NotFound(f"no proposal {id}")
        return proposal_of(row)

    def of_run(self, run_id: int) -> list[Proposal]:
        return [proposal_of(row) for row in self._sql.all("proposals_of_run", run_id=run_id)]

    def by_token(self, token: str) -> Proposal | None:
        """The proposal whose card's buttons carry `token`, or carried it in an earlier state."""
        row = self._sql.maybe("proposal_by_token", token=token)
        return proposal_of(row) if row else None

    def decided_on(self, id: int) -> str | None:
        """The hash of the arguments that the last verdict was about, from the append-only decisions."""
        row = self._sql.maybe("approved_hash", id=id)
        return row["arguments_hash"] if row else None

    def overdue(self, at: int) -> list[Proposal]:
        return [proposal_of(row) for row in self._sql.all("overdue_proposals", at=at)]

    def move(
        self,
        proposal: Proposal,
        after: ProposalState,
        at: int,
        *,
        note: str | None = None,
        receipt: JsonObject | None = None,
        execute_after: int = 0,
    ) -> Proposal | None:
        moved = proposal.moved(after, at, note=note, execute_after=execute_after)
        changed = self._sql.run(
            "move_proposal",
            id=proposal.id,
            before=proposal.state,
            after=after,
            note=moved.note,
            execute_after=execute_after,
            began_at=moved.began_at,
            executed_at=moved.executed_at,
            receipt=dumps(receipt) if receipt else None,
        )
        if not changed:
            return None
        if moved.token != proposal.token:
            self._sql.run("renew_token", id=proposal.id, token=moved.token)
            self._sql.run("add_outdated_token", token=proposal.token, proposal_id=proposal.id)
        if execute_after:
            self._wakes.commit.timed = True
        if after is not ProposalState.EXECUTING:  # over in a moment: its end is what the card shows
            self._cards.touch(CardKind.PROPOSAL, proposal.id)
        return moved

    def decide(self, proposal: Proposal, verdict: Verdict, person: Person, at: int) -> Proposal | None:
        decided = proposal.decided(verdict, person, at)
        changed = self._sql.run(
            "decide_proposal",
            id=proposal.id,
            before=verdict.applies_to,
            after=decided.state,
            token=proposal.token,
            person_id=person.id,
            person_name=person.name,
            at=at,
            note=decided.note,
        )
        if not changed:
            return None
        self._sql.run(
            "add_decision",
            proposal_id=proposal.id,
            verdict=verdict,
            person_id=person.id,
            person_name=person.name,
            arguments_hash=proposal.arguments_hash,
            at=at,
        )
        wait = EXECUTION_IS_NEAR if verdict.leads_to is ProposalState.APPROVED else 0
        self._cards.touch(CardKind.PROPOSAL, proposal.id, not_before=at + wait)
        return decided


# Milliseconds in which an approved action usually is over: one edit of the card then tells both.
EXECUTION_IS_NEAR = 400
