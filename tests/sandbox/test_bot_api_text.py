"""Text, HTML and entities: what Telegram makes of them and what it refuses.

python-telegram-bot shows a description without its "Bad Request: " and with one capital letter only.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import Bot
from telegram.constants import ParseMode
from telegram.error import BadRequest

from bot.sandbox.chats import User
from bot.sandbox.entities import commands, plain, to_html, width
from bot.sandbox.telegram_html import BadHtmlError, parse_html


def entity(kind: str, offset: int, length: int, **extra: Any) -> dict[str, Any]:
    return {"type": kind, "offset": offset, "length": length, **extra}


@pytest.mark.parametrize(
    ("source", "text", "entities"),
    [
        ("<b>a</b> <i>b</i>", "a b", [entity("bold", 0, 1), entity("italic", 2, 1)]),
        ("😀<u>x</u>", "😀x", [entity("underline", 2, 1)]),
        ("  <b> hi </b> ", "hi", [entity("bold", 0, 2)]),
        ("<b>a<i>b</i></b>", "ab", [entity("bold", 0, 2), entity("italic", 1, 1)]),
        ("<strike>x</strike>", "x", [entity("strikethrough", 0, 1)]),
        ("<blockquote expandable>q</blockquote>", "q", [entity("expandable_blockquote", 0, 1)]),
        ("<blockquote>q</blockquote>", "q", [entity("blockquote", 0, 1)]),
        ("<tg-spoiler>s</tg-spoiler>", "s", [entity("spoiler", 0, 1)]),
        ('<span class="tg-spoiler">s</span>', "s", [entity("spoiler", 0, 1)]),
        ('<pre><code class="language-py">x</code></pre>', "x", [entity("pre", 0, 1, language="py")]),
        ("<code>x</code>", "x", [entity("code", 0, 1)]),
        (
            '<a href="https://a.b/?x=1&amp;y">l</a>',
            "l",
            [entity("text_link", 0, 1, url="https://a.b/?x=1&y")],
        ),
        ("&lt;3 &gt; &amp; &quot; &#39;&#x1F600;", "<3 > & \" '😀", []),
        ("&nbsp;&copy &", "&nbsp;&copy &", []),
        ("<b></b>x", "x", []),
        ("<B>x</b>", "x", [entity("bold", 0, 1)]),
        ("<b>x</>", "x", [entity("bold", 0, 1)]),
    ],
)
def test_html_becomes_text_and_entities(source: str, text: str, entities: list[dict[str, Any]]) -> None:
    """Tags become entities that count UTF-16 units; only four named references are known."""
    formatted = parse_html(source)
    assert (formatted.text, list(formatted.entities)) == (text, entities)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("<3", "Unclosed start tag at byte offset 0"),
        ("я <3 >", 'Unsupported start tag "3" at byte offset 3'),
        ("<div>x</div>", 'Unsupported start tag "div" at byte offset 0'),
        ("<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
        ("x</b>", "Unexpected end tag at byte offset 1"),
        ("<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("<b><i>x</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'),
        ("<span>x</span>", 'Tag "span" must have class "tg-spoiler" at byte offset 0'),
        ('<a href="x', "Unclosed start tag at byte offset 0"),
        ("<b>x</b", "Unclosed end tag at byte offset 4"),
    ],
)
def test_bad_html_is_refused_in_telegrams_words(source: str, reason: str) -> None:
    """A lead named <3 breaks an unescaped card, at the place that the message tells."""
    with pytest.raises(BadHtmlError) as error:
        parse_html(source)
    assert str(error.value) == reason


@given(st.text())
def test_any_text_survives_escaping(text: str) -> None:
    """What is escaped for HTML comes back as the very text, as far as Telegram keeps it."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert parse_html(escaped) == plain(text)


@given(st.text(alphabet="<>&;/ba\"'= 😀"))
def test_the_parser_always_ends_in_text_or_a_refusal(source: str) -> None:
    """No input makes it fail in another way."""
    try:
        formatted = parse_html(source)
    except BadHtmlError:
        return
    assert all(0 <= one["offset"] < width(formatted.text) for one in formatted.entities)


def test_html_for_the_page_is_safe() -> None:
    """Everything is escaped, links have a harmless scheme, crossing entities still nest."""
    assert to_html("<script>&", []) == "&lt;script&gt;&amp;"
    evil = [{"type": "text_link", "offset": 0, "length": 1, "url": "javascript:alert(1)"}]
    assert to_html("x", evil) == "x"
    quoted = [{"type": "text_link", "offset": 0, "length": 1, "url": 'https://a.b/"onclick="x'}]
    assert to_html("x", quoted) == '<a href="https://a.b/&quot;onclick=&quot;x">x</a>'
    crossing = [entity("bold", 0, 4), entity("italic", 2, 4)]
    assert to_html("abcdef", crossing) == "<b>ab<i>cd</i></b><i>ef</i>"
    assert to_html("😀b", [entity("bold", 2, 1)]) == "😀<b>b</b>"


def test_commands_are_found_where_telegram_finds_them() -> None:
    """Also in the middle, with a bot's name, but not inside of words and paths."""
    assert commands("/start") == [entity("bot_command", 0, 6)]
    assert commands("😀 /run@OurBot 5") == [entity("bot_command", 3, 11)]
    assert commands("a/b http://x.y/z /é") == []


async def test_a_sent_text_comes_back_parsed(bot: Bot, dana: User) -> None:
    """The answer holds the plain text and its entities; control characters are spaces."""
    message = await bot.send_message(dana.id, " <b>a\0b</b>\r\n", parse_mode=ParseMode.HTML)
    assert message.text == "a b"
    assert [(one.type, one.offset, one.length) for one in message.entities] == [("bold", 0, 3)]


@pytest.mark.parametrize("text", [" \n\t", "\0\x01", "<b> </b>"])
async def test_white_space_alone_is_refused(bot: Bot, dana: User, text: str) -> None:
    """A text of nothing but spaces and control characters is empty."""
    with pytest.raises(BadRequest, match="Message text is empty"):
        await bot.send_message(dana.id, text, parse_mode=ParseMode.HTML)


async def test_the_limit_counts_code_points_after_parsing(bot: Bot, dana: User) -> None:
    """4096 of any kind pass, with any amount of markup around them; one more does not."""
    text = "😀" * 4095 + "&lt;"
    message = await bot.send_message(dana.id, f"<b>{text}</b>", parse_mode=ParseMode.HTML)
    assert message.text is not None
    assert len(message.text) == 4096
    with pytest.raises(BadRequest, match="Message is too long"):
        await bot.send_message(dana.id, "x" * 4097)
    with pytest.raises(BadRequest, match="Message_too_long"):
        await bot.edit_message_text("x" * 4097, dana.id, message.message_id)


async def test_bad_html_is_refused_over_http(bot: Bot, dana: User) -> None:
    """The whole send fails, and the description names the place."""
    with pytest.raises(BadRequest, match='Can\'t parse entities: unsupported start tag "3" at byte offset 3'):
        await bot.send_message(dana.id, "Hi <3 you>", parse_mode=ParseMode.HTML)


async def test_other_parse_modes_are_not_modelled(bot: Bot, dana: User) -> None:
    """Said rather than shown with its stars and underscores."""
    with pytest.raises(BadRequest, match="Unsupported parse_mode"):
        await bot.send_message(dana.id, "*x*", parse_mode=ParseMode.MARKDOWN_V2)


async def test_half_a_surrogate_pair_is_refused(http: httpx.AsyncClient, dana: User) -> None:
    """In a JSON body, in JSON inside a field, and as raw bytes of a form."""
    json_body = b'{"chat_id": %d, "text": "\\ud83d"}' % dana.id
    markup = r'{"inline_keyboard": [[{"text": "\ud83d"}]]}'
    requests = [
        http.post("sendMessage", content=json_body, headers={"Content-Type": "application/json"}),
        http.post("sendMessage", data={"chat_id": str(dana.id), "text": "x", "reply_markup": markup}),
        http.post(
            "sendMessage",
            content=b"chat_id=%d&text=%%ED%%A0%%BD" % dana.id,
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        ),
    ]
    for request in requests:
        answer = await request
        assert answer.status_code == 400
        assert answer.json()["description"] == "Bad Request: strings must be encoded in UTF-8"
