"""`lead-agent events`: subscribe, look, end, send again."""

import asyncio
import json
from pathlib import Path

import pytest

from agent.events import EventType
from agent.jsontext import JsonObject
from bot.__main__ import main
from bot.webhook_urls import webhook_secret
from tests.company import open_company

URL = "https://n8n.studio.test/webhook/1"
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def database(bare_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "lead-agent.db"
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{path}")
    return path


def told(capsys: Capture, *arguments: str) -> list[JsonObject]:
    """What a command prints as JSON, one object as a list of it."""
    assert main(["events", *arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    return printed if isinstance(printed, list) else [printed]


def complaint(capsys: Capture, *arguments: str, code: int = 2) -> str:
    assert main(["events", *arguments]) == code
    return capsys.readouterr().err


def test_a_receiver_is_subscribed_and_ended(capsys: Capture) -> None:
    """Its secret is shown once; the list tells all the rest; ended, it may be subscribed again."""
    (added,) = told(capsys, "add", URL, "--events", "lead.created, deal.created")
    assert webhook_secret(added.pop("secret"))
    assert (added["subscription_id"], added["url"], added["state"]) == ("S-1", URL, "active")
    assert added["events"] == ["deal.created", "lead.created"]
    assert told(capsys, "list") == [added]
    assert "told already" in complaint(capsys, "add", URL)
    assert main(["events", "remove", "s-1"]) == 0
    capsys.readouterr()
    assert told(capsys, "list") == []
    (again,) = told(capsys, "add", URL)
    assert (again["subscription_id"], again["events"]) == ("S-2", sorted(EventType))
    assert main(["events", "list"]) == 0
    assert again["secret"] not in capsys.readouterr().out


async def _lead(path: Path) -> None:
    async with open_company(path) as company:
        await company.lead()


def test_the_log_tells_of_every_delivery(capsys: Capture, database: Path) -> None:
    """Which event, of which lead, to whom, and how far it is; only what can go out is sent again."""
    told(capsys, "add", URL, "--events", "lead.created")
    asyncio.run(_lead(database))
    (delivery,) = told(capsys)
    assert delivery.pop("webhook_id").startswith("evt_")
    assert delivery == {
        "delivery_id": "E-1",
        "type": "lead.created",
        "lead_id": "L-1",
        "subscription_id": "S-1",
        "url": URL,
        "state": "ready",
        "attempts": 0,
        "status": None,
        "error": None,
        "at": "2027-01-15T08:00:00.000+00:00",
        "tried_at": None,
        "next_try_at": None,
    }
    assert main(["events", "redeliver", "E-1"]) == 0
    assert main(["events", "remove", "S-1"]) == 0
    assert main(["events"]) == 0
    assert "lead.created    L-1      S-1   dropped" in capsys.readouterr().out
    assert "told nothing any more" in complaint(capsys, "redeliver", "1")


def test_wrong_use_is_told_in_plain_words(capsys: Capture) -> None:
    """What to write; nothing is stored."""
    assert "begins with https" in complaint(capsys, "add", "n8n.studio.test")
    assert "lead.created" in complaint(capsys, "add", URL, "--events", "lead.born")
    assert "lead.created" in complaint(capsys, "add", URL, "--events", "")
    assert "add URL" in complaint(capsys, "add")
    assert "add URL" in complaint(capsys, "list", "S-1")
    assert "like S-1" in complaint(capsys, "remove", "one")
    assert main(["events", "list"]) == 1  # there is no database yet
    capsys.readouterr()
    told(capsys, "add", URL)
    assert "no subscription S-7" in complaint(capsys, "remove", "7", code=1)
    assert "no delivery E-7" in complaint(capsys, "redeliver", "E-7", code=1)
    assert main(["events"]) == 0
    assert "Nothing has been told" in capsys.readouterr().out
