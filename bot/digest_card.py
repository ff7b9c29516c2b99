"""The card about leads that wait because there are too many.  Pure."""

from html import escape
from typing import assert_never

from telegram import InlineKeyboardButton

from agent.digests import Digest, DigestVerdict, DigestView, WaitReason
from agent.jsontext import one_line
from agent.runs import Lead
from bot.cards import CardStyle, Rendered

# Leads that the card names, and letters of each.
NAMED = 5
SHOWN = 80


def digest_card(view: DigestView, style: CardStyle) -> Rendered:
    """How many wait, why, and the first of them; then what was decided."""
    texts, digest = style.texts, view.digest
    if digest.verdict is not None:
        return Rendered(text=_closed(digest, digest.verdict, style))
    reason = {WaitReason.CALLS: texts.digest_calls, WaitReason.FLOOD: texts.digest_flood}[digest.reason]
    lines = [texts.digest_title.format(count=view.waiting), reason, *map(_line, view.first)]
    if (more := view.waiting - len(view.first)) > 0:
        lines.append(texts.pending_more.format(count=more))
    codes = (("p", texts.digest_process), ("s", texts.digest_spam))
    buttons = tuple(
        InlineKeyboardButton(label, callback_data=f"g{code}:{digest.token}:{view.last_id}")
        for code, label in codes
    )
    return Rendered(text="\n".join([*lines, texts.digest_question]), buttons=(buttons,))


def _line(lead: Lead) -> str:
    words = one_line(lead.message)
    shown = words if len(words) <= SHOWN else f"{words[: SHOWN - 1]}…"
    return escape(f"{lead.lead_id} · {lead.source} · {lead.name[:SHOWN]}: {shown}", quote=False)


def _closed(digest: Digest, verdict: DigestVerdict, style: CardStyle) -> str:
    who = escape(digest.decided_by.name, quote=False) if digest.decided_by else "–"
    facts = {"who": who, "time": style.time(digest.decided_at), "count": digest.leads}
    match verdict:
        case DigestVerdict.PROCESS:
            return style.texts.digest_processed.format(**facts)
        case DigestVerdict.SPAM:
            return style.texts.digest_marked.format(**facts)
        case DigestVerdict.NOTHING_WAITS:
            return style.texts.digest_over
    assert_never(verdict)
