"""The card of a rule: which calls it lets pass, what it would have sent, who answers for it.  Pure."""

from collections.abc import Iterator, Sequence
from html import escape

from telegram import InlineKeyboardButton

from agent.conditions import NO, YES, Condition
from agent.jsontext import one_line
from agent.rules import Rule, RuleState, RuleVerdict
from agent.runs import Person
from agent.turn import Policy
from bot.cards import CardStyle, Rendered, cut, mention
from bot.texts import Texts

PREFIX = "rule"
# Letters of one condition.
SHOWN = 200
CODES = {
    RuleVerdict.ACCEPT: "a",
    RuleVerdict.DECLINE: "d",
    RuleVerdict.RESUME: "r",
    RuleVerdict.END: "e",
}


def rule_card(rule: Rule, style: CardStyle, policy: Policy) -> Rendered:
    """Which calls it lets pass, and what became of it; at first also what speaks for it."""
    texts, asks = style.texts, rule.state is RuleState.PROPOSED
    lines = [
        _question(rule, texts) if asks else f"📐 <b>{rule.rule_id}</b>",
        texts.rules.calls.format(tool=escape(rule.tool)),
        *(f"• {words}" for words in _conditions(rule.conditions, texts)),
        *([_replayed(rule, texts), texts.rules.limits] if asks else []),
        _state(rule, style, policy),
    ]
    return Rendered(text="\n".join(lines), buttons=_buttons(rule, texts))


def _question(rule: Rule, texts: Texts) -> str:
    words = texts.rules.written if rule.written else texts.rules.earned
    return words.format(rule=rule.rule_id, support=rule.support)


def _conditions(conditions: Sequence[Condition], texts: Texts) -> list[str]:
    """HTML, each in its line: language: en; text: contains “price”, > 5."""
    return [
        escape(
            cut(one_line(f"{_named(condition, texts)}: {', '.join(_asked(condition, texts))}"), SHOWN),
            quote=False,
        )
        for condition in conditions
    ]


def _named(condition: Condition, texts: Texts) -> str:
    if condition.lead is not None:
        return texts.rules.fields[condition.lead]
    return texts.rules.text if condition.argument == "text" else condition.argument or ""


def _asked(condition: Condition, texts: Texts) -> Iterator[str]:
    words = {YES: texts.rules.yes, NO: texts.rules.no, "": texts.rules.unknown}
    if condition.equals is not None:
        value = str(condition.equals)
        yield words.get(value.lower(), value)
    if condition.one_of is not None:
        yield ", ".join(words.get(value, value) for value in condition.one_of)
    if condition.contains is not None:
        yield texts.rules.contains.format(words=condition.contains)
    if condition.longer_than is not None:
        yield texts.rules.longer.format(count=condition.longer_than)
    if condition.above is not None:
        yield f"> {_figure(condition.above)}"
    if condition.below is not None:
        yield f"< {_figure(condition.below)}"


def _figure(value: float) -> str:
    """1 000 000"""
    return f"{value:,}".removesuffix(".0").replace(",", " ")


def _replayed(rule: Rule, texts: Texts) -> str:
    found = rule.replayed
    if not found.sent:
        return texts.rules.replayed_nothing
    return texts.rules.replayed.format(
        sent=found.sent, denied=found.denied, edited=found.edited, undone=found.undone
    )


def _state(rule: Rule, style: CardStyle, policy: Policy) -> str:
    texts = style.texts.rules
    owner = _name(rule.owner)
    facts = {
        "time": style.time(rule.changed_at),
        "who": _name(rule.changed_by),
        "owner": owner,
        "until": style.time(rule.until),
        "what": texts.outcomes[rule.broken_by] if rule.broken_by else "",
        "proposal": f"P-{rule.broken_on}",
        "days": policy.policies.rules.valid_days,
    }
    match rule.state:
        case RuleState.PROPOSED if not policy.admins:
            return texts.no_admins
        case RuleState.PROPOSED:
            return (texts.who_accepts_by_date if rule.until else texts.who_accepts).format(**facts)
        case RuleState.ACTIVE:
            return texts.in_force.format(**facts)
        case RuleState.SUSPENDED if rule.broken_by is None:
            return texts.orphaned.format(**facts)
        case RuleState.SUSPENDED:
            rung = mention(rule.owner.id, rule.owner.name) if rule.owner else owner
            return f"{texts.suspended}\n{texts.suspended_hint}".format(**{**facts, "owner": rung})
        case RuleState.DECLINED:
            return texts.declined.format(**facts)
        case RuleState.ENDED if rule.broken_on is not None:
            return texts.withdrawn.format(**facts)
        case RuleState.ENDED:
            return (texts.ended if rule.changed_by else texts.ended_by_itself).format(**facts)


def _name(person: Person | None) -> str:
    return escape(person.name, quote=False) if person else "–"


def _buttons(rule: Rule, texts: Texts) -> tuple[tuple[InlineKeyboardButton, ...], ...]:
    row = tuple(
        InlineKeyboardButton(
            texts.rules.verdicts[verdict], callback_data=f"{PREFIX}:{CODES[verdict]}:{rule.token}"
        )
        for verdict in RuleVerdict
        if rule.state in verdict.applies_to
    )
    return (row,) if row else ()


def rule_line(rule: Rule, uses: int, style: CardStyle) -> str:
    """One rule in the list."""
    texts = style.texts.rules
    conditions = "; ".join(_conditions(rule.conditions, style.texts))
    return texts.line.format(
        rule=rule.rule_id,
        state=texts.states[rule.state],
        owner=_name(rule.owner),
        until=style.time(rule.until) if rule.until else "–",
        uses=texts.uses.format(count=uses),
        calls=f"<code>{escape(rule.tool)}</code>: {conditions}",
    )
