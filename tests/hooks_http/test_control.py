"""The socket over which commands reach the bot that serves."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from bot.control import socket_of
from tests.bot.harness import office
from tests.hooks_http.site import Site


def knock(path: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(10)
    connection.connect(str(path))
    return connection


def told(path: Path, line: bytes) -> bytes:
    with knock(path) as connection:
        connection.sendall(line)
        return connection.makefile("rb").readline()


async def test_only_the_user_reaches_it_and_it_goes_with_the_bot(site: Site) -> None:
    """0600; gone after an orderly stop."""
    path = socket_of(site.office.path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    await site.office.stop()
    assert not path.exists()


async def test_one_that_was_left_is_replaced(site: Site) -> None:
    """A killed bot leaves its socket: commands do without it, and the next bot takes its place."""
    await site.office.stop()
    path = socket_of(site.office.path)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert (await site.run("source", "add", "first", "--json")).code == 0
    await site.office.start()
    assert (await site.run("source", "add", "second", "--json")).json["url"].startswith(site.office.url)


@pytest.mark.parametrize("name", ["lead-agent.db", "d" * 120 + ".db"])
async def test_a_deep_folder(
    tmp_path: Path, bare_environment: None, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Where the path of a socket may have 108 bytes, that of a database may have thousands."""
    folder = tmp_path.joinpath(*["deep" * 20] * 3)
    folder.mkdir(parents=True)
    async with office(folder) as made:
        made.path = folder / name
        await made.start()
        async with httpx.AsyncClient(trust_env=False) as client:
            site = Site(office=made, client=client, monkeypatch=monkeypatch)
            await site.add()
            assert (await site.post({"message": "Hello"})).status_code == 200


ODD = (
    b"hello\n",
    b"[]\n",
    b"{}\n",
    b'{"operation": "database.drop", "request": {}}\n',
    b'{"operation": "source.list", "request": {"all": true}}\n',
    b'{"operation": "source.remove", "request": {"name": 5}}\n',
)


async def test_what_is_asked_wrongly(site: Site) -> None:
    """It is answered with an error, and the next command works."""
    for line in ODD:
        answer = json.loads(await asyncio.to_thread(told, socket_of(site.office.path), line))
        assert answer["error"]["words"][0].startswith("the bot that serves is of another version"), line
    assert (await site.run("source", "list")).code == 0


async def test_events_are_subscribed_beside_the_bot(site: Site) -> None:
    """What another command writes goes the same way, and the bot minds it at once."""
    added = await site.run("events", "add", "https://n8n.studio.test/1", "--events", "lead.created", "--json")
    assert (added.code, added.json["subscription_id"]) == (0, "S-1")
    again = await site.run("events", "add", "https://n8n.studio.test/1")
    assert (again.code, "told already" in again.err) == (2, True)
    await site.post({"message": "We need a CRM."})
    assert len(await site.leads()) == 1
    (event,) = (await site.run("events", "--json")).json
    assert (event["type"], event["lead_id"]) == ("lead.created", "L-1")
    assert (await site.run("events", "remove", "S-1")).code == 0


async def test_commands_that_go_away_or_ask_too_much(site: Site) -> None:
    """Nobody waits for them, and the next command works."""
    path = socket_of(site.office.path)
    (await asyncio.to_thread(knock, path)).close()
    with suppress(OSError):  # the bot hangs up
        await asyncio.to_thread(told, path, b"x" * 1_100_000)
    await site.office.logged("asked for too much")
    assert (await site.run("source", "list")).code == 0


async def test_a_bot_that_takes_no_commands(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody holds the database and has no socket: a clear word, and nothing is written beside it."""
    monkeypatch.setattr("bot.control.SECONDS_TO_WAIT", 0)
    socket_of(site.office.path).unlink()
    ran = await site.run("source", "add", "new")
    assert (ran.code, ran.out) == (1, "")
    assert "takes no commands" in ran.err
    assert site.office.value("SELECT count(*) FROM sources") == 1
