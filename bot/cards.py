"""Cards: what the rows say, as text and buttons.  Pure: the same rows make the same card."""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from html import escape
from typing import assert_never
from zoneinfo import ZoneInfo

from telegram import CopyTextButton, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.constants import KeyboardButtonStyle

from agent.jsontext import JsonObject, dumps
from agent.proposals import Proposal, ProposalState, Verdict
from agent.runs import RunStatus, Switch
from agent.views import ProposalView, RunView
from bot.texts import Texts

# Code points of a message (Bot API).  The raw HTML is held to it, which is stricter than Telegram.
LIMIT = 4096
QUOTED = 1200
COPIED = 256


class Code(StrEnum):
    """The first letters of callback data; the proposal's token follows."""

    APPROVE = "a"
    DENY = "d"
    WAS_SENT = "s"
    SEND_AGAIN = "r"
    DROP = "x"

    @property
    def verdict(self) -> Verdict:
        return Verdict[self.name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A card to be shown.  Where `document` is set it has to be posted first: the text was cut."""

    text: str
    buttons: tuple[tuple[InlineKeyboardButton, ...], ...] = ()
    document: str | None = None

    @property
    def markup(self) -> InlineKeyboardMarkup | None:
        return InlineKeyboardMarkup(self.buttons) if self.buttons else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStyle:
    """Words and time zone of the operators."""

    texts: Texts
    zone: ZoneInfo

    def time(self, at: int | None) -> str:
        """14:02, with the date where it is not today's card any more."""
        moment = datetime.fromtimestamp((at or 0) / 1000, UTC).astimezone(self.zone)
        return moment.strftime("%d.%m %H:%M")


def callback_data(code: Code, token: str) -> str:
    return f"{code}:{token}"


def parse_callback_data(data: str | None) -> tuple[Verdict, str] | None:
    """Verdict and token; None for anything that is not ours."""
    code, _, token = (data or "").partition(":")
    if code not in list(Code) or not token:
        return None
    return Code(code).verdict, token


def proposal_card(shown: ProposalView, style: CardStyle) -> Rendered:
    """The card of a proposal.  The outgoing text is shown whole, or attached whole before any button."""
    for quoted in (QUOTED, 200, 0):
        text = _proposal_text(shown, style, quoted, whole=True)
        if len(text) <= LIMIT:
            cut = quoted < QUOTED and _longest_words(shown.view) > quoted
            return Rendered(
                text=text, buttons=_buttons(shown, style), document=_document(shown, style) if cut else None
            )
    text = _proposal_text(shown, style, 0, whole=False)
    return Rendered(text=text, buttons=_buttons(shown, style), document=_document(shown, style))


def _proposal_text(shown: ProposalView, style: CardStyle, quoted: int, *, whole: bool) -> str:
    texts, proposal = style.texts, shown.proposal
    outgoing = proposal.arguments.get("text")
    title = texts.reply_to if isinstance(outgoing, str) else texts.action
    parts = [
        title.format(name=_name(shown.view), tool=escape(proposal.tool)),
        *_words(shown.view, style, quoted),
        texts.goes_out_verbatim if proposal.available else texts.nothing_connected,
        f"<pre>{escape(_outgoing(proposal), quote=False)}</pre>" if whole else texts.full_text_attached,
        _state_line(proposal, style, paused=shown.view.pause is not None),
        _footer(proposal, shown.view, style),
    ]
    return "\n".join(part for part in parts if part)


def _outgoing(proposal: Proposal) -> str:
    """Exactly what leaves: the text, or all arguments of another tool."""
    arguments: JsonObject = proposal.arguments
    return str(arguments["text"]) if list(arguments) == ["text"] else dumps(arguments)


def _words(view: RunView, style: CardStyle, quoted: int) -> list[str]:
    if view.run.result is not None:  # nobody wrote: the run is about a record
        return [_quote(view.run.text, quoted)] if quoted else []
    lines = [style.texts.wrote, _quote(view.lead.message, quoted)]
    if view.unread:
        since = "\n".join(said.text for said in view.unread)
        lines += [style.texts.wrote_since, _quote(since, quoted)]
    return [*(lines if quoted else []), *([style.texts.blocked] if view.blocked else [])]


def _quote(words: str, longest: int) -> str:
    return f"<blockquote expandable>{escape(_cut(words, longest), quote=False)}</blockquote>"


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[:longest]}…"


def _longest_words(view: RunView) -> int:
    return max(len(view.lead.message), sum(len(said.text) + 1 for said in view.unread))


def _document(shown: ProposalView, style: CardStyle) -> str:
    view, texts = shown.view, style.texts
    said = [view.lead.message, *(message.text for message in view.unread)]
    return "\n\n".join(
        [
            f"{view.lead.name} · {texts.document_lead}:",
            *said,
            f"{texts.document_reply}:",
            _outgoing(shown.proposal),
        ]
    )


def _footer(proposal: Proposal, view: RunView, style: CardStyle) -> str:
    footer = style.texts.footer.format(proposal=proposal.proposal_id, run=view.run.run_id)
    if proposal.state is ProposalState.PENDING:
        footer += " · " + style.texts.expires.format(time=style.time(proposal.expires_at))
    return f"<i>{footer}{_pause(view, style)}</i>"


def _pause(view: RunView, style: CardStyle) -> str:
    """The end of a footer while the manual stop is on."""
    if view.pause is None:
        return ""
    return " · " + pause_line(view.pause, style)


def pause_line(pause: Switch, style: CardStyle) -> str:
    """Who stopped the agent, and when."""
    return style.texts.paused.format(who=escape(pause.by.name, quote=False), time=style.time(pause.at))


def _state_line(proposal: Proposal, style: CardStyle, *, paused: bool) -> str:
    texts = style.texts
    who = escape(proposal.decided_by.name) if proposal.decided_by else "–"
    facts = {"who": who, "time": style.time(proposal.decided_at), "note": escape(proposal.note or "–")}
    match proposal.state:
        case ProposalState.PENDING:
            return ""
        case ProposalState.APPROVED if not proposal.available:
            return texts.not_connected.format(**facts)
        case ProposalState.APPROVED if paused:
            return texts.approved_paused.format(**facts)
        case ProposalState.APPROVED | ProposalState.EXECUTING:
            return texts.approved_waiting.format(**facts)
        case ProposalState.EXECUTED:
            settled = (proposal.decided_at or 0) > (proposal.executed_at or 0)
            return (texts.settled_sent if settled else texts.sent).format(**facts)
        case ProposalState.FAILED:
            return texts.not_sent.format(**facts)
        case ProposalState.UNCERTAIN:
            return texts.unknown.format(**facts)
        case ProposalState.DENIED if not proposal.available:
            return texts.request_denied.format(**facts)
        case ProposalState.EXPIRED if not proposal.available:
            return texts.request_expired
        case ProposalState.DENIED:
            return texts.denied.format(**facts)
        case ProposalState.EXPIRED:
            return texts.expired
        case ProposalState.SUPERSEDED:
            return texts.superseded
    assert_never(proposal.state)


def _buttons(shown: ProposalView, style: CardStyle) -> tuple[tuple[InlineKeyboardButton, ...], ...]:
    texts, proposal = style.texts, shown.proposal

    def press(code: Code, label: str, colour: KeyboardButtonStyle | None = None) -> InlineKeyboardButton:
        return InlineKeyboardButton(label, callback_data=callback_data(code, proposal.token), style=colour)

    match proposal.state:
        case ProposalState.PENDING:
            decisions = (
                press(Code.APPROVE, texts.approve, KeyboardButtonStyle.SUCCESS),
                press(Code.DENY, texts.deny, KeyboardButtonStyle.DANGER),
            )
            extras = _copy_button(proposal, texts)
            return (decisions, extras) if extras else (decisions,)
        case ProposalState.UNCERTAIN:
            return (
                (press(Code.WAS_SENT, texts.was_sent), press(Code.SEND_AGAIN, texts.send_again)),
                (press(Code.DROP, texts.drop),),
            )
        case _:
            return ()


def _copy_button(proposal: Proposal, texts: Texts) -> tuple[InlineKeyboardButton, ...]:
    outgoing = _outgoing(proposal)
    if not 1 <= len(outgoing) <= COPIED:
        return ()
    return (InlineKeyboardButton(texts.copy, copy_text=CopyTextButton(outgoing)),)


def run_card(view: RunView, style: CardStyle) -> Rendered:
    """The card of a run that needs a person: why, who, their words; shortened until it fits."""
    for quoted, reasons in ((QUOTED, 300), (300, 300), (300, 60), (0, 60)):
        text = "\n".join(
            [
                _run_title(view, style),
                *_run_facts(view, style.texts, reasons),
                *_words(view, style, quoted),
                _run_footer(view, style),
            ]
        )
        if len(text) <= LIMIT:
            break
    return Rendered(text=text, buttons=_contact_buttons(view, style.texts))


def _run_footer(view: RunView, style: CardStyle) -> str:
    status = style.texts.statuses[view.run.status] + _pause(view, style)
    return f"<i>{view.run.run_id} · {view.lead.lead_id} · {status}</i>"


def _run_facts(view: RunView, texts: Texts, longest: int) -> list[str]:
    facts = [texts.reason.format(reason=escape(_cut(reason, longest))) for reason in _reasons(view)]
    if view.lead.phone:
        facts.append(texts.phone.format(phone=escape(view.lead.phone)))
    if view.deals:
        deals = ", ".join(f"{deal.deal_id} ({deal.service})" for deal in view.deals)
        facts.append(texts.deals.format(deals=deals))
    return facts


def _run_title(view: RunView, style: CardStyle) -> str:
    texts, name = style.texts, _name(view)
    if view.escalations:
        return texts.escalated.format(name=name)
    if not view.run.status.over:
        return _open_title(view, texts).format(name=name)
    sent = any(proposal.state is ProposalState.EXECUTED for proposal in view.proposals)
    if sent and view.run.status is RunStatus.DONE:
        return texts.worked.format(name=name)
    return texts.unanswered.format(name=name, status=texts.statuses[view.run.status])


def _open_title(view: RunView, texts: Texts) -> str:
    if view.pause:
        return texts.waits_for_resume
    return texts.waits if view.run.retry_at else texts.works_again


def _reasons(view: RunView) -> list[str]:
    ended_badly = view.run.reason and view.run.status is not RunStatus.DONE
    return [*view.escalations, *([view.run.reason] if ended_badly and view.run.reason else [])]


def _contact_buttons(view: RunView, texts: Texts) -> tuple[tuple[InlineKeyboardButton, ...], ...]:
    if not view.username:
        return ()
    return ((InlineKeyboardButton(texts.profile, url=f"https://t.me/{view.username}"),),)


def _name(view: RunView) -> str:
    return escape(view.lead.name, quote=False)
