"""Drafts are held against their sources by rules alone."""

from datetime import date
from itertools import chain
from time import perf_counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent.grounding import LONGEST, LONGEST_MARK, MOST, ungrounded
from agent.grounding.reading import READERS
from agent.leads.agent import COMPANY, SYSTEM
from agent.marks import MarkKind
from bot.sandbox import wording
from bot.sandbox.vocabulary import Language
from tests.engine.honest_replies import ANSWERED, Answered

# Each is marked, and nothing beside it, where the lead wrote "We need a site."
UNGROUNDED = {
    MarkKind.PRICE: [
        ("Сайт обойдётся в 250 000 ₸.", "250 000 ₸"),
        ("It costs $5,000.", "$5,000"),
        ("It costs US$5k.", "US$5k"),
        ("Құны 500 мың теңге.", "500 мың теңге"),
        ("Цена: полтора миллиона тенге", "полтора миллиона тенге"),
        ("Около двухсот пятидесяти тысяч рублей", "двухсот пятидесяти тысяч рублей"),
        ("About two hundred thousand dollars.", "two hundred thousand dollars"),
        ("Екі жүз елу мың теңге", "Екі жүз елу мың теңге"),
        ("от 200 до 300 тыс. тг", "200 до 300 тыс. тг"),
        ("Всего 1.5 млн KZT", "1.5 млн KZT"),
        ("Консультация бесплатная.", "бесплатная"),
        ("Your first audit is free of charge.", "free of charge"),
        ("Кеңес тегін.", "тегін"),
    ],
    MarkKind.PERCENT: [
        ("Дешевле на 15%.", "15%"),
        ("Сэкономите до двадцати процентов", "двадцати процентов"),
        ("Save 7.5 percent", "7.5 percent"),
        ("10 пайыз үнемдейсіз", "10 пайыз"),
    ],
    MarkKind.DISCOUNT: [
        ("Сделаем вам скидку", "скидку"),
        ("You get a discount", "discount"),
        ("Сізге жеңілдік бар", "жеңілдік"),
        ("As agreed you get it for half the price.", "half the price"),
        ("Сделаем вполцены", "вполцены"),
        ("Жарты бағасына жасаймыз", "Жарты бағасына"),
    ],
    MarkKind.DURATION: [
        ("Сделаем за 3 дня.", "3 дня"),
        ("We deliver in 2 weeks.", "2 weeks"),
        ("Дайын болады 5 күнде.", "5 күнде"),
        ("Займёт две-три недели", "две-три недели"),
        ("It takes 2-3 weeks", "2-3 weeks"),
        ("It takes two and a half months", "two and a half months"),
        ("A couple of days will do", "couple of days"),
        ("10 рабочих дней", "10 рабочих дней"),
        ("Перезвоним через неделю.", "через неделю"),
        ("You will hear from us within an hour.", "within an hour"),
        ("Ответим через полчаса", "полчаса"),
        ("Управимся в течение нескольких дней", "нескольких дней"),
        ("24-часовая поддержка", "24-часовая"),
    ],
    MarkKind.DATE: [
        ("Встреча 12 марта.", "12 марта"),
        ("See you on March 5.", "March 5"),
        ("12-14 марта", "12-14 марта"),
        ("Запуск 01.06", "01.06"),
        ("Успеем до пятницы", "пятницы"),
        ("Done by Friday.", "Friday"),
        ("Жұмаға дайын болады", "Жұмаға"),
        ("Менеджер позвонит завтра", "завтра"),
        ("Ертең хабарласамыз", "Ертең"),
        ("Готово к концу недели", "к концу недели"),
        ("by the end of the month", "by the end of the month"),
        ("Начнём на следующей неделе", "на следующей неделе"),
        ("Запустим в сентябре", "сентябре"),
        ("Работаем с 2015 года", "2015 года"),
    ],
    MarkKind.TIME: [
        ("Позвоним в 17:30.", "17:30"),
        ("We call at 5 pm.", "5 pm"),
        ("Позвоним в 6 вечера", "6 вечера"),
        ("кешкі 7-де", "кешкі 7"),
    ],
    MarkKind.PHONE: [
        ("Звоните +7 701 555 01 42.", "+7 701 555 01 42"),
        ("Звоните 8(727)250-01-42", "8(727)250-01-42"),
        ("Call +44 20 7946 0958", "+44 20 7946 0958"),
        ("Звоните 250-01-42", "250-01-42"),
        ("Пишите wa.me/77015550142", "wa.me/77015550142"),
    ],
    MarkKind.EMAIL: [("Write to sales@example.kz.", "sales@example.kz")],
    MarkKind.LINK: [
        ("See https://example.kz/x", "https://example.kz/x"),
        ("Смотрите example.agency", "example.agency"),
        ("Смотрите сайт.рф", "сайт.рф"),
        ("Смотрите ехample.kz", "ехample.kz"),
        ("Смотрите example.кz", "example.кz"),
        ("Смотрите a.b.c.d.e.f.g.h.kz", "a.b.c.d.e.f.g.h.kz"),
        ("Смотрите 10.0.0.1:80", "10.0.0.1:80"),
    ],
    MarkKind.HANDLE: [("Пишите @studio_bot", "@studio_bot"), ("Пишите t.me/studio_bot", "t.me/studio_bot")],
    MarkKind.NAME: [
        ("Вам ответит Ольга.", "Ольга"),
        ("Ольга вам ответит.", "Ольга"),
        ("Наш менеджер — Бекзат", "Бекзат"),
        ("You will be called by Kaspi.", "Kaspi"),
        ("Ask for Mr. Whitfield", "Whitfield"),
        ("Делали сайт для ТОО «Ромашка»", "Ромашка"),
        ("Спасибо!\nС уважением,\nБекзат", "Бекзат"),
        ("Сізге Бекзатпен хабарласады", "Бекзатпен"),
    ],
    MarkKind.NUMBER: [
        ("We have made 120 of them.", "120"),
        ("Заявка D12 открыта", "D12"),
        ("Сделали больше двухсот проектов", "двухсот"),
        ("Счёт KZ86125KZT5004100100", "KZ86125KZT5004100100"),
    ],
}
DISGUISED = [
    "２５０ ０００ ₸",
    "2\u200b50 000 ₸",
    "2\u00ad50\u00a0000 ₸",
    "250\u2009000\u202f₸",
    "25O OOO ₸",
    "25О ООО ₸",  # Cyrillic
    "𝟐𝟓𝟎 𝟎𝟎𝟎 ₸",
    "٢٥٠ ٠٠٠ ₸",
    "250'000 ₸",
    "250.000 ₸",
    "250 000₸",
    "**250 000 ₸**",
    "_250 000_ ₸",
]
# Spellings of one claim, each grounded by each other.
SAME = {
    "price": [
        "1 500 000 ₸",
        "1,5 млн тенге",
        "1.500.000 тг",
        "1500k KZT",
        "1\u00a0500\u00a0000 теңге",
        "1\u2009500\u2009000 тенге",
        "1'500'000 ₸",
        "KZT 1,500,000",
        "полтора миллиона тенге",
        "миллион пятьсот тысяч тенге",
        "one and a half million tenge",
        "бір жарым миллион теңге",
    ],
    "a bare sum": ["1 500 000", "1,5 млн", "полтора миллиона", "1500к"],
    "date": [
        "12 марта 2026",
        "12.03.2026",
        "12.03.26",
        "2026-03-12",
        "March 12, 2026",
        "12 March 2026",
        "the 12th of March 2026",
        "12 наурыз 2026",
    ],
    "day": ["12 марта", "12-го марта", "12.03", "March 12", "12th of March", "12 наурыз", "12/03"],
    "weekday": ["пятница", "до пятницы", "by Friday", "жұмаға"],
    "tomorrow": ["завтра", "tomorrow", "ертең"],
    "time": ["17:00", "5 pm", "5:00 p.m.", "5 вечера", "кешкі 5", "17:00:00"],
    "phone": [
        "+7 (701) 555-01-42",
        "87015550142",
        "8 701 555 01 42",
        "77015550142",
        "(701) 555-01-42",
        "https://wa.me/77015550142",
        "tel:+77015550142",
    ],
    "link": ["https://example.kz/", "example.kz", "www.example.kz", "http://example.kz", "EXAMPLE.KZ"],
    "handle": ["@studio_bot", "t.me/studio_bot", "https://t.me/Studio_Bot"],
    "percent": ["10%", "10 %", "10 процентов", "10 percent", "10 пайыз", "десять процентов"],
    "duration": ["2 недели", "14 дней", "two weeks", "2 апта", "две недели", "14-дневный срок"],
    "months": ["полгода", "6 месяцев", "half a year", "six months", "6 ай"],
    "name": ["для Марата", "Марату", "Марат", "MARAT", "Marat", "Маратқа"],
    "another name": ["Павлу", "Павла", "Павел", "Pavel"],
    "a third": ["Аня", "Ане", "Ани"],
    "a fourth": ["Сергей", "Сергею", "Sergey", "с Сергеем"],
}
# Looks alike, and is another thing: the draft is marked.
DIFFERENT = [
    ("$5000", "5000 ₸"),
    ("3 дня", "3 филиала"),
    ("3 дня", "3 недели"),
    ("5 рабочих дней", "5 дней"),
    ("15%", "15 филиалов"),
    ("250 ₸", "250 000 ₸"),
    ("12.03.2025", "12.03.2026"),
    ("5 am", "17:00"),
    ("+7 727 555 01 42", "555-01-42"),
    ("example.kz.evil.com", "example.kz"),
    ("https://example.kz/price", "example.kz"),
    ("sales@example.kz", "info@example.kz"),
    ("с Даной", "нужны данные"),
    ("для Анны", "I need an app, or any site"),
    ("для Ильи", "сайт или приложение"),
]
GROUNDED = [
    ("Сорок человек и три склада: 40 и 3", "сорок человек, три склада"),
    ("с 9:00 до 18:00", "с 9 до 18"),
    ("в 17:00", "в 5"),
    ("в 2026 году, в марте", "12.03.2026"),
    ("250-01-42", "+7 (727) 250-01-42"),
    ("example.kz", "https://example.kz/price?utm=1"),
    ("200-300 тысяч тенге", "от 200 до 300 тысяч"),
    ("1500", "1.500"),
    ("по скидке", "Скидка будет?"),
]
# Nothing here can be true or false.
NO_CLAIMS = [
    "Ответьте на 3 вопроса:\n1. Какой бюджет?\n2. Какой срок?\n3) Есть ли сайт?",
    "1️⃣ Бюджет 2️⃣ Сроки",
    "I'll ask two questions, and we'd like a few words.",
    "Спасибо! 😊 Расскажите подробнее: Что нужно? • Сайт • Бот",
    "Сколько заказов бывает за день?",
    "Работаем с 1С, Битрикс24, WordPress, Node.js, B2B и CRM-системами.",
    "A manager will call you today. Менеджер позвонит сегодня. Бүгін хабарласады.",
    "Доставка по Казахстану, из Алматы; в Chrome, Google Play и App Store, с WhatsApp.",
    "Dear Sir, Best regards,\nThe Team",
    "Один из менеджеров ответит Вам, one of our managers.",
]
# Of these, patterns that start again at every letter would need minutes.
HOSTILE = ["1", "1 000 ", "O", "_", "a.", "+7(", "12.03.", "два и ", "1)", ",\nАа Бб", "QUJD", " "]
SECONDS = 3.0


def marked(draft: str, *sources: str) -> list[tuple[MarkKind, str]]:
    return [(mark.kind, mark.text) for mark in ungrounded(draft, sources)]


@pytest.mark.parametrize(
    ("kind", "draft", "words"), [(kind, *case) for kind, cases in UNGROUNDED.items() for case in cases]
)
def test_what_no_source_says_is_marked(kind: MarkKind, draft: str, words: str) -> None:
    """Figures, dates, addresses and names, in three languages."""
    assert marked(draft, "We need a site.") == [(kind, words)]
    assert marked(draft, draft) == []


@pytest.mark.parametrize("price", DISGUISED)
def test_no_disguise_hides_a_price(price: str) -> None:
    """Other digits, letters for digits, invisible signs, markup: seen, and equal to the plain spelling."""
    assert "250 000" in marked(f"Сайт за {price}!", "Нужен сайт")[0][1].replace("'", " ").replace(".", " ")
    assert marked(f"Сайт за {price}!", "Бюджет 250 тыс. тенге") == []


@pytest.mark.parametrize("kind", SAME)
def test_another_spelling_is_the_same_claim(kind: str) -> None:
    """What the lead said in any spelling may be said back in any other."""
    for draft in SAME[kind]:
        assert marked(f"Понятно, {draft}", "Нужен сайт"), draft
        for source in SAME[kind]:
            assert marked(f"Понятно, {draft}", f"мне нужно: {source}") == [], (draft, source)


@pytest.mark.parametrize(("draft", "source"), DIFFERENT)
def test_what_only_looks_alike_is_marked(draft: str, source: str) -> None:
    """Another currency, unit, year, address, or a name inside another word."""
    assert marked(f"Понятно, {draft}", f"мне нужно: {source}")


@pytest.mark.parametrize(("draft", "source"), GROUNDED)
def test_a_part_of_what_was_said_is_said(draft: str, source: str) -> None:
    """The month of a day, the host of a link, the figure of a word."""
    assert marked(f"Понятно, {draft}", f"мне нужно: {source}") == []


@pytest.mark.parametrize("draft", NO_CLAIMS)
def test_what_claims_nothing_has_no_mark(draft: str) -> None:
    """Lists, questions, greetings, products, and today."""
    assert marked(draft, "") == []


@pytest.mark.parametrize("answered", ANSWERED, ids=[answered.name for answered in ANSWERED])
def test_honest_replies_have_no_marks(answered: Answered) -> None:
    """No false alarm on a reply without promises: operators would learn to press twice."""
    assert marked(answered.reply, answered.name, answered.words, SYSTEM.format(company=COMPANY)) == []


@pytest.mark.parametrize("language", Language)
def test_nothing_the_stand_in_says_is_marked(language: Language) -> None:
    """Whatever it is asked."""
    phrases = wording._PHRASES[language]
    for field in phrases.__slots__:
        said = getattr(phrases, field)
        for text in said.values() if isinstance(said, dict) else [said]:
            assert marked(text, "") == []


@settings(max_examples=60)
@example(10**9, ".", "₸")  # four groups of digits, as an IP address has
@given(st.integers(1, 10**9), st.sampled_from(" \u00a0\u2009,.'"), st.sampled_from(["₸", "тенге", " KZT"]))
def test_a_sum_is_the_same_in_any_grouping(sum: int, separator: str, currency: str) -> None:
    """Whatever stands between its thousands."""
    grouped = f"{sum:,}".replace(",", separator) + currency
    assert marked(f"Бюджет: {grouped}", f"{sum} тенге") == []
    assert marked(f"Бюджет: {sum} тенге", grouped) == []
    assert marked(f"Бюджет: {grouped}", f"{sum + 1} тенге") != []


@settings(max_examples=60)
@given(st.dates(date(2000, 1, 1), date(2099, 12, 31)))
def test_a_day_is_the_same_in_any_order(day: date) -> None:
    """In digits and in English, of any year."""
    forms = [day.isoformat(), f"{day:%d.%m.%Y}", f"{day:%d/%m/%Y}", f"{day:%B} {day.day}, {day.year}"]
    assert [marked(f"Понятно: {draft}", source) for draft in forms for source in forms] == [[]] * 16


@settings(max_examples=60)
@given(st.integers(0, 23), st.integers(0, 59))
def test_a_time_is_the_same_on_both_clocks(hour: int, minute: int) -> None:
    """Of twelve hours and of twenty-four, noon and midnight too."""
    half = "am" if hour < 12 else "pm"
    short, long = f"{hour % 12 or 12}:{minute:02} {half}", f"{hour:02}:{minute:02}"
    assert (marked(f"At {short}", long), marked(f"At {long}", short)) == ([], [])


@settings(max_examples=150)
@given(st.text(max_size=300) | st.lists(st.sampled_from([*chain(*SAME.values())])).map(" ".join))
def test_what_is_only_repeated_is_never_marked(draft: str) -> None:
    """A draft that stands in its sources has nothing to look at, and no text breaks the check."""
    assert marked(draft, "Something else.", draft) == []


@settings(max_examples=100)
@given(st.text(max_size=300) | st.lists(st.sampled_from([*chain(*SAME.values())])).map(" ".join))
def test_a_reader_is_only_left_out_where_it_would_find_nothing(text: str) -> None:
    """The signs by which readers are skipped hide no claim from them."""
    for read, sign in READERS:
        assert sign is None or sign.search(text) or not list(read(text))


@settings(max_examples=100)
@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=200), st.sampled_from(" \n"))
def test_a_fresh_price_is_marked_in_any_draft(before: str, after: str, source: str, space: str) -> None:
    """Whatever stands around it, and whatever the sources say."""
    marks = ungrounded(f"{before}{space}7654321 тенге{space}{after}", [source])
    assert len(marks) == MOST or any("7654321" in mark.text for mark in marks)


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u202e\u3164"), min_size=9, max_size=9
    )
)
def test_nothing_invisible_splits_a_price(signs: list[str]) -> None:
    """Between any two of its letters."""
    price = "".join(map("".join, zip("7654321 ₸", signs, strict=True)))
    assert marked(f"Цена {price}", "Цена?") == [(MarkKind.PRICE, "7654321 ₸")]


@pytest.mark.parametrize("bait", HOSTILE)
def test_hostile_texts_are_read_at_once(bait: str) -> None:
    """The time grows with the length alone, on the draft's side and on the sources'."""
    text = (bait * LONGEST)[: LONGEST // 4]
    started = perf_counter()
    assert marked(text, text) == []
    assert perf_counter() - started < SECONDS


def test_marks_are_few_and_short() -> None:
    """A card has room for so many."""
    draft = " ".join(f"https://example.kz/{number}/{'x' * 200}" for number in range(2 * MOST))
    marks = ungrounded(draft, [])
    assert len(marks) == MOST
    assert {len(mark.text) for mark in marks} == {LONGEST_MARK}


def test_marks_stand_in_the_draft_s_order() -> None:
    """Each once, and none inside another."""
    draft = "Позвоним в 17:30, сайт за 2-3 недели и 300 000 ₸. Ещё раз: 300 000 ₸ и 3 недели."
    assert [text for _, text in marked(draft, "")] == ["17:30", "2-3 недели", "300 000 ₸", "3 недели"]
