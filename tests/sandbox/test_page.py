"""The sandbox's page in a real Chromium, on the real stand-in server, with no product running."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, expect

from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.chats import User
from bot.sandbox.server import serve
from bot.sandbox.updates import UpdateType
from bot.sandbox.website import FIELDS
from bot.sandbox.world import World
from tests.sandbox.browsing import ATTACK, NARROW, WIDEST, Pages

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

Json = dict[str, Any]

CARD = {
    "text": (
        "<b>Reply to Dana · Telegram</b>\n"
        f"<blockquote expandable>{'We need a CRM for our clinic. ' * 30}</blockquote>\n"
        "<pre>Hello, Dana! A manager will call you today.</pre>"
    ),
    "parse_mode": "HTML",
    "reply_markup": {
        "inline_keyboard": [
            [
                {"text": "✅ Approve", "callback_data": "approve-1", "style": "success"},
                {"text": "❌ Deny", "callback_data": "deny-1", "style": "danger"},
            ],
            [
                {"text": "Copy", "copy_text": {"text": "Hello, Dana!"}},
                {"text": "WhatsApp", "url": "https://wa.me/77015550142"},
            ],
        ]
    },
}

MODEL_LINE: Json = {
    "step": 1,
    "kind": "model",
    "name": "scripted",
    "outcome": "tool_use",
    "ms": 12,
    "tokens": 1920,
}
TOOL_LINE: Json = {
    "step": 2,
    "kind": "tool",
    "name": "create_deal",
    "outcome": "ok",
    "ms": 3,
    "input": {"service": "crm"},
}


@dataclass(kw_only=True)
class Sandbox(Pages):
    """A world with a lead and two operators, its server, and pages open on it."""

    world: World
    bot: httpx.AsyncClient
    dana: User
    aigerim: User
    timur: User

    async def call(self, method: str, **params: object) -> Any:
        """Call the Bot API as the product would."""
        answer = await self.bot.post(f"{self.url}/bot{self.world.token}/{method}", json=params)
        body = answer.json()
        assert body["ok"], body
        return body["result"]

    async def updates(self, kind: UpdateType) -> list[Json]:
        """The updates of one kind that wait for the bot, at least one."""

        def waiting() -> list[Json]:
            return [update.body for update in self.world.updates.pending() if update.type is kind]

        return await self.world.until(waiting, what=f"a {kind.value}")


@pytest_asyncio.fixture(loop_scope="module")
async def sandbox(browser: Browser) -> AsyncIterator[Sandbox]:
    world = World()
    async with serve(bot_api_app(world)) as url, httpx.AsyncClient() as bot:
        sandbox = Sandbox(
            world=world,
            url=url,
            browser=browser,
            bot=bot,
            dana=world.add_person("Dana", language_code="en"),
            aigerim=world.add_person("Aigerim", operator=True),
            timur=world.add_person("Timur", operator=True),
        )
        yield sandbox
    assert sandbox.faults == []


def message(chat: Locator, message_id: int) -> Locator:
    return chat.locator(f'[data-message-id="{message_id}"]')


async def test_what_the_lead_sends_reaches_the_bot_and_shows_in_the_chat(sandbox: Sandbox) -> None:
    """What is typed on the left is an update for the bot and a bubble in the chat; the answer follows."""
    async with sandbox.page() as page:
        chat = page.get_by_test_id("lead-chat")
        await page.get_by_test_id("lead-input").fill("Hello, we need a CRM 🦷")
        await page.get_by_test_id("lead-send").click()
        (heard,) = await sandbox.updates(UpdateType.MESSAGE)
        assert (heard["text"], heard["from"]["id"], heard["chat"]["type"]) == (
            "Hello, we need a CRM 🦷",
            sandbox.dana.id,
            "private",
        )
        bubble = message(chat, heard["message_id"])
        await expect(bubble).to_contain_text("Hello, we need a CRM 🦷")
        await expect(page.get_by_test_id("lead-input")).to_have_value("")

        eyes = [{"type": "emoji", "emoji": "👀"}]
        at = {"chat_id": sandbox.dana.id, "message_id": heard["message_id"]}
        await sandbox.call("setMessageReaction", **at, reaction=eyes)
        await expect(bubble.locator(".reaction")).to_have_text("👀")
        answer = await sandbox.call(
            "sendMessage", chat_id=sandbox.dana.id, text="Thank you!", disable_notification=True
        )
        await expect(message(chat, answer["message_id"])).to_contain_text("Thank you!")
        await expect(message(chat, answer["message_id"]).get_by_role("img", name="silent")).to_be_visible()


async def test_a_card_is_pressed_answered_and_edited(sandbox: Sandbox) -> None:
    """The chosen operator's press reaches the bot; its answer is a toast, its edit takes the buttons away."""
    async with sandbox.page() as page:
        chat = page.get_by_test_id("operators-chat")
        card = await sandbox.call("sendMessage", chat_id=sandbox.world.group.id, **CARD)
        bubble = message(chat, card["message_id"])
        await expect(bubble.locator("pre")).to_have_text("Hello, Dana! A manager will call you today.")
        await page.get_by_test_id("operator-select").select_option(label="Timur")
        await bubble.get_by_role("button", name="Approve").click()
        (query,) = await sandbox.updates(UpdateType.CALLBACK_QUERY)
        assert (query["data"], query["from"]["id"]) == ("approve-1", sandbox.timur.id)
        assert query["message"]["message_id"] == card["message_id"]

        await sandbox.call("answerCallbackQuery", callback_query_id=query["id"], text="Approved")
        await expect(page.get_by_test_id("toast")).to_have_text("Approved")
        at = {"chat_id": sandbox.world.group.id, "message_id": card["message_id"]}
        await sandbox.call("editMessageText", **at, text="✅ Approved by Timur · sent")
        await expect(bubble).to_contain_text("✅ Approved by Timur · sent")
        await expect(bubble).to_contain_text("edited")
        await expect(bubble.get_by_role("button", name="Approve")).to_have_count(0)

        await sandbox.call("deleteMessage", **at)
        await expect(bubble).to_have_count(0)


async def test_a_stranger_can_try_to_press(sandbox: Sandbox) -> None:
    """A stranger's press reaches the bot under an id of no operator; its alert waits to be confirmed."""
    async with sandbox.page() as page:
        card = await sandbox.call("sendMessage", chat_id=sandbox.world.group.id, **CARD)
        await page.get_by_test_id("operator-select").select_option(label="Stranger")
        bubble = message(page.get_by_test_id("operators-chat"), card["message_id"])
        await bubble.get_by_role("button", name="Deny").click()
        (query,) = await sandbox.updates(UpdateType.CALLBACK_QUERY)
        assert query["from"]["id"] not in {sandbox.aigerim.id, sandbox.timur.id, sandbox.dana.id}

        await sandbox.call(
            "answerCallbackQuery", callback_query_id=query["id"], text="Operators only", show_alert=True
        )
        await expect(page.get_by_role("alertdialog").get_by_test_id("toast")).to_have_text("Operators only")
        await page.get_by_test_id("toast-ok").click()
        await expect(page.get_by_test_id("toast")).to_have_count(0)
        await expect(page.get_by_test_id("lead-select").get_by_role("option")).to_have_text(["Dana"])


async def test_operators_write_and_reply(sandbox: Sandbox) -> None:
    """Commands and replies go to the group under the chosen operator's name, with what they reply to."""
    async with sandbox.page() as page:
        chat = page.get_by_test_id("operators-chat")
        card = await sandbox.call("sendMessage", chat_id=sandbox.world.group.id, text="What should it say?")
        bubble = message(chat, card["message_id"])
        await bubble.hover()
        await bubble.get_by_role("button", name="Reply").click()
        await page.get_by_test_id("operators-input").fill("Call after six")
        await page.get_by_test_id("operators-input").press("Enter")
        (heard,) = await sandbox.updates(UpdateType.MESSAGE)
        assert (heard["text"], heard["from"]["id"]) == ("Call after six", sandbox.aigerim.id)
        assert heard["reply_to_message"]["message_id"] == card["message_id"]
        quote = message(chat, heard["message_id"]).locator(".reply-quote")
        await expect(quote).to_contain_text("What should it say?")

        await page.get_by_test_id("commands").get_by_role("button", name="/pending").click()
        await page.get_by_test_id("operators-send").click()
        await sandbox.world.until(
            lambda: any(update.body.get("text") == "/pending" for update in sandbox.world.updates.pending())
        )


async def test_a_lead_can_do_more_than_type(sandbox: Sandbox) -> None:
    """Examples fill the composer; contact, photo, voice, blocking and a new person work."""
    async with sandbox.page() as page:
        await page.get_by_test_id("examples").get_by_role("button").first.click()
        await expect(page.get_by_test_id("lead-input")).to_have_value(re.compile("Dana"))
        await page.get_by_test_id("send-photo").click()
        await expect(page.get_by_test_id("lead-input")).to_have_value("")
        await page.get_by_test_id("send-voice").click()
        await page.get_by_test_id("share-contact").click()
        await page.get_by_test_id("contact-phone").fill("+7 747 555 01 44")
        await page.get_by_test_id("contact-share").click()
        await sandbox.world.until(lambda: len(sandbox.world.updates.pending()) == 3)
        photo, voice, contact = await sandbox.updates(UpdateType.MESSAGE)
        assert "dental clinic" in photo["caption"]
        assert "voice" in voice
        assert contact["contact"] == {
            "phone_number": "+7 747 555 01 44",
            "first_name": "Dana",
            "user_id": sandbox.dana.id,
        }

        await page.get_by_test_id("block").click()
        await expect(page.get_by_test_id("lead-input")).to_be_hidden()
        assert sandbox.dana.id in sandbox.world.blocked
        await page.reload()
        await expect(page.get_by_test_id("blocked")).to_be_visible()
        await page.get_by_test_id("unblock").click()
        await expect(page.get_by_test_id("lead-input")).to_be_visible()
        assert sandbox.dana.id not in sandbox.world.blocked

        await page.get_by_test_id("add-person").click()
        await page.get_by_test_id("person-name").fill("Ержан")
        await page.get_by_test_id("person-add").click()
        await expect(page.get_by_test_id("lead-select").locator("option:checked")).to_have_text("Ержан")
        await page.get_by_test_id("start").click()
        await sandbox.world.until(
            lambda: sandbox.world.updates.pending()[-1].body["from"]["first_name"] == "Ержан"
        )
        await sandbox.call("sendMessage", chat_id=sandbox.dana.id, text="Thank you, Dana!")
        await expect(page.get_by_test_id("lead-unread")).to_have_text("1")
        await page.get_by_test_id("lead-select").select_option(label="Dana")
        await expect(page.get_by_test_id("lead-unread")).to_be_empty()
        await expect(page.get_by_test_id("lead-chat")).to_contain_text("Thank you, Dana!")


async def test_html_of_strangers_is_inert(sandbox: Sandbox) -> None:
    """Markup in names, messages, file names and journal lines is shown as it was written and never runs."""
    world = sandbox.world
    attacker = world.add_person(ATTACK)
    async with sandbox.page() as page:
        await page.get_by_test_id("lead-select").select_option(str(attacker.id))
        await page.get_by_test_id("lead-input").fill(ATTACK)
        await page.get_by_test_id("lead-send").click()
        await sandbox.updates(UpdateType.MESSAGE)
        in_group = world.say(attacker, ATTACK, chat_id=world.group.id)
        answer = world.say(sandbox.aigerim, "?", chat_id=world.group.id, reply_to=in_group)
        fields = ("step", "kind", "name", "outcome")
        world.journal(dict.fromkeys(fields, ATTACK) | {"input": {ATTACK: ATTACK}})

        operators = page.get_by_test_id("operators-chat")
        await expect(message(operators, in_group).locator(".author")).to_have_text(ATTACK)
        await expect(message(operators, in_group).locator(".text")).to_have_text(ATTACK)
        await expect(message(operators, answer).locator(".reply-quote")).to_contain_text(ATTACK)
        await expect(page.get_by_test_id("lead-chat").locator(".text")).to_have_text(ATTACK)
        await expect(page.get_by_test_id("journal").locator("td.c-name")).to_have_text(ATTACK)
        await expect(page.locator("main img, main script, [onerror]")).to_have_count(0)
        assert await page.evaluate("window.attacked") is None


async def test_the_journal_grows(sandbox: Sandbox) -> None:
    """Lines that were there and lines that come show all they say, once each; their input unfolds."""
    sandbox.world.journal(MODEL_LINE)
    async with sandbox.page() as page:
        sandbox.world.journal(TOOL_LINE)
        rows = page.get_by_test_id("journal").locator("tbody tr")
        await expect(rows).to_have_count(2)
        first, second = rows.nth(0), rows.nth(1)
        await expect(first.locator("td.c-tokens")).to_have_text("1,920")
        await expect(second.locator("td")).to_contain_text(["2", "tool", "create_deal", "ok", "3", '"crm"'])
        await expect(second.locator("pre")).to_be_hidden()
        await second.locator("summary").click()
        await expect(second.locator("pre")).to_be_visible()


async def test_buttons_copy_open_and_expand(sandbox: Sandbox) -> None:
    """A copy button copies, an address opens apart, a long quote expands and stays so over an edit."""
    async with sandbox.page(permissions=["clipboard-read", "clipboard-write"]) as page:
        card = await sandbox.call("sendMessage", chat_id=sandbox.world.group.id, **CARD)
        bubble = message(page.get_by_test_id("operators-chat"), card["message_id"])
        await bubble.locator(".keyboard").get_by_role("button", name="Copy").click()
        await expect(page.get_by_test_id("toast")).to_have_text("Copied")
        assert await page.evaluate("navigator.clipboard.readText()") == "Hello, Dana!"
        address = bubble.get_by_role("link", name="WhatsApp")
        await expect(address).to_have_attribute("href", "https://wa.me/77015550142")
        await expect(address).to_have_attribute("rel", "noopener noreferrer")

        await bubble.get_by_role("button", name="Show all").click()
        folded = bubble.get_by_role("button", name="Show less")
        await expect(folded).to_have_attribute("aria-expanded", "true")
        edited = {"text": str(CARD["text"]) + "\nApproved", "parse_mode": "HTML"}
        at = {"chat_id": sandbox.world.group.id, "message_id": card["message_id"]}
        await sandbox.call("editMessageText", **at, **edited)
        await expect(bubble).to_contain_text("Approved")
        await expect(folded).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_phone_shows_one_section_at_a_time(sandbox: Sandbox, scheme: str) -> None:
    """At 390 px nothing scrolls sideways, whatever the words; what comes behind a tab is counted on it."""
    word = "a" * 200
    async with sandbox.page(size=NARROW, color_scheme=scheme) as page:
        await sandbox.call("sendMessage", chat_id=sandbox.world.group.id, **CARD)
        await sandbox.call("sendMessage", chat_id=sandbox.world.group.id, text=word)
        sandbox.world.inbox.letter(sender=word, to=word, subject=word, text=word)
        sandbox.world.journal({"step": 1, "kind": "tool", "name": word, "outcome": word, "input": word})
        sandbox.world.say(sandbox.dana, word)
        sandbox.world.website.url = f"{sandbox.url}/nowhere"
        await sandbox.world.website.submit(dict.fromkeys(FIELDS, word))
        tabs = page.get_by_role("tab")
        await expect(tabs).to_have_text(["Lead", "Website", "Operators2", "Inbox1", "Journal1"])
        for tab, section in enumerate(["lead-chat", "website", "operators-chat", "inbox", "journal"]):
            await tabs.nth(tab).click()
            await expect(page.get_by_test_id(section)).to_contain_text(word)
            await expect(tabs.nth(tab).locator(".badge")).to_be_empty()
            assert await page.evaluate(WIDEST) <= NARROW["width"]
        await expect(page.get_by_test_id("lead-chat")).to_be_hidden()


async def test_the_language_is_the_browsers_until_chosen(sandbox: Sandbox) -> None:
    """English browsers get English, all others Russian; a choice outlives a reload."""
    async with sandbox.page(locale="en-GB") as page:
        await expect(page.get_by_test_id("lead-input")).to_have_attribute("placeholder", "Message to the bot")
        await expect(page.get_by_test_id("banner")).to_contain_text("nothing leaves this machine")
        await page.get_by_test_id("language").select_option("ru")
        await expect(page.get_by_test_id("lead-input")).to_have_attribute("placeholder", "Сообщение боту")
        await page.reload()
        await expect(page.get_by_test_id("banner")).to_contain_text("ничего не покидает этот компьютер")
    async with sandbox.page(locale="kk-KZ") as page:
        await expect(page.get_by_test_id("lead-input")).to_have_attribute("placeholder", "Сообщение боту")


async def test_the_page_comes_back_after_a_break(sandbox: Sandbox) -> None:
    """Without its server the page says so; once it is back, what was missed appears by itself."""
    world = World()
    dana = world.add_person("Dana")
    async with AsyncExitStack() as running:
        url = await running.enter_async_context(serve(bot_api_app(world)))
        async with replace(sandbox, world=world, url=url).page() as page:
            world.say(dana, "before")
            await expect(page.get_by_test_id("lead-chat")).to_contain_text("before")
            await running.aclose()
            await expect(page.get_by_test_id("connection")).to_have_text("reconnecting…")
            world.say(dana, "meanwhile")
            world.journal({"step": 1, "kind": "tool", "name": "create_deal", "outcome": "ok"})
            async with serve(bot_api_app(world), port=urlsplit(url).port or 0):
                await expect(page.get_by_test_id("connection")).to_have_text("connected")
                words = page.get_by_test_id("lead-chat").locator(".text")
                await expect(words).to_have_text(["before", "meanwhile"])
                world.say(dana, "after")
                await expect(words).to_have_text(["before", "meanwhile", "after"])
                await expect(page.get_by_test_id("journal").locator("tbody tr")).to_have_count(1)


async def test_the_bots_keyboards_open_under_the_composer(sandbox: Sandbox) -> None:
    """A keyboard that asks for the phone shares it; a question that wants a reply opens one."""
    world = sandbox.world
    async with sandbox.page() as page:
        ask = {"keyboard": [[{"text": "My phone", "request_contact": True}]], "one_time_keyboard": True}
        world.say(sandbox.dana, "Hello")
        await sandbox.call("sendMessage", chat_id=sandbox.dana.id, text="Your phone?", reply_markup=ask)
        await page.get_by_test_id("reply-keyboard").get_by_role("button", name="My phone").click()
        await page.get_by_test_id("contact-share").click()
        await world.until(lambda: len(world.updates.pending()) == 2)
        assert world.updates.pending()[-1].body["contact"]["user_id"] == sandbox.dana.id
        await expect(page.get_by_test_id("reply-keyboard")).to_be_hidden()

        force = {"force_reply": True, "input_field_placeholder": "The new text"}
        question = await sandbox.call(
            "sendMessage", chat_id=world.group.id, text="What instead?", reply_markup=force
        )
        await expect(page.get_by_placeholder("The new text")).to_be_focused()
        await page.get_by_test_id("operators-input").fill("Call after six")
        await page.get_by_test_id("operators-send").click()
        await world.until(lambda: len(world.updates.pending()) == 3)
        reply = world.updates.pending()[-1].body["reply_to_message"]
        assert reply["message_id"] == question["message_id"]
