"""Words about contacts and deals, for operators."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from agent.crm_link import Closed
from agent.deals import Service, Stage


class Filter(StrEnum):
    """Which deals a list is about."""

    OPEN = "open"
    NEW = "new"
    IN_PROGRESS = "in progress"
    WON = "won"
    LOST = "lost"
    MINE = "mine"
    ALL = "all"


_ENGLISH = {filter.value: filter for filter in Filter}
_RUSSIAN = {
    "новые": Filter.NEW,
    "новая": Filter.NEW,
    "в работе": Filter.IN_PROGRESS,
    "успех": Filter.WON,
    "отказ": Filter.LOST,
    "мои": Filter.MINE,
    "все": Filter.ALL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CrmTexts:
    """`{names}` are filled in by `str.format`; values are escaped beforehand."""

    merge_asked: str
    merge_shared: str
    merge_warning: str
    merge_done: str
    merge_vouched: str
    merge_claimed: str
    merged_line: str
    merge_usage: str
    merge_unknown: str
    merge_already: str
    merge_said: str
    merge_refused: str
    merge_settled: str
    merge_undone: str
    one_person: str
    two_people: str
    take_back: str
    toast_merged: str
    toast_refused: str
    toast_undone: str
    toast_decided: str

    stages: Mapping[Stage, str]
    stage_buttons: Mapping[Stage, str]
    services: Mapping[Service, str]
    filters: Mapping[str, Filter]
    mine: str
    owner: str
    nobody: str
    customer: str
    history: str
    history_more: str
    changed: str
    taken: str
    noted: str
    toast_stage: str
    toast_mine: str
    toast_same: str
    deals_title: str
    deals_none: str
    deals_more: str
    deals_usage: str
    deal_unknown: str
    deal_usage: str
    note_usage: str
    note_stored: str
    note_too_long: str

    link_closed: str
    link_away: str
    link_back: str
    link_refused: str
    closed: Mapping[Closed, str]


EN = CrmTexts(
    merge_asked="🔗 <b>One person or two?</b>",
    merge_shared="Both have {shared}.",
    merge_warning=(
        "<i>Anybody can type another's number into a form. Say “one person” only if you know it: what one of "
        "the two told is then used in answers to the other.</i>"
    ),
    merge_done="🔗 <b>{loser} is {winner}</b> · {reason}",
    merge_vouched="Telegram confirms the phone {shared}",
    merge_claimed="a form gave {shared} too",
    merged_line="🔗 {loser} is taken for {winner} · /merge {merge}",
    merge_usage=(
        "/merge M-3 shows a merge, to be taken back; /merge C-1 C-2 makes one person of two contacts, C-1 "
        "stands for both"
    ),
    merge_unknown="There is no {name}.",
    merge_already="{winner} and {loser} are one person already.",
    merge_said="said {who}, {time}",
    merge_refused="❌ Two people, said {who}, {time}",
    merge_settled="They are one contact by now.",
    merge_undone="↩️ Taken back by {who}, {time}",
    one_person="✅ One person",
    two_people="❌ Two people",
    take_back="↩️ Take back",
    toast_merged="One person from now on.",
    toast_refused="Two people: they stay apart.",
    toast_undone="Taken back: they are two contacts again.",
    toast_decided="This was decided already; the card shows how.",
    stages={
        Stage.NEW: "new",
        Stage.IN_PROGRESS: "in progress",
        Stage.WON: "won",
        Stage.LOST: "lost",
    },
    stage_buttons={
        Stage.NEW: "🆕 New",
        Stage.IN_PROGRESS: "▶️ In progress",
        Stage.WON: "🏆 Won",
        Stage.LOST: "✖️ Lost",
    },
    services={
        Service.WEBSITE: "website",
        Service.MOBILE_APP: "mobile app",
        Service.CRM: "CRM",
        Service.AUTOMATION: "automation",
    },
    filters=_ENGLISH | _RUSSIAN,
    mine="🙋 Mine",
    owner="Owner: {who}",
    nobody="nobody yet",
    customer="Customer: {name}",
    history="<b>What was done</b>",
    history_more="… and {count} earlier",
    changed="{time} · {who}: {before} → {after}",
    taken="{time} · {who}: takes it (before: {before})",
    noted="{time} · {who}: 📝 {note}",
    toast_stage="{deal}: {stage}",
    toast_mine="{deal} is yours.",
    toast_same="Nothing to change: it is so already.",
    deals_title="<b>Deals: {count}</b>",
    deals_none="There are no such deals.",
    deals_more="… more: /deals {words}",
    deals_usage=(
        "Write /deals, and if you like a stage (new, in progress, won, lost, all), mine, or a page: "
        "/deals won 2"
    ),
    deal_unknown="There is no deal {deal}. /deals lists them.",
    deal_usage="Write the number of the deal: /deal D-12",
    note_usage="Write the deal and the note: /note D-12 asked to call on Monday",
    note_stored="📝 Noted on {deal}.",
    note_too_long="The note is too long: write at most {count} letters. Nothing was stored.",
    link_closed=(
        "⛔ <b>Nothing reaches the other CRM</b>: {reason}. Waiting here: {count}. Nothing is lost, and it "
        "goes on by itself once that is mended."
    ),
    link_away=(
        "⚠️ <b>The other CRM does not answer</b>: {reason}. Waiting here: {count}. Nothing is lost, and it "
        "goes on by itself."
    ),
    link_back="✅ The other CRM takes changes again. Still to be brought there: {count}.",
    link_refused=(
        "⚠️ <b>The other CRM does not take {name}</b>: {reason}. It is tried again in some hours; the rest "
        "goes on."
    ),
    closed={
        Closed.KEY: (
            "it does not know this webhook; make an inbound webhook there, set BITRIX24_WEBHOOK_URL and "
            "restart the bot"
        ),
        Closed.HTTPS: "it is reached by https only; correct BITRIX24_WEBHOOK_URL and restart the bot",
        Closed.SCOPE: "the webhook may not use the CRM; tick CRM (crm) in its settings there",
        Closed.RIGHTS: "the owner of the webhook has no right to do this; an administrator has to grant it",
        Closed.PLAN: "REST is not part of the plan there; change the plan",
        Closed.OVERLOAD: "it has blocked REST for overload; only its support lifts that",
        Closed.PORTAL: "the portal is closed",
        Closed.STAGES: "stages in BITRIX24_STAGES are not there",
    },
)

RU = CrmTexts(
    merge_asked="🔗 <b>Один человек или два?</b>",
    merge_shared="У обоих {shared}.",
    merge_warning=(
        "<i>В форму может вписать чужой номер кто угодно. Отвечайте «один человек», только если знаете это "
        "точно: то, что рассказал один, попадёт в ответы другому.</i>"
    ),
    merge_done="🔗 <b>{loser} — это {winner}</b> · {reason}",
    merge_vouched="Telegram подтверждает телефон {shared}",
    merge_claimed="в форме указано то же: {shared}",
    merged_line="🔗 {loser} считаем за {winner} · /merge {merge}",
    merge_usage=(
        "/merge M-3 покажет объединение, его можно отменить; /merge C-1 C-2 делает из двух контактов одного "
        "человека, главным остаётся C-1"
    ),
    merge_unknown="{name}: такого нет.",
    merge_already="{winner} и {loser} уже один человек.",
    merge_said="так говорит {who}, {time}",
    merge_refused="❌ Два человека, так говорит {who}, {time}",
    merge_settled="Это уже один контакт.",
    merge_undone="↩️ Отменено: {who}, {time}",
    one_person="✅ Один человек",
    two_people="❌ Два человека",
    take_back="↩️ Отменить",
    toast_merged="Теперь это один человек.",
    toast_refused="Два человека: остаются отдельно.",
    toast_undone="Отменено: снова два контакта.",
    toast_decided="Это уже решено, смотрите карточку.",
    stages={
        Stage.NEW: "новая",
        Stage.IN_PROGRESS: "в работе",
        Stage.WON: "успех",
        Stage.LOST: "отказ",
    },
    stage_buttons={
        Stage.NEW: "🆕 Новая",
        Stage.IN_PROGRESS: "▶️ В работе",
        Stage.WON: "🏆 Успех",
        Stage.LOST: "✖️ Отказ",
    },
    services={
        Service.WEBSITE: "сайт",
        Service.MOBILE_APP: "приложение",
        Service.CRM: "CRM",
        Service.AUTOMATION: "автоматизация",
    },
    filters=_ENGLISH | _RUSSIAN,
    mine="🙋 Моя",
    owner="Ответственный: {who}",
    nobody="пока никто",
    customer="Клиент: {name}",
    history="<b>Что было</b>",
    history_more="… и ещё {count} раньше",
    changed="{time} · {who}: {before} → {after}",
    taken="{time} · {who}: берёт себе (раньше: {before})",
    noted="{time} · {who}: 📝 {note}",
    toast_stage="{deal}: {stage}",
    toast_mine="{deal} теперь ваша.",
    toast_same="Менять нечего: так уже есть.",
    deals_title="<b>Сделки: {count}</b>",
    deals_none="Таких сделок нет.",
    deals_more="… дальше: /deals {words}",
    deals_usage=(
        "Напишите /deals, можно со стадией (новые, в работе, успех, отказ, все), «мои» или страницей: "
        "/deals успех 2"
    ),
    deal_unknown="Сделки {deal} нет. Список: /deals",
    deal_usage="Напишите номер сделки: /deal D-12",
    note_usage="Напишите сделку и заметку: /note D-12 просил перезвонить в понедельник",
    note_stored="📝 Записано к {deal}.",
    note_too_long="Заметка слишком длинная: не больше {count} знаков. Ничего не записано.",
    link_closed=(
        "⛔ <b>Другая CRM ничего не принимает</b>: {reason}. Ждёт здесь: {count}. Ничего не потеряно, "
        "и всё пойдёт само, как только это исправят."
    ),
    link_away=(
        "⚠️ <b>Другая CRM не отвечает</b>: {reason}. Ждёт здесь: {count}. Ничего не потеряно, "
        "и всё пойдёт само."
    ),
    link_back="✅ Другая CRM снова принимает изменения. Осталось передать: {count}.",
    link_refused=(
        "⚠️ <b>Другая CRM не принимает {name}</b>: {reason}. Через несколько часов будет новая попытка; "
        "остальное идёт дальше."
    ),
    closed={
        Closed.KEY: (
            "она не знает этот вебхук; создайте там входящий вебхук, впишите его в BITRIX24_WEBHOOK_URL "
            "и перезапустите бота"
        ),
        Closed.HTTPS: "она доступна только по https; исправьте BITRIX24_WEBHOOK_URL и перезапустите бота",
        Closed.SCOPE: "вебхуку не разрешена CRM; отметьте в его настройках права CRM (crm)",
        Closed.RIGHTS: "у владельца вебхука нет на это прав; их даёт администратор",
        Closed.PLAN: "REST не входит в тариф; смените тариф",
        Closed.OVERLOAD: "REST заблокирован из-за нагрузки; снимает только поддержка",
        Closed.PORTAL: "портал закрыт",
        Closed.STAGES: "стадий из BITRIX24_STAGES там нет",
    },
)
