"""`lead-agent source add | list | rotate | remove`: who may post leads."""

import json
import re
import secrets
import sys

from agent.clock import iso, now
from agent.errors import NotFound, SettingsError
from agent.jsontext import JsonObject
from agent.runs import TELEGRAM
from agent.sources import Source
from bot.control import Operation, Performed, Request, perform
from bot.hook_routes import PATH
from bot.hooks import Preset, address, instructions
from bot.ports import BotTransaction
from bot.reports import say
from bot.settings import Settings

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}", re.ASCII)
_SECRET = re.compile(r"[!-~]{6,200}", re.ASCII)
_BYTES = 24
# Products that ask for a secret when a webhook is added, and take whatever they are given.
_ASK_FOR_A_SECRET = {Preset.WPFORMS, Preset.TYPEFORM, Preset.TALLY, Preset.GOOGLE_ADS}


class NewSource(Request):
    """What `source add` asks."""

    name: str
    preset: Preset
    secret: str | None


class Named(Request):
    """What is asked of one source."""

    name: str


class Nothing(Request):
    """No more than the operation's name."""


def add(name: str, preset: str, secret: str | None, *, as_json: bool) -> int:
    """Let a form post leads; print its URL and what to click."""
    settings, kind = Settings.load(), _checked(name, preset, secret)
    if secret is None and kind in _ASK_FOR_A_SECRET:
        secret = secrets.token_urlsafe(_BYTES)
    return _show(perform(settings, ADD, NewSource(name=name, preset=kind, secret=secret)), settings, as_json)


def rotate(name: str, *, as_json: bool) -> int:
    """Give a source another URL; the old one is refused from now on."""
    settings = Settings.load()
    return _show(perform(settings, ROTATE, Named(name=name)), settings, as_json)


def remove(name: str) -> int:
    """Refuse what a source posts from now on; its leads stay."""
    perform(Settings.load(), REMOVE, Named(name=name))
    say(f"{name} is removed: whatever is posted there gets 404. Its leads stay.")
    return 0


def sources(*, as_json: bool) -> int:
    """All sources with their URLs, which are secrets."""
    done = perform(Settings.load(), LIST, Nothing())
    found = [_shown(source, done.url) for source in done.result["sources"]]
    if as_json:
        say(json.dumps(found, ensure_ascii=False, indent=1))
        return 0
    for source in found:
        say("{name:<20} {preset:<13} {url}".format(**source))
    if not found:
        say("There are no sources yet; `lead-agent source add NAME --preset tilda` makes one.")
    return 0


def _checked(name: str, preset: str, secret: str | None) -> Preset:
    """Every fault of what was typed, named at once."""
    faults = []
    if not _NAME.fullmatch(name) or name == TELEGRAM:
        faults.append("NAME: write 1 to 40 of a-z, 0-9 and -, beginning with a letter or digit: my-site")
    if preset not in list(Preset):
        faults.append(f"--preset: write one of {', '.join(Preset)}")
    if secret is not None and not _SECRET.fullmatch(secret):
        faults.append("--secret: write 6 to 200 Latin letters, digits and signs, without spaces")
    if faults:
        raise SettingsError(faults)
    return Preset(preset)


def _show(done: Performed, settings: Settings, as_json: bool) -> int:
    shown = _shown(done.result, done.url)
    if shown["url"].startswith(f"http://{settings.http_host}:0/"):
        sys.stderr.write("lead-agent: HTTP_PORT=0: `source list` names the port once the bot runs\n")
    if as_json:
        say(json.dumps({key: shown[key] for key in ("name", "preset", "url", "secret")}, ensure_ascii=False))
        return 0
    preset, secret = Preset(shown["preset"]), shown["secret"]
    url = f"{done.url}{done.result['path']}"
    say(instructions(preset, settings.language, url, secret))
    if not settings.public_url:
        say("")
        say("This URL is reached from this machine only: set PUBLIC_URL to one that is reached from outside.")
    return 0


def _shown(source: JsonObject, base: str) -> JsonObject:
    """A source as people and scripts are shown it; `url` is the one to paste."""
    url = address(Preset(source["preset"]), f"{base}{source['path']}", source["secret"])
    return {
        "name": source["name"],
        "preset": source["preset"],
        "url": url,
        "secret": source["secret"],
        "created_at": source["created_at"],
    }


# --- what is done


def _add(tx: BotTransaction, asked: NewSource) -> JsonObject:
    added = tx.sources.add(asked.name, asked.preset, _token(), asked.secret, now())
    if added is None:
        raise SettingsError([f"NAME: there is a source {asked.name} already; `lead-agent source list`"])
    return _object(added)


def _rotate(tx: BotTransaction, asked: Named) -> JsonObject:
    rotated = tx.sources.rotate(asked.name, _token())
    if rotated is None:
        raise _unknown(asked.name)
    return _object(rotated)


def _remove(tx: BotTransaction, asked: Named) -> JsonObject:
    if not tx.sources.remove(asked.name, now()):
        raise _unknown(asked.name)
    return {}


def _list(tx: BotTransaction, _: Nothing) -> JsonObject:
    return {"sources": [_object(source) for source in tx.sources.all()]}


def _token() -> str:
    return secrets.token_urlsafe(_BYTES)


def _unknown(name: str) -> NotFound:
    return NotFound(f"there is no source {name[:40]}; `lead-agent source list` names them")


def _object(source: Source) -> JsonObject:
    return {
        "name": source.name,
        "preset": source.preset,
        "path": f"{PATH}/{source.name}/{source.token}",
        "secret": source.secret,
        "created_at": iso(source.created_at),
    }


ADD = Operation(name="source.add", request=NewSource, perform=_add)
ROTATE = Operation(name="source.rotate", request=Named, perform=_rotate)
REMOVE = Operation(name="source.remove", request=Named, perform=_remove)
LIST = Operation(name="source.list", request=Nothing, perform=_list, reads=True)
OPERATIONS = (ADD, ROTATE, REMOVE, LIST)
