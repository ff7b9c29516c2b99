"""Requests as the products send them, put together from answers."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
Request = tuple[str, bytes]


def json_body(value: Any) -> Request:
    return JSON, json.dumps(value, ensure_ascii=False).encode()


def form_body(values: Mapping[str, Any] | list[tuple[str, str]]) -> Request:
    return FORM, urlencode(values, doseq=True).encode()


def multipart_body(values: Mapping[str, str], files: Mapping[str, str] | None = None) -> Request:
    parts = [
        f'--boundary\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in values.items()
    ]
    parts += [
        f'--boundary\r\nContent-Disposition: form-data; name="{name}"; filename="{file}"\r\n'
        f"Content-Type: application/pdf\r\n\r\n%PDF\r\n"
        for name, file in (files or {}).items()
    ]
    return "multipart/form-data; boundary=boundary", "".join([*parts, "--boundary--\r\n"]).encode()


def tilda(answers: Mapping[str, str]) -> Request:
    """The fields by their names on the page, then Tilda's own."""
    own = {"utm_source": "google", "tranid": "1234567:9876543", "formid": "form555", "formname": "Заявка"}
    return form_body({**answers, **own, "COOKIES": "_ga=GA1.2; previousUrl=studio.example"})


def elementor(answers: Mapping[str, str]) -> Request:
    """The plain mode: labels as keys, then Elementor's own lines."""
    own = {
        "Date": "12.11.2026",
        "Time": "14:05",
        "Page URL": "https://studio.example/contacts/",
        "User Agent": "Mozilla/5.0",
        "Remote IP": "203.0.113.6",
        "Powered by": "Elementor",
        "form_id": "1a2b3c4",
        "form_name": "Форма контактов",
    }
    return form_body({**answers, **own})


def elementor_advanced(answers: Mapping[str, str]) -> Request:
    """The mode with types and titles; `form[name]` is the name of the form."""
    values = {"form[id]": "1a2b3c4", "form[name]": "Форма контактов"}
    for number, (title, value) in enumerate(answers.items()):
        field = {"id": f"field_{number}", "type": "text", "title": title, "value": value, "raw_value": value}
        values |= {f"fields[field_{number}][{key}]": each for key, each in {**field, "required": "1"}.items()}
    values |= {"meta[page_url][title]": "Page URL", "meta[page_url][value]": "https://studio.example/"}
    return form_body(
        {**values, "meta[remote_ip][title]": "Remote IP", "meta[remote_ip][value]": "203.0.113.6"}
    )


def typeform(answers: Mapping[str, str]) -> Request:
    fields = [
        {"id": f"f{number}", "title": title, "type": "short_text", "ref": f"ref-{number}"}
        for number, title in enumerate(answers)
    ]
    given = [
        {
            "type": "text",
            "text": text,
            "field": {"id": field["id"], "type": "short_text", "ref": field["ref"]},
        }
        for field, text in zip(fields, answers.values(), strict=True)
    ]
    response = {
        "form_id": "AbCdEf12",
        "token": "tok123",
        "submitted_at": "2026-11-12T09:01:30Z",
        "hidden": {"utm_source": "instagram"},
        "definition": {"id": "AbCdEf12", "title": "Бриф", "fields": fields},
        "answers": given,
    }
    return json_body({"event_id": "01HEVENT", "event_type": "form_response", "form_response": response})


def tally(answers: Mapping[str, Any], *more: Mapping[str, Any]) -> Request:
    fields = [
        {"key": f"question_{number}", "label": label, "type": "INPUT_TEXT", "value": value}
        for number, (label, value) in enumerate(answers.items())
    ]
    data = {"responseId": "aBcD12", "formId": "mTest1", "formName": "Заявка", "fields": [*fields, *more]}
    return json_body({"eventId": "event-1", "eventType": "FORM_RESPONSE", "data": data})


def jotform(answers: Mapping[str, Any], *, wrapped: int = 1) -> Request:
    raw: Any = {"slug": "submit/230", "event_id": "1794_230_abc", **answers}
    for _ in range(wrapped):
        raw = json.dumps(raw)
    own = {
        "formID": "230",
        "submissionID": "6000",
        "ip": "203.0.113.7",
        "webhookURL": "https://bot.example/hooks/s/TOKEN",
    }
    return multipart_body({**own, "formTitle": "Заявка", "pretty": "Имя:Ержан", "rawRequest": raw})


def webflow(answers: Mapping[str, Any]) -> Request:
    payload = {"name": "Contact Us", "siteId": "6542", "data": answers, "id": "6914", "formId": "beef"}
    return json_body({"triggerType": "form_submission", "payload": payload})


def google_forms(answers: Mapping[str, Any]) -> Request:
    response = {"id": "2_ABa", "timestamp": "2026-11-12T09:10:00.000Z", "email": None, "payload": answers}
    return json_body({"form": {"id": "1FAI", "title": "Заявка"}, "response": response})


def google_ads(answers: Mapping[str, str], *, is_test: bool = False) -> Request:
    columns = [
        {"column_name": name, "string_value": value, "column_id": name.upper().replace(" ", "_")}
        for name, value in answers.items()
    ]
    own = {"lead_id": "lead-1", "form_id": 40000000000, "google_key": "key-of-ours", "gcl_id": "Cj0"}
    return json_body({**own, "user_column_data": columns, "is_test": is_test})
