"""A call as the policy's conditions see it, gathered from the rows."""

from agent.conditions import Case
from agent.jsontext import JsonObject
from agent.language import language_of
from agent.policies import Policies
from agent.ports import Transaction
from agent.proposals import Proposal
from agent.quorum import Requirement
from agent.runs import Lead, Run


def case_of(tx: Transaction, run: Run, lead: Lead, tool: str, arguments: JsonObject, *, marks: int) -> Case:
    """What is known of the lead is asked of the company's own records."""
    deals = tx.crm.deals(lead)
    language = language_of(lead.message, apart_from=lead.name)
    return Case(
        tool=tool,
        arguments=arguments,
        source=lead.source,
        language=language.value if language else None,
        returning=tx.runs.is_returning(lead),
        services=tuple(deal.service.value for deal in deals if deal.run_id == run.id),
        marks=marks,
    )


def requirement_of(
    policies: Policies,
    tx: Transaction,
    run: Run,
    tool: str,
    arguments: JsonObject,
    *,
    marks: int,
) -> Requirement:
    """What an approval of the call takes; the rows are asked only where the policy has conditions."""
    if policies.tool(tool).when:
        lead = tx.runs.lead(run)
        return policies.requirement(case_of(tx, run, lead, tool, arguments, marks=marks))
    return policies.requirement(Case(tool=tool, arguments=arguments, marks=marks))


def case_for_rules(tx: Transaction, policies: Policies, run: Run, proposal: Proposal) -> Case | None:
    """The proposed call as rules see it; None where none may let it pass.

    Only words that were looked at and not marked, not even for what the lead wrote, and that the program
    itself brings to the lead.
    """
    looked_at = proposal.text is not None and not proposal.marks
    if not (
        policies.may_have_rules(proposal.tool) and looked_at and proposal.available and not proposal.by_hand
    ):
        return None
    case = case_of(tx, run, tx.runs.lead(run), proposal.tool, proposal.arguments, marks=0)
    return case if policies.lets_rules_pass(case) else None
