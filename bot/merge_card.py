"""The card of a merge: who is one person, or may be, with what each is known by.  Pure."""

from collections.abc import Sequence
from enum import StrEnum
from html import escape

from telegram import InlineKeyboardButton

from agent.contacts import Contact, IdentifierKind, KnownBy, Merge, MergeReason, MergeState
from agent.people import ContactView, MergeView
from agent.runs import Person
from bot.cards import CardStyle, Rendered
from bot.texts.crm import CrmTexts

# Of one side; what a form holds may be many.
MOST_IDENTIFIERS = 12
PREFIX = "merge"


class MergePress(StrEnum):
    """What a button of the card says."""

    SAME = "same"
    APART = "apart"
    UNDO = "undo"


def merge_data(press: MergePress, merge: Merge) -> str:
    return f"{PREFIX}:{press}:{merge.id}"


def merge_card(view: MergeView, style: CardStyle) -> Rendered:
    """What is asked or was done, both sides, and how it stands."""
    merge, texts = view.merge, style.texts.crm
    sides = [_side(side) for side in (view.winner, view.loser)]
    lines = [_title(merge, style), *sides, *_end(merge, style), f"<i>{merge.merge_id}</i>"]
    return Rendered(text="\n".join(line for line in lines if line), buttons=_buttons(merge, texts))


def _title(merge: Merge, style: CardStyle) -> str:
    texts = style.texts.crm
    if merge.state in (MergeState.SUGGESTED, MergeState.REFUSED, MergeState.SETTLED):
        shared = texts.merge_shared.format(shared=_shared(merge)) if merge.shared else ""
        return f"{texts.merge_asked}\n{shared}"
    if merge.decided_by is not None:
        reason = texts.merge_said.format(who=_name(merge.decided_by), time=style.time(merge.at))
    else:
        words = texts.merge_claimed if merge.reason is MergeReason.CLAIMED else texts.merge_vouched
        reason = words.format(shared=_shared(merge))
    return texts.merge_done.format(
        loser=Contact.name_of(merge.loser), winner=Contact.name_of(merge.winner), reason=reason
    )


def _end(merge: Merge, style: CardStyle) -> list[str]:
    texts = style.texts.crm
    match merge.state:
        case MergeState.SUGGESTED:
            return [texts.merge_warning]
        case MergeState.REFUSED if merge.decided_by:
            return [texts.merge_refused.format(who=_name(merge.decided_by), time=style.time(merge.at))]
        case MergeState.SETTLED:
            return [texts.merge_settled]
        case MergeState.UNDONE if merge.undone_by:
            return [texts.merge_undone.format(who=_name(merge.undone_by), time=style.time(merge.undone_at))]
    return []


def _buttons(merge: Merge, texts: CrmTexts) -> tuple[tuple[InlineKeyboardButton, ...], ...]:
    labels = {
        MergeState.SUGGESTED: {MergePress.SAME: texts.one_person, MergePress.APART: texts.two_people},
        MergeState.MERGED: {MergePress.UNDO: texts.take_back},
    }.get(merge.state, {})
    row = tuple(
        InlineKeyboardButton(label, callback_data=merge_data(press, merge)) for press, label in labels.items()
    )
    return (row,) if row else ()


def _side(views: Sequence[ContactView]) -> str:
    """C-1 Dana: Telegram @dana ✓, +77015550142 ✓, dana@example.kz."""
    contact = views[0].contact
    known = {item.identifier: _known(item, view.contact) for view in views for item in view.known}
    shown = list(known.values())[:MOST_IDENTIFIERS]
    more = [f"+{len(known) - len(shown)}"] if len(known) > len(shown) else []
    name = escape(contact.name[:100], quote=False)
    return f"<b>{contact.contact_id}</b> {name}: {', '.join([*shown, *more]) or '–'}"


def _known(known: KnownBy, contact: Contact) -> str:
    words = known.identifier.value
    if known.identifier.kind is IdentifierKind.TELEGRAM:
        words = f"Telegram @{contact.username}" if contact.username else f"Telegram {words}"
    return f"{escape(words[:100], quote=False)}{' ✓' if known.verified else ''}"


def _shared(merge: Merge) -> str:
    return escape(merge.shared.value, quote=False) if merge.shared else ""


def _name(person: Person) -> str:
    return escape(person.name, quote=False)
