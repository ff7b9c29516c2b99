"""Bodies as they arrive: mislabelled, misencoded, broken, hostile."""

import json
import time

import pytest

from bot.hooks import Preset, read
from tests.hooks import posts
from tests.hooks.posts import FORM, JSON
from tests.hooks.submissions import numbers, of

RUSSIAN = {"Имя": "Иван Иванов", "Телефон": "8 701 555 01 42", "Комментарий": "хочу сайт"}
TEXT = json.dumps(RUSSIAN, ensure_ascii=False)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/x-www-form-urlencoded", TEXT.encode()),
        ("text/plain", TEXT.encode()),
        ("multipart/form-data; boundary=x", TEXT.encode()),
        (None, TEXT.encode()),
        ("\x00\xff;;", TEXT.encode()),
        (JSON, b"\xef\xbb\xbf" + TEXT.encode()),
        (JSON, TEXT.encode("utf-16")),
        (JSON, TEXT.encode("utf-16-le")),
        (JSON, TEXT.encode("cp1251")),
        ("application/json; charset=windows-1251", TEXT.encode("cp1251")),
        ("application/json; charset=nonsense", TEXT.encode()),
        ("application/json; charset=idna", json.dumps(RUSSIAN).encode()),
        (JSON, json.dumps(TEXT).encode()),
        (JSON, f"[{TEXT}]".encode()),
        (JSON, json.dumps([{"name": key, "value": value} for key, value in RUSSIAN.items()]).encode()),
        (JSON, json.dumps({"data": {"fields": RUSSIAN}}).encode()),
        (JSON, posts.form_body(RUSSIAN)[1]),
        (None, posts.form_body(RUSSIAN)[1]),
        (FORM, "&".join(f"{key}={value}" for key, value in RUSSIAN.items()).encode()),
        (FORM, "&".join(f"{key}={value}" for key, value in RUSSIAN.items()).encode("cp1251")),
        (JSON, posts.multipart_body(RUSSIAN)[1]),
        (None, posts.multipart_body(RUSSIAN)[1].replace(b"\r\n", b"\n")),
        (FORM, posts.form_body({"data": TEXT})[1]),
        (FORM, posts.form_body({f"form_fields[{key}]": value for key, value in RUSSIAN.items()})[1]),
    ],
)
def test_a_body_is_read_whatever_it_calls_itself(content_type: str | None, body: bytes) -> None:
    """Wrong types, encodings and wrappings give the same lead."""
    submission = read(Preset.GENERIC, content_type, body, region="KZ")
    assert (submission.name, numbers(submission)) == ("Иван Иванов", ["+77015550142"])
    assert (submission.message, submission.raw_only) == ("хочу сайт", False)


@pytest.mark.parametrize(
    "text",
    [
        '{"name":"Иван "Тест" Иванов","phone":"8 701 555 01 44","message":"строка 1\nстрока 2"}',
        '{"name": "Иван", "phone": "8 701 555 01 44",}',
        '{"phone": "8 701 555 01 44"',
        "<lead><phone>8 701 555 01 44</phone></lead>",
        '--x\r\nContent-Disposition: form-data; name="phone"\r\n\r\n8 701 555 01 44',
        "Перезвоните мне: 8 701 555 01 44",
    ],
)
def test_an_unreadable_body_is_a_lead_with_its_text(text: str) -> None:
    """Marked, whole, with the contacts that can be found in it."""
    submission = read(Preset.CF7, "text/plain; charset=UTF-8", text.encode(), region="KZ")
    assert (submission.raw_only, submission.message, submission.name) == (True, text, None)
    assert numbers(submission) == ["+77015550144"]


def test_line_breaks_in_a_template_are_no_fault() -> None:
    """CF7 leaves them as they are; the person's text keeps them."""
    submission = read(Preset.CF7, "text/plain", b'{"name":"A","message":"one\ntwo"}', region="KZ")
    assert (submission.raw_only, submission.message) == (False, "one\ntwo")


def test_one_broken_character_spoils_no_other() -> None:
    """A text cut in the middle of a letter is still UTF-8."""
    body = '{"message": "Добрый день'.encode() + b'\xd0"}'
    assert read(Preset.GENERIC, JSON, body, region="KZ").message == "Добрый день\ufffd"


def test_repeated_keys_are_all_kept() -> None:
    """Boxes ticked in a form, and a key written twice in JSON."""
    assert of(Preset.GENERIC, (FORM, b"service[]=a&service[]=b&x=1&x=2")).message == "service: a, b\nx: 1, 2"
    assert of(Preset.GENERIC, (JSON, b'{"x": "1", "x": "2"}')).message == "x: 1, 2"


HOSTILE = {
    "brackets": b"[" * 500_000,
    "deep": b'{"a":' * 990 + b"1" + b"}" * 990,
    "ampersands": b"a=&" * 300_000,
    "repeated": b"a=1&a=2&" * 1_200,
    "nested": b"a[b][c]=1&" * 90_000,
    "zeros": b"\0" * 500_000,
    "digits": b'{"x": ' + b"9" * 6_000 + b"}",
    "phones": json.dumps({f"phone{i}": f"8701555{i:04}" for i in range(9_000)}).encode(),
    "raw phones": b"87015550142 " * 80_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_bodies_cost_little(body: bytes) -> None:
    """Read or not, within a moment, and no flood of numbers comes of it."""
    start = time.process_time()
    submission = read(Preset.GENERIC, None, body, region="KZ")
    assert time.process_time() - start < 2
    assert len(submission.phones) <= 100
