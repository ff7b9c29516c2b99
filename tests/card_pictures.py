"""The pictures of docs/approvals.md: cards as the real bot posts them, on the sandbox page in a Chromium.

    .venv/bin/python -m tests.card_pictures [NAME …]

Writes docs/images/approvals/NAME.png, all of them or the named ones.
"""

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, FloatRect, Page, ViewportSize, async_playwright

from bot.sandbox.chats import Message
from bot.sandbox.faults import FaultKind
from bot.sandbox.script import Script, call, say, turn
from bot.sandbox.world import World
from tests.bot.harness import APPROVE, DENY, Office, labels_of, office, reply
from tests.sandbox.browsing import FLAGS, NAMES
from tests.screenshot import IMAGES, smaller

FOLDER = IMAGES / "approvals"
DESK = ViewportSize(width=1200, height=1600)
# The page's pattern behind the messages is most of the bytes of a picture, and nothing of a card.
PLAIN = ".body { background: #dbe6dc !important }"
MARGIN = 2

NEED = "We need a CRM for our clinic: bookings and reminders."
HELLO = (
    "Hello, Dana! Thank you for your request: a CRM for your clinic. How many people will work with it, and "
    "where do you keep the bookings now?"
)
EXAMPLES = "If you like, we can show you two CRM systems that we made for other clinics."
OWN = (
    "Hello, Dana! Thank you for your request: a CRM for your clinic. How many doctors will work with it? "
    "Igor will call you today."
)
SAFE = "Hello! Thank you for your request: a CRM for your clinic. How many people will work with it?"
EARNING = "[rules]\npropose_after = 3\n\n[tools.send_reply]\nirreversible = false\n"
PRICED = "Hello, Dana! A CRM like this costs 900 000 tenge and is ready in June. Shall we call you?"

Play = Callable[[Office], Awaitable[Sequence[Message]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What is on it: the bot's settings and model, and what people do until the messages look so."""

    play: Play
    model: Script
    settings: Mapping[str, Any] = field(default_factory=dict)
    policy: str = ""
    forum: bool = False


def asking(*texts: str) -> Script:
    """A model that asks to send these texts, and is done."""
    return Script([turn(*(reply(text) for text in texts or (HELLO,))), turn(say("Done."))])


async def pending(bot: Office) -> Sequence[Message]:
    bot.lead(text=NEED)
    return [await bot.card("Dana")]


async def edited(bot: Office) -> Sequence[Message]:
    (card,) = await pending(bot)
    await bot.answered(card, f"= {OWN}")
    return [await bot.shows(card, "Version 2, by Olga")]


async def denied(bot: Office) -> Sequence[Message]:
    (card,) = await pending(bot)
    await bot.pressed(card, DENY)
    await bot.until(lambda: "Tone" in labels_of(card), "the reasons")
    await bot.pressed(card, "Tone", bot.igor)
    return [await bot.shows(card, "Reason: Tone")]


async def superseded(bot: Office) -> Sequence[Message]:
    (card,) = await pending(bot)
    dana = next(user for user in bot.world.users.values() if user.name == "Dana")
    bot.world.say(dana, "And a website, please.")
    await bot.card("And a website")
    return [await bot.shows(card, "Outdated")]


async def expired(bot: Office) -> Sequence[Message]:
    bot.lead(text=NEED)
    return [await bot.shown("Dana", "Nobody decided in time · not sent")]


async def scheduled(bot: Office) -> Sequence[Message]:
    (card,) = await pending(bot)
    await bot.pressed(card, APPROVE)
    return [await bot.shows(card, "goes out at")]


async def sent(bot: Office) -> Sequence[Message]:
    (card,) = await pending(bot)
    await bot.pressed(card, APPROVE)
    return [await bot.shows(card, "· sent")]


async def two_people(bot: Office) -> Sequence[Message]:
    (card,) = await pending(bot)
    await bot.pressed(card, APPROVE)
    return [await bot.shows(card, "1 of 2: Olga")]


async def several(bot: Office) -> Sequence[Message]:
    bot.lead(text=NEED)
    card = await bot.card("2 replies to Dana")
    await bot.pressed(card, "Approve 1")
    return [await bot.shows(card, "Approved by Olga")]


async def taken_over(bot: Office) -> Sequence[Message]:
    (card,) = await pending(bot)
    await bot.pressed(card, "I'll answer")
    mine = await bot.shown("Olga answers Dana")
    dana = next(user for user in bot.world.users.values() if user.name == "Dana")
    bot.world.say(dana, "When can you show it?")
    passed = await bot.shown("💬 Dana", "show it")
    said = bot.world.say(bot.olga, "Tomorrow at ten, if you like.", chat_id=bot.group_id, reply_to=passed.id)
    answer = bot.world.group.messages[said]
    await bot.until(lambda: answer.reactions, "the sign that it arrived")
    return [mine, passed, answer]


async def handed_over(bot: Office) -> Sequence[Message]:
    dana = bot.world.add_person("Dana", language_code="en")
    bot.world.share_contact(dana, "77015550142")
    bot.world.say(dana, NEED)
    card = await bot.card("Reply to Dana")
    await bot.pressed(card, APPROVE)
    return [await bot.shows(card, "handed over")]


async def uncertain(bot: Office) -> Sequence[Message]:
    dana = bot.lead(text=NEED)
    card = await bot.card("Dana")
    bot.fault(FaultKind.LOST, "sendMessage", chat_id=dana.id)
    await bot.pressed(card, APPROVE)
    return [await bot.shows(card, "delivery unknown")]


async def escalation(bot: Office) -> Sequence[Message]:
    dana = bot.world.add_person("Dana", language_code="en", username="dana_k")
    bot.world.say(dana, "Can I speak to a human about a discount?")
    return [await bot.shown("A person is needed: Dana")]


async def reminder(bot: Office) -> Sequence[Message]:
    await pending(bot)
    told = await bot.shown("⏰")
    line = await bot.shown("⏳ Waiting")
    return [line, told]


async def digest(bot: Office) -> Sequence[Message]:
    await pending(bot)
    for name, words in (("Marat", "How much is a website?"), ("Aigerim", "I need an app for my shop.")):
        bot.lead(name, words)
    return [await bot.shown("Leads that wait", "Marat", "Aigerim")]


async def earned(bot: Office) -> Sequence[Message]:
    await bot.restart(admin_ids=str(bot.olga.id))
    for name in ("Marat", "Aigerim", "Timur"):
        bot.lead(name, NEED)
        card = await bot.card(name)
        await bot.pressed(card, APPROVE)
        await bot.shows(card, "· sent")
    return [await bot.shown("rule-1", "without a press?")]


async def by_rule(bot: Office) -> Sequence[Message]:
    (rule,) = await earned(bot)
    await bot.pressed(rule, "Accept")
    bot.lead(text=NEED)
    return [await bot.shown("Dana", "Nobody pressed", "· sent")]


async def topics(bot: Office) -> Sequence[Message]:
    card, *_ = await pending(bot)
    bot.lead("Marat", "How much is a website?")
    return [bot.world.group.messages[card.body["message_thread_id"]], card]


ESCALATING = Script(
    [
        turn(call("escalate_to_manager", {"reason": "Asks for a person and for a discount."})),
        turn(say("Handed over.")),
    ]
)
PICTURES: Mapping[str, Picture] = {
    "pending": Picture(play=pending, model=asking()),
    "sent": Picture(play=sent, model=asking()),
    "edited": Picture(play=edited, model=asking()),
    "denied": Picture(play=denied, model=asking(), settings={"deny_reason_wait": "60s"}),
    "superseded": Picture(
        play=superseded, model=Script([turn(reply(HELLO)), turn(reply(f"{HELLO} And the website?"))])
    ),
    "expired": Picture(play=expired, model=asking(), settings={"approval_ttl": "300ms"}),
    "scheduled": Picture(play=scheduled, model=asking(), settings={"undo_seconds": 60}),
    "two-people": Picture(play=two_people, model=asking(), policy="[tools.send_reply]\nquorum = 2\n"),
    "several": Picture(play=several, model=asking(HELLO, EXAMPLES)),
    "marked": Picture(play=pending, model=asking(PRICED)),
    "taken-over": Picture(play=taken_over, model=asking()),
    "handed-over": Picture(play=handed_over, model=asking(), settings={"reply_channels": "hand_over"}),
    "uncertain": Picture(play=uncertain, model=asking()),
    "escalation": Picture(play=escalation, model=ESCALATING),
    "reminder": Picture(
        play=reminder, model=asking(), settings={"pinned": "on", "approval_remind": "1500ms"}
    ),
    "digest": Picture(play=digest, model=asking(), settings={"model_calls_per_day": 1}),
    "rule": Picture(play=earned, model=asking(SAFE), policy=EARNING),
    "by-rule": Picture(play=by_rule, model=asking(SAFE), policy=EARNING),
    "topic": Picture(play=topics, model=asking(), settings={"lead_topics": True}, forum=True),
}


async def main(names: Sequence[str]) -> None:
    path = next(found for name in NAMES if (found := shutil.which(name)))
    FOLDER.mkdir(exist_ok=True)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        for name in names or PICTURES:
            await take(name, PICTURES[name], browser)
        await browser.close()


async def take(name: str, picture: Picture, browser: Browser) -> None:
    """Play the story, then look at its messages."""
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder) / "policy.toml"
        policy.write_text(picture.policy)
        settings = {**picture.settings, "policy_file": str(policy), "time_zone": "Asia/Almaty"}
        world = World(forum=picture.forum)
        async with office(Path(folder), picture.model, world=world, **settings) as bot:
            bot.refusals_expected = True
            await bot.start()
            messages = await picture.play(bot)
            png = await _look(browser, bot.telegram_url, messages)
    (FOLDER / f"{name}.png").write_bytes(smaller(png))


async def _look(browser: Browser, url: str, messages: Sequence[Message]) -> bytes:
    context = await browser.new_context(
        viewport=DESK, locale="en-US", timezone_id="Asia/Almaty", reduced_motion="reduce", bypass_csp=True
    )
    page = await context.new_page()
    await page.goto(url)
    await page.locator('[data-testid="connection"][data-status="online"]').wait_for(state="attached")
    await page.add_style_tag(content=PLAIN)
    await page.evaluate("document.fonts.ready")
    boxes = [await _box(page, message) for message in messages]
    png = await page.screenshot(animations="disabled", clip=_around(boxes))
    await context.close()
    return png


async def _box(page: Page, message: Message) -> FloatRect:
    """Where a message stands, without the empty room beside it."""
    chat = page.get_by_test_id("operators-chat")
    shown = chat.locator(f'[data-message-id="{message.id}"]')
    await shown.scroll_into_view_if_needed()
    parts = shown.locator(".gutter, .column, span")
    boxes = [box for part in await parts.all() if (box := await part.bounding_box()) is not None]
    return _union(boxes)


def _union(boxes: Sequence[FloatRect]) -> FloatRect:
    left, top = min(box["x"] for box in boxes), min(box["y"] for box in boxes)
    right = max(box["x"] + box["width"] for box in boxes)
    bottom = max(box["y"] + box["height"] for box in boxes)
    return FloatRect(x=left, y=top, width=right - left, height=bottom - top)


def _around(boxes: Sequence[FloatRect]) -> FloatRect:
    whole = _union(boxes)
    return FloatRect(
        x=whole["x"] - MARGIN,
        y=whole["y"] - MARGIN,
        width=whole["width"] + 2 * MARGIN,
        height=whole["height"] + 2 * MARGIN,
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
