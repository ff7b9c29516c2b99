"""What the stand-in model writes to leads: polite, in their language, without prices, dates or promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.reading import Matter, Reading, clean
from bot.sandbox.vocabulary import Language, Service

_NAME_MAX = 40
_LONG_MESSAGE = 160

MARKS = {
    Language.RU: "(модель-заглушка)",
    Language.KK: "(үлгі-орынбасар)",
    Language.EN: "(stand-in model)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phrases:
    hello: str
    and_: str
    services: dict[Service, str]
    received: str
    price: str
    deadline: str
    price_and_deadline: str
    human: str
    add: str
    questions: dict[Service, str]
    known: str
    thanks: str
    unclear: str
    ask_price: str
    ask_human: str
    complaint: str
    passed_on: str
    returning: str


_PHRASES = {
    Language.RU: _Phrases(
        hello="Здравствуйте",
        and_="и",
        services={
            Service.WEBSITE: "сайт",
            Service.MOBILE_APP: "мобильное приложение",
            Service.CRM: "CRM-система",
            Service.AUTOMATION: "автоматизация",
        },
        received="Спасибо за обращение! Мы получили ваш запрос: {services}.",
        price="Вопрос о стоимости с вами обсудит менеджер.",
        deadline="Вопрос о сроках с вами обсудит менеджер.",
        price_and_deadline="Стоимость и сроки с вами обсудит менеджер.",
        human="Вашу просьбу о разговоре увидит менеджер.",
        add="Если захотите что-то добавить, просто напишите сюда.",
        questions={
            Service.WEBSITE: "Подскажите, пожалуйста, чем занимается ваша компания и что показать на сайте?",
            Service.MOBILE_APP: "Подскажите, пожалуйста, что пользователи будут делать в приложении?",
            Service.CRM: "Подскажите, пожалуйста, сколько человек будет работать в системе?",
            Service.AUTOMATION: "Подскажите, пожалуйста, какую работу хочется передать программе?",
        },
        known="Спасибо за сообщение! Такая заявка у вас уже есть: {services}. Новую мы не заводили.",
        thanks="Пожалуйста! Если появятся вопросы, просто напишите сюда.",
        unclear="Спасибо, что написали нам. Мы делаем сайты, мобильные приложения, CRM-системы "
        "и автоматизацию. Подскажите, пожалуйста, что вам нужно?",
        ask_price="Спасибо за интерес! Чтобы говорить о стоимости, нужно понять задачу. "
        "Подскажите, пожалуйста, что вам нужно: сайт, мобильное приложение, CRM-система или автоматизация?",
        ask_human="Спасибо за сообщение! Мы передали вашу просьбу менеджеру. "
        "Если удобно, напишите в двух словах, о чём пойдёт речь.",
        complaint="Спасибо, что написали об этом; нам жаль, что возникли неудобства. "
        "Ваше сообщение передано менеджеру. Если есть подробности, пожалуйста, добавьте их сюда.",
        passed_on="Спасибо за сообщение! Мы передали его менеджеру.",
        returning="Спасибо за сообщение! Мы передали его менеджеру. "
        "Если речь о новой задаче, напишите, пожалуйста, что именно нужно.",
    ),
    Language.KK: _Phrases(
        hello="Сәлеметсіз бе",
        and_="және",
        services={
            Service.WEBSITE: "сайт",
            Service.MOBILE_APP: "мобильді қосымша",
            Service.CRM: "CRM жүйесі",
            Service.AUTOMATION: "автоматтандыру",
        },
        received="Хабарласқаныңызға рахмет! Сұранысыңызды алдық: {services}.",
        price="Баға туралы сұрақты менеджер сізбен талқылайды.",
        deadline="Мерзім туралы сұрақты менеджер сізбен талқылайды.",
        price_and_deadline="Баға мен мерзімді менеджер сізбен талқылайды.",
        human="Сөйлесу туралы өтінішіңізді менеджер көреді.",
        add="Тағы бірдеңе қосқыңыз келсе, осында жаза салыңыз.",
        questions={
            Service.WEBSITE: "Компанияңыз немен айналысатынын және сайтта не болу керегін жаза аласыз ба?",
            Service.MOBILE_APP: "Пайдаланушылар қосымшада не істейтінін жаза аласыз ба?",
            Service.CRM: "Жүйеде неше адам жұмыс істейтінін және нені жүргізгіңіз келетінін жаза аласыз ба?",
            Service.AUTOMATION: "Қандай жұмысты бағдарламаға тапсырғыңыз келетінін жаза аласыз ба?",
        },
        known="Хабарламаңызға рахмет! Мұндай өтініміңіз бізде бар: {services}. Жаңасын ашқан жоқпыз.",
        thanks="Оқасы жоқ! Сұрақтарыңыз болса, осында жаза салыңыз.",
        unclear="Бізге жазғаныңызға рахмет. Біз сайт, мобильді қосымша, CRM жүйесін жасаймыз "
        "және автоматтандырумен айналысамыз. Сізге не керек екенін жаза аласыз ба?",
        ask_price="Қызығушылығыңызға рахмет! Баға туралы айту үшін тапсырманы түсінуіміз керек. "
        "Сізге не керек: сайт, мобильді қосымша, CRM жүйесі немесе автоматтандыру?",
        ask_human="Хабарламаңызға рахмет! Өтінішіңізді менеджерге бердік. "
        "Ыңғайлы болса, әңгіме не туралы екенін қысқаша жазыңызшы.",
        complaint="Бұл туралы жазғаныңызға рахмет, қолайсыздық үшін кешірім сұраймыз. "
        "Хабарламаңыз менеджерге берілді. Толығырақ мәлімет болса, осында жазыңызшы.",
        passed_on="Хабарламаңызға рахмет! Оны менеджерге бердік.",
        returning="Хабарламаңызға рахмет! Оны менеджерге бердік. "
        "Егер жаңа тапсырма туралы болса, не керек екенін жазыңызшы.",
    ),
    Language.EN: _Phrases(
        hello="Hello",
        and_="and",
        services={
            Service.WEBSITE: "a website",
            Service.MOBILE_APP: "a mobile app",
            Service.CRM: "a CRM system",
            Service.AUTOMATION: "automation",
        },
        received="Thank you for getting in touch! We have received your request: {services}.",
        price="A manager will talk the price over with you.",
        deadline="A manager will talk the timing over with you.",
        price_and_deadline="A manager will talk the price and the timing over with you.",
        human="A manager will see that you would like to talk.",
        add="If you would like to add anything, just write it here.",
        questions={
            Service.WEBSITE: "Could you tell us what your company does and what the site should show?",
            Service.MOBILE_APP: "Could you tell us what people will do in the app?",
            Service.CRM: "Could you tell us how many people will use it and what for?",
            Service.AUTOMATION: "Could you tell us which work you would like to hand over to a program?",
        },
        known="Thank you for your message! We already have such a request from you: {services}. "
        "We have not opened another one.",
        thanks="You are welcome! If you have any questions, just write here.",
        unclear="Thank you for writing to us. We make websites, mobile apps, CRM systems and automation. "
        "Could you tell us what you need, please?",
        ask_price="Thank you for your interest! To talk about the price we need to understand the task. "
        "What do you need, please: a website, a mobile app, a CRM system or automation?",
        ask_human="Thank you for your message! We have passed your request on to a manager. "
        "If you like, tell us in a few words what it is about.",
        complaint="Thank you for telling us; we are sorry for the trouble. "
        "Your message has been passed on to a manager. If there are details, please add them here.",
        passed_on="Thank you for your message! We have passed it on to a manager.",
        returning="Thank you for your message! We have passed it on to a manager. "
        "If it is about something new, please tell us what you need.",
    ),
}


def service_reply(reading: Reading, name: str, message: str, *, known: bool) -> str:
    """Return the reply to a request for services; `known` where a deal for them is there already."""
    phrases = _PHRASES[reading.language]
    services = f" {phrases.and_} ".join(phrases.services[service] for service in reading.services)
    parts = [(phrases.known if known else phrases.received).format(services=services)]
    if reading.price and reading.deadline:
        parts.append(phrases.price_and_deadline)
    elif reading.price or reading.deadline:
        parts.append(phrases.price if reading.price else phrases.deadline)
    if reading.human:
        parts.append(phrases.human)
    detailed = known or len(message) > _LONG_MESSAGE
    parts.append(phrases.add if detailed else phrases.questions[reading.services[0]])
    return _letter(reading.language, name, parts)


def question_reply(reading: Reading, name: str, *, known_customer: bool) -> str:
    """Return the reply to a lead that was handed to a manager: thanks, and a question where it is unclear."""
    phrases = _PHRASES[reading.language]
    texts = {
        Matter.THANKS: phrases.thanks if known_customer else phrases.unclear,
        Matter.HUMAN: phrases.ask_human,
        Matter.PRICE: phrases.ask_price,
        Matter.COMPLAINT: phrases.complaint,
        Matter.JOB: phrases.passed_on,
        Matter.CANCEL: phrases.passed_on,
        Matter.UNCLEAR: phrases.returning if known_customer else phrases.unclear,
    }
    return _letter(reading.language, name, [texts.get(reading.matter, phrases.unclear)])


def first_name(name: str) -> str:
    """Return what of a display name is fit for a greeting; empty where it is not a name."""
    letters = "".join(char if char.isalpha() or char in "-' " else " " for char in clean(name))
    short = " ".join(letters.split())
    plausible = 1 < len(short) <= _NAME_MAX and not any(char.isdigit() for char in name)
    return short if plausible and "/" not in name and "@" not in name else ""


def _letter(language: Language, name: str, parts: Sequence[str]) -> str:
    hello = _PHRASES[language].hello
    greeting = f"{hello}, {called}!" if (called := first_name(name)) else f"{hello}!"
    if language is Language.KK:
        greeting = greeting if called else f"{hello}?"
    return " ".join([greeting, *parts, MARKS[language]])
