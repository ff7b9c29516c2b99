"""Words about rules that let calls leave without a press.  See bot.texts.catalogue for the braces."""

from collections.abc import Mapping
from dataclasses import dataclass

from agent.conditions import LeadField
from agent.rules import Outcome, RuleState, RuleVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTexts:
    """What the cards of rules say, their buttons, /rules."""

    earned: str
    written: str
    calls: str
    replayed: str
    replayed_nothing: str
    limits: str
    who_accepts: str
    who_accepts_by_date: str
    no_admins: str
    in_force: str
    suspended: str
    orphaned: str
    suspended_hint: str
    declined: str
    ended: str
    ended_by_itself: str
    withdrawn: str
    title: str
    none: str
    line: str
    uses: str
    toast_not_admin: str
    toast_nobody_may: str
    fields: Mapping[LeadField, str]
    text: str
    yes: str
    no: str
    unknown: str
    longer: str
    contains: str
    states: Mapping[RuleState, str]
    outcomes: Mapping[Outcome, str]
    verdicts: Mapping[RuleVerdict, str]
    toasts: Mapping[RuleVerdict, str]


EN = RuleTexts(
    earned=(
        "📐 <b>{rule}</b>: shall such calls leave without a press?\n"
        "The last {support} of them were approved as they were."
    ),
    written="📐 <b>{rule}</b>, from the policy file: shall such calls leave without a press?",
    calls="<code>{tool}</code>, where",
    replayed=(
        "Looking back, it would have sent <b>{sent}</b>; of those you denied <b>{denied}</b>, changed "
        "<b>{edited}</b>, took back <b>{undone}</b>."
    ),
    replayed_nothing="Looking back, it would have sent nothing: nobody has decided on such calls yet.",
    limits=(
        "Whatever is marked ⚠️ still waits for a press. One edit, undoing or denial of such a call suspends "
        "the rule."
    ),
    who_accepts="Only an admin can accept it, and owns it then, for {days} days.",
    who_accepts_by_date="Only an admin can accept it, and owns it then, until {until}.",
    no_admins="⚠️ Nobody can accept it: no admins are named. Set ADMIN_IDS and restart the bot.",
    in_force="✅ <b>In force</b> since {time} · owner: {owner} · until {until}",
    suspended="⏸ <b>Suspended</b> · {time} · {who} {what} {proposal}",
    orphaned="⏸ <b>Suspended</b> · {time} · {owner} is no admin any more; an admin may resume or end it",
    suspended_hint="{owner}, let it go on, or end it. Until then such calls wait for a press.",
    declined="❌ Declined by {who} · {time}",
    ended="⏹ Ended by {who} · {time}",
    ended_by_itself="⏹ Ended · {time} · its date has come, or the policy file names it no longer",
    withdrawn="⏹ Withdrawn · {time} · {who} {what} {proposal}",
    title="<b>Rules</b>",
    none="There are no rules: everything that leaves takes a press.",
    line="<b>{rule}</b> · {state} · owner: {owner} · until {until} · {uses}\n{calls}",
    uses="used {count}×",
    toast_not_admin="Only admins decide on rules. Nothing was changed.",
    toast_nobody_may="Nobody may decide on rules: no admins are named. Set ADMIN_IDS and restart the bot.",
    fields={
        LeadField.SOURCE: "source",
        LeadField.LANGUAGE: "language",
        LeadField.RETURNING: "wrote before",
        LeadField.SERVICE: "service of the deal",
    },
    text="text",
    yes="yes",
    no="no",
    unknown="none",
    longer="longer than {count} letters",
    contains="contains “{words}”",
    states={
        RuleState.PROPOSED: "proposed",
        RuleState.ACTIVE: "in force",
        RuleState.SUSPENDED: "suspended",
        RuleState.DECLINED: "declined",
        RuleState.ENDED: "ended",
    },
    outcomes={
        Outcome.APPROVED: "approved",
        Outcome.EDITED: "changed",
        Outcome.UNDONE: "took back",
        Outcome.DENIED: "denied",
    },
    verdicts={
        RuleVerdict.ACCEPT: "✅ Accept",
        RuleVerdict.DECLINE: "❌ Decline",
        RuleVerdict.RESUME: "▶️ Go on",
        RuleVerdict.END: "⏹ End",
    },
    toasts={
        RuleVerdict.ACCEPT: "✅ In force. You own it.",
        RuleVerdict.DECLINE: "❌ Declined",
        RuleVerdict.RESUME: "▶️ In force again. You own it.",
        RuleVerdict.END: "⏹ Ended",
    },
)

RU = RuleTexts(
    earned=(
        "📐 <b>{rule}</b>: отправлять такое без нажатия?\nПоследние {support} подряд вы одобрили как есть."
    ),
    written="📐 <b>{rule}</b>, из файла политики: отправлять такое без нажатия?",
    calls="<code>{tool}</code>, если",
    replayed=(
        "По прошлым решениям оно отправило бы <b>{sent}</b>; из них вы отклонили <b>{denied}</b>, изменили "
        "<b>{edited}</b>, отозвали <b>{undone}</b>."
    ),
    replayed_nothing="По прошлым решениям оно не отправило бы ничего: такого ещё никто не решал.",
    limits=(
        "Всё, что помечено ⚠️, по-прежнему ждёт нажатия. Одна правка, отзыв или отказ приостанавливают "
        "правило."
    ),
    who_accepts="Принять может только администратор; он и отвечает за правило, {days} дн.",
    who_accepts_by_date="Принять может только администратор; он и отвечает за правило, до {until}.",
    no_admins="⚠️ Принять некому: администраторы не указаны. Задайте ADMIN_IDS и перезапустите бота.",
    in_force="✅ <b>Действует</b> с {time} · отвечает {owner} · до {until}",
    suspended="⏸ <b>Приостановлено</b> · {time} · {who}: {what}, {proposal}",
    orphaned=(
        "⏸ <b>Приостановлено</b> · {time} · {owner} больше не администратор; администратор может его "
        "возобновить или завершить"
    ),
    suspended_hint="{owner}, возобновите или завершите его. До тех пор такое ждёт нажатия.",
    declined="❌ Не принято: {who} · {time}",
    ended="⏹ Завершено: {who} · {time}",
    ended_by_itself="⏹ Завершено · {time} · вышел срок, или его больше нет в файле политики",
    withdrawn="⏹ Снято · {time} · {who}: {what}, {proposal}",
    title="<b>Правила</b>",
    none="Правил нет: всё уходит только после нажатия.",
    line="<b>{rule}</b> · {state} · отвечает: {owner} · до {until} · {uses}\n{calls}",
    uses="сработало {count} р.",
    toast_not_admin="О правилах решают только администраторы. Ничего не изменилось.",
    toast_nobody_may="Решать некому: администраторы не указаны. Задайте ADMIN_IDS и перезапустите бота.",
    fields={
        LeadField.SOURCE: "источник",
        LeadField.LANGUAGE: "язык",
        LeadField.RETURNING: "уже обращался",
        LeadField.SERVICE: "услуга в сделке",
    },
    text="текст",
    yes="да",
    no="нет",
    unknown="нет",
    longer="длиннее {count} букв",
    contains="содержит «{words}»",
    states={
        RuleState.PROPOSED: "предложено",
        RuleState.ACTIVE: "действует",
        RuleState.SUSPENDED: "приостановлено",
        RuleState.DECLINED: "не принято",
        RuleState.ENDED: "завершено",
    },
    outcomes={
        Outcome.APPROVED: "одобрено",
        Outcome.EDITED: "изменено",
        Outcome.UNDONE: "отозвано",
        Outcome.DENIED: "отклонено",
    },
    verdicts={
        RuleVerdict.ACCEPT: "✅ Принять",
        RuleVerdict.DECLINE: "❌ Не принимать",
        RuleVerdict.RESUME: "▶️ Возобновить",
        RuleVerdict.END: "⏹ Завершить",
    },
    toasts={
        RuleVerdict.ACCEPT: "✅ Действует. Отвечаете вы.",
        RuleVerdict.DECLINE: "❌ Не принято",
        RuleVerdict.RESUME: "▶️ Снова действует. Отвечаете вы.",
        RuleVerdict.END: "⏹ Завершено",
    },
)
