/** The page's words in Russian and English, and the dates in them. */

const WORDS = {
  ru: {
    title: "lead-agent · песочница",
    sandbox: "Песочница",
    banner: "Telegram, сайт и почта здесь ненастоящие: ничего не покидает этот компьютер.",
    bannerClaude: "Telegram, сайт и почта здесь ненастоящие, но слова лида читает Claude: они уходят в Anthropic API.",
    modelStandIn: "Отвечает заглушка модели",
    modelClaude: "Отвечает Claude",
    online: "на связи",
    connecting: "подключение…",
    reconnecting: "переподключение…",
    tabLead: "Лид",
    tabWebsite: "Сайт",
    tabInbox: "Почта",
    sides: "Откуда пишет клиент",
    sideLead: "В Telegram",
    sideWebsite: "На сайте",
    website: "Форма на сайте",
    websiteStatus: "отправляет заявки боту, как Tilda",
    emptyWebsite: "Вы — посетитель сайта. Заполните форму или возьмите пример: с почтой ответ придёт письмом, с одним телефоном его передаст оператор.",
    field_name: "Ваше имя",
    field_phone: "Телефон",
    field_email: "E-mail",
    field_message: "Что нужно сделать?",
    sendForm: "Отправить заявку",
    again: "ещё раз",
    postAgain: "Отправить ту же заявку ещё раз, как делают сайты без ответа: лид останется один",
    noAnswer: "нет ответа",
    inbox: "Почта и события",
    emptyInbox: "Здесь появятся письма клиентам и события для ваших программ (CRM, n8n): с проверенной подписью.",
    letters: (count) => `${count} ${plural("ru", count, ["письмо", "письма", "писем"])}`,
    events: (count) => `${count} ${plural("ru", count, ["событие", "события", "событий"])}`,
    signed: "подпись верна",
    tabOperators: "Операторы",
    tabJournal: "Журнал",
    tabs: "Разделы",
    language: "Язык",
    bot: "бот",
    typing: "печатает…",
    youAre: "Вы —",
    leadSelect: "От чьего имени вы пишете боту",
    operatorSelect: "Кто пишет и нажимает кнопки",
    addPerson: "Добавить человека",
    block: "Заблокировать бота",
    unblock: "Разблокировать",
    blocked: "Вы заблокировали бота: он не может вам писать.",
    start: "Запустить",
    emptyLead: "Вы — клиент. Напишите боту или возьмите готовый пример ниже.",
    emptyOperators: "Вы — оператор. Здесь появятся карточки на согласование.",
    emptyJournal: "Каждый шаг агента появится здесь: вызовы модели, инструменты, решения людей.",
    leadPlaceholder: "Сообщение боту",
    operatorsPlaceholder: "Сообщение или команда: /pending",
    send: "Отправить",
    shareContact: "Поделиться контактом",
    sendPhoto: "Отправить фото (заглушку)",
    sendVoice: "Отправить голосовое (заглушку)",
    examples: "Примеры заявок",
    commands: "Команды",
    members: (count) => `${count} ${plural("ru", count, ["участник", "участника", "участников"])}`,
    stranger: "Посторонний",
    strangerNote: "Этого человека нет среди операторов: бот должен ему отказать.",
    otherUnread: (count) => `Новых в других чатах: ${count}`,
    newMessages: "К новым сообщениям",
    journal: "Журнал",
    steps: (count) => `${count} ${plural("ru", count, ["запись", "записи", "записей"])}`,
    collapse: "Свернуть или развернуть журнал",
    time: "Время", run: "Запуск", step: "Шаг", kind: "Вид", name: "Имя", outcome: "Исход",
    ms: "мс", tokens: "Токенов", input: "Ввод",
    name_: "Имя",
    personTitle: "Новый клиент",
    personLanguage: "Язык в Telegram",
    cancel: "Отмена",
    add: "Добавить",
    contactTitle: "Поделиться контактом",
    phone: "Телефон",
    share: "Поделиться",
    today: "Сегодня",
    yesterday: "Вчера",
    edited: "изменено",
    silent: "без звука",
    sent: "отправлено",
    read: "бот ответил",
    reply: "Ответить",
    replyTo: (name) => `Ответ: ${name}`,
    cancelReply: "Не отвечать на сообщение",
    photo: "Фото",
    voice: "Голосовое сообщение",
    video: "Видео",
    audio: "Аудио",
    sticker: "Стикер",
    location: "Геопозиция",
    contact: "Контакт",
    document: "Документ",
    unsupported: "Сообщение другого вида",
    joined: (name) => `${name} теперь в группе`,
    left: (name) => `${name} больше не в группе`,
    pinned: (name) => `${name} закрепил(а) сообщение`,
    upgraded: "Группа стала супергруппой",
    service: "Служебное сообщение",
    expand: "Показать целиком",
    collapseQuote: "Свернуть",
    spoiler: "Скрытый текст: нажмите, чтобы показать",
    copy: "Скопировать",
    copied: "Скопировано",
    copyFailed: "Не удалось скопировать",
    ok: "Понятно",
    failed: (reason) => `Не получилось: ${reason}`,
    offline: "сервер песочницы не отвечает",
    download: "Скачать",
  },
  en: {
    title: "lead-agent · sandbox",
    sandbox: "Sandbox",
    banner: "Telegram, website and mail are stand-ins: nothing leaves this machine.",
    bannerClaude: "Telegram, website and mail are stand-ins, but Claude reads the lead’s words: they go to the Anthropic API.",
    modelStandIn: "A stand-in model answers",
    modelClaude: "Claude answers",
    online: "connected",
    connecting: "connecting…",
    reconnecting: "reconnecting…",
    tabLead: "Lead",
    tabWebsite: "Website",
    tabInbox: "Inbox",
    sides: "Where the customer writes",
    sideLead: "In Telegram",
    sideWebsite: "On the website",
    website: "Website form",
    websiteStatus: "posts to the bot as Tilda does",
    emptyWebsite: "You are a visitor of the website. Fill in the form, or take an example: with an e-mail the answer is a letter, with a phone alone an operator hands it over.",
    field_name: "Your name",
    field_phone: "Phone",
    field_email: "E-mail",
    field_message: "What do you need?",
    sendForm: "Send",
    again: "again",
    postAgain: "Post the same form again, as websites do that got no answer: it stays one lead",
    noAnswer: "no answer",
    inbox: "E-mails and events",
    emptyInbox: "Letters to customers appear here, and events for your programs (CRM, n8n), their signatures checked.",
    letters: (count) => `${count} ${plural("en", count, ["letter", "letters"])}`,
    events: (count) => `${count} ${plural("en", count, ["event", "events"])}`,
    signed: "the signature is right",
    tabOperators: "Operators",
    tabJournal: "Journal",
    tabs: "Sections",
    language: "Language",
    bot: "bot",
    typing: "typing…",
    youAre: "You are",
    leadSelect: "Who you are when you write to the bot",
    operatorSelect: "Who writes and presses the buttons",
    addPerson: "Add a person",
    block: "Block the bot",
    unblock: "Unblock",
    blocked: "You blocked the bot: it can’t write to you.",
    start: "Start",
    emptyLead: "You are the customer. Write to the bot, or take an example below.",
    emptyOperators: "You are the operator. Cards that need a decision appear here.",
    emptyJournal: "Every step of the agent appears here: model calls, tools, people’s decisions.",
    leadPlaceholder: "Message to the bot",
    operatorsPlaceholder: "Message or command: /pending",
    send: "Send",
    shareContact: "Share contact",
    sendPhoto: "Send a photo (stand-in)",
    sendVoice: "Send a voice message (stand-in)",
    examples: "Example leads",
    commands: "Commands",
    members: (count) => `${count} ${plural("en", count, ["member", "members"])}`,
    stranger: "Stranger",
    strangerNote: "This person is not an operator: the bot has to refuse.",
    otherUnread: (count) => `New in other chats: ${count}`,
    newMessages: "To the new messages",
    journal: "Journal",
    steps: (count) => `${count} ${plural("en", count, ["entry", "entries"])}`,
    collapse: "Collapse or expand the journal",
    time: "Time", run: "Run", step: "Step", kind: "Kind", name: "Name", outcome: "Outcome",
    ms: "ms", tokens: "Tokens", input: "Input",
    name_: "Name",
    personTitle: "New customer",
    personLanguage: "Telegram language",
    cancel: "Cancel",
    add: "Add",
    contactTitle: "Share contact",
    phone: "Phone",
    share: "Share",
    today: "Today",
    yesterday: "Yesterday",
    edited: "edited",
    silent: "silent",
    sent: "sent",
    read: "the bot has answered",
    reply: "Reply",
    replyTo: (name) => `Reply to ${name}`,
    cancelReply: "Don’t reply to a message",
    photo: "Photo",
    voice: "Voice message",
    video: "Video",
    audio: "Audio",
    sticker: "Sticker",
    location: "Location",
    contact: "Contact",
    document: "Document",
    unsupported: "A message of another kind",
    joined: (name) => `${name} joined the group`,
    left: (name) => `${name} left the group`,
    pinned: (name) => `${name} pinned a message`,
    upgraded: "The group became a supergroup",
    service: "Service message",
    expand: "Show all",
    collapseQuote: "Show less",
    spoiler: "Hidden text: press to show",
    copy: "Copy",
    copied: "Copied",
    copyFailed: "Could not copy",
    ok: "OK",
    failed: (reason) => `That did not work: ${reason}`,
    offline: "the sandbox server does not answer",
    download: "Download",
  },
};

const LOCALES = { ru: "ru-RU", en: "en-GB" };
const STORED = "lead-agent.language";

export let language = initialLanguage();

function initialLanguage() {
  const stored = localStorage.getItem(STORED);
  if (stored in WORDS) return stored;
  return navigator.language.toLowerCase().startsWith("en") ? "en" : "ru";
}

export function setLanguage(code) {
  language = code;
  localStorage.setItem(STORED, code);
}

function plural(code, count, forms) {
  const rules = code === "ru" ? ["one", "few", "many"] : ["one", "other"];
  const index = rules.indexOf(new Intl.PluralRules(code).select(count));
  return forms[index === -1 ? forms.length - 1 : index];
}

/** The word for a key; keys with a value in them take it as the argument. */
export function t(key, value) {
  const word = WORDS[language][key];
  return typeof word === "function" ? word(value) : word;
}

/** Put the words into the static part of the page (data-t: text, data-t-label: aria-label and title, data-t-placeholder). */
export function translatePage() {
  document.documentElement.lang = language;
  document.title = t("title");
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-label]")) {
    node.setAttribute("aria-label", t(node.dataset.tLabel));
    if (node.tagName === "BUTTON") node.title = t(node.dataset.tLabel);
  }
  for (const node of document.querySelectorAll("[data-t-placeholder]")) node.placeholder = t(node.dataset.tPlaceholder);
}

/** Hours and minutes of Unix seconds. */
export function clock(seconds) {
  return new Intl.DateTimeFormat(LOCALES[language], { hour: "2-digit", minute: "2-digit" }).format(seconds * 1000);
}

/** Date and time in full, for tooltips. */
export function moment(seconds) {
  return new Intl.DateTimeFormat(LOCALES[language], { dateStyle: "long", timeStyle: "medium" }).format(seconds * 1000);
}

/** The heading of a day: today, yesterday or its date. */
export function dayName(seconds) {
  const date = new Date(seconds * 1000);
  const daysAgo = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(date).setHours(0, 0, 0, 0)) / 86_400_000);
  if (daysAgo === 0) return t("today");
  if (daysAgo === 1) return t("yesterday");
  return new Intl.DateTimeFormat(LOCALES[language], { day: "numeric", month: "long", year: "numeric" }).format(date);
}

export function number(value) {
  return new Intl.NumberFormat(LOCALES[language]).format(value);
}
