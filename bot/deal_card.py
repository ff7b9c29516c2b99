"""A deal as the group sees it: its card, its line in a list.  Pure."""

from enum import StrEnum
from html import escape

from telegram import InlineKeyboardButton

from agent.contacts import Contact
from agent.deals import Change, ChangeKind, Deal, DealView, Stage
from agent.runs import Lead, Person
from bot.cards import CardStyle, Rendered, cut
from bot.texts.crm import CrmTexts

PREFIX = "deal"
# Letters of what people wrote, so that the card always fits a message.
NAME_SHOWN, SUMMARY_SHOWN, NOTE_SHOWN = 100, 300, 200


class Own(StrEnum):
    """The button beside those of the stages."""

    MINE = "mine"


DealPress = Stage | Own
PRESSES: tuple[DealPress, ...] = (*Stage, *Own)


def deal_data(press: DealPress, deal: Deal) -> str:
    return f"{PREFIX}:{press}:{deal.id}"


def deal_card(view: DealView, style: CardStyle) -> Rendered:
    """What it is, whose it is, who looks after it, what was done; a button for each other stage."""
    deal, texts = view.deal, style.texts.crm
    lines = [
        f"💼 <b>{deal.deal_id} · {texts.services[deal.service]} · {texts.stages[deal.stage]}</b>",
        _plain(deal.summary, SUMMARY_SHOWN),
        texts.customer.format(name=_customer(view)),
        texts.owner.format(who=_owner(deal, texts)),
        *_history(view, style),
        f"<i>{view.lead.lead_id} · run-{deal.run_id} · {style.time(deal.created_at)}</i>",
    ]
    return Rendered(text="\n".join(lines), buttons=_buttons(deal, texts))


def deal_line(deal: Deal, lead: Lead, texts: CrmTexts) -> str:
    """D-12 · CRM · in progress · Dana · Olga."""
    parts = [
        deal.deal_id,
        texts.services[deal.service],
        texts.stages[deal.stage],
        _plain(lead.name, NAME_SHOWN),
    ]
    return " · ".join([*parts, *([_owner(deal, texts)] if deal.owner else [])])


def _customer(view: DealView) -> str:
    """C-12 = C-1 · Dana · +77015550142: as the lead says it, and the person that this was taken for."""
    names = dict.fromkeys([view.contact.contact_id, Contact.name_of(view.contact.standing)])
    known = [" = ".join(names), view.lead.name, view.lead.phone, *view.lead.emails[:1]]
    return " · ".join(_plain(word, NAME_SHOWN) for word in known if word)


def _owner(deal: Deal, texts: CrmTexts) -> str:
    return _name(deal.owner) if deal.owner else texts.nobody


def _history(view: DealView, style: CardStyle) -> list[str]:
    texts = style.texts.crm
    if not view.changes:
        return []
    more = [texts.history_more.format(count=view.earlier)] if view.earlier else []
    return [texts.history, *more, *(_change(change, style) for change in view.changes)]


def _change(change: Change, style: CardStyle) -> str:
    texts = style.texts.crm
    time, who = style.time(change.at), _name(change.by)
    match change.kind:
        case ChangeKind.STAGE:
            before, after = (texts.stages[Stage(str(stage))] for stage in (change.before, change.after))
            return texts.changed.format(time=time, who=who, before=before, after=after)
        case ChangeKind.OWNER:
            before = _plain(change.before, NAME_SHOWN) if change.before else texts.nobody
            return texts.taken.format(time=time, who=who, before=before)
        case ChangeKind.NOTE:
            return texts.noted.format(time=time, who=who, note=_plain(change.after, NOTE_SHOWN))


def _buttons(deal: Deal, texts: CrmTexts) -> tuple[tuple[InlineKeyboardButton, ...], ...]:
    others = [stage for stage in Stage if stage is not deal.stage]
    stages = tuple(
        InlineKeyboardButton(texts.stage_buttons[stage], callback_data=deal_data(stage, deal))
        for stage in others
    )
    return (stages, (InlineKeyboardButton(texts.mine, callback_data=deal_data(Own.MINE, deal)),))


def _plain(words: str, longest: int) -> str:
    return escape(cut(words, longest), quote=False)


def _name(person: Person) -> str:
    return _plain(person.name, NAME_SHOWN)
