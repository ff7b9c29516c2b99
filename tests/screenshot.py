"""The README's pictures of the sandbox: the real bot among stand-ins, its real page, a real Chromium.

    .venv/bin/python -m tests.screenshot

Writes docs/images/sandbox*.png: one lead is answered by e-mail, one answer was lost on the way,
and one waits for a decision.
"""

import asyncio
import shutil
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, ViewportSize, async_playwright

from agent.jsontext import JsonObject
from bot.cards import parse_callback_data
from bot.playground import playground
from bot.sandbox.chats import User
from bot.sandbox.faults import Fault, FaultKind
from bot.sandbox.website import FIELDS
from bot.sandbox.world import World
from bot.settings import Language, Settings
from bot.stage import Stage
from tests.sandbox.browsing import FLAGS, NAMES

IMAGES = Path(__file__).parent.parent / "docs" / "images"
WIDE = ViewportSize(width=1360, height=900)
NARROW = ViewportSize(width=390, height=844)
SECONDS = 30.0
BLANK = dict.fromkeys(FIELDS, "")
# Of the three stories, with the one letter.
EVENTS = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """One language's pictures: the page's locale, the file names' ending, who writes what."""

    language: Language
    locale: str
    ending: str
    leads: tuple[tuple[str, str], ...]


PICTURES = (
    Picture(
        language=Language.EN,
        locale="en-US",
        ending="",
        leads=(
            ("Mira", "Could you automate our stock counts?"),
            ("Sam", "Hello! We want a website for our coffee shop: menu and map."),
            ("Dana", "We need a CRM for our clinic: bookings and reminders."),
        ),
    ),
    Picture(
        language=Language.RU,
        locale="ru-RU",
        ending=".ru",
        leads=(
            ("Тимур", "Хотим автоматизировать учёт на складе."),
            ("Марат", "Здравствуйте! Нужен сайт для кофейни: меню и карта."),
            ("Дана", "Нам нужна CRM для клиники: запись и напоминания."),
        ),
    ),
)


async def main() -> None:
    path = next(found for name in NAMES if (found := shutil.which(name)))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for picture in PICTURES:
            await take(picture, browser)
        await browser.close()


async def take(picture: Picture, browser: Browser) -> None:
    """Play the story, then look at it on a desk and on a phone."""
    world = World()
    settings = Settings.load(_env_file=None, language=picture.language)
    with tempfile.TemporaryDirectory() as folder:
        async with playground(
            settings,
            Path(folder) / "screenshot.db",
            claude=False,
            world=world,
            burst_quiet="50ms",
            group_messages_per_minute=600,
            private_messages_per_second=30,
        ) as staged:
            await _play(picture, world, staged)
            await _look(picture, browser, staged.url, WIDE, "sandbox")
            await _look(picture, browser, staged.url, NARROW, "sandbox-phone")


async def _play(picture: Picture, world: World, staged: Stage) -> None:
    """Lose the first lead's answer, send the second's as a letter, leave the third to the viewer."""
    operator = staged.operators[0]
    (first, words), (second, more_words), (third, last_words) = picture.leads
    person = world.add_person(first, language_code=picture.language)
    world.say(person, words)
    await world.until(lambda: world.sent(person.id), SECONDS, "the acknowledgement")
    card = await _asked(world, first)
    world.faults.add(Fault(kind=FaultKind.LOST, method="sendMessage", chat_id=person.id))
    await _approve(world, operator, card, "uncertain")
    email, phone = {"email": "hello@coffee.example"}, {"phone": "+7 701 555 01 42"}
    await world.website.submit({**BLANK, "name": second, "message": more_words, **email})
    await _approve(world, operator, await _asked(world, second), "done")
    await world.website.submit({**BLANK, "name": third, "message": last_words, **phone})
    await _asked(world, third)
    await world.until(lambda: len(world.inbox.items) >= EVENTS, SECONDS, "the events")


async def _asked(world: World, name: str) -> JsonObject:
    """The card that asks for a decision on the reply to a lead, as it was posted."""

    def posted() -> JsonObject | None:
        cards = [message for message in world.sent(world.group.id) if name in message["text"]]
        return dict(cards[-1]) if cards and _buttons(cards[-1]) else None

    card = await world.until(posted, SECONDS, f"the card for {name}")
    assert card is not None
    return card


async def _approve(world: World, operator: User, card: JsonObject, outcome: str) -> None:
    """Press the first button; wait until the card tells of it and the journal of `outcome`."""

    def told() -> bool:
        shown = {message["message_id"]: message["text"] for message in world.sent(world.group.id)}
        changed = bool(shown[card["message_id"]] != card["text"])
        return changed and bool(world.journal_lines[-1]["outcome"] == outcome)

    world.press(operator, world.group.id, card["message_id"], _buttons(card)[0])
    await world.until(told, SECONDS, "the outcome")


def _buttons(card: JsonObject) -> list[str]:
    """The callback data of a card's decisions, in order."""
    rows = card.get("reply_markup", {}).get("inline_keyboard", [])
    found = [button.get("callback_data") for row in rows for button in row]
    return [data for data in found if parse_callback_data(data)]


async def _look(picture: Picture, browser: Browser, url: str, size: ViewportSize, name: str) -> None:
    context = await browser.new_context(
        viewport=size, locale=picture.locale, timezone_id="Asia/Almaty", reduced_motion="reduce"
    )
    page = await context.new_page()
    await page.goto(url)
    await page.locator('[data-testid="connection"][data-status="online"]').wait_for(state="attached")
    if size == WIDE:
        await page.locator("#sides [data-tab=website]").click()
    else:
        await page.locator("#tab-operators").click()
        lost = page.get_by_test_id("operators-chat").locator("[data-message-id]").first
        await lost.evaluate("card => card.scrollIntoView({block: 'start'})")
    await page.evaluate("document.fonts.ready")
    picture_file = IMAGES / f"{name}{picture.ending}.png"
    picture_file.write_bytes(smaller(await page.screenshot(animations="disabled")))
    await context.close()


def smaller(png: bytes) -> bytes:
    """The same PNG, its pixels deflated as hard as zlib can: Chromium is in a hurry."""
    pixels, others, at = b"", [], 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        if kind == b"IDAT":
            pixels += content
        else:
            others.append((kind, content))
        at += length + 12
    head, *tail = others
    chunks = [head, (b"IDAT", zlib.compress(zlib.decompress(pixels), 9)), *tail]
    return png[:8] + b"".join(_chunk(kind, content) for kind, content in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return len(content).to_bytes(4) + kind + content + checksum.to_bytes(4)


if __name__ == "__main__":
    asyncio.run(main())
