"""The same request again is the same lead: by the product's id, else by its content within ten minutes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agent.clock import now
from bot.hook_routes import SAME_CONTENT_MS
from tests.bot.harness import NEED
from tests.hooks import posts
from tests.hooks_http.site import JSON, Site

DANA = {"name": "Dana", "phone": "+7 701 555 01 42", "message": NEED}
FORM = {"content-type": posts.FORM}


async def test_a_redelivery_returns_the_first_lead(site: Site) -> None:
    """200 again, and the lead's id once it is known; JSON for who asks for it."""
    assert (await site.post(DANA)).text == "ok"
    await site.leads()
    assert (await site.post(DANA)).text == "ok L-1"
    again = await site.post(DANA, headers={**JSON, "accept": "application/json"})
    assert again.json() == {"ok": True, "lead": "L-1"}
    assert len(await site.leads()) == 1
    assert site.office.value("SELECT count(*) FROM posts") == 3


async def test_the_products_id_tells_a_redelivery_whatever_else_changed(site: Site) -> None:
    """And two submissions that say the same are two, where the product says that they are."""
    await site.add("shop", "tilda")
    _, first = posts.tilda({"Name": "Dana", "Phone": "+7 (701) 555-01-42"})
    for body in (first, first.replace(b"utm_source=google", b"utm_source=again"), first):
        assert (await site.post(body, "shop", FORM)).status_code == 200
    await site.post(first.replace(b"9876543", b"9876544"), "shop", FORM)
    assert [lead["id"] for lead in await site.leads()] == ["L-1", "L-2"]


async def test_an_id_counts_for_its_source_alone(site: Site) -> None:
    """Two products may number their submissions alike."""
    await site.add("other")
    await site.post({"id": "1", **DANA})
    await site.post({"id": "1", **DANA}, "other")
    assert len(await site.leads()) == 2


async def test_the_header_names_the_submission(site: Site) -> None:
    """Idempotency-Key, where the body has no id."""
    for key in ("a", "a", "b"):
        await site.post({**DANA, "message": f"Try {key}"}, headers={**JSON, "idempotency-key": key})
    assert [lead["message"] for lead in await site.leads()] == ["Try a", "Try b"]


async def test_what_the_site_adds_is_no_content(site: Site) -> None:
    """A double click posts the same answers at another second."""
    await site.add("wp", "elementor")
    _, body = posts.elementor({"Имя": "Dana", "Телефон": "8 701 555 01 42"})
    await site.post(body, "wp", FORM)
    await site.post(body.replace(b"14%3A05", b"14%3A06"), "wp", FORM)
    assert len(await site.leads()) == 1


async def test_the_same_words_of_others_are_other_leads(site: Site) -> None:
    """Content is all that was answered."""
    await site.post(DANA)
    await site.post({**DANA, "phone": "+7 701 555 01 43"})
    assert len(await site.leads()) == 2


async def test_the_same_content_after_ten_minutes_is_another_lead(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People ask again."""
    await site.post(DANA)
    assert len(await site.leads()) == 1
    long_ago = now() - SAME_CONTENT_MS - 1
    site.office.rows("UPDATE leads SET created_at = ?", long_ago)
    site.office.rows("UPDATE posts SET received_at = ?", long_ago)
    assert (await site.post(DANA)).text == "ok"
    assert len(await site.leads()) == 2


@pytest.mark.parametrize("body", [{"id": "same", **DANA}, DANA], ids=["by id", "by content"])
async def test_the_same_at_the_same_time(site: Site, body: dict[str, Any]) -> None:
    """Twenty at once are one lead; syncs are shared."""
    answers = await asyncio.gather(*(site.post(body) for _ in range(20)))
    assert {answer.status_code for answer in answers} == {200}
    assert len(await site.leads()) == 1
    assert site.office.value("SELECT count(DISTINCT lead_id) FROM posts") == 1
