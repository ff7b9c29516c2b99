"""Pages of the sandbox in a real Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
DEADLINE_MS = 15_000
WIDE = ViewportSize(width=1280, height=800)
NARROW = ViewportSize(width=390, height=844)
ATTACK = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'

# The widest thing of the page, in pixels: what could make it scroll sideways.
WIDEST = """() => Math.max(
    document.documentElement.scrollWidth,
    ...[...document.querySelectorAll("section, .scroll, .journal-scroll")].map((node) => node.scrollWidth),
    ...[...document.querySelectorAll(".bubble, .key, td")].map((node) => node.getBoundingClientRect().right),
)"""


def chromium() -> str:
    """The system's browser; without one the tests are skipped, but never where they must run."""
    for name in NAMES:
        if path := shutil.which(name):
            return path
    reason = f"no Chromium on this machine: none of {', '.join(NAMES)} is on the PATH"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass(kw_only=True)
class Pages:
    """A sandbox's address, and pages open on it; `faults` are what no page may do."""

    url: str
    browser: Browser
    faults: list[str] = field(default_factory=list)

    @asynccontextmanager
    async def page(
        self, *, size: ViewportSize = WIDE, locale: str = "en-US", **options: Any
    ) -> AsyncIterator[Page]:
        """The page as a person with this window and browser language sees it."""
        context = await self.browser.new_context(viewport=size, locale=locale, **options)
        context.set_default_timeout(DEADLINE_MS)
        page = await context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._check_host(request.url))
        page.on("console", lambda line: self._check_policy(line.text))
        try:
            await page.goto(self.url)
            await expect(page.get_by_test_id("connection")).to_have_attribute("data-status", "online")
            yield page
        finally:
            await context.close()

    def _check_host(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "data" and parts.netloc != urlsplit(self.url).netloc:
            self.faults.append(f"a request to {url}")

    def _check_policy(self, line: str) -> None:
        if "Content Security Policy" in line:
            self.faults.append(line)
