"""The card on which proposals are decided: what would leave, to whom, what was said of it, the buttons."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from html import escape
from typing import assert_never

from telegram import CopyTextButton, InlineKeyboardButton
from telegram.constants import KeyboardButtonStyle

from agent.jsontext import JsonObject, digest, dumps
from agent.marks import Mark, doubts, orders
from agent.proposals import DenialReason, Outdated, Proposal, ProposalState, text_in
from agent.views import CardView
from bot.cards import (
    LIMIT,
    QUOTED,
    CardStyle,
    Code,
    Rendered,
    callback_data,
    lead_name,
    longest_words,
    merge_lines,
    pause_end,
    talk_row,
    words_lines,
)
from bot.handover import way, whatsapp_button
from bot.texts import Texts

Row = tuple[InlineKeyboardButton, ...]
COPIED = 256
# Marked words that a card names, so that it keeps its room for what leaves.
MARKS = 12
WENT_WRONG = (ProposalState.UNCERTAIN, ProposalState.FAILED)
_REASONS = (Code.WRONG_FACTS, Code.TONE, Code.WILL_CALL, Code.SPAM)


def proposal_card(shown: CardView, style: CardStyle) -> Rendered:
    """The card of what is proposed together; what would leave is shown whole, or attached whole before."""
    buttons, document = _buttons(shown, style), _document(shown, style)
    urgent = any(item.state in WENT_WRONG for item in shown.proposals)
    silent = not urgent and all(item.rule_id is not None for item in shown.proposals)
    card = Rendered(text="", buttons=buttons, urgent=urgent, silent=silent)
    for quoted in (QUOTED, 200, 0):
        text = _text(shown, style, quoted, whole=True)
        if len(text) <= LIMIT:
            cut = quoted < QUOTED and longest_words(shown.view) > quoted
            shown_apart = document if cut and _asks(shown.proposals) else None
            return replace(card, text=text, document=shown_apart)
    return replace(card, text=_text(shown, style, 0, whole=False), document=document)


def _asks(proposals: Sequence[Proposal]) -> bool:
    return any(item.state is ProposalState.PENDING for item in proposals)


def seal(proposals: Sequence[Proposal]) -> str:
    """Stands for exactly what a card asks about now: any other version or decision makes it another one."""
    waiting = [item.token for item in proposals if item.state is ProposalState.PENDING]
    return digest(waiting)[:32]


def _text(shown: CardView, style: CardStyle, quoted: int, *, whole: bool) -> str:
    parts = [
        _title(shown, style.texts),
        *words_lines(shown.view, style, quoted),
        *merge_lines(shown.view, style),
        *(
            part
            for number, proposal in enumerate(shown.proposals, 1)
            for part in _section(shown, proposal, style, number, whole=whole)
        ),
        _footer(shown, style),
    ]
    return "\n".join(part for part in parts if part)


def _title(shown: CardView, texts: Texts) -> str:
    first, count = shown.proposals[0], len(shown.proposals)
    name, tool = lead_name(shown.view), escape(first.tool)
    if count > 1:
        title = texts.actions.format(name=name, count=count)
        return " · ".join(part for part in (title, way(first.route, texts)) if part)
    title = texts.action if first.text is None else texts.reply_to
    return " · ".join(part for part in (title.format(name=name, tool=tool), way(first.route, texts)) if part)


def _section(shown: CardView, proposal: Proposal, style: CardStyle, number: int, *, whole: bool) -> list[str]:
    """One proposal: what leaves, how it came about, what was said of it."""
    texts = style.texts
    announced = _announced(proposal, texts)
    if len(shown.proposals) > 1:
        announced = f"<b>{number}.</b> {announced}"
    return [
        announced,
        f"<pre>{escape(outgoing(proposal), quote=False)}</pre>" if whole else texts.full_text_attached,
        *(_changes(shown, proposal, texts) if whole else []),
        *_warnings(proposal, texts),
        *_votes(proposal, texts),
        texts.by_rule if proposal.rule_id is not None else "",
        _state_line(proposal, style, paused=shown.view.pause is not None),
    ]


def _announced(proposal: Proposal, texts: Texts) -> str:
    if not proposal.available:
        return texts.nothing_connected
    return texts.to_be_sent_by_hand if proposal.by_hand else texts.goes_out_verbatim


def outgoing(proposal: Proposal) -> str:
    """Exactly what leaves: the text, or all arguments of another tool."""
    return _words_of(proposal.arguments)


def _changes(shown: CardView, proposal: Proposal, texts: Texts) -> list[str]:
    """Whose words the present version is, and what it says otherwise than the one before."""
    if not (earlier := shown.earlier.get(proposal.id)):
        return []
    by = proposal.edited_by
    who = escape(by.name, quote=False) if by else texts.the_agent
    line = texts.version_by.format(version=proposal.version, who=who)
    compared = compare(_words_of(earlier[-1].arguments), outgoing(proposal))
    return [line, f"<blockquote expandable>{compared}</blockquote>"]


def _warnings(proposal: Proposal, texts: Texts) -> list[str]:
    """While it can be decided: what of the text no source says, and what orders the lead seems to give."""
    if proposal.state is not ProposalState.PENDING:
        return []
    kinds = ((doubts(proposal.marks), texts.marked), (orders(proposal.marks), texts.ordered))
    return [words.format(marks=_listed(marks)) for marks, words in kinds if marks]


def _listed(marks: Sequence[Mark]) -> str:
    return ", ".join(f"<b>{escape(mark.text, quote=False)}</b>" for mark in marks[:MARKS])


def _votes(proposal: Proposal, texts: Texts) -> list[str]:
    """While more people have to approve: who has."""
    if proposal.state is not ProposalState.PENDING or (proposal.quorum < 2 and not proposal.votes):
        return []
    names = ", ".join(escape(voter.name, quote=False) for voter in proposal.votes) or "–"
    return [texts.votes.format(count=len(proposal.votes), needed=proposal.needed, who=names)]


def _words_of(arguments: JsonObject) -> str:
    text = text_in(arguments)
    return dumps(arguments) if text is None else text


def compare(before: str, after: str) -> str:
    """HTML: words that went are struck through, words that came are underlined."""
    old, new = before.split(), after.split()
    parts = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = (escape(" ".join(words), quote=False) for words in (old[a:b], new[c:d]))
        if kind == "equal":
            parts.append(come)
        else:
            parts += [f"<s>{gone}</s>"] if gone else []
            parts += [f"<u>{come}</u>"] if come else []
    return " ".join(parts)


def _document(shown: CardView, style: CardStyle) -> str:
    view, texts = shown.view, style.texts
    said = [view.lead.message, *(message.text for message in view.unread)]
    leaving = [part for item in shown.proposals for part in (f"{texts.document_reply}:", outgoing(item))]
    return "\n\n".join([f"{view.lead.name} · {texts.document_lead}:", *said, *leaving])


def _footer(shown: CardView, style: CardStyle) -> str:
    texts, first, last = style.texts, shown.proposals[0], shown.proposals[-1]
    name = first.proposal_id if first is last else f"{first.proposal_id}…{last.proposal_id}"
    footer = texts.footer.format(proposal=name, run=shown.view.run.run_id)
    if first is last and first.version > 1:
        footer += f" · v{first.version}"
    pending = [item.expires_at for item in shown.proposals if item.state is ProposalState.PENDING]
    if pending:
        footer += " · " + texts.expires.format(time=style.time(min(pending)))
    return f"<i>{footer}{pause_end(shown.view, style)}</i>"


def _state_line(proposal: Proposal, style: CardStyle, *, paused: bool) -> str:
    texts = style.texts
    people = {voter.id: voter.name for voter in (*proposal.votes, proposal.decided_by) if voter}
    who = escape(", ".join(people.values()) or "–")
    facts = {"who": who, "time": style.time(proposal.decided_at), "note": escape(proposal.note or "–")}
    match proposal.state:
        case ProposalState.PENDING:
            return ""
        case ProposalState.REVISING:
            return texts.revising.format(remark=escape(proposal.remark or "–", quote=False))
        case ProposalState.APPROVED | ProposalState.EXECUTING:
            later = style.seconds(proposal.execute_after)
            line = _approved_line(proposal, texts, paused=paused).format(**facts, later=later)
            return line + (texts.not_yet.format(**facts) if proposal.note else "")
        case ProposalState.HANDED_OVER:
            return texts.handed_over.format(**facts)
        case ProposalState.EXECUTED | ProposalState.FAILED if proposal.settled_by:
            line = texts.delivered if proposal.delivered else texts.not_reached
            settler = escape(proposal.settled_by.name)
            return line.format(**facts, settler=settler, settled=style.time(proposal.executed_at))
        case ProposalState.EXECUTED:
            settled = (proposal.decided_at or 0) > (proposal.executed_at or 0)
            return (texts.settled_sent if settled else texts.sent).format(**facts)
        case ProposalState.FAILED:
            return texts.not_sent.format(**facts)
        case ProposalState.UNCERTAIN:
            return texts.unknown.format(**facts)
        case ProposalState.DENIED:
            line = texts.denied if proposal.available else texts.request_denied
            return line.format(**facts) + _reason(proposal, texts)
        case ProposalState.EXPIRED:
            return texts.expired if proposal.available else texts.request_expired
        case ProposalState.SUPERSEDED:
            why = next((why for why in Outdated if why == proposal.note), None)
            return texts.outdated[why] if why else texts.superseded
    assert_never(proposal.state)


def _approved_line(proposal: Proposal, texts: Texts, *, paused: bool) -> str:
    if proposal.state is ProposalState.EXECUTING:
        return texts.approved_waiting
    if not proposal.available:
        return texts.not_connected
    if paused:
        return texts.approved_paused
    return texts.approved_later if proposal.execute_after else texts.approved_waiting


def _reason(proposal: Proposal, texts: Texts) -> str:
    """The end of the line: why it was denied, in the operators' language where it is one of ours."""
    if proposal.reason is None:
        return ""
    ours = proposal.reason in list(DenialReason)
    words = texts.denial_reasons[DenialReason(proposal.reason)] if ours else proposal.reason
    return "\n" + texts.reason.format(reason=escape(words, quote=False))


# --- buttons


def _buttons(shown: CardView, style: CardStyle) -> tuple[Row, ...]:
    texts, proposals = style.texts, shown.proposals
    if len(proposals) == 1:
        return _buttons_of(shown, proposals[0], texts, "")
    rows = [
        row
        for number, proposal in enumerate(proposals, 1)
        for row in _buttons_of(shown, proposal, texts, f" {number}")
    ]
    pending = [item for item in proposals if item.state is ProposalState.PENDING]
    if len(pending) > 1:
        label = texts.approve_all.format(count=len(pending))
        everything = callback_data(Code.APPROVE_ALL, seal(proposals))
        rows.append((InlineKeyboardButton(label, callback_data=everything),))
    return tuple(rows)


def _buttons_of(shown: CardView, proposal: Proposal, texts: Texts, number: str) -> tuple[Row, ...]:
    def press(code: Code, label: str, colour: KeyboardButtonStyle | None = None) -> InlineKeyboardButton:
        data = callback_data(code, proposal.token)
        return InlineKeyboardButton(label + number, callback_data=data, style=colour)

    match proposal.state:
        case ProposalState.PENDING:
            decisions = (
                press(Code.APPROVE, texts.approve, KeyboardButtonStyle.SUCCESS),
                press(Code.DENY, texts.deny, KeyboardButtonStyle.DANGER),
                *([press(Code.EDIT, texts.edit)] if proposal.text is not None else []),
            )
            extras = () if number else (*_copy_button(proposal, texts), *talk_row(shown.view, texts))
            return (decisions, extras) if extras else (decisions,)
        case ProposalState.APPROVED if proposal.available and _can_be_undone(shown, proposal):
            return ((press(Code.UNDO, texts.undo),),)
        case ProposalState.DENIED if proposal.reason is None and _is_heard(shown, proposal):
            reasons = [press(code, texts.denial_reasons[DenialReason[code.name]]) for code in _REASONS]
            return (tuple(reasons[:2]), tuple(reasons[2:]))
        case ProposalState.UNCERTAIN:
            was_sent, drop = press(Code.WAS_SENT, texts.was_sent), press(Code.DROP, texts.drop)
            if shown.view.run.status.over:  # a person answers instead
                return ((was_sent, drop),)
            return ((was_sent, press(Code.SEND_AGAIN, texts.send_again)), (drop,))
        case ProposalState.HANDED_OVER:
            extras = (*whatsapp_button(proposal, texts), *_copy_button(proposal, texts))
            said = (press(Code.DELIVERED, texts.sent_by_hand), press(Code.NOT_REACHED, texts.could_not_reach))
            return (extras, said) if extras else (said,)
        case _:
            return ()


def _can_be_undone(shown: CardView, proposal: Proposal) -> bool:
    """Whether it is going to leave later than at once."""
    return proposal.execute_after > 0 or shown.view.pause is not None


def _is_heard(shown: CardView, proposal: Proposal) -> bool:
    """Whether the agent can still be told why."""
    return proposal.available and not shown.view.run.status.over


def _copy_button(proposal: Proposal, texts: Texts) -> Row:
    words = outgoing(proposal)
    if not 1 <= len(words) <= COPIED:
        return ()
    return (InlineKeyboardButton(texts.copy, copy_text=CopyTextButton(words)),)
