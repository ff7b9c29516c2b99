"""What the stand-in model writes for the operators: summaries, reasons, and what it did.

Notes about a lead who writes in English are in English, all others in Russian.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, unique

from bot.sandbox.reading import Matter, Reading, clean
from bot.sandbox.vocabulary import Language, Service
from bot.sandbox.wording import MARKS

SUMMARY_MAX = 300
REASON_MAX = 300

_CLOSING_WORDS = 120


@unique
class Fact(Enum):
    """What came of the work; each in Russian and English."""

    DEAL = ("заведена сделка", "created a deal")
    NO_DEAL = ("сделку завести не удалось", "the deal could not be created")
    KNOWN_DEAL = ("сделка уже была", "there already was a deal")
    SENT = ("ответ отправлен", "sent a reply")
    REJECTED = (
        "ответ отклонён оператором и не отправлен",
        "the reply was rejected by an operator and not sent",
    )
    EXPIRED = (
        "ответ никто вовремя не подтвердил, он не отправлен",
        "the reply expired unapproved and was not sent",
    )
    UNCERTAIN = ("неизвестно, дошёл ли ответ", "it is uncertain whether the reply arrived")
    NOT_SENT = ("ответ отправить не удалось", "the reply failed and was not sent")
    ESCALATED = ("лид передан менеджеру", "handed the lead to a manager")
    NOT_ESCALATED = ("передать менеджеру не удалось", "the lead could not be handed over")
    NOTHING = ("ничего не сделано", "did nothing")
    TAKE_OVER = ("нужно, чтобы лидом занялся менеджер", "a manager should take over")
    WROTE_AGAIN = ("клиент дописал", "the lead wrote again")


_REASONS = {
    Matter.INJECTION: ("Подозрительно: отдаёт приказы модели.", "Suspicious: gives the model orders."),
    Matter.OTHERS_DATA: (
        "Подозрительно: просит данные других клиентов.",
        "Suspicious: asks for other customers' data.",
    ),
    Matter.CRIME: ("Подозрительно: просит о незаконном.", "Suspicious: asks for something illegal."),
    Matter.SPAM: ("Похоже на спам или рекламу.", "Looks like spam or advertising."),
    Matter.JOB: ("Не заказ: речь о работе у нас.", "Not an order: it is about a job."),
    Matter.CANCEL: ("Отменяет заказ или просит удалить данные.", "Cancels an order or asks to delete data."),
    Matter.COMPLAINT: ("Жалоба.", "A complaint."),
    Matter.SERVICE: ("Нужна услуга:", "Asks for a service:"),
    Matter.EMPTY: ("Непонятно, что нужно: в сообщении нет слов.", "Unclear: the message has no words."),
    Matter.GREETING: ("Непонятно, что нужно: только приветствие.", "Unclear: only a greeting."),
    Matter.THANKS: (
        "Непонятно, что нужно: только благодарность или согласие.",
        "Unclear: only thanks or a yes.",
    ),
    Matter.HUMAN: ("Просит поговорить с человеком.", "Asks to talk to a person."),
    Matter.PRICE: ("Спрашивает о цене; услуга не названа.", "Asks for a price; no service is named."),
    Matter.UNCLEAR: ("Непонятно, какая услуга нужна.", "Unclear which service is needed."),
}

_SERVICES = {
    Service.WEBSITE: ("сайт", "a website"),
    Service.MOBILE_APP: ("мобильное приложение", "a mobile app"),
    Service.CRM: ("CRM-система", "a CRM system"),
    Service.AUTOMATION: ("автоматизация", "automation"),
}


def summary(reading: Reading, service: Service, message: str) -> str:
    """Return what a deal says about the request: the services asked for, and the lead's own words."""
    tongue = _tongue(reading)
    others = [_SERVICES[other][tongue] for other in reading.services if other is not service]
    parts = [("Нужно: ", "Needs: ")[tongue] + _SERVICES[service][tongue]]
    if others:
        parts.append(("также: ", "also: ")[tongue] + ", ".join(others))
    if wishes := _wishes(reading, tongue):
        parts.append(("спрашивает: ", "asks about: ")[tongue] + ", ".join(wishes))
    return shorten(f"{'; '.join(parts)}. {_quoted(message, tongue)}", SUMMARY_MAX)


def reason(reading: Reading, message: str) -> str:
    """Return why the lead is handed to a manager."""
    tongue = _tongue(reading)
    why = _REASONS[reading.matter][tongue]
    if reading.matter is Matter.SERVICE:
        why += f" {', '.join(_SERVICES[service][tongue] for service in reading.services)}."
    return shorten(f"{why} {_quoted(message, tongue)}", REASON_MAX)


def trouble(reading: Reading, tool: str, message: str) -> str:
    """Return why the lead is handed to a manager after the call of `tool` failed."""
    tongue = _tongue(reading)
    failed = ("Не получилось: ", "It failed: ")[tongue] + tool
    return shorten(f"{failed}. {_quoted(message, tongue)}", REASON_MAX)


def closing(reading: Reading, facts: Sequence[tuple[Fact, str]]) -> str:
    """Return one line that says what was done: each fact with its detail (may be empty)."""
    tongue = _tongue(reading)
    told = "; ".join(
        f"{fact.value[tongue]} {shorten(detail, _CLOSING_WORDS)}".strip() for fact, detail in facts
    )
    return f"{told[:1].upper()}{told[1:]}. {MARKS[(Language.RU, Language.EN)[tongue]]}"


def cannot(offered: Sequence[str]) -> str:
    """Return the line that ends a task which is none of the stand-in's."""
    tools = ", ".join(offered) or "none"
    return (
        "(stand-in model) Only works leads and found none here that its tools fit, "
        f"so nothing was done. Tools on offer: {shorten(tools, _CLOSING_WORDS)}."
    )


def shorten(text: str, limit: int) -> str:
    """Return `text` cleaned and, where it has over `limit` characters, cut at a word and closed with …."""
    line = clean(text)
    if len(line) <= limit:
        return line
    head = line[: limit - 1]
    word_end = head.rfind(" ", limit // 2)
    return (head if word_end < 0 else head[:word_end]).rstrip(" \u200d,.;:") + "…"


def _tongue(reading: Reading) -> int:
    return int(reading.language is Language.EN)


def _quoted(message: str, tongue: int) -> str:
    words = clean(message)
    return ("Слова клиента: ", "The lead's words: ")[tongue] + words if words else ""


def _wishes(reading: Reading, tongue: int) -> list[str]:
    asked = [
        (reading.price, ("цена", "the price")),
        (reading.deadline, ("сроки", "the timing")),
        (reading.human, ("разговор с человеком", "talking to a person")),
    ]
    return [names[tongue] for wish, names in asked if wish]
