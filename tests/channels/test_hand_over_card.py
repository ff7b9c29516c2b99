"""The card of a reply that a person sends: what it says before and after each press, and who may press."""

from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from agent.channels import ChannelKind, Route
from agent.proposals import ProposalState
from bot.handover import LONGEST_URL, way, whatsapp_button
from bot.settings import Language
from bot.texts import texts
from tests.bot.harness import APPROVE, HELLO, NEED, Office, buttons_of, labels_of, text_of
from tests.engine.test_proposals import proposal

SENT, LOST, WHATSAPP = "I sent it", "Couldn't reach", "WhatsApp"


async def test_a_hand_over_from_the_card_to_the_persons_word(by_hand: Office) -> None:
    """By hand is said before the press; then the text to copy, the chat to open, and what came of it."""
    bot = by_hand
    dana = bot.world.add_person("Dana", language_code="en")
    bot.world.share_contact(dana, "77015550142")
    bot.world.say(dana, NEED)
    card = await bot.card("Reply to Dana · by hand +77015550142")
    assert "to be sent, by one of you" in text_of(card)
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "Approved by Olga", "handed over")
    assert "delivered" not in text_of(card)
    assert labels_of(card) == ["💬 WhatsApp", "📋 Copy", "📨 I sent it", "🚫 Couldn't reach"]
    link, copy, *_ = buttons_of(card)
    assert parse_qs(urlsplit(link["url"]).query) == {"text": [HELLO]}
    assert urlsplit(link["url"]).path == "/77015550142"
    assert copy["copy_text"] == {"text": HELLO}
    assert await bot.ended() == "done"
    answer = text_of(await bot.command("/run 1"))
    assert "P-1 · send_reply · handed over · Olga · by hand +77015550142" in answer
    assert "P-1 · Dana · handed over" in text_of(await bot.command("/pending"))
    toast = await bot.pressed(card, SENT, bot.igor)
    assert toast.text == "Noted"
    await bot.shows(card, "Approved by Olga", "Igor sent it", "delivered")
    assert labels_of(card) == []
    assert "P-1 · send_reply · delivered · Olga" in text_of(await bot.command("/run 1"))
    assert "Nothing waits" in text_of(await bot.command("/pending"))
    assert bot.texts_to(dana) == []


async def test_only_operators_say_what_came_of_it(by_hand: Office) -> None:
    """A stranger's press changes nothing; after one operator's word another's is too late."""
    bot = by_hand
    bot.lead()
    card = await bot.card("Dana")
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "handed over")
    assert WHATSAPP not in str(labels_of(card))  # nobody knows a number
    stranger = bot.world.add_person("Oleg")
    press = bot.press(card, SENT, stranger)
    bot.refusals_expected = True
    assert "not among those" in ((await bot.toast(press)).text or "")
    assert (await bot.show())["replies"][0]["state"] == "handed_over"
    late = dict(zip(labels_of(card), buttons_of(card), strict=True))
    await bot.pressed(card, LOST, bot.igor)
    await bot.shows(card, "not delivered", "Igor couldn't reach them")
    query = bot.world.press(bot.olga, bot.group_id, card.id, late["📨 I sent it"]["callback_data"])
    assert (await bot.toast(query)).text == "Igor decided already: not sent"
    assert (await bot.show())["replies"][0]["state"] == "failed"


async def test_a_hand_over_stays_pressable_over_a_restart(by_hand: Office) -> None:
    """However long the person takes."""
    bot = by_hand
    bot.lead()
    card = await bot.card("Dana")
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "handed over")
    await bot.restart()
    await bot.pressed(card, SENT)
    await bot.shows(card, "Olga sent it")
    assert (await bot.show())["replies"][0]["state"] == "delivered"


ENGLISH = texts(Language.EN)


@pytest.mark.parametrize(
    ("route", "words"),
    [
        (Route(kind=ChannelKind.TELEGRAM, address="77"), "Telegram"),
        (Route(kind=ChannelKind.EMAIL, address="dana@example.test"), "e-mail dana@example.test"),
        (Route(kind=ChannelKind.WEBHOOK), "webhook"),
        (Route(kind=ChannelKind.HAND_OVER), "by hand"),
        (Route(kind=ChannelKind.HAND_OVER, address="8 701 <b>"), "by hand 8 701 &lt;b&gt;"),
        (None, ""),
    ],
)
def test_the_way_in_words(route: Route | None, words: str) -> None:
    """With the address where one is needed to judge it; people wrote it, so it is escaped."""
    assert way(route, ENGLISH) == words


@pytest.mark.parametrize(
    ("address", "text", "url"),
    [
        ("+77015550142", "Hi & bye?", "https://wa.me/77015550142?text=Hi%20%26%20bye%3F"),
        ("+77015550142", "Ә\n+1", "https://wa.me/77015550142?text=%D3%98%0A%2B1"),
        ("+77015550142", "Ә" * 500, "https://wa.me/77015550142"),
        ("8 701 555 01 42", "Hi", None),
        ("dana@example.test", "Hi", None),
        ("", "Hi", None),
    ],
)
def test_whatsapp_opens_for_sure_numbers_only(address: str, text: str, url: str | None) -> None:
    """With the text filled in where it fits into a link; a number that is a guess opens nobody's chat."""
    shown = replace(
        proposal(ProposalState.HANDED_OVER),
        arguments={"text": text},
        route=Route(kind=ChannelKind.HAND_OVER, address=address),
    )
    found = [button.url for button in whatsapp_button(shown, ENGLISH)]
    assert found == ([] if url is None else [url])
    assert all(len(each or "") <= LONGEST_URL for each in found)
