"""Russian."""

from agent.channels import ChannelKind
from agent.outgoing import Detour
from agent.proposals import Correction, DenialReason, Outdated, ProposalState, Verdict
from agent.runs import RunStatus
from bot.texts import crm, rules
from bot.texts.catalogue import LeadTexts, Texts

TEXTS = Texts(
    reply_to="✉️ <b>Ответ · {name}</b>",
    action="⚙️ <b>{tool}</b> · {name}",
    actions="✉️ <b>{name}: ответов {count}</b>",
    goes_out_verbatim="Уйдёт слово в слово:",
    to_be_sent_by_hand="Отправит один из вас, слово в слово:",
    nothing_connected=(
        "Запрошена необратимая операция. Инструмент для неё не подключён: одобрение подтвердит намерение, "
        "но ничего не будет выполнено. Точные параметры:"
    ),
    wrote="Пишет:",
    blocked="🚫 Заблокировал(а) бота: ответ не дойдёт.",
    wrote_since="📩 Написал(а) после этого:",
    footer="#{proposal} · {run}",
    expires="до {time}",
    full_text_attached="📎 Полный текст — в файле выше.",
    moved="↓ Карточка опубликована заново ниже.",
    document_caption="Полный текст {proposal}",
    document_lead="Сообщение клиента",
    document_reply="Уйдёт",
    approve="✅ Одобрить",
    deny="❌ Отклонить",
    edit="✏️ Изменить",
    undo="↩️ Отменить отправку",
    approve_all="✅ Одобрить все ({count})",
    copy="📋 Копировать",
    profile="👤 Профиль",
    take_over="🙋 Отвечу сам(а)",
    hand_back="🤖 Вернуть агенту",
    was_sent="✅ Дошло",
    send_again="🔁 Не дошло: отправить",
    drop="🗑 Не отправлять",
    whatsapp="💬 WhatsApp",
    sent_by_hand="📨 Отправлено",
    could_not_reach="🚫 Не удалось связаться",
    paused="⏸ пауза: {who}, {time}",
    approved_paused="✅ Одобрил(а) {who} · {time} · ждёт: пауза",
    approved_waiting="✅ Одобрил(а) {who} · {time} · отправляется",
    approved_later="✅ Одобрил(а) {who} · {time} · уйдёт в {later}",
    revising="✏️ Агент переписывает: «{remark}»",
    version_by="✏️ Версия {version}, автор: {who}. Что изменилось:",
    the_agent="агент",
    marked="⚠️ Нет в источниках: {marks}. Проверьте; для одобрения нужно нажать дважды.",
    ordered="⚠️ Слова клиента похожи на указания агенту: {marks}",
    votes="✅ {count} из {needed}: {who}",
    sent="✅ Одобрил(а) {who} · {time} · отправлено",
    settled_sent="✅ {who} подтвердил(а) · {time} · отправлено",
    not_yet="\n⏳ пока не вышло, будет ещё попытка: {note}",
    handed_over=(
        "✅ Одобрил(а) {who} · {time}\n🤝 <b>передано вам</b>: отправьте текст и нажмите, что получилось:"
    ),
    delivered="✅ Одобрил(а) {who} · {time}\n📨 отправил(а) {settler} · {settled} · доставлено",
    not_reached=(
        "✅ Одобрил(а) {who} · {time}\n❗️ <b>не доставлено</b>: {settler} не удалось связаться · {settled}"
    ),
    not_sent="✅ Одобрил(а) {who} · {time}\n❗️ <b>не отправлено</b>: {note}",
    unknown=(
        "✅ Одобрил(а) {who} · {time}\n"
        "⚠️ <b>неизвестно, дошло ли</b>: ответ потерян, сообщение могло уйти или не уйти.\n"
        "Узнайте у клиента и нажмите, что случилось:"
    ),
    denied="❌ Отклонил(а) {who} · {time} · не отправлено",
    expired="⌛️ Никто не решил вовремя · не отправлено",
    superseded="↪️ Устарело: клиент написал ещё · не отправлено",
    outdated={
        Outdated.TAKEN_OVER: "🙋 Отвечает человек · не отправлено",
        Outdated.NOT_WRITTEN: "↪️ Агент не переписал · не отправлено",
    },
    taken_over_topic="🙋 <b>{name}: отвечает {who}</b>. Всё, что {who} пишет в этой теме, уходит клиенту",
    taken_over="🙋 <b>{name}: отвечает {who}</b>. Ответы на эту карточку и на сообщения ниже уходят клиенту",
    not_connected="✅ Одобрил(а) {who} · {time} · такой инструмент не подключён, ничего не сделано",
    request_denied="❌ Отклонил(а) {who} · {time} · ничего не сделано",
    request_expired="⌛️ Никто не решил вовремя · ничего не сделано",
    result_title="📄 <b>{name}</b> · {status}",
    escalated="🙋 <b>Нужен человек: {name}</b>",
    unanswered="🙋 <b>{name} ждёт вас</b>: агент закончил со статусом «{status}»",
    waits="⏳ <b>{name} ждёт</b>: агент сейчас не может продолжить, бот пробует снова",
    waits_for_resume="⏸ <b>{name} ждёт</b>: агент на паузе; ответьте сами или /resume",
    works_again="▶️ <b>{name}</b>: агент работает",
    worked="✅ <b>{name}</b>: агент закончил",
    reason="Причина: {reason}",
    deals="Сделки: {deals}",
    phone="Телефон: {phone}",
    toast_approved="✅ Одобрено",
    toast_approved_later="✅ Одобрено. Уйдёт через {seconds} с; до этого можно отменить на карточке.",
    toast_vote="✅ Учтено. Нужно ещё одобрений: {count}",
    toast_voted="Вы это уже одобрили. Нужно ещё одобрений других людей: {count}",
    toast_not_allowed="Одобрить это может другой человек, вы — изменить или отклонить. Ничего не изменено.",
    toast_marked="⚠️ Нет в источниках: {marks}. Проверьте и нажмите ещё раз, чтобы одобрить.",
    toast_taken_topic="🙋 Клиент ваш: то, что вы пишете в его теме, уходит ему как есть.",
    toast_taken="🙋 Клиент ваш: ответьте на карточку, слова уйдут как есть.",
    toast_handed_back="🤖 Со следующего сообщения клиента снова отвечает агент.",
    toast_leaving="Ответ как раз уходит. Нажмите ещё раз через мгновение.",
    toast_undone="↩️ Отменено: ничего не отправлено, карточка снова открыта.",
    toast_edit="Ответьте новым текстом на сообщение под карточкой.",
    toast_reasoned="Записано: агент узнает причину.",
    toast_reason_kept="Записано. Агент уже продолжил и причины не узнает.",
    toast_all="✅ Одобрено: {count}",
    toast_approved_waits="✅ Одобрено, ждёт: пауза. Уйдёт после /resume.",
    toast_denied="❌ Отклонено",
    toast_settled="Записано",
    toast_already="Уже решил(а) {who}: {state}",
    toast_expired="Поздно: время на решение вышло. Ничего не отправлено.",
    toast_outdated="Карточка устарела. Ничего не изменено; нажмите на самой новой.",
    toast_stranger="Вы не в списке тех, кто решает. Ничего не изменено.",
    toast_anonymous="Решение должно быть именным: выключите анонимность и нажмите снова. Ничего не изменено.",
    toast_unreachable="Сейчас не удалось проверить, что вы в группе. Ничего не изменено; нажмите ещё раз.",
    talk_other="Не отправлено: клиенту отвечает {who}. Чтобы ответить самим, нажмите 🙋 на карточке.",
    talk_text_only="Не отправлено: передать можно только текст, который вы пишете сами.",
    talk_which="Не отправлено: вы отвечаете этому человеку в двух чатах. Ответьте на слова из нужного.",
    talk_unknown="⚠️ Ответ Telegram потерян: могло и дойти. Уточните у клиента, прежде чем писать снова.",
    talk_failed="❗️ Не доставлено: {note}",
    edit_ask=(
        "✏️ {who}, ответьте на это сообщение новым текстом для {proposal}: он заменит черновик слово в слово "
        "и уйдёт только после ✅ на карточке.\n"
        "Чтобы агент переписал сам, ответьте на карточку и напишите, что изменить."
    ),
    edit_done="✏️ Версия {version} для {proposal} — на карточке. Уйдёт только после ✅.",
    edit_rewrite="✏️ Агент переписывает {proposal}, как вы просите. Новый текст появится на той же карточке.",
    edit_which="На карточке несколько текстов. Начните с номера: 2 = новый текст или: 2 покороче",
    edit_over="Ничего не изменено: {proposal} уже не ждёт решения ({state}).",
    edit_too_short="Ничего не изменено: в тексте должно быть не меньше {bound} знаков.",
    edit_too_long="Ничего не изменено: в тексте может быть не больше {bound} знаков.",
    edit_refused="Ничего не изменено: такой текст отправить нельзя.",
    help=(
        "Показываю, что агент хочет отправить клиентам. Ничего не уходит, пока кто-то не "
        "нажмёт ✅, кроме того, что разрешает правило.\n\n"
        "✏️ или ответ на карточку меняет текст: «= слова» уйдут как есть, любой другой ответ говорит агенту, "
        "что написать иначе. Ответ никогда не одобряет.\n\n"
        "/pending · что ждёт решения\n"
        "/run · последние запуски; /run 12 · один запуск\n"
        "/journal 12 · все шаги запуска\n"
        "/audit · кто что решил; /audit 2026-11-30, /audit Ольга\n"
        "/deals · сделки в работе; /deals успех, /deals мои; /deal 12 · одна из них\n"
        "/note 12 просил перезвонить в понедельник · заметка к сделке\n"
        "/merge M-3 · объединение контактов, его можно отменить; /merge C-1 C-2 · объединить\n"
        "/rules · что уходит без нажатия\n"
        "/classify R-001 · классифицировать демонстрационную запись\n"
        "/feedback 12 чего вы ждали · сохранить вместе с запуском для разбора\n"
        "/spam L-12, /notspam L-12 · считать лид и такие же слова спамом или нет\n"
        "/pause, /resume · остановить агента и продолжить (администраторы)\n"
        "/help · эта справка"
    ),
    runs_title="<b>Последние запуски</b>",
    runs_none="Запусков пока нет: боту ещё никто не написал.",
    run_unknown="Запуска {name} нет. /run покажет последние.",
    run_usage="Напишите номер запуска: /journal 12",
    classify_started="▶️ Запуск {run} начат; результат появится здесь. /journal {run}",
    journal_title="<b>Журнал {run}</b>",
    journal_rest="… ещё строк: {count}. Все: lead-agent journal {run}",
    pending_title="<b>Ждут решения: {count}</b>",
    pending_none="Ничего не ждёт решения.",
    pending_more="… и ещё {count}",
    pending_page="{first}–{last}",
    reminder="⏰ <b>{name}</b> ждёт решения: {proposal}, с {time} ({age})",
    reminders="⏰ <b>Ждут решения: {count}</b>",
    reminder_line="{proposal} · {name} · с {time} ({age})",
    escalation="🔔 {who}: никто ещё не решил. Посмотрите, пожалуйста.",
    everybody="Все",
    nobody_decided="⌛️ По {proposal} никто не решил вовремя: клиент остался без ответа.",
    minutes="{count} мин",
    hours="{count} ч",
    days="{count} д",
    pinned="⏳ <b>Ждут решения: {count}</b>, дольше всех {age}",
    pinned_none="✅ Ничего не ждёт решения.",
    audit_title="<b>Кто что решил, сначала новое</b>",
    audit_none="Таких решений нет.",
    audit_usage="Напишите день, человека или и то и другое: /audit 2026-11-30 Ольга",
    feedback_stored="📝 Записано как {note}, вместе со всем {run}. Разобрать: lead-agent replay {run}",
    feedback_usage="Напишите номер запуска и чего вы ждали: /feedback 12 вопрос вместо сделки",
    stop_paused=(
        "⏸ <b>Пауза: {who}</b>, {time}. До /resume модель не вызывается и клиентам ничего не уходит; "
        "что уже было в пути, дойдёт. Обращения принимаются и видны здесь, решения ждут. "
        "Открытых запусков: {count}."
    ),
    stop_paused_already="⏸ Уже пауза: {who}, {time}. /resume продолжит работу.",
    stop_resumed="▶️ <b>Пауза снята: {who}</b>, {time}. Одобренное уходит сейчас. Открытых запусков: {count}.",
    stop_running_already="▶️ Паузы нет: агент работает.",
    stop_no_admins="Поставить паузу некому: администраторов нет. Задайте ADMIN_IDS и перезапустите бота.",
    stop_only_admins="Пауза и её снятие — только для администраторов. Ничего не изменено.",
    only_in_group="Команды работают в группе операторов.",
    parked=(
        "⚠️ Обновление от Telegram не удалось обработать {attempts} раз, оно отложено "
        "(обновление {update}: {error}). Остальное работает. Подробности в логе."
    ),
    post_parked=(
        "⚠️ Запрос с сайта (источник {source}, № {post}) не удалось превратить в лид и он отложен: {error}. "
        "Остальные обрабатываются. Он хранится в базе; причина в логе."
    ),
    digest_title="🚦 <b>Ждут лиды: {count}</b>",
    digest_calls="Дневной лимит вызовов модели исчерпан (MODEL_CALLS_PER_DAY). Агент ими ещё не занимался:",
    digest_flood="Их пришло слишком много сразу. Агент ими ещё не занимался:",
    digest_question="Решите, что с ними делать; без решения они пойдут в работу после полуночи.",
    digest_process="▶️ В работу все",
    digest_spam="🚫 Все — спам",
    digest_processed="▶️ <b>{who}</b> · {time} · лидов отправлено в работу: {count}",
    digest_marked=(
        "🚫 <b>{who}</b> · {time} · лидов помечено спамом: {count}; такие же слова впредь тоже спам. "
        "Ошибка? /notspam L-12"
    ),
    digest_over="✅ Лиды больше не ждут",
    toast_digest_process="В работе: {count}",
    toast_digest_spam="Помечено спамом: {count}",
    spam_usage="Напишите номер лида: /spam L-12 или /notspam L-12. Список: lead-agent leads",
    spam_marked="🚫 {lead} — спам, и всё с теми же словами тоже: агент такими не займётся.",
    spam_unmarked="✅ {lead} — не спам, и всё с теми же словами тоже.",
    demo_columns=("запуск", "лид", "статус", "шаги", "токены", "сделка", "ответ"),
    demo_journal="Всё записано в {database}: DATABASE_URL=sqlite:///{database} {command} show 1",
    demo_next="Попробуйте сами: make sandbox",
    sandbox_open="Откройте {url} в браузере: вы и клиент, и оператор, и видите, что уходит.",
    sandbox_claude="Отвечает Claude ({model}): написанное уходит на {url}.",
    sandbox_stand_in="Отвечает модель-заглушка по ключевым словам; с ANTHROPIC_API_KEY — Claude.",
    sandbox_stop="Ctrl+C — конец; ничего не сохраняется.",
    statuses={
        RunStatus.QUEUED: "в очереди",
        RunStatus.RUNNING: "выполняется",
        RunStatus.AWAITING_CONFIRMATION: "ждёт решения",
        RunStatus.DONE: "готово",
        RunStatus.STOPPED: "остановлен",
        RunStatus.MAX_STEPS: "предел шагов",
        RunStatus.BUDGET: "предел токенов",
        RunStatus.FAILED: "ошибка",
        RunStatus.DENIED: "отклонён",
        RunStatus.CANCELLED: "отменён",
    },
    states={
        ProposalState.PENDING: "ждёт решения",
        ProposalState.REVISING: "переписывается",
        ProposalState.APPROVED: "одобрено",
        ProposalState.EXECUTING: "отправляется",
        ProposalState.EXECUTED: "отправлено",
        ProposalState.FAILED: "не отправлено",
        ProposalState.UNCERTAIN: "неизвестно, дошло ли",
        ProposalState.HANDED_OVER: "передано",
        ProposalState.DENIED: "отклонено",
        ProposalState.EXPIRED: "истекло",
        ProposalState.SUPERSEDED: "устарело",
    },
    denial_reasons={
        DenialReason.WRONG_FACTS: "Ошибка в фактах",
        DenialReason.TONE: "Тон",
        DenialReason.WILL_CALL: "Позвоню сам(а)",
        DenialReason.SPAM: "Спам",
    },
    verdicts={
        Verdict.APPROVE: "одобрено",
        Verdict.DENY: "отклонено",
        Verdict.UNDO: "отменено",
        Verdict.WAS_SENT: "подтверждено: дошло",
        Verdict.SEND_AGAIN: "отправить ещё раз",
        Verdict.DROP: "не отправлять",
        Verdict.DELIVERED: "отправлено лично",
        Verdict.NOT_REACHED: "не удалось связаться",
        Correction.EDIT: "изменено",
        Correction.REWRITE: "на переписывание",
        Correction.REASON: "названа причина",
    },
    by_rule="⚙️ Без нажатия: отправлено по правилу. /rules",
    rules=rules.RU,
    delivered_state="доставлено",
    detours={
        Detour.NO_FORUM: "Здесь, потому что в группе нет тем.",
        Detour.NO_RIGHT: "Здесь, потому что у бота нет права управлять темами.",
        Detour.BUSY: "Здесь, потому что Telegram пока не разрешает новые темы.",
        Detour.UNKNOWN: "Здесь, потому что Telegram не ответил, создана ли тема клиента.",
        Detour.CLOSED: "Здесь, потому что тема клиента закрыта и открыть её боту нельзя.",
        Detour.REFUSED: "Здесь, потому что Telegram отказал в теме клиента.",
    },
    ways={
        ChannelKind.TELEGRAM: "Telegram",
        ChannelKind.EMAIL: "почта",
        ChannelKind.WEBHOOK: "вебхук",
        ChannelKind.HAND_OVER: "вручную",
    },
    crm=crm.RU,
)

LEAD = LeadTexts(
    greeting=(
        "Здравствуйте! Напишите своими словами, что вам нужно. Сообщение прочитает человек и ответит здесь."
    ),
    privacy="Сообщение обрабатывается с помощью зарубежного сервиса, его читают наши сотрудники.",
    privacy_link="Как мы обращаемся с данными: {url}",
    share_phone="📱 Отправить мой номер",
    acknowledgement="Спасибо, мы получили ваше сообщение. Вам ответит человек, здесь же.",
    subject="Ответ на вашу заявку",
)
