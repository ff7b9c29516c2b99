"""The language of a reply is told by its letters alone."""

import pytest

from agent.language import Language, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Здравствуйте! Мы получили ваш запрос: CRM.", Language.RU),
        ("Здравствуйте, Айгерім Сәрсенбіқызы! Спасибо.", Language.RU),
        ("Спасибо, CRM и mobile app обсудит менеджер.", Language.RU),
        ("Сәлеметсіз бе! Өтінішіңізді алдық, рахмет.", Language.KK),
        ("Сәлеметсіз бе, Руслан! CRM жүйесі туралы сұрағыңызды менеджерге бердік.", Language.KK),
        ("Hello, Айгерім! A manager will write to you.", Language.EN),
        ("🔥 123", None),
        ("", None),
    ],
)
def test_language(text: str, language: Language | None) -> None:
    """Words and names of another language do not turn it."""
    assert language_of(text, apart_from="Айгерім Сәрсенбіқызы") is language
