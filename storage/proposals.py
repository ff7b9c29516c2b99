"""Rows of proposals: every transition is one compare-and-set, and makes the card dirty."""

import json
from dataclasses import replace

from agent.channels import ChannelKind, Route
from agent.errors import Fenced, NotFound
from agent.jsontext import JsonObject, dumps
from agent.marks import marks_json, marks_of
from agent.outgoing import CardKind
from agent.proposals import Correction, Proposal, ProposalState, Verdict, Version, new_token
from agent.runs import Person, Run
from storage.audit import AuditLog
from storage.cards import Cards
from storage.commit import Wakes
from storage.events import Events
from storage.persons import columns_of, person_of
from storage.sql import Row, Sql


def proposal_of(row: Row) -> Proposal:
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
        decided_by=person_of(row["decided_by"], row["decided_name"]),
        decided_at=row["decided_at"],
        began_at=row["began_at"],
        executed_at=row["executed_at"],
        note=row["note"],
        name=row["name"],
        version=row["version"],
        edited_by=person_of(row["edited_by"], row["edited_name"]),
        remark=row["remark"],
        reason=row["reason"],
        batch=row["batch"],
        marks=marks_of(row["marks"]),
        quorum=row["quorum"],
        votes=tuple(Person(**person) for person in json.loads(row["votes"] or "[]")),
        route=_route(row["channel"], row["address"]),
        settled_by=person_of(row["settled_by"], row["settled_name"]),
        pending_since=row["pending_since"],
        remind_at=row["remind_at"],
        escalated=row["escalated"],
    )


def _route(channel: str | None, address: str) -> Route | None:
    return None if channel is None else Route(kind=ChannelKind(channel), address=address)


def _votes_json(proposal: Proposal) -> str | None:
    people = [{"id": person.id, "name": person.name} for person in proposal.votes]
    return dumps(people) if people else None


def _version_of(row: Row) -> Version:
    return Version(
        version=row["version"],
        arguments=json.loads(row["arguments"]),
        edited_by=person_of(row["edited_by"], row["edited_name"]),
    )


class Proposals:
    """See agent.ports.Proposals."""

    def __init__(self, sql: Sql, cards: Cards, audit: AuditLog, wakes: Wakes, events: Events) -> None:
        self._sql = sql
        self._audit = audit
        self._wakes = wakes
        self._cards = cards
        self._events = events

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
            batch=proposal.batch,
            channel=proposal.route.kind if proposal.route else None,
            address=proposal.route.address if proposal.route else None,
            marks=marks_json(proposal.marks),
            quorum=proposal.quorum,
            pending_since=proposal.pending_since,
            remind_at=proposal.remind_at,
        )
        if row is None:
            raise Fenced(f"{Run.name_of(proposal.run_id)} was taken up by another worker")
        created = replace(proposal, id=row["id"])
        self.touch(created)
        self._wakes.commit.timed = True
        return created

    def touch(self, proposal: Proposal, *, not_before: int = 0) -> None:
        """Have its card brought up to date, at `not_before` (ms) at the earliest."""
        self._cards.touch(CardKind.PROPOSAL, proposal.card, not_before=not_before)

    def repost(self, proposal: Proposal) -> None:
        """Have its card posted anew, further down: what nobody looked at before needs somebody now."""
        self._cards.repost(CardKind.PROPOSAL, proposal.card)

    def get(self, id: int) -> Proposal:
        row = self._sql.maybe("proposal", id=id)
        if row is None:
            raise NotFound(f"no proposal {id}")
        return proposal_of(row)

    def of_run(self, run_id: int) -> list[Proposal]:
        return [proposal_of(row) for row in self._sql.all("proposals_of_run", run_id=run_id)]

    def of_card(self, subject: int) -> list[Proposal]:
        """The proposals that one card shows, in the model's order."""
        return [proposal_of(row) for row in self._sql.all("proposals_of_card", card=subject)]

    def versions(self, proposal: Proposal) -> list[Version]:
        """What was proposed before the present version, oldest first."""
        return [_version_of(row) for row in self._sql.all("versions_of_proposal", id=proposal.id)]

    def by_token(self, token: str) -> Proposal | None:
        """The proposal whose card's buttons carry `token`, or carried it in an earlier state."""
        row = self._sql.maybe("proposal_by_token", token=token)
        return proposal_of(row) if row else None

    def approved_hash(self, id: int) -> str | None:
        """The hash of the arguments that the last word was an approval of, from the append-only decisions."""
        row = self._sql.maybe("last_decision", id=id)
        return row["arguments_hash"] if row and row["verdict"] in APPROVING else None

    def overdue(self, at: int) -> list[Proposal]:
        return [proposal_of(row) for row in self._sql.all("overdue_proposals", at=at)]

    def to_remind(self, at: int) -> list[Proposal]:
        """What is pending, and people are to be told of again by then (ms), oldest first."""
        return [proposal_of(row) for row in self._sql.all("proposals_to_remind", at=at)]

    def reminded(self, proposal: Proposal, remind_at: int | None, *, escalated: int) -> None:
        self._sql.run("remind_proposal", id=proposal.id, remind_at=remind_at, escalated=escalated)

    def put_off_reminders(self, at: int, until: int) -> None:
        """What is due by `at` is due at `until` (ms)."""
        self._sql.run("put_off_reminders", at=at, until=until)

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
            self._outdate(proposal)
        if execute_after:
            self._wakes.commit.timed = True
        if moved.rule_id is not None and after in TROUBLE:
            self.repost(proposal)
        elif after is not ProposalState.EXECUTING:  # over in a moment: its end is what the card shows
            self.touch(proposal)
        self._tell(proposal, moved, at)
        return moved

    def _tell(self, before: Proposal, moved: Proposal, at: int) -> None:
        """An approval is told of when it is carried out for the first time: no undo can follow any more."""
        match moved.state:
            case ProposalState.HANDED_OVER:
                self._events.reply_approved(moved, at)
            case ProposalState.EXECUTING if before.began_at is None:
                self._events.reply_approved(moved, at)
            case ProposalState.EXECUTED:
                self._events.reply_delivered(moved, at)

    def _outdate(self, proposal: Proposal) -> None:
        """Remember the token that the proposal had, so that a late press on it can be answered."""
        self._sql.run("add_outdated_token", token=proposal.token, proposal_id=proposal.id)

    def decide(
        self,
        proposal: Proposal,
        verdict: Verdict,
        person: Person,
        at: int,
        *,
        execute_after: int = 0,
        remind_at: int | None = None,
    ) -> Proposal | None:
        decided = proposal.decided(verdict, person, at, execute_after=execute_after, remind_at=remind_at)
        by, settler = decided.decided_by, decided.settled_by
        changed = self._sql.run(
            "decide_proposal",
            id=proposal.id,
            before=verdict.applies_to,
            after=decided.state,
            token=proposal.token,
            **columns_of(by),
            at=decided.decided_at,
            execute_after=execute_after,
            note=decided.note,
            executed_at=decided.executed_at,
            **columns_of(settler, "settler"),
            votes=_votes_json(decided),
            pending_since=decided.pending_since,
            remind_at=decided.remind_at,
            escalated=decided.escalated,
        )
        if not changed:
            return None
        if decided.token != proposal.token:
            self._sql.run("renew_token", id=proposal.id, token=decided.token)
            self._outdate(proposal)
        if execute_after or verdict is Verdict.UNDO:
            self._wakes.commit.timed = True
        self._audit.add(proposal, verdict, person, at)
        if decided.state is ProposalState.EXECUTED:
            self._events.reply_delivered(decided, at, settled_by=person)
        near = verdict.leads_to is ProposalState.APPROVED and not execute_after
        self.touch(proposal, not_before=at + EXECUTION_IS_NEAR if near else 0)
        return decided

    def revise(self, proposal: Proposal, revised: Proposal, at: int) -> Proposal | None:
        by = revised.edited_by
        changed = self._sql.run(
            "revise_proposal",
            id=proposal.id,
            before=proposal.state,
            after=revised.state,
            token=proposal.token,
            new_token=revised.token,
            call_id=revised.call_id,
            arguments=dumps(revised.arguments),
            arguments_hash=revised.arguments_hash,
            version=revised.version,
            **columns_of(by),
            expires_at=revised.expires_at,
            marks=marks_json(revised.marks),
            quorum=revised.quorum,
            pending_since=revised.pending_since,
            remind_at=revised.remind_at,
        )
        if not changed:
            return None
        self._keep(proposal, at)
        self._outdate(proposal)
        if by is not None:
            self._audit.add(revised, Correction.EDIT, by, at)
        self._cards.outdate_document(CardKind.PROPOSAL, proposal.card)
        self.touch(proposal)
        self._wakes.commit.timed = True
        return revised

    def _keep(self, proposal: Proposal, at: int) -> None:
        """Keep the version that is replaced."""
        by = proposal.edited_by
        self._sql.run(
            "keep_version",
            proposal_id=proposal.id,
            version=proposal.version,
            arguments=dumps(proposal.arguments),
            arguments_hash=proposal.arguments_hash,
            **columns_of(by),
            at=at,
        )

    def send_back(self, proposal: Proposal, remark: str, person: Person, at: int) -> Proposal | None:
        revising = replace(proposal, state=ProposalState.REVISING, remark=remark, token=new_token())
        changed = self._sql.run(
            "send_back_proposal",
            id=proposal.id,
            before=proposal.state,
            after=revising.state,
            remark=remark,
            token=proposal.token,
            new_token=revising.token,
        )
        if not changed:
            return None
        self._outdate(proposal)
        self._audit.add(proposal, Correction.REWRITE, person, at, note=remark)
        self.touch(proposal)
        return revising

    def vote(self, proposal: Proposal, person: Person, at: int) -> Proposal | None:
        voted = replace(proposal, votes=(*proposal.votes, person))
        changed = self._sql.run(
            "vote", id=proposal.id, state=proposal.state, token=proposal.token, votes=_votes_json(voted)
        )
        if not changed:
            return None
        self._audit.add(proposal, Verdict.APPROVE, person, at)
        self.touch(proposal)
        return voted

    def warn(self, proposal: Proposal, person: Person, at: int) -> None:
        """Remember that the person was shown what no source says."""
        self._sql.run("warn", token=proposal.token, person_id=person.id, at=at)

    def warned(self, proposal: Proposal, person: Person, before: int) -> bool:
        """Whether the person was warned at or before the time `before` (ms)."""
        found = self._sql.one("warned", token=proposal.token, person_id=person.id, before=before)
        return bool(found["warned"])

    def give_reason(self, proposal: Proposal, reason: str, person: Person, at: int) -> Proposal | None:
        changed = self._sql.run("give_reason", id=proposal.id, state=proposal.state, reason=reason)
        if not changed:
            return None
        self._audit.add(proposal, Correction.REASON, person, at, note=reason)
        self.touch(proposal)
        return replace(proposal, reason=reason)


# What people have to see, where nobody has looked at the card so far.
TROUBLE = frozenset({ProposalState.FAILED, ProposalState.UNCERTAIN})
APPROVING = frozenset({Verdict.APPROVE, Verdict.SEND_AGAIN})
# Milliseconds in which an approved action usually is over: one edit of the card then tells both.
EXECUTION_IS_NEAR = 400
