"""E-mail addresses as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.emails import emails_in


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("anna@example.kz", ["anna@example.kz"]),
        ("  Anna.K@Example.KZ ", ["Anna.K@example.kz"]),
        ("Анна <anna@example.kz>", ["anna@example.kz"]),
        ("mailto:x+y@mail.example?subject=hi", ["x+y@mail.example"]),
        ("a@b.kz; c@d.kz, a@B.kz", ["a@b.kz", "c@d.kz"]),
        ("Пишите на anna@mail.ru!", ["anna@mail.ru"]),
        ("почта:anna@mail.ru—жду", ["anna@mail.ru"]),
        ("email=anna@mail.ru.", ["anna@mail.ru"]),
        ("a@mail.ruПишите", ["a@mail.ru"]),
        ("anna＠mail.ru", ["anna@mail.ru"]),
        ("anna@mail.ru\u200b", ["anna@mail.ru"]),
        ("иван@почта.рф", ["иван@почта.рф"]),
        ("info@xn--80ak6aa92e.com", ["info@xn--80ak6aa92e.com"]),
        ("test@test", []),
        ("a@@b.kz", []),
        ("a..b@c.kz", []),
        (".a@c.kz", []),
        ("x@-a.kz", []),
        ("a@b.c1", []),
        ("аnna@mail.ru", []),  # its first letter is Cyrillic
        ("@anna", []),
        ("нет почты", []),
    ],
)
def test_addresses_are_found_and_written_one_way(written: str, wanted: list[str]) -> None:
    """Each once, in order, the domain in lower case; what no mail would reach is none."""
    assert emails_in(written) == wanted


@given(
    local=st.from_regex(r"[A-Za-z\d](?:[\w.+-]{0,8}[A-Za-z\d])?", fullmatch=True).filter(
        lambda text: ".." not in text and text.isascii()
    )
)
def test_an_address_survives_the_words_around_it(local: str) -> None:
    """Round trip among Russian words and signs."""
    assert emails_in(f"Почта: <{local}@mail.kz>, спасибо") == [f"{local}@mail.kz"]


@given(st.text(alphabet="a@.-_ \u0430<>", max_size=80))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    """Whatever is found has one @ and a domain with a dot."""
    for address in emails_in(text):
        local, _, domain = address.rpartition("@")
        assert local
        assert "." in domain.strip(".")
