"""`lead-agent contacts`: who is known by what, and which contacts are one person."""

import json

from agent.clock import now
from agent.contacts import Contact, Merge, MergeReason
from agent.errors import SettingsError
from agent.jsontext import JsonObject
from agent.people import merge_object, person_line, person_object
from agent.runs import Person
from bot.control import Operation, Request, perform
from bot.ports import BotTransaction
from bot.reports import read_rows, say
from bot.settings import Settings

# Telegram gives no user this id.
COMMAND_LINE = Person(id=0, name="command line")


class Pair(Request):
    """The contact that is to stand for the other, and the other."""

    winner: int
    loser: int


class Numbered(Request):
    """A merge by its id."""

    id: int


def contacts(*, limit: int, as_json: bool) -> int:
    """List people, newest first."""
    found = read_rows(Settings.load(), lambda tx: [person_line(one) for one in tx.people.latest(limit)])
    if as_json:
        return _print(found)
    for line in found:
        say(_line(line))
    if not found:
        say("There are no contacts yet: nobody has written or filled in a form.")
    return 0


def show(name: str, *, as_json: bool) -> int:
    """Everything about one person."""
    id = _contact(name)
    found = read_rows(Settings.load(), lambda tx: person_object(tx.people.of(id)))
    if as_json:
        return _print(found)
    say(f"{found['contact_id']} {found['name']}")
    for known in found["identifiers"]:
        proof = "verified" if known["verified"] else "claimed"
        say("  {kind:<9} {value:<28} {proof:<9} {source}, {contact_id}".format(proof=proof, **known))
    for merge in found["merges"]:
        say(_merge_line(merge))
    say(f"  leads: {', '.join(found['leads']) or '–'}")
    say(f"  deals: {', '.join(found['deals']) or '–'}")
    return 0


def merge(winner: str, loser: str) -> int:
    """Say that two contacts are one person; the first stands for both."""
    pair = Pair(winner=_contact(winner), loser=_contact(loser))
    done = perform(Settings.load(), MERGE, pair).result
    say("{loser} is {winner} now. `lead-agent contacts unmerge {merge_id}` takes it back.".format(**done))
    say("What one of the two told may be used in answers to the other from now on.")
    return 0


def unmerge(name: str) -> int:
    """Let a contact that was merged stand for itself again."""
    id = Merge.id_of(name)
    if id is None:
        raise SettingsError(["contacts unmerge: write the name of a merge, like M-1"])
    done = perform(Settings.load(), UNMERGE, Numbered(id=id)).result
    say("{loser} and {winner} are two contacts again.".format(**done))
    return 0


def _contact(name: str) -> int:
    id = Contact.id_of(name)
    if id is None:
        raise SettingsError(["contacts: write the name of a contact, like C-1"])
    return id


def _line(person: JsonObject) -> str:
    known = ", ".join(identifier["value"] for identifier in person["identifiers"]) or "–"
    line = "{contact_id:<7} {name:<24.24} leads {leads}, deals {deals}  ".format(**person)
    return f"{line}{known}"


def _merge_line(merge: JsonObject) -> str:
    by = merge["undone_by"] or merge["decided_by"]
    shared = f", both have {merge['shared']['value']}" if merge["shared"] else ""
    who = f", {by['name']}" if by else ""
    what = "{merge_id:<9} {loser} into {winner}: {state} ({reason}".format(**merge)
    return f"  {what}{shared}{who})"


def _print(value: JsonObject | list[JsonObject]) -> int:
    say(json.dumps(value, ensure_ascii=False, indent=1))
    return 0


# --- what is done


def _merge(tx: BotTransaction, asked: Pair) -> JsonObject:
    merged = tx.merges.join(asked.winner, asked.loser, MergeReason.PERSON, now(), person=COMMAND_LINE)
    if merged is None:
        raise SettingsError(["contacts merge: the two are one person already"])
    return merge_object(merged)


def _unmerge(tx: BotTransaction, asked: Numbered) -> JsonObject:
    undone = tx.merges.undo(tx.merges.get(asked.id), COMMAND_LINE, now())
    if undone is None:
        raise SettingsError([f"contacts unmerge: M-{asked.id} does not hold any more, or never did"])
    return merge_object(undone)


MERGE = Operation(name="contacts.merge", request=Pair, perform=_merge)
UNMERGE = Operation(name="contacts.unmerge", request=Numbered, perform=_unmerge)
OPERATIONS = (MERGE, UNMERGE)
