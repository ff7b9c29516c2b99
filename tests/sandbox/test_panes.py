"""The page's website form and inbox in a real Chromium, with the served bot behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from bot.playground import playground
from bot.sandbox.chats import Json
from bot.sandbox.world import World
from bot.settings import Settings
from tests.sandbox.browsing import ATTACK, Pages

# What a real .env may hold, and the sandbox must not use.
OF_THE_COMPANY = {
    "reply_channels": "webhook,email",
    "reply_webhook_url": "https://crm.example/reply",
    "reply_webhook_secret": "whsec_dGVzdC1zZWNyZXQtdGVzdC1zZWNyZXQtMDAwMDAwMDA=",
    "smtp_host": "mail.example",
    "smtp_from": "sales@company.example",
    "smtp_user": "sales",
    "smtp_password": "secret",
    "smtp_tls": "tls",
    "crm": "bitrix24",
    "bitrix24_webhook_url": "https://company.bitrix24.example/rest/1/secret/",
}

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@dataclass(kw_only=True)
class Playground(Pages):
    """`lead-agent sandbox` and pages open on it."""

    world: World

    async def told(self, kind: str, count: int = 1) -> list[Json]:
        """The first so many events of a kind that the bot posted."""

        def found() -> list[Json] | None:
            events = [item for item in self.world.inbox.items if item.get("type") == kind]
            return events if len(events) >= count else None

        return await self.world.until(found, what=f"{count} of {kind}") or []


@pytest_asyncio.fixture(loop_scope="module")
async def sandbox(browser: Browser, tmp_path: Path) -> AsyncIterator[Playground]:
    world = World()
    settings = Settings.load(_env_file=None, language="en", undo_seconds=0, **OF_THE_COMPANY)
    database = tmp_path / "sandbox.db"
    async with playground(
        settings, database, world=world, claude=False, group_messages_per_minute=600
    ) as staged:
        made = Playground(world=world, url=staged.url, browser=browser)
        yield made
    assert made.faults == []


async def test_a_form_is_answered_by_e_mail_or_by_hand(sandbox: Playground) -> None:
    """An e-mail: the card says so, the approved text is a letter, its events arrive; a phone: hand-over."""
    async with sandbox.page() as page:
        await page.get_by_role("tab", name="On the website").click()
        forms = page.get_by_test_id("forms").get_by_role("button")
        website, inbox = page.get_by_test_id("website"), page.get_by_test_id("inbox")
        cards = page.get_by_test_id("operators-chat").locator("article")
        await forms.filter(has_text="e-mail").click()
        await page.get_by_test_id("form-send").click()
        await expect(website.get_by_test_id("submission")).to_contain_text("dana@clinic.example")
        await expect(website.locator(".post")).to_contain_text(["200ok"])
        await expect(page.get_by_test_id("form-email")).to_have_value("")
        card = cards.filter(has_text="Reply to Dana")
        await expect(card).to_contain_text("e-mail dana@clinic.example")
        text = await card.locator("pre").inner_text()
        await card.get_by_role("button", name="Approve").click()
        letter = inbox.get_by_test_id("letter")
        await expect(letter.locator(".text")).to_have_text(text)
        await expect(letter.locator(".ends")).to_contain_text("dana@clinic.example")
        await sandbox.told("run.finished")
        told = inbox.get_by_test_id("event")
        await expect(told.locator(".event-type")).to_have_text(
            ["lead.created", "deal.created", "reply.approved", "reply.delivered", "run.finished"]
        )
        await told.first.locator("summary").click()
        await expect(told.first.locator("pre")).to_contain_text('"source": "site"')

        await website.get_by_role("button", name="again").click()
        await expect(website.locator(".post")).to_contain_text(["200ok", "200ok L-1"])

        await forms.filter(has_text="phone").click()
        await page.get_by_test_id("form-send").click()
        card = cards.filter(has_text="Reply to Marat")
        await expect(card).to_contain_text("by hand +77015550143")
        await card.get_by_role("button", name="Approve").click()
        await expect(card).to_contain_text("handed over")
        await card.get_by_role("button", name="I sent it").click()
        await sandbox.told("reply.delivered", 2)
        await expect(letter).to_have_count(1)
        await page.reload()
        await expect(letter).to_have_count(1)
        await expect(website.get_by_test_id("submission")).to_have_count(2)


async def test_what_forms_letters_and_events_hold_is_inert(sandbox: Playground) -> None:
    """Markup in a form's answers, in a letter and in an event is shown as it was written and never runs."""
    sandbox.world.inbox.letter(sender=ATTACK, to=ATTACK, subject=ATTACK, text=ATTACK)
    async with sandbox.page() as page:
        await page.get_by_role("tab", name="On the website").click()
        for field in ("name", "phone", "email", "message"):
            await page.get_by_test_id(f"form-{field}").fill(ATTACK)
        await page.get_by_test_id("form-send").click()
        await sandbox.told("lead.created")
        await expect(page.get_by_test_id("submission").locator("dd")).to_have_text([ATTACK] * 4)
        letter = page.get_by_test_id("letter")
        await expect(letter.locator(".subject")).to_have_text(ATTACK)
        await expect(letter.locator(".text")).to_have_text(ATTACK)
        await expect(letter.locator(".ends span")).to_have_text([ATTACK, f"→ {ATTACK}"])
        event = page.get_by_test_id("event").first
        await event.locator("summary").click()
        await expect(event.locator("pre")).to_contain_text("<script>window.attacked=1</script>")
        await expect(page.locator("main img, main script, [onerror]")).to_have_count(0)
        assert await page.evaluate("window.attacked") is None
