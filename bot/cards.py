"""Cards: what the rows say, as text and buttons.  Pure: the same rows make the same card.

What all cards share, and the card of a run that needs a person.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from html import escape
from zoneinfo import ZoneInfo

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from agent.contacts import Contact
from agent.outgoing import Posted
from agent.proposals import DenialReason, ProposalState, Verdict
from agent.runs import RunStatus, Switch
from agent.views import RunView
from bot.texts import Texts

# Code points of a message (Bot API).  The raw HTML is held to it, which is stricter than Telegram.
LIMIT = 4096
QUOTED = 1200
# Letters of a message kept for the line that counts what did not fit.
ROOM_FOR_THE_REST = 200
ENDED_BADLY = (RunStatus.STOPPED, RunStatus.MAX_STEPS, RunStatus.BUDGET, RunStatus.FAILED)
ANSWERED = (ProposalState.EXECUTED, ProposalState.HANDED_OVER)


class Code(StrEnum):
    """The first letters of callback data; a proposal's token follows.

    APPROVE_ALL is followed by the seal of all that the card asks about; the last four are reasons of denials.
    TAKE_OVER and HAND_BACK are followed by the number of the run.
    """

    APPROVE = "a"
    DENY = "d"
    EDIT = "e"
    UNDO = "u"
    WAS_SENT = "s"
    SEND_AGAIN = "r"
    DROP = "x"
    DELIVERED = "D"
    NOT_REACHED = "n"
    APPROVE_ALL = "A"
    TAKE_OVER = "T"
    HAND_BACK = "H"
    WRONG_FACTS = "f"
    TONE = "t"
    WILL_CALL = "c"
    SPAM = "p"

    @property
    def verdict(self) -> Verdict | None:
        """The verdict that the button gives at once."""
        return Verdict.__members__.get(self.name)

    @property
    def reason(self) -> DenialReason | None:
        return DenialReason.__members__.get(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A card to be shown.  Where `document` is set it has to be posted first: the text was cut.

    urgent: something went wrong, which is told with sound at any hour.  silent: it asks nothing of anybody.
    """

    text: str
    buttons: tuple[tuple[InlineKeyboardButton, ...], ...] = ()
    document: str | None = None
    urgent: bool = False
    silent: bool = False

    @property
    def markup(self) -> InlineKeyboardMarkup | None:
        return InlineKeyboardMarkup(self.buttons) if self.buttons else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardStyle:
    """Words and time zone of the operators; whether each lead has a topic of the group."""

    texts: Texts
    zone: ZoneInfo
    topics: bool = False

    def time(self, at: int | None) -> str:
        """14:02, with the date where it is not today's card any more."""
        moment = datetime.fromtimestamp((at or 0) / 1000, UTC).astimezone(self.zone)
        return moment.strftime("%d.%m %H:%M")

    def age(self, ms: int) -> str:
        """12 min, 3 h or 2 d: as much as one reads at a glance."""
        minutes = max(0, ms) // 60_000
        for size, words in ((24 * 60, self.texts.days), (60, self.texts.hours)):
            if minutes >= 2 * size:
                return words.format(count=minutes // size)
        return self.texts.minutes.format(count=minutes)

    def seconds(self, at: int) -> str:
        """14:02:07, for what happens in a moment."""
        return datetime.fromtimestamp(at / 1000, UTC).astimezone(self.zone).strftime("%H:%M:%S")


def keyboard(buttons: Sequence[tuple[str, str]]) -> InlineKeyboardMarkup:
    """One row of buttons, each with its label and what a press says."""
    row = [InlineKeyboardButton(label, callback_data=data) for label, data in buttons]
    return InlineKeyboardMarkup([row])


def linked(label: str, message: Posted | None) -> str:
    """HTML: the label as a link to the message; only supergroups have links to messages."""
    if message is None or not str(message.chat_id).startswith("-100"):
        return label
    way = [str(message.chat_id)[4:], *([] if message.thread_id is None else [str(message.thread_id)])]
    return f'<a href="https://t.me/c/{"/".join(way)}/{message.message_id}">{label}</a>'


def mention(id: int, name: str) -> str:
    """HTML: a name that rings for the user of that id, if they are in the group."""
    return f'<a href="tg://user?id={id}">{escape(name)}</a>'


def fitting(lines: Sequence[str], more: Callable[..., str], *, kept: int = ROOM_FOR_THE_REST) -> str:
    """As many whole lines as a message takes with `kept` letters left free, then how many more there are."""
    shown, used = 0, kept
    while shown < len(lines) and used + len(lines[shown]) + 1 <= LIMIT:
        used += len(lines[shown]) + 1
        shown += 1
    left = len(lines) - shown
    return "\n".join([*lines[:shown], *([more(count=left)] if left else [])])


def callback_data(code: Code, token: str) -> str:
    return f"{code}:{token}"


def parse_callback_data(data: str | None) -> tuple[Code, str] | None:
    """What the button means and its token; None for anything that is not ours."""
    code, _, token = (data or "").partition(":")
    if code not in list(Code) or not token:
        return None
    return Code(code), token


def words_lines(view: RunView, style: CardStyle, quoted: int) -> list[str]:
    if view.run.result is not None:  # nobody wrote: the run is about a record
        return [quote(view.run.text, quoted)] if quoted else []
    lines = [style.texts.wrote, quote(view.lead.message, quoted)]
    if view.unread:
        since = "\n".join(said.text for said in view.unread)
        lines += [style.texts.wrote_since, quote(since, quoted)]
    return [*(lines if quoted else []), *([style.texts.blocked] if view.blocked else [])]


def quote(words: str, longest: int) -> str:
    return f"<blockquote expandable>{escape(cut(words, longest), quote=False)}</blockquote>"


def cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[:longest]}…"


def longest_words(view: RunView) -> int:
    return max(len(view.lead.message), sum(len(said.text) + 1 for said in view.unread))


def merge_lines(view: RunView, style: CardStyle) -> list[str]:
    """That the lead's contact was taken for another, and where that is told and undone."""
    merge = view.merge
    if merge is None:
        return []
    loser, winner = Contact.name_of(merge.loser), Contact.name_of(merge.winner)
    return [style.texts.crm.merged_line.format(loser=loser, winner=winner, merge=merge.merge_id)]


def pause_end(view: RunView, style: CardStyle) -> str:
    """The end of a footer while the manual stop is on."""
    if view.pause is None:
        return ""
    return " · " + pause_line(view.pause, style)


def pause_line(pause: Switch, style: CardStyle) -> str:
    """Who stopped the agent, and when."""
    return style.texts.paused.format(who=escape(pause.by.name, quote=False), time=style.time(pause.at))


def run_card(view: RunView, style: CardStyle) -> Rendered:
    """The card of a run that needs a person: why, who, their words; shortened until it fits."""
    for quoted, reasons in ((QUOTED, 300), (300, 300), (300, 60), (0, 60)):
        text = "\n".join(
            [
                _run_title(view, style),
                *_run_facts(view, style.texts, reasons),
                *words_lines(view, style, quoted),
                *merge_lines(view, style),
                _run_footer(view, style),
            ]
        )
        if len(text) <= LIMIT:
            break
    talk = talk_row(view, style.texts)
    return Rendered(
        text=text,
        buttons=(*_contact_buttons(view, style.texts), *([talk] if talk else [])),
        urgent=view.run.status in ENDED_BADLY,
    )


def talk_row(view: RunView, texts: Texts) -> tuple[InlineKeyboardButton, ...]:
    """To answer in the agent's place, or to let it answer again, where the lead is in Telegram."""
    if view.lead.telegram_id is None:
        return ()
    codes = [(Code.TAKE_OVER, texts.take_over)]
    if view.taken_by:
        codes.append((Code.HAND_BACK, texts.hand_back))
    return tuple(
        InlineKeyboardButton(label, callback_data=callback_data(code, str(view.run.id)))
        for code, label in codes
    )


def _run_footer(view: RunView, style: CardStyle) -> str:
    status = style.texts.statuses[view.run.status] + pause_end(view, style)
    return f"<i>{view.run.run_id} · {view.lead.lead_id} · {status}</i>"


def _run_facts(view: RunView, texts: Texts, longest: int) -> list[str]:
    facts = [texts.reason.format(reason=escape(cut(reason, longest))) for reason in _reasons(view)]
    facts += _undecided(view, texts)
    if view.lead.phone:
        facts.append(texts.phone.format(phone=escape(view.lead.phone)))
    if view.deals:
        deals = ", ".join(f"{deal.deal_id} ({deal.service})" for deal in view.deals)
        facts.append(texts.deals.format(deals=deals))
    return facts


def _run_title(view: RunView, style: CardStyle) -> str:
    texts, name = style.texts, lead_name(view)
    if view.taken_by:
        words = texts.taken_over_topic if style.topics else texts.taken_over
        return words.format(name=name, who=escape(view.taken_by.name, quote=False))
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
    """Not of a run that ended for a person took the lead over: that is said in the operators' language."""
    unsaid = view.run.reason is None or view.run.status in (RunStatus.DONE, RunStatus.CANCELLED)
    return [*view.escalations, *([] if unsaid else [view.run.reason or ""])]


def _undecided(view: RunView, texts: Texts) -> list[str]:
    """That people let the time for an answer pass, where the lead got none."""
    answered = any(item.state in ANSWERED for item in view.proposals)
    late = [item.proposal_id for item in view.proposals if item.state is ProposalState.EXPIRED]
    return [] if answered or not late else [texts.nobody_decided.format(proposal=", ".join(late))]


def _contact_buttons(view: RunView, texts: Texts) -> tuple[tuple[InlineKeyboardButton, ...], ...]:
    if not view.username:
        return ()
    return ((InlineKeyboardButton(texts.profile, url=f"https://t.me/{view.username}"),),)


def lead_name(view: RunView) -> str:
    return escape(view.lead.name, quote=False)
