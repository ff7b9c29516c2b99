"""Who has to approve what: the policy file, its conditions, and how approvals count."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from agent.conditions import Case
from agent.errors import SettingsError
from agent.policies import Policies
from agent.proposals import Correction, ProposalState, Refusal, Verdict
from agent.quorum import Requirement, Role
from agent.records.result import Operation
from agent.runs import Person, RunStatus
from agent.tools import Risk
from bot import policy_file
from bot.agents import agents_of
from bot.sandbox.script import say, turn
from bot.settings import Settings
from tests.company import IGOR, OLGA, SECOND, Company, RecordingChannel, reply

AIDA = Person(id=3, name="Aida")
DONE = turn(say("Done."))
OWN = "Hello, Dana! Olga here: we will call you."
EXAMPLE = Path(__file__).parent.parent.parent / "deploy" / "policy.example.toml"


def governed(company: Company, toml: dict[str, Any], **policy: Any) -> None:
    """Deploy the engine with a policy."""
    company.policy = replace(company.policy, policies=Policies.model_validate(toml), **policy)
    company.deploy(company.agent)


def case(text: str = "Hello!", **fields: Any) -> Case:
    return Case(tool="send_reply", arguments={"text": text}, **fields)


async def test_two_people_have_to_approve(company: Company) -> None:
    """The first is counted and nothing leaves; the same person never counts twice; the second releases it."""
    governed(company, {"tools": {"send_reply": {"quorum": 2}}})
    run, proposal = await company.waiting()
    assert proposal.quorum == 2
    first = await company.press(proposal, Verdict.APPROVE, OLGA)
    assert (first.refusal, first.missing) == (None, 1)
    again = await company.press(proposal, Verdict.APPROVE, OLGA)
    assert (again.refusal, again.missing) == (Refusal.VOTED, 1)
    assert (await company.work(run)).status is RunStatus.AWAITING_CONFIRMATION
    assert company.channel.texts == []
    await company.press(proposal, Verdict.APPROVE, IGOR)
    run = await company.work(run)
    assert (run.status, len(company.channel.texts)) == (RunStatus.DONE, 1)
    assert [person.name for person in (await company.proposal(run)).votes] == ["Olga"]


async def test_one_veto_denies(company: Company) -> None:
    """However many have approved."""
    governed(company, {"tools": {"send_reply": {"quorum": 3}}})
    run, proposal = await company.waiting()
    for person in (OLGA, IGOR):
        await company.press(proposal, Verdict.APPROVE, person)
    await company.press(proposal, Verdict.DENY, AIDA)
    await company.work(run)
    assert (await company.proposal(run)).state is ProposalState.DENIED
    assert company.channel.texts == []


async def test_another_version_begins_with_no_approval(company: Company) -> None:
    """Who approved the text before has not approved this one."""
    governed(company, {"tools": {"send_reply": {"quorum": 2}}})
    run, proposal = await company.waiting()
    await company.press(proposal, Verdict.APPROVE, OLGA)
    await company.correct(proposal, Correction.EDIT, OWN, IGOR)
    edited = await company.proposal(run)
    assert (edited.votes, edited.quorum) == ((), 2)
    await company.press(edited, Verdict.APPROVE, IGOR)
    assert (await company.proposal(run)).state is ProposalState.PENDING


async def test_who_edited_may_not_be_the_only_one_to_approve(company: Company) -> None:
    """Where the policy says so: somebody else has to, and then it leaves."""
    governed(company, {"tools": {"send_reply": {"editor_may_approve_alone": False}}})
    run, proposal = await company.waiting()
    await company.correct(proposal, Correction.EDIT, OWN, OLGA)
    alone = await company.press(proposal, Verdict.APPROVE, OLGA)
    assert (alone.refusal, alone.missing) == (None, 1)
    await company.press(proposal, Verdict.APPROVE, IGOR)
    await company.work(run)
    assert company.channel.texts == [OWN]


async def test_only_named_people_or_admins_may_approve(company: Company) -> None:
    """Others may still deny and edit; nothing of their approval is kept."""
    governed(company, {"tools": {"send_reply": {"approvers": "admins"}}}, admins=frozenset({AIDA.id}))
    run, proposal = await company.waiting()
    assert (await company.press(proposal, Verdict.APPROVE, OLGA)).refusal is Refusal.NOT_ALLOWED
    assert (await company.proposal(run)).state is ProposalState.PENDING
    await company.press(proposal, Verdict.APPROVE, AIDA)
    await company.work(run)
    assert len(company.channel.texts) == 1


async def test_what_no_source_says_takes_a_second_press(company: Company) -> None:
    """The first press of each person warns; the same person's next one, not a double tap, approves."""
    priced = "Hello, Dana! The CRM costs 250 000 tenge."
    run, proposal = await company.waiting(turn(reply(priced)), DONE)
    assert [mark.text for mark in proposal.marks] == ["250 000 tenge"]
    assert (await company.press(proposal, Verdict.APPROVE, OLGA)).refusal is Refusal.MARKED
    assert (await company.press(proposal, Verdict.APPROVE, OLGA)).refusal is Refusal.MARKED
    company.clock.forward(2 * SECOND)
    assert (await company.press(proposal, Verdict.APPROVE, IGOR)).refusal is Refusal.MARKED
    assert (await company.press(proposal, Verdict.APPROVE, OLGA)).refusal is None
    await company.work(run)
    assert company.channel.texts == [priced]


async def test_the_company_s_facts_are_no_news(company: Company) -> None:
    """What the policy file says of the company may be said without a second press."""
    governed(company, {"facts": ["A CRM costs from 250 000 tenge."]})
    _, proposal = await company.waiting(turn(reply("Hello, Dana! The CRM costs 250 000 tenge.")), DONE)
    assert proposal.marks == ()


def test_the_strictest_rule_holds() -> None:
    """Of all that applies: most people, fewest approvers; a row never asks for less than its tool."""
    toml = {
        "irreversible_quorum": 2,
        "tools": {
            "send_reply": {
                "approvers": [1, 2, 3],
                "second_press": False,
                "when": [
                    {"argument": "text", "longer_than": 1, "quorum": 3, "approvers": [2, 3, 4]},
                    {"argument": "text", "longer_than": 2, "quorum": 1, "approvers": "admins"},
                    {"argument": "text", "longer_than": 1000, "quorum": 9, "second_press": True},
                ],
            }
        },
    }
    found = Policies.model_validate(toml).requirement(case())
    assert (found.quorum, found.people, found.role) == (3, frozenset({2, 3}), Role.ADMINS)
    assert not found.second_press
    assert Policies.model_validate({"irreversible_quorum": 2}).requirement(case()).quorum == 2


ROWS = st.fixed_dictionaries(
    {"argument": st.just("text"), "longer_than": st.integers(0, 9), "quorum": st.integers(1, 5)},
    optional={
        "approvers": st.sampled_from(["operators", "admins", [1, 2], [2, 3]]),
        "editor_may_approve_alone": st.booleans(),
        "second_press": st.booleans(),
    },
)


@given(st.integers(1, 3), st.lists(ROWS, max_size=4), ROWS)
def test_another_row_never_lets_more_through(irreversible: int, rows: list[Any], another: Any) -> None:
    """Whoever may not approve without it may not with it, and no fewer people are needed."""

    def required(when: list[Any]) -> Requirement:
        toml = {"irreversible_quorum": irreversible, "tools": {"send_reply": {"when": when}}}
        return Policies.model_validate(toml).requirement(case())

    before, after = required(rows), required([*rows, another])
    assert after.quorum >= before.quorum
    assert after.second_press >= before.second_press
    assert after.editor_may_approve_alone <= before.editor_may_approve_alone
    admins = frozenset({2, 9})
    for person in (OLGA, IGOR, AIDA, Person(id=9, name="Zoya")):
        assert after.allows(person, admins) <= before.allows(person, admins)


@given(
    st.lists(st.integers(1, 4), max_size=6), st.integers(1, 4), st.booleans(), st.none() | st.integers(1, 4)
)
def test_the_same_person_never_counts_twice(
    presses: list[int], quorum: int, alone: bool, editor: int | None
) -> None:
    """What is missing depends on the set of people alone, and is never less than it takes."""
    needed = Requirement(quorum=quorum, editor_may_approve_alone=alone)
    people = [Person(id=number, name=str(number)) for number in presses]
    by = Person(id=editor, name="e") if editor else None
    missing = needed.missing(people, by)
    assert missing == needed.missing([*people, *people], by)
    enough = len(set(presses)) >= quorum and (alone or by is None or bool(set(presses) - {editor}))
    assert (missing <= 0) == enough


ROW = "[[tools.send_reply.when]]\n"
RULE = '[[rule]]\ntool = "send_reply"\nwhen = [{ lead = "language", equals = "en" }]\n'
WRONG = {
    "tools.send_reply.quorum: write at least 1": "[tools.send_reply]\nquorum = 0",
    "quorun: there is no such name": "[tools.send_reply]\nquorun = 2",
    "when[0]: say what has to hold": ROW + 'argument = "text"\nquorum = 2',
    "when[0]: say of what": ROW + "longer_than = 5\nquorum = 2",
    "when[0]: say what it takes": ROW + 'argument = "text"\nlonger_than = 5',
    "when[0]: language is one of: ru, kk, en": ROW + 'lead = "language"\nequals = "kz"\nquorum = 2',
    "when[0].above: write a number": ROW + 'argument = "text"\nabove = "1 000"\nquorum = 2',
    "when[0].above: write a number, like": ROW + 'argument = "text"\nabove = nan\nquorum = 2',
    "when[0].below: write a number, like": ROW + 'argument = "text"\nbelow = inf\nquorum = 2',
    "when[0].equals: write one text": ROW + 'argument = "text"\nequals = 1e400\nquorum = 2',
    "policy.toml: ": "[tools",
    "rules.propose_after: write at least 0": "[rules]\npropose_after = -1",
    "rules.valid_days: write at most 365": "[rules]\nvalid_days = 1000",
    "rule[0].when: name at least one": '[[rule]]\ntool = "send_reply"\nwhen = []',
    "rule[0]: what is marked never leaves": '[[rule]]\ntool = "send_reply"\nwhen = [{ marked = false }]',
    "rule[0].until: write a day": RULE + 'until = "soon"',
    'approvers: write "operators", "admins", or': '[tools.send_reply]\napprovers = "everybody"',
}


@pytest.mark.parametrize("words", WRONG)
def test_a_wrong_policy_does_not_start(tmp_path: Path, words: str) -> None:
    """Every fault is told with its place, in plain words."""
    path = tmp_path / "policy.toml"
    path.write_text(WRONG[words])
    with pytest.raises(SettingsError) as refused:
        policy_file.load(path, required=False)
    (fault,) = refused.value.faults
    assert words in fault


def test_a_policy_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    """A mistyped name opens nothing; without any name there are the defaults."""
    with pytest.raises(SettingsError, match="there is no"):
        policy_file.load(tmp_path / "none.toml", required=True)
    assert policy_file.load(tmp_path / "none.toml", required=False) == Policies()


UNMET = {
    "tools.send_replay: there is no such tool": {"send_replay": {"quorum": 2}},
    "when[0].argument: send_reply has text, not txt": {
        "send_reply": {"when": [{"argument": "txt", "contains": "!", "quorum": 2}]}
    },
    "tools.send_reply: 3 people have to approve, and 2 may": {"send_reply": {"quorum": 3}},
    "tools.send_reply: 2 people have to approve, and 1 may": {
        "send_reply": {"quorum": 2, "approvers": [1, 7]}
    },
    "when[0]: 1 person has to approve, and 0 may": {
        "send_reply": {"approvers": [1], "when": [{"marked": True, "approvers": "admins"}]}
    },
}


@pytest.mark.parametrize("words", UNMET)
def test_what_nobody_could_meet_does_not_start(words: str) -> None:
    """No such tool or argument, and more people than there are: Olga and Igor decide, Igor is an admin."""
    policies = Policies.model_validate({"tools": UNMET[words]})
    (fault,) = policy_file.faults(policies, frozenset({OLGA.id, IGOR.id}), frozenset({IGOR.id}))
    assert words in fault


def test_a_rule_that_could_let_nothing_pass_does_not_start(tmp_path: Path) -> None:
    """What cannot be put right takes a press; a tool or an argument that does not exist never holds."""
    said = RULE + RULE.replace("send_reply", "send") + RULE.replace("lead = ", "argument = ")
    (tmp_path / "policy.toml").write_text(said)
    found = policy_file.faults(policy_file.load(tmp_path / "policy.toml", required=True), None, frozenset())
    assert [fault.partition(":")[0] for fault in found] == [
        "rule[1].tool",
        "rule[2].when[0].argument",
        "rule[0].tool",
        "rule[2].tool",
    ]
    assert "irreversible = false under [tools.send_reply]" in found[2]


def test_nobody_counts_the_members_of_the_group() -> None:
    """Where the whole group decides, only what asks for named people or admins is known to be too much."""
    many = Policies.model_validate({"tools": {"send_reply": {"quorum": 9}}})
    assert policy_file.faults(many, None, frozenset()) == []
    admins = Policies.model_validate({"tools": {"send_reply": {"approvers": "admins"}}})
    assert policy_file.faults(admins, None, frozenset()) != []


def test_policies_know_what_people_decide_on() -> None:
    """Every external tool with its arguments, and what records may ask for."""
    agents = agents_of(Settings(anthropic_api_key=SecretStr("key")), RecordingChannel())
    tools = [tool for agent in agents.values() for tool in agent.tools.values()]
    external = {tool.name: set(tool.arguments.model_fields) for tool in tools if tool.risk is Risk.EXTERNAL}
    known = {name: set(arguments) for name, arguments in policy_file.DECIDED.items()}
    assert external | {name: {"record_id"} for name in Operation} == known


def test_the_example_is_a_policy() -> None:
    """What people copy is read without a fault."""
    policies = policy_file.load(EXAMPLE, required=True)
    assert policy_file.faults(policies, None, frozenset({AIDA.id})) == []
    assert [row.approvers for row in policies.tool("send_reply").when] == [None, Role.ADMINS, None]
    assert not policies.may_have_rules("send_reply")


def test_the_example_s_rule_is_one(tmp_path: Path) -> None:
    """Where its lines are taken in, and replies are said to be such as can be put right."""
    text = EXAMPLE.read_text(encoding="utf-8").replace("irreversible = true", "irreversible = false")
    before, _, written = text.partition("# [[rule]]")
    taken_in = "".join(line.removeprefix("# ") for line in ("# [[rule]]" + written).splitlines(keepends=True))
    (tmp_path / "policy.toml").write_text(before + taken_in, encoding="utf-8")
    policies = policy_file.load(tmp_path / "policy.toml", required=True)
    assert policy_file.faults(policies, None, frozenset({AIDA.id})) == []
    assert [rule.until for rule in policies.rule] == [date(2027, 3, 1)]
    assert policies.may_have_rules("send_reply")
