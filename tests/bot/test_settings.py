"""Settings and the console script: every fault at once, in plain words, without secrets."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent.errors import SettingsError, StorageError
from agent.versions import code_version
from bot.__main__ import main
from bot.app import serving
from bot.logs import Redacted, configure
from bot.sandbox.faults import FaultKind
from bot.settings import Settings
from tests.bot.harness import APPROVE, Office

TOKEN = "123456:secret-token_of_35_letters_or_more"
KEY = "sk-ant-secret"
HOME = Path(__file__).parents[2]
SERVING = {
    "TELEGRAM_BOT_TOKEN": TOKEN,
    "OPERATORS_CHAT_ID": "-1001234567890",
    "OPERATOR_IDS": "1, 2",
    "ANTHROPIC_API_KEY": KEY,
}
Environment = pytest.MonkeyPatch


def environ(monkeypatch: Environment, **values: str | None) -> None:
    for name, value in {**SERVING, **values}.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)


def faults() -> list[str]:
    with pytest.raises(SettingsError) as caught:
        Settings.load().for_serving()
    return caught.value.faults


def test_settings_of_the_environment(monkeypatch: Environment) -> None:
    """What suffices to serve, with the documented defaults."""
    environ(monkeypatch, ADMIN_IDS="3", APPROVAL_TTL="90m")
    settings = Settings.load().for_serving()
    assert settings.deciders == {1, 2, 3}
    assert not settings.everyone_decides
    assert settings.approval_ttl == 5_400_000
    assert (settings.max_steps, settings.max_tokens, settings.language) == (8, 60_000, "ru")
    assert settings.database_path == Path("data/lead-agent.db")


def test_a_file_of_settings(monkeypatch: Environment, tmp_path: Path) -> None:
    """`.env` is read, quotes and comments included; the environment goes before it; empty is unset."""
    lines = [f'{name}="{value}"' for name, value in SERVING.items()] + [
        "# LANGUAGE=en",
        "MAX_STEPS=5",
        "PRICES=",
    ]
    (tmp_path / ".env").write_text("\n".join(lines))
    monkeypatch.setenv("MAX_STEPS", "6")
    settings = Settings.load().for_serving()
    assert (settings.max_steps, settings.operators_chat_id) == (6, -1001234567890)


def test_a_file_in_another_encoding(tmp_path: Path) -> None:
    """Is told of, not a traceback."""
    (tmp_path / ".env").write_bytes("COMPANY_NAME=Студия".encode("cp1251"))
    assert faults() == [".env: is no UTF-8 text; save it as UTF-8"]


def test_everything_missing_is_named_at_once() -> None:
    """One line each, with the name and what to do."""
    assert [fault.split(":")[0] for fault in faults()] == [
        "TELEGRAM_BOT_TOKEN",
        "OPERATORS_CHAT_ID",
        "OPERATOR_IDS",
        "ANTHROPIC_API_KEY",
    ]


WRONG = {
    "TELEGRAM_BOT_TOKEN": ["secret-token", "123:sec ret", "123:secret/../x", "bot123:secret"],
    "TELEGRAM_API_URL": ["api.telegram.org", "ftp://secret.example", "https://"],
    "OPERATORS_CHAT_ID": ["5", "group", "@group", "0"],
    "OPERATOR_IDS": ["olga", "1, olga", "-5", "members, 5", "1;2"],
    "ADMIN_IDS": ["olga", "1.5"],
    "ANTHROPIC_API_KEY": ["sk secret", "sk-секрет", "sk\nsecret"],
    "ANTHROPIC_BASE_URL": ["localhost:1", "javascript:alert(1)"],
    "DATABASE_URL": ["postgres://u:secret@h/db", "lead-agent.db", "sqlite:///"],
    "MAX_STEPS": ["0", "eight", "-1", "101"],
    "MAX_TOKENS": ["0", "1e5"],
    "APPROVAL_TTL": ["24", "1 week", "-1h", "", "h"],
    "LANGUAGE": ["de", "RU "],
    "TIME_ZONE": ["Almaty", "../etc/passwd", "+6"],
    "PUBLIC_URL": ["example.org"],
    "TELEGRAM_WEBHOOK_SECRET": ["short", "x" * 257, "sixteen letters!"],
    "HTTP_PORT": ["-1", "65536", "http"],
    "PRICES": [
        "5",
        "[]",
        "{",
        '{"m": {"input": 1}}',
        '{"m": {"input": "x", "output": 1, "cache_read": 1, "cache_write": 1}}',
    ],
    "LOG_LEVEL": ["LOUD"],
    "GROUP_MESSAGES_PER_MINUTE": ["0"],
}
CASES = [(name, value) for name, values in WRONG.items() for value in values if value]


@pytest.mark.parametrize(("name", "value"), CASES, ids=lambda part: str(part)[:24])
def test_a_wrong_value(monkeypatch: Environment, name: str, value: str) -> None:
    """Is named, with what to write; the value itself is not repeated, since it may be a secret."""
    environ(monkeypatch, **{name: value})
    (fault,) = faults()
    assert fault.startswith(f"{name}: ")
    assert "secret" not in fault.removeprefix("TELEGRAM_WEBHOOK_SECRET")
    assert "секрет" not in fault


def test_all_faults_at_once(monkeypatch: Environment) -> None:
    """Wrong values of several settings are one list."""
    environ(monkeypatch, MAX_STEPS="0", LANGUAGE="de", APPROVAL_TTL="soon")
    assert sorted(fault.split(":")[0] for fault in faults()) == ["APPROVAL_TTL", "LANGUAGE", "MAX_STEPS"]


@pytest.mark.parametrize("nobody", ["", " ", ",", " , ,"])
def test_an_empty_allow_list_refuses_to_start(monkeypatch: Environment, nobody: str) -> None:
    """Nobody is not everybody."""
    environ(monkeypatch, OPERATOR_IDS=nobody)
    assert [fault.split(":")[0] for fault in faults()] == ["OPERATOR_IDS"]


def test_a_webhook_needs_its_secret(monkeypatch: Environment) -> None:
    """PUBLIC_URL alone would let anyone post updates."""
    environ(monkeypatch, PUBLIC_URL="https://bot.example")
    assert [fault.split(":")[0] for fault in faults()] == ["TELEGRAM_WEBHOOK_SECRET"]


def test_another_model_server_needs_no_key(monkeypatch: Environment) -> None:
    """With ANTHROPIC_BASE_URL set."""
    environ(monkeypatch, ANTHROPIC_API_KEY=None, ANTHROPIC_BASE_URL="http://127.0.0.1:1")
    Settings.load().for_serving()


def test_members_is_said_explicitly(monkeypatch: Environment) -> None:
    """And means everyone in the group."""
    environ(monkeypatch, OPERATOR_IDS=" members ")
    settings = Settings.load().for_serving()
    assert settings.everyone_decides
    assert settings.deciders == frozenset()


def test_prices(monkeypatch: Environment) -> None:
    """JSON of dollars for a million tokens, exact to the digit."""
    prices = {"claude": {"input": 5, "output": "25.10", "cache_read": 0.5, "cache_write": 6.25}}
    environ(monkeypatch, PRICES=json.dumps(prices))
    price = Settings.load().prices["claude"]
    assert (price.output, price.cache_read) == (Decimal("25.10"), Decimal("0.5"))


@pytest.mark.parametrize(
    ("words", "ms"),
    [("500ms", 500), ("45s", 45_000), ("30m", 1_800_000), ("24h", 86_400_000), (" 7 d ", 604_800_000)],
)
def test_durations(monkeypatch: Environment, words: str, ms: int) -> None:
    """A number and a unit."""
    environ(monkeypatch, APPROVAL_TTL=words)
    assert Settings.load().approval_ttl == ms


def test_secrets_are_not_shown(monkeypatch: Environment) -> None:
    """Neither by printing the settings nor in a traceback in the log."""
    environ(monkeypatch, TELEGRAM_WEBHOOK_SECRET="secret-of-the-webhook")
    shown = f"{Settings.load()!r} {Settings.load()}"
    for secret in (TOKEN, KEY, "secret-of-the-webhook"):
        assert secret not in shown
    try:
        raise httpx.ConnectError(f"cannot reach https://api.telegram.org/bot{TOKEN}/getMe")
    except httpx.ConnectError as error:
        record = logging.LogRecord(
            "x", logging.ERROR, "", 0, "failed: %s", (error,), (type(error), error, error.__traceback__)
        )
    line = Redacted([TOKEN]).format(record)
    assert TOKEN not in line
    assert "/bot***/getMe" in line


async def test_the_log_never_holds_the_token(stopped: Office, caplog: pytest.LogCaptureFixture) -> None:
    """Not even where Telegram cannot be reached, and the HTTP client names the URL."""
    caplog.set_level(logging.DEBUG, "bot")
    caplog.set_level(logging.DEBUG, "storage")
    starting = asyncio.create_task(stopped.start(telegram_api_url="http://127.0.0.1:9"))
    await stopped.logged("Telegram cannot be reached")
    starting.cancel()
    await asyncio.gather(starting, return_exceptions=True)
    ours = [record for record in caplog.records if record.name.startswith(("bot", "agent", "storage"))]
    assert ours
    assert stopped.world.token not in "\n".join(f"{record.getMessage()} {record.exc_text}" for record in ours)


def test_http_clients_are_quiet(monkeypatch: Environment) -> None:
    """They log URLs, which hold the token: below warnings nothing of theirs passes."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        configure("DEBUG", [TOKEN])
        for name in ("httpx", "httpcore", "telegram", "telegram.ext"):
            assert not logging.getLogger(name).isEnabledFor(logging.INFO)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
        for name in (
            "httpx",
            "httpx2",
            "httpcore",
            "httpcore2",
            "telegram",
            "uvicorn",
            "aiosqlite",
            "anthropic",
        ):
            logging.getLogger(name).setLevel(logging.NOTSET)


# --- the start


async def test_a_token_that_telegram_does_not_know(stopped: Office) -> None:
    """Ends the start with a line that says so."""
    stopped.refusals_expected = True
    with pytest.raises(SettingsError, match="TELEGRAM_BOT_TOKEN: Telegram does not know this token"):
        await stopped.start(telegram_bot_token="1:wrong")


async def test_a_port_in_use(bot: Office) -> None:
    """Ends the start with a line that names the settings."""
    taken = bot.app.web.port
    with pytest.raises(SettingsError, match=f"HTTP_HOST, HTTP_PORT: cannot listen on 127.0.0.1:{taken}"):
        async with serving(bot.settings(http_port=taken)):
            pass


async def test_a_second_bot_on_the_same_database(bot: Office) -> None:
    """Is refused before it takes anything in."""
    with pytest.raises(StorageError, match="another lead-agent works on it"):
        async with serving(bot.settings()):
            pass


async def test_telegram_out_of_reach_at_the_start(stopped: Office) -> None:
    """Only delays it."""
    stopped.fault(FaultKind.GATEWAY, "getMe")
    stopped.lead()
    await stopped.start()
    await stopped.card("Dana")


# --- the console script


def run(*words: str, **env: Any) -> subprocess.CompletedProcess[str]:
    """`python -m bot` in a process of its own, in the present folder."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    command = [sys.executable, "-m", "bot", *words]
    return subprocess.run(
        command,
        env={**kept, "PYTHONPATH": str(HOME), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_serve_names_what_is_missing() -> None:
    """Exit 2, a line for each, nothing on stdout, no traceback."""
    done = run("serve")
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 4
    assert all(line.startswith("lead-agent: ") for line in lines)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_the_bot_even_before_telegram_is_reached(
    tmp_path: Path, number: signal.Signals
) -> None:
    """An orderly stop is exit 0, whenever it comes."""
    env = {**SERVING, "TELEGRAM_API_URL": "http://127.0.0.1:9", "HTTP_PORT": "0", "PYTHONPATH": str(HOME)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", "serve", cwd=tmp_path, env=env, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    async with asyncio.timeout(20):
        log = ""
        while "Telegram cannot be reached" not in log:
            log += (await process.stderr.readline()).decode()
        process.send_signal(number)
        log += (await process.stderr.read()).decode()
        assert await process.wait() == 0, log
    assert TOKEN not in log
    assert "Traceback" not in log


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """With what tells one build of it from another."""
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    code = code_version()
    assert (ended.value.code, capsys.readouterr().out) == (0, f"lead-agent {code.name} ({code.hash[:12]})\n")


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Names every command; no command, or a wrong one, is wrong use."""
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for command in ("serve", "demo", "sandbox", "check", "migrate", "runs", "show", "journal"):
        assert command in shown
    for wrong in ([], ["fly"], ["show"], ["runs", "--limit", "many"]):
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == 2


@pytest.fixture
async def beside(bot: Office, monkeypatch: Environment) -> Office:
    """A bot at work, with one finished run and one that waits; the commands read beside it."""
    bot.lead(name="<3 Дана")
    await bot.pressed(await bot.card("Дана"), APPROVE)
    await bot.ended()
    bot.lead("Marat")
    await bot.card("Marat")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{bot.path}")
    return bot


async def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command in a thread, as a process beside the bot would."""
    code = await asyncio.to_thread(main, words)
    out, err = capsys.readouterr()
    return code, out, err


async def test_reports_as_json(beside: Office, capsys: pytest.CaptureFixture[str]) -> None:
    """`--json` prints JSON and nothing else, with the documented names."""
    code, out, err = await said(capsys, "runs", "--json")
    assert (code, err) == (0, "")
    newest, oldest = json.loads(out)
    assert (newest["run_id"], newest["status"]) == ("run-2", "awaiting_confirmation")
    assert set(oldest) == {
        "run_id", "agent", "lead_id", "status", "steps", "tokens", "cost", "created_at", "finished_at"
    }  # fmt: skip
    code, out, err = await said(capsys, "show", "run-1", "--json")
    shown = json.loads(out)
    assert (code, err, shown["lead"]["name"]) == (0, "", "<3 Дана")
    (proposal,) = shown["proposals"]
    assert (proposal["confirmation_status"], proposal["execution_status"]) == ("approved", "executed")
    assert proposal["decided_by"] == {"id": beside.olga.id, "name": "Olga"}
    code, out, err = await said(capsys, "journal", "1", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert {"at", "step", "kind", "name", "outcome", "ms"} <= lines[0].keys()


async def test_reports_for_people(beside: Office, capsys: pytest.CaptureFixture[str]) -> None:
    """The same as lines to read."""
    code, out, _ = await said(capsys, "runs")
    assert (code, len(out.splitlines())) == (0, 2)
    code, out, _ = await said(capsys, "runs", "--limit", "1")
    assert len(out.splitlines()) == 1
    assert "status: done" in (await said(capsys, "show", "1"))[1]
    assert "execution send_reply executed" in (await said(capsys, "journal", "RUN-1"))[1]


@pytest.mark.parametrize("command", ["show", "journal"])
async def test_an_unknown_run(beside: Office, capsys: pytest.CaptureFixture[str], command: str) -> None:
    """Exit 1 and one plain line on stderr, with and without --json."""
    for name in ("99", "run-99", "junk", "run-" + "9" * 30, ""):
        for flags in ([], ["--json"]):
            code, out, err = await said(capsys, command, name, *flags)
            assert (code, out) == (1, "")
            assert len(err.splitlines()) == 1
            assert err.startswith("lead-agent: ")


@pytest.mark.parametrize("words", [["runs"], ["runs", "--json"], ["show", "1"], ["journal", "1", "--json"]])
def test_no_database_yet(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str]) -> None:
    """Reading makes no file: exit 1, and a line says what makes it."""
    assert main(words) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "there is no database yet" in err
    assert len(err.splitlines()) == 1
    assert not (tmp_path / "data").exists()


def test_migrate_makes_the_database(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """For its owner's eyes only; afterwards there are no runs."""
    assert main(["migrate"]) == 0
    assert (tmp_path / "data/lead-agent.db").stat().st_mode & 0o777 == 0o600
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert main(["runs"]) == 0
    assert "no runs yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("APPROVAL_TTL", "0s"),
        ("APPROVAL_TTL", "3000000d"),
        ("BURST_QUIET", "99999999999999d"),
        ("MODEL_TIMEOUT", "0s"),
        ("MAX_TOKENS", "1" + "0" * 30),
        ("COMPANY", "\udcff"),
        ("PRICES", "[" * 100_000),
    ],
)
def test_what_no_bot_could_work_with_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """A setting out of all bounds is named at the start, and does not break the first lead."""
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=name):
        Settings.load()


def test_what_is_wrong_and_what_is_missing_are_named_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value in a bad form does not hide the settings that are missing beside it."""
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "abc")
    monkeypatch.setenv("MAX_STEPS", "0")
    monkeypatch.setenv("ANTHROPIC_STRICT", "perhaps")
    with pytest.raises(SettingsError) as found:
        Settings.load_for_serving()
    assert [fault.partition(":")[0] for fault in found.value.faults] == [
        "TELEGRAM_BOT_TOKEN",
        "ANTHROPIC_STRICT",
        "MAX_STEPS",
        "OPERATORS_CHAT_ID",
        "OPERATOR_IDS",
        "ANTHROPIC_API_KEY",
    ]
    assert "ANTHROPIC_STRICT: write on or off, or true or false" in found.value.faults
    assert "MAX_STEPS: write at least 1" in found.value.faults
