"""Who writes and what they want, told by labels and by looks."""

from typing import Any

import pytest

from bot.hooks import Preset
from tests.hooks import posts
from tests.hooks.submissions import numbers, of

# Labels of a name, a phone, an e-mail and a comment as site owners and builders write them.
LABELS = [
    ("name", "phone", "email", "message"),
    ("Name", "Phone", "Email", "Input"),
    ("Name", "Phone_2", "Email", "Textarea_3"),
    ("your-name", "your-tel", "your-email", "your-message"),
    ("text-name", "tel-123", "email-7", "textarea-9"),
    ("q3_name", "q4_phoneNumber", "q5_email", "q6_message"),
    ("fullName", "phoneNumber", "emailAddress", "comments"),
    ("Full Name", "User Phone", "User Email", "Details"),
    ("Как вас зовут?", "Ваш номер телефона", "Электронная почта", "Ваш вопрос"),
    ("Как к вам обращаться?", "WhatsApp", "Эл. почта", "Сообщение"),
    ("Ваше имя*", "Контактный телефон (мобильный)", "Почта", "Опишите задачу"),
    ("ФИО", "Тел.", "Имейл", "Пожелания"),
    ("Аты-жөні", "Ұялы телефон", "Электрондық пошта", "Хабарлама"),
    ("Сіздің атыңыз", "Телефон нөмірі", "E-mail", "Пікір"),
    ("Имя и отчество", "Телефон для связи", "Ваша почта", "Текст сообщения"),
    ("Толық аты-жөніңіз", "Байланыс телефоны", "Пошта", "Өтініш"),
    ("What is your name?", "Mobile number", "Work email", "Your inquiry"),
    ("Контактное лицо", "Моб. телефон", "e-mail", "Примечание"),
]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
def test_fields_are_told_by_their_labels(labels: tuple[str, str, str, str]) -> None:
    """Russian, Kazakh, English, slugs and questions."""
    answers = dict(
        zip(labels, ["Ержан Примеров", "8 701 555 01 42", "e@example.kz", "Нужна CRM"], strict=True)
    )
    submission = of(Preset.GENERIC, posts.form_body(answers))
    assert (submission.name, numbers(submission)) == ("Ержан Примеров", ["+77015550142"])
    assert submission.emails == ("e@example.kz",)
    assert submission.message.endswith("Нужна CRM")


@pytest.mark.parametrize(
    "label",
    [
        "Название компании",
        "Company Name",
        "form_name",
        "Имя ребёнка",
        "project name",
        "Имя файла",
        "username",
    ],
)
def test_other_names_are_not_the_persons(label: str) -> None:
    """A company, a form, a child: named in the message, or beside it, and nobody's name."""
    assert of(Preset.GENERIC, posts.json_body({label: "Ромашка", "phone": "87015550142"})).name is None


@pytest.mark.parametrize(
    ("answers", "name"),
    [
        ({"First Name": "Асель", "Last Name": "Ким"}, "Асель Ким"),
        ({"Фамилия": "Иванов", "Имя": "Иван", "Отчество": "Иванович"}, "Иван Иванович Иванов"),
        ({"name": "Асель Ким", "last_name": "Ким"}, "Асель Ким"),
        ({"q3_name": {"first": "Ержан", "last": "Примеров"}}, "Ержан Примеров"),
        ({"contact": {"name": "Ержан"}, "company": {"name": "Ромашка"}}, "Ержан"),
        ({"form": {"id": "1", "name": "Форма контактов"}, "Ваше имя": "Ержан"}, "Ержан"),
        ({"form": {"id": "1", "name": "Форма контактов"}}, None),
        ({"name": "8 701 555 01 42"}, None),
        ({"name": "a@example.kz"}, None),
        ({"name": "Ержан\u202e\u0007 Ким"}, "Ержан Ким"),
        ({"name": "слово " * 40}, None),
    ],
)
def test_a_name_is_put_together_and_only_a_name(answers: dict[str, Any], name: str | None) -> None:
    """Parts are joined; what cannot be a name stays in the message."""
    submission = of(Preset.GENERIC, posts.json_body(answers))
    assert submission.name == name
    if name is None and "form" not in answers:
        assert str(next(iter(answers.values()))).strip() in submission.message


def test_without_labels_contacts_are_found_by_their_looks() -> None:
    """A phone inside a sentence, an e-mail anywhere; the sentence stays."""
    submission = of(
        Preset.GENERIC, posts.json_body({"q1": "Звоните 8 701 555 01 42, Анна", "q2": "a@example.kz"})
    )
    assert (numbers(submission), submission.emails) == (["+77015550142"], ("a@example.kz",))
    assert submission.message == "q1: Звоните 8 701 555 01 42, Анна\nq2: a@example.kz"


def test_numbers_of_a_sentence_do_not_join_a_number_that_was_asked_for() -> None:
    """The neighbour's phone in a comment is not the person's."""
    answers = {"Телефон": "8 701 555 01 42, 8 747 555 01 43", "Комментарий": "у соседа 8 705 555 01 44"}
    assert numbers(of(Preset.GENERIC, posts.json_body(answers))) == ["+77015550142", "+77475550143"]


@pytest.mark.parametrize("label", ["ИИН", "БИН компании", "Номер заказа"])
def test_a_long_number_of_another_kind_is_no_phone(label: str) -> None:
    """Twelve digits under such a label are never called."""
    assert numbers(of(Preset.GENERIC, posts.json_body({label: "998905550142"}))) == []


def test_a_doubtful_number_is_kept_and_words_beside_a_number_too() -> None:
    """The operator sees what was typed; what else stood in the field is in the message."""
    masked = of(Preset.TILDA, posts.tilda({"Phone": "+7 (870) 155-50-14"}))
    assert [(phone.raw, phone.trusted) for phone in masked.phones] == [("+7 (870) 155-50-14", None)]
    with_words = of(Preset.TILDA, posts.tilda({"Phone": "8 701 555 01 42 спросить Дану"}))
    assert numbers(with_words) == ["+77015550142"]
    assert with_words.message == "Phone: 8 701 555 01 42 спросить Дану"


@pytest.mark.parametrize("number", [7015550142, 87015550142, 77015550142.0, "+7 701 555-01-42"])
def test_a_phone_may_be_a_json_number(number: object) -> None:
    """Webflow's own example has one; digits are kept as they were written."""
    assert numbers(of(Preset.WEBFLOW, posts.webflow({"Phone Number": number}))) == ["+77015550142"]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([{"name": "Анна", "text": "Нужен сайт", "phone": "87015550142"}], "Нужен сайт"),
        ([{"title": "Город", "value": "Алматы", "extra": "ещё"}], "Город: Алматы\nextra: ещё"),
        ([{"label": "Город", "answer": "Алматы", "type": "text"}], "Город: Алматы"),
        ({"Бюджет": {"value": "1000", "amount": "1000", "currency": "KZT"}}, "Бюджет: 1000, KZT"),
        (
            {"Когда": {"value": "12/11/2026 10:00", "date": "12/11/2026", "unix": 1}},
            "Когда: 12/11/2026 10:00",
        ),
        ({"address": {"city": "Алматы", "street": "Абая 1"}}, "address: city: Алматы, street: Абая 1"),
    ],
)
def test_objects_and_lists_are_read_without_a_loss(answers: Any, message: str) -> None:
    """Descriptions of fields by their labels, people as people, and anything else part by part."""
    assert of(Preset.GENERIC, posts.json_body(answers)).message == message
