"""What is special to each product."""

import json
from typing import Any

import pytest

from bot.hooks import Preset
from tests.hooks import posts
from tests.hooks.posts import FORM, JSON, Request
from tests.hooks.submissions import PERSON, SENDERS, WISH, numbers, of


@pytest.mark.parametrize("sender", SENDERS)
@pytest.mark.parametrize("as_generic", [False, True])
def test_every_product_is_read_by_its_preset_and_by_any_other(sender: str, as_generic: bool) -> None:
    """The same person and wish out of every shape; a wrong preset costs nothing."""
    preset, request, provider_id = SENDERS[sender]
    submission = of(Preset.GENERIC if as_generic else preset, request({**PERSON, **WISH}))
    assert submission.name == "Айгерим Тестова"
    assert numbers(submission) == ["+77015550142"]
    assert submission.emails == ("Aigerim@example.test",)
    assert submission.message == WISH["Комментарий"]
    assert submission.provider_id == provider_id
    assert not submission.ping
    assert not submission.raw_only


def test_what_the_product_adds_stays_out_of_the_message() -> None:
    """Marks, cookies, consents and technical lines are kept beside it, with the page."""
    consent = {"Согласие на обработку персональных данных": "on", "acceptance-1": "1", "_wpnonce": "x1"}
    submission = of(
        Preset.ELEMENTOR,
        posts.elementor({**WISH, **consent, "gclid": "Cj0", "g-recaptcha-response": "03"}),
    )
    assert submission.message == WISH["Комментарий"]
    assert submission.page == "https://studio.example/contacts/"
    meta = dict(submission.meta)
    assert (meta["gclid"], meta["Remote IP"], meta["form_name"]) == ("Cj0", "203.0.113.6", "Форма контактов")
    assert meta["Согласие на обработку персональных данных"] == "on"


def test_elementors_own_date_is_not_an_answer_but_the_persons_is() -> None:
    """Only the lines at the end are Elementor's."""
    submission = of(
        Preset.ELEMENTOR, posts.elementor({"Дата": "5 мая", "No Label message": "Сколько стоит?"})
    )
    assert submission.message == "Сколько стоит?\nДата: 5 мая"


def test_secrets_of_ours_go_no_further() -> None:
    """Google's key and our own URL, which Jotform repeats, are in no part of what is kept."""
    assert "key-of-ours" not in repr(of(Preset.GOOGLE_ADS, posts.google_ads(PERSON)))
    assert "TOKEN" not in repr(of(Preset.JOTFORM, posts.jotform(PERSON)))


def test_tally_names_choices_instead_of_ids() -> None:
    """Options, a matrix and files; the doubles of a choice and hidden marks are left out."""
    options = [{"id": "o1", "text": "Сайт"}, {"id": "o2", "text": "Бот"}]
    rows, columns = [{"id": "r", "text": "Цена"}], [{"id": "c", "text": "Да"}]
    more: list[dict[str, Any]] = [
        {"key": "q", "label": "Услуга", "type": "CHECKBOXES", "value": ["o1", "o2"], "options": options},
        {"key": "q_o1", "label": "Услуга (Сайт)", "type": "CHECKBOXES", "value": True},
        {"key": "m", "label": "Важно", "value": {"r": ["c"]}, "rows": rows, "columns": columns},
        {"key": "f", "label": "Файл", "type": "FILE_UPLOAD", "value": [{"id": "1", "url": "https://s.example/a.pdf"}]},
        {"key": "n", "label": "Штук", "type": "INPUT_NUMBER", "value": 0},
        {"key": "e", "label": "Пусто", "type": "TEXTAREA", "value": None},
        {"key": "h", "label": "utm_source", "type": "HIDDEN_FIELDS", "value": "ads"},
        {"key": "i", "label": "email", "type": "HIDDEN_FIELDS", "value": "a@example.kz"},
    ]  # fmt: skip
    submission = of(Preset.TALLY, posts.tally({}, *more))
    assert submission.message == "Услуга: Сайт, Бот\nВажно: Цена: Да\nФайл: https://s.example/a.pdf\nШтук: 0"
    assert submission.emails == ("a@example.kz",)
    assert ("utm_source", "ads") in submission.meta


def test_typeform_joins_answers_of_every_type_to_their_questions() -> None:
    """Contact blocks nest their fields; an unknown question keeps its answer."""
    block = {
        "id": "g",
        "title": "Контакты",
        "properties": {"fields": [{"id": "a", "title": "First name"}, {"id": "b", "title": "Phone number"}]},
    }
    answers = [
        {"type": "text", "text": "Анна", "field": {"id": "a"}},
        {"type": "phone_number", "phone_number": "+77015550142", "field": {"id": "b"}},
        {"type": "choices", "choices": {"labels": ["Сайт", "Бот"], "other": "SEO"}, "field": {"id": "c"}},
        {"type": "boolean", "boolean": False, "field": {"id": "x", "ref": "urgent"}},
        {"type": "number", "number": 5000.5, "field": {"id": "d"}},
        {"type": "payment", "payment": {"amount": "10", "last4": "1234"}, "field": {}},
        None,
    ]  # fmt: skip
    fields = [block, {"id": "c", "title": "Что нужно?"}, {"id": "d", "title": "Бюджет"}]
    response = {"token": "t", "definition": {"fields": fields}, "answers": answers}
    submission = of(Preset.TYPEFORM, posts.json_body({"form_response": response}))
    assert (submission.name, numbers(submission), submission.provider_id) == ("Анна", ["+77015550142"], "t")
    assert submission.message == (
        "Что нужно?: Сайт, Бот, SEO\nurgent: false\nБюджет: 5000.5\namount: 10, last4: 1234"
    )


@pytest.mark.parametrize("wrapped", [1, 2, 3])
def test_jotform_wraps_its_answers_once_or_more(wrapped: int) -> None:
    """Names, phones and dates come in boxes."""
    answers = {
        "q3_fullName": {"first": "Ержан", "last": "Примеров"},
        "q4_phone": {"area": "701", "phone": "555-0142"},
        "q5_when": {"day": "18", "month": "11", "year": "2026"},
        "q6_message": "Нужна CRM",
    }
    submission = of(Preset.JOTFORM, posts.jotform(answers, wrapped=wrapped))
    assert (submission.name, numbers(submission)) == ("Ержан Примеров", ["+77015550142"])
    assert submission.message == "Нужна CRM\nwhen: day: 18, month: 11, year: 2026"


def test_jotform_answers_may_be_a_form_or_lost() -> None:
    """Some deliveries are urlencoded within; where nothing can be read, the summary serves."""
    form = posts.form_body({"q3_name[first]": "Ержан", "q4_phone[full]": "(701) 555-0142"})[1].decode()
    submission = of(Preset.JOTFORM, posts.form_body({"submissionID": "1", "rawRequest": form}))
    assert (submission.name, numbers(submission)) == ("Ержан", ["+77015550142"])
    broken = {"submissionID": "1", "rawRequest": "{broken", "pretty": "Имя:Ержан, Телефон:(701) 555-0142"}
    submission = of(Preset.JOTFORM, posts.form_body(broken))
    assert (submission.message, numbers(submission)) == (broken["pretty"], ["+77015550142"])


def test_an_order_in_a_form_is_part_of_the_message() -> None:
    """Tilda puts a cart into one field, as JSON."""
    cart = json.dumps({"orderid": "123", "products": ["Сайт=1000"], "amount": "1000"}, ensure_ascii=False)
    submission = of(Preset.TILDA, posts.tilda({**PERSON, "payment": cart}))
    assert submission.message == "payment: orderid: 123, products: Сайт=1000, amount: 1000"


def test_files_are_told_by_their_names() -> None:
    """In multipart, in CF7's objects and as data URLs: never their content."""
    multipart = of(Preset.GENERIC, posts.multipart_body({"name": "Анна"}, {"brief": "бриф.pdf"}))
    assert (multipart.name, multipart.message) == ("Анна", "brief: бриф.pdf")
    files = {"file-1": {"filename": "a.pdf", "content": "QUJD"}, "sign": "data:image/png;base64,QUJD"}
    assert of(Preset.CF7, posts.json_body(files)).message == "file 1: a.pdf\nsign: image/png"


@pytest.mark.parametrize(
    ("preset", "request_"),
    [
        (Preset.TILDA, (FORM, b"test=test")),
        (Preset.TILDA, (FORM, b"test=test&COOKIES=a")),
        (Preset.GOOGLE_ADS, posts.google_ads(PERSON, is_test=True)),
        (
            Preset.GOOGLE_FORMS,
            posts.json_body({"test": True, "response": {"id": "test", "payload": {"test": "test"}}}),
        ),
        (Preset.GENERIC, posts.json_body({"test": True})),
        (Preset.GENERIC, (JSON, b"")),
        (Preset.GENERIC, (JSON, b"{}")),
        (Preset.TILDA, posts.tilda({"Name": "", "Phone": ""})),
    ],
)
def test_a_ping_is_nobodys_request(preset: Preset, request_: Request) -> None:
    """A product's test, or a request in which nobody says anything."""
    assert of(preset, request_).ping


@pytest.mark.parametrize("answers", [{"test": "test", "phone": "87015550142"}, {"test": "да"}])
def test_a_person_is_no_ping(answers: dict[str, str]) -> None:
    """Only the test alone is one."""
    assert not of(Preset.TILDA, posts.form_body(answers)).ping


def test_the_documented_id_is_taken_from_a_generic_source_only() -> None:
    """Elsewhere `id` may be the form's, and would make one lead of all."""
    request = posts.json_body({"id": "web-157", **PERSON})
    assert of(Preset.GENERIC, request).provider_id == "web-157"
    assert of(Preset.CF7, request).provider_id is None
    assert ("id", "web-157") in of(Preset.CF7, request).meta
