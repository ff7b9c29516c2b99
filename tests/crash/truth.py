"""What must be true at the end of a trial, read from the stand-ins' records and from the rows.

Each check gives the faults that it found, in words.
"""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator

from agent.jsontext import digest
from agent.proposals import DenialReason
from bot.sandbox.chats import User
from bot.sandbox.script import Lead
from bot.texts.en import LEAD
from tests.crash.database import Database
from tests.crash.people import Section, card_of, decisions, sections
from tests.crash.story import Character, Handling
from tests.crash.trial import Trial

Check = Callable[[Trial, Database], Iterator[str]]

# What Telegram may say to a call that is made again after a crash.
REPEATED = (
    "message is not modified",
    "message to delete not found",
    "query is too old",
    "terminated by other getUpdates",
)
RUN = re.compile(r"^run-(\d+) · L-\d+ · (.+)$", re.MULTILINE)
GREETING = f"{LEAD.greeting}\n\n{LEAD.privacy}"
FIXED = {GREETING, LEAD.acknowledgement}
# What the card of a proposal says of each state that may stay.
STATE_WORDS = {
    "executed": ("· sent", "it was sent"),
    "failed": ("not sent",),
    "denied": ("❌ Denied by",),
    "superseded": ("Outdated: the lead wrote again",),
}


def no_lead_lost(trial: Trial, database: Database) -> Iterator[str]:
    """Every message became part of exactly one lead with exactly one run, and the model was told it."""
    for character, user in _leads(trial):
        bodies = [message.body for message in trial.world.private_chat(user).messages.values()]
        said = [b for b in bodies if b["from"]["id"] == user.id and not b["text"].startswith("/")]
        if Counter(body["text"] for body in said) != Counter(character.says):
            yield f"{character.name} said {len(said)} messages, not {len(character.says)}"
        for body in said:
            runs = database.rows(
                "SELECT runs.id, telegram_id, messages.text FROM messages"
                " JOIN leads ON leads.id = messages.lead_id JOIN runs ON runs.lead_id = leads.id"
                " JOIN contacts ON contacts.id = leads.contact_id"
                " WHERE chat_id = ? AND message_id = ?",
                user.id,
                body["message_id"],
            )
            if [(run["telegram_id"], run["text"]) for run in runs] != [(user.id, body["text"])]:
                yield f"{character.name}'s “{body['text'][:40]}” is in {len(runs)} runs"
            elif body["text"] not in database.told(runs[0]["id"]):
                yield f"the model was not told {character.name}'s “{body['text'][:40]}”"


def no_lead_made_up(_: Trial, database: Database) -> Iterator[str]:
    """There is no lead without messages, and no run without a lead of its own."""
    for id in database.values("SELECT id FROM leads WHERE id NOT IN (SELECT lead_id FROM messages)"):
        yield f"L-{id} is made of nothing"
    for id in database.values("SELECT lead_id FROM runs GROUP BY lead_id HAVING count(*) > 1"):
        yield f"L-{id} has several runs"


def runs_end(_: Trial, database: Database) -> Iterator[str]:
    """Every run is done, and its journal says so once; a crash is no failure."""
    for run in database.rows("SELECT id, status, reason FROM runs WHERE status != 'done'"):
        yield f"run-{run['id']} is {run['status']} ({run['reason']})"
    for run in database.rows(
        "SELECT run_id, count(*) AS times FROM journal WHERE kind = 'run' GROUP BY run_id HAVING times != 1"
    ):
        yield f"run-{run['run_id']} ended {run['times']} times"
    for run in database.rows(
        "SELECT id, steps FROM runs WHERE steps !="
        " (SELECT count(*) FROM journal WHERE run_id = runs.id AND kind = 'model')"
    ):
        yield f"run-{run['id']} counts {run['steps']} steps, and its journal other ones"


def replies_are_approved(trial: Trial, database: Database) -> Iterator[str]:
    """What a lead got are fixed words, or such as a person's last word before was an approval of."""
    allowed = {user.id for user in trial.people.operators}
    for character, user in _leads(trial):
        for text in set(trial.people.received(character)) - FIXED:
            fitting = [row for row in _that_count(database, user) if _text(row) == text]
            if len(fitting) != 1:
                yield f"{character.name} got “{text}”, which {len(fitting)} proposals say"
                continue
            for at in _sent_at(trial, user, text):
                said = [row for row in database.decisions(fitting[0]["id"]) if row["at"] <= at]
                if not said or said[-1]["verdict"] not in ("approve", "send_again"):
                    yield f"{character.name} got “{text}”, which nobody approved"
                elif said[-1]["arguments_hash"] != digest({"text": text}):
                    yield f"{character.name} got “{text}”, and another text was approved"
                elif said[-1]["person_id"] not in allowed:
                    yield f"{character.name} got “{text}”, approved by a stranger"


def replies_arrive_as_their_rows_say(trial: Trial, database: Database) -> Iterator[str]:
    """Executed means that it arrived once; all else, and every version before the last, that it did not."""
    for character, user in _leads(trial):
        arrived = Counter(trial.people.received(character))
        for row in _that_count(database, user):
            if arrived[_text(row)] != int(row["state"] == "executed"):
                yield f"P-{row['id']} is {row['state']}, and arrived {arrived[_text(row)]} times"
            if row["state"] not in STATE_WORDS:
                yield f"P-{row['id']} stays {row['state']}"
        for row in database.rows("SELECT * FROM proposal_versions"):
            if arrived[_text(row)]:
                yield f"version {row['version']} of P-{row['proposal_id']} arrived"


def replies_are_the_wanted_ones(trial: Trial, database: Database) -> Iterator[str]:
    """Each run proposed what was asked of it; denied is what people deny, changed what they change, once."""
    for character, user in _leads(trial):
        for run in database.rows(
            "SELECT runs.id, lead_id FROM runs JOIN contacts ON contacts.id = contact_id"
            " WHERE telegram_id = ?",
            user.id,
        ):
            lead = Lead(id=f"L-{run['lead_id']}", name=character.name)
            rows = [row for row in _that_count(database, user) if row["run_id"] == run["id"]]
            if [_text(row) for row in rows] != character.wanted(lead):
                yield f"run-{run['id']} of {character.name} proposed {[_text(row) for row in rows]}"
            for number, row in enumerate(rows, 1):
                if (row["state"] == "denied") is character.handling.approves(number):
                    yield f"P-{row['id']} of {character.name} is {row['state']}"
                if row["version"] != 1 + character.handling.changes:
                    yield f"P-{row['id']} of {character.name} has version {row['version']}"
                if (row["edited_by"] is not None) is not (character.handling is Handling.EDITS):
                    yield f"P-{row['id']} of {character.name} was edited by {row['edited_by']}"


def nothing_is_sent_again_by_itself(trial: Trial, database: Database) -> Iterator[str]:
    """Every sending is begun by one press: an approval that stood, or the word that it was not sent.

    One that certainly did not leave, for Telegram's limits, is begun again: the journal says so (`approved`).
    """
    for row in database.rows(
        "SELECT proposals.id, (SELECT total(CASE outcome WHEN 'executing' THEN 1 WHEN 'approved' THEN -1 END)"
        " FROM journal WHERE proposal_id = 'P-' || proposals.id AND kind = 'execution') AS begun,"
        " (SELECT count(*) FROM decisions WHERE proposal_id = proposals.id"
        " AND verdict IN ('approve', 'send_again'))"
        " - (SELECT count(*) FROM decisions WHERE proposal_id = proposals.id AND verdict = 'undo') AS pressed"
        " FROM proposals"
    ):
        if row["begun"] != row["pressed"]:
            yield f"P-{row['id']} was sent {row['begun']} times on {row['pressed']} presses"
    calls = [call for call in trial.world.calls if call.method == "sendMessage"]
    for text, times in Counter(call.params["text"] for call in calls if call.params["chat_id"] > 0).items():
        if text.startswith("Hello") and times > 1 + trial.people.sent_again.count(text):
            yield f"“{text}” was sent {times} times"


def lost_answers_are_uncertain(trial: Trial, database: Database) -> Iterator[str]:
    """What was being sent at a kill was shown as uncertain, and ended by a person's word."""
    for id in trial.lost:
        uncertain = database.values(
            "SELECT 1 FROM journal WHERE proposal_id = ? AND outcome = 'uncertain'", f"P-{id}"
        )
        settled = database.values(
            "SELECT 1 FROM decisions WHERE proposal_id = ? AND verdict IN ('was_sent', 'send_again', 'drop')",
            id,
        )
        (card,) = database.values("SELECT coalesce(batch, id) FROM proposals WHERE id = ?", id)
        shown = any(
            card_of(version) == card and "delivery unknown" in version["text"]
            for message in trial.world.group.messages.values()
            for version in (*message.history, message.body)
        )
        if not (uncertain and settled and shown):
            yield f"P-{id} was being sent at a kill: {len(uncertain)=} {len(settled)=} {shown=}"


def deals_are_made_once(trial: Trial, database: Database) -> Iterator[str]:
    """One deal per request, one escalation per run."""
    for character, user in _leads(trial):
        deals = database.rows(
            "SELECT service, summary FROM deals JOIN contacts ON contacts.id = contact_id"
            " WHERE telegram_id = ?",
            user.id,
        )
        if Counter(map(tuple, deals)) != Counter(tuple(deal.values()) for deal in character.deals):
            yield f"{character.name} has {len(deals)} deals"
        for row in database.rows(
            "SELECT runs.id, (SELECT count(*) FROM escalations WHERE run_id = runs.id) AS escalations"
            " FROM runs JOIN contacts ON contacts.id = contact_id WHERE telegram_id = ?",
            user.id,
        ):
            if row["escalations"] != int(character.escalated):
                yield f"run-{row['id']} of {character.name} has {row['escalations']} escalations"


def verdicts_are_given_once(trial: Trial, database: Database) -> Iterator[str]:
    """One approval or denial stands for each proposal, by somebody who may; none for what was outdated."""
    allowed = {user.id for user in trial.people.operators}
    for row in database.proposals("1"):
        given = database.decisions(row["id"])
        counted = Counter(decision["verdict"] for decision in given)
        standing = counted["approve"] - counted["undo"] + counted["deny"]
        if standing != int(row["state"] != "superseded"):
            yield f"P-{row['id']} is {row['state']} and was decided by {dict(counted)}"
        if {decision["person_id"] for decision in given} - allowed:
            yield f"P-{row['id']} was decided by a stranger"


def reasons_are_told(trial: Trial, database: Database) -> Iterator[str]:
    """Why a proposal was denied is asked once, and reaches the model where the run waited for it alone."""
    for row in database.proposals("proposals.state = 'denied'"):
        given = [decision["verdict"] for decision in database.decisions(row["id"])].count("reason")
        if given != 1 or row["reason"] not in set(DenialReason):
            yield f"P-{row['id']} was denied for {row['reason']}, said {given} times"
        alone = not database.values("SELECT 1 FROM proposals WHERE batch = ?", row["id"])
        if alone and str(row["reason"]) not in database.told(row["run_id"]):
            yield f"the model was not told why P-{row['id']} was denied"


def cards_tell_the_truth(trial: Trial, database: Database) -> Iterator[str]:
    """Every card shows the present texts and says what the rows say; no button is left that decides."""
    known = set(database.values("SELECT message_id FROM card_messages"))
    cards: dict[int, list[sqlite3.Row]] = {}
    for row in database.proposals("1"):
        cards.setdefault(row["batch"] or row["id"], []).append(row)
    shown = set()
    for body in trial.people.cards():
        if (card := card_of(body)) is None:
            continue
        if body["message_id"] in known:
            shown.add(card)
        found = sections(body)
        if [section.text for section in found] != [_text(row) for row in cards[card]]:
            yield f"message {body['message_id']} shows {[section.text for section in found]}"
        for row, section in zip(cards[card], found, strict=False):
            words = STATE_WORDS.get(row["state"], ())
            if not any(word in section.said for word in words) or not _tells_of_changes(section, row):
                yield f"P-{row['id']} is {row['state']}; the card ({known=}) says: {section.said!r}"
        if decisions(body):
            yield f"message {body['message_id']} of P-{card} still has buttons"
    for id in cards.keys() - shown:
        yield f"P-{id} has no card"


def _tells_of_changes(section: Section, row: sqlite3.Row) -> bool:
    """Whether it names who wrote the present version, if it is not the first, and why it was denied."""
    author = row["edited_name"] or "the agent"
    written = row["version"] == 1 or f"Version {row['version']}, by {author}" in section.said
    return written and (row["reason"] is None or "Reason: " in section.said)


def people_know_of_escalations(trial: Trial, database: Database) -> Iterator[str]:
    """A run that was escalated has a card that says how the run stands."""
    known = set(database.values("SELECT message_id FROM card_messages"))
    said = {
        int(match[1]): match[2]
        for body in trial.people.cards()
        if body["message_id"] in known and (match := RUN.search(body.get("text", "")))
    }
    for id in database.values("SELECT run_id FROM escalations"):
        if said.get(id) != "done":
            yield f"the card of run-{id} says {said.get(id)}"


def fixed_words_come_at_most_once(trial: Trial, _: Database) -> Iterator[str]:
    """The company's own words to a lead may be lost in a crash, and are never doubled."""
    acknowledges = trial.settings["ACKNOWLEDGEMENT"] != "off"
    for character, _user in _leads(trial):
        received = trial.people.received(character)
        for fixed, wanted in (GREETING, "/start" in character.first), (LEAD.acknowledgement, acknowledges):
            times = received.count(fixed)
            if times > wanted or (times < wanted and not trial.kills):
                yield f"{character.name} got “{fixed}” {times} times"


def journal_has_no_gaps(_: Trial, database: Database) -> Iterator[str]:
    """Its seqs count from 1 without a gap."""
    for row in database.rows(
        "SELECT run_id, count(*) AS n, min(seq) AS first, max(seq) AS last FROM journal GROUP BY run_id"
        " HAVING first != 1 OR last != n"
    ):
        yield f"the journal of run-{row['run_id']} has {row['n']} records up to {row['last']}"


def database_is_sound(_: Trial, database: Database) -> Iterator[str]:
    """SQLite finds nothing wrong with the file."""
    if (found := database.values("PRAGMA integrity_check")) != ["ok"]:
        yield f"integrity_check: {found}"
    if found := database.rows("PRAGMA foreign_key_check"):
        yield f"foreign_key_check: {list(map(tuple, found))}"
    if parked := database.values("SELECT error FROM inbox WHERE state = 'parked'"):
        yield f"updates were set aside: {parked}"


def servers_have_no_complaint(trial: Trial, _: Database) -> Iterator[str]:
    """The transcripts are legal, and Telegram refused only what a crash repeats."""
    yield from trial.model.violations
    for refusal in trial.world.refusals:
        if not any(words in refusal.description for words in REPEATED):
            yield f"{refusal.method} was refused: {refusal.description}"


def nothing_broke(trial: Trial, _: Database) -> Iterator[str]:
    """The log tells of no bug."""
    log = trial.log.read_text()
    if "Traceback" in log or " ERROR " in log:
        yield f"the log:\n{log}"


CHECKS: tuple[Check, ...] = (
    no_lead_lost,
    no_lead_made_up,
    runs_end,
    replies_are_approved,
    replies_arrive_as_their_rows_say,
    replies_are_the_wanted_ones,
    nothing_is_sent_again_by_itself,
    lost_answers_are_uncertain,
    deals_are_made_once,
    verdicts_are_given_once,
    reasons_are_told,
    cards_tell_the_truth,
    people_know_of_escalations,
    fixed_words_come_at_most_once,
    journal_has_no_gaps,
    database_is_sound,
    servers_have_no_complaint,
    nothing_broke,
)


def faults(trial: Trial, database: Database) -> list[str]:
    """Everything that is not as it must be."""
    return [f"{check.__name__}: {fault}" for check in CHECKS for fault in check(trial, database)]


def _leads(trial: Trial) -> list[tuple[Character, User]]:
    return [(character, trial.people.leads[character.name]) for character in trial.story.cast]


def _that_count(database: Database, user: User) -> list[sqlite3.Row]:
    """Proposals for a lead; in the place of one that was outdated another one asks for the same words."""
    return database.proposals("contacts.telegram_id = ? AND proposals.state != 'superseded'", user.id)


def _text(row: sqlite3.Row) -> str:
    """The words of a proposal or of an earlier version of one."""
    return str(json.loads(row["arguments"])["text"])


def _sent_at(trial: Trial, user: User, text: str) -> list[float]:
    """When the text was sent to a lead, in milliseconds since the epoch."""
    return [
        call.at * 1000
        for call in trial.world.calls
        if call.method == "sendMessage" and call.params["chat_id"] == user.id and call.params["text"] == text
    ]
