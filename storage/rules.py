"""Rows of rules: what each says, its states one after another, and what people did with calls."""

import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from agent.conditions import Case, conditions_json, conditions_of
from agent.jsontext import JsonObject, dumps
from agent.outgoing import CardKind
from agent.rules import Outcome, Past, Replay, Rule, RuleState
from storage.cards import Cards
from storage.commit import Wakes
from storage.persons import columns_of, person_of
from storage.sql import Row, Sql


def rule_of(row: Row) -> Rule:
    return Rule(
        id=row["id"],
        tool=row["tool"],
        conditions=conditions_of(row["conditions"]),
        written=bool(row["written"]),
        support=row["support"],
        replayed=Replay(**json.loads(row["replayed"])),
        created_at=row["created_at"],
        changed_at=row["at"],
        token=row["token"],
        state=RuleState(row["state"]),
        changes=row["change"],
        until=row["until"],
        owner=person_of(row["owner_id"], row["owner_name"]),
        changed_by=person_of(row["person_id"], row["person_name"]),
        broken_on=row["broken_on"],
        broken_by=Outcome(row["broken_by"]) if row["broken_by"] else None,
    )


def _past_of(row: Row) -> Past:
    lead: JsonObject = json.loads(row["lead"])
    return Past(
        proposal_id=row["proposal_id"],
        case=Case(tool=row["tool"], arguments=json.loads(row["arguments"]), **lead),
        outcome=Outcome(row["outcome"]),
        at=row["at"],
    )


def _lead_json(case: Case) -> str:
    """What is known of the lead: the same text for the same kind."""
    return dumps(case.model_dump(mode="json", include={"source", "language", "returning", "services"}))


class Rules:
    """See agent.ports.Rules.  `all` is asked wherever a call is proposed, and mostly there are none."""

    def __init__(self, sql: Sql, cards: Cards, wakes: Wakes) -> None:
        self._sql = sql
        self._cards = cards
        self._wakes = wakes
        self._known: list[Rule] | None = None

    def all(self) -> Sequence[Rule]:
        """Read once and remembered, since nobody writes but this connection; see `forget`."""
        if self._known is None:
            self._known = [rule_of(row) for row in self._sql.all("rules")]
        return self._known

    def forget(self) -> None:
        """Read them again: they were changed, or what was written may have been undone."""
        self._known = None

    def get(self, id: int) -> Rule:
        (found,) = [rule for rule in self.all() if rule.id == id]
        return found

    def by_token(self, token: str) -> Rule | None:
        """The rule whose card's buttons carry the token now."""
        given = token.encode()
        matching = (rule for rule in self.all() if hmac.compare_digest(rule.token.encode(), given))
        return next(matching, None)

    def uses(self) -> Mapping[int, int]:
        """How many calls each rule let pass, by its id."""
        return {row["rule_id"]: row["uses"] for row in self._sql.all("uses_of_rules")}

    def add(self, rule: Rule) -> Rule:
        """The rule with its id; its card is posted."""
        row = self._sql.one(
            "add_rule",
            tool=rule.tool,
            conditions=conditions_json(rule.conditions),
            written=rule.written,
            support=rule.support,
            replayed=dumps(asdict(rule.replayed)),
            at=rule.created_at,
        )
        added = replace(rule, id=row["id"])
        self._add_change(added)
        self.touch(added)
        return added

    def touch(self, rule: Rule) -> None:
        """Have its card brought up to date."""
        self._cards.touch(CardKind.RULE, rule.id)

    def change(self, rule: Rule) -> None:
        """Add its next state; what broke a rule is shown on a card that is posted anew, for all to see."""
        self._add_change(rule)
        if rule.broken_on is None:
            self.touch(rule)
        else:
            self._cards.repost(CardKind.RULE, rule.id)

    def _add_change(self, rule: Rule) -> None:
        owner, person = rule.owner, rule.changed_by
        self._sql.run(
            "add_rule_change",
            rule_id=rule.id,
            change=rule.changes,
            state=rule.state,
            token=rule.token,
            until=rule.until,
            **columns_of(owner, "owner"),
            **columns_of(person),
            broken_on=rule.broken_on,
            broken_by=rule.broken_by,
            at=rule.changed_at,
        )
        self.forget()
        self._wakes.commit.timed = True

    def add_past(self, past: Past) -> None:
        self._sql.run(
            "add_evidence",
            proposal_id=past.proposal_id,
            tool=past.case.tool,
            lead=_lead_json(past.case),
            outcome=past.outcome,
            at=past.at,
        )

    def latest(self, case: Case, limit: int) -> list[Past]:
        """What people did with calls of such leads, newest first, without the words."""
        lead = _lead_json(case)
        return [
            _past_of(row) for row in self._sql.all("latest_evidence", tool=case.tool, lead=lead, limit=limit)
        ]

    def history(self, tool: str, limit: int) -> list[Past]:
        """The latest things that people did with calls of a tool, as those were proposed."""
        return [_past_of(row) for row in self._sql.all("evidence_of_tool", tool=tool, limit=limit)]
