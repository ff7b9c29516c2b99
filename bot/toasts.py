"""The short answers to presses.  Pure."""

from dataclasses import dataclass

from agent.marks import doubts
from agent.proposals import Correction, Decision, Proposal, ProposalState, Refusal, Verdict
from bot.handover import state_of
from bot.texts import Texts

# Letters of marked words that a toast has room for, of its 200 (Bot API).
MARKED = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Toast:
    """The short answer to a press; an alert has to be closed."""

    text: str
    alert: bool = False


def toast_of(decision: Decision, texts: Texts, at: int) -> Toast:
    """What the person who pressed is told at the time `at` (ms)."""
    if decision.refusal is not None:
        return Toast(text=_refused(decision, texts), alert=True)
    if decision.missing:
        return Toast(text=texts.toast_vote.format(count=decision.missing))
    proposal = decision.proposal
    if proposal is not None and proposal.state is ProposalState.APPROVED:
        return _approved(proposal, texts, at, waits=decision.waits)
    match decision.verdict:
        case Verdict.UNDO:
            return Toast(text=texts.toast_undone)
        case Verdict.DENY:
            return Toast(text=texts.toast_denied)
        case Correction.REASON:
            return Toast(text=texts.toast_reasoned if decision.heard else texts.toast_reason_kept)
    return Toast(text=texts.toast_settled)


def _approved(proposal: Proposal, texts: Texts, at: int, *, waits: bool) -> Toast:
    if waits:
        return Toast(text=texts.toast_approved_waits, alert=True)
    if proposal.execute_after > at:
        seconds = -(-(proposal.execute_after - at) // 1000)
        return Toast(text=texts.toast_approved_later.format(seconds=seconds))
    return Toast(text=texts.toast_approved)


def _refused(decision: Decision, texts: Texts) -> str:
    proposal = decision.proposal
    match decision.refusal:
        case Refusal.NOT_ALLOWED:
            return texts.toast_not_allowed
        case Refusal.VOTED:
            return texts.toast_voted.format(count=decision.missing)
        case Refusal.MARKED if proposal:
            return texts.toast_marked.format(marks=_marked(proposal))
        case Refusal.UNKNOWN | None:
            return texts.toast_outdated
    if proposal is not None and proposal.state is ProposalState.EXPIRED:
        return texts.toast_expired
    by = (proposal.settled_by or proposal.decided_by) if proposal is not None else None
    if decision.refusal is not Refusal.EXPIRED and proposal is not None and by is not None:
        return texts.toast_already.format(who=by.name, state=state_of(proposal, texts))
    return texts.toast_outdated


def _marked(proposal: Proposal) -> str:
    words = ", ".join(mark.text for mark in doubts(proposal.marks))
    return words if len(words) <= MARKED else f"{words[: MARKED - 1]}…"
