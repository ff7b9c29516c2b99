"""The people of a trial: leads who write, operators who press what the cards show and reply to them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from agent.jsontext import JsonObject
from bot.cards import Code, callback_data
from bot.sandbox.chats import User
from bot.sandbox.world import World
from tests.crash.story import REMARK, Character, Handling, Story, changed

APPROVE, DENY, UNDO, ALL = "✅ Approve", "❌ Deny", "↩️ Undo", "✅ Approve all"
REASON = "Tone"
WAS_SENT, SEND_AGAIN, DROP = "✅ It was sent", "🔁 It was not: send", "🗑 Drop it"
# The number behind a label where a card shows several texts.
NUMBERED = re.compile(r"(.+?)(?: \(?([1-9])\)?)?")
# Those of one message, as they were at a time.
Buttons = tuple[int, frozenset[str]]
CARD = re.compile(r"#P-(\d+)(?:…P-\d+)? · run-\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a card shows of one proposal: the exact text that would leave, and all that it says of it."""

    text: str
    said: str


def card_of(body: JsonObject) -> int | None:
    """The number of the first proposal on a card; None if it is no such card."""
    match = CARD.search(body.get("text", ""))
    return int(match[1]) if match else None


def sections(body: JsonObject) -> list[Section]:
    """What a card shows, proposal by proposal; entities count UTF-16 units."""
    raw: bytes = body.get("text", "").encode("utf-16-le")
    blocks = [entity for entity in body.get("entities", []) if entity["type"] == "pre"]
    begins = [2 * entity["offset"] for entity in blocks]
    found = []
    for block, begin, end in zip(blocks, begins, [*begins[1:], len(raw)], strict=True):
        middle = begin + 2 * block["length"]
        text, said = raw[begin:middle].decode("utf-16-le"), raw[middle:end].decode("utf-16-le")
        found.append(Section(text=text, said=said))
    return found


def decisions(body: JsonObject) -> dict[str, str]:
    """The buttons that decide something: callback data by label.  Nobody here takes a lead over."""
    rows = body.get("reply_markup", {}).get("inline_keyboard", [])
    return {
        button["text"]: button["callback_data"]
        for row in rows
        for button in row
        if not button.get("callback_data", "T:").startswith(("T:", "H:"))
    }


def _buttons(body: JsonObject) -> Buttons:
    return body["message_id"], frozenset(decisions(body).values())


def decisions_on(body: JsonObject, number: int) -> dict[str, str]:
    """Those of one of the proposals that a card shows, by their labels without its number."""
    parted = [(NUMBERED.fullmatch(label), data) for label, data in decisions(body).items()]
    alone = len(sections(body)) == 1
    return {match[1]: data for match, data in parted if match and (alone or match[2] == str(number))}


@dataclass(slots=True, kw_only=True)
class People:
    """Everyone in the world, and what they did.

    `act` does what is due; call it after every change.  `sent_again` holds the texts that an operator had
    sent once more.
    """

    world: World
    story: Story
    random: Random
    operators: list[User] = field(default_factory=list)
    leads: dict[str, User] = field(default_factory=dict)
    sent_again: list[str] = field(default_factory=list)
    _stranger: User | None = None
    _pressed: set[Buttons] = field(default_factory=set)
    _left: set[Buttons] = field(default_factory=set)
    _interrupted: set[str] = field(default_factory=set)
    _reconsidered: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        world = self.world
        self.operators = [
            world.add_person(name, operator=True, language_code="en") for name in ("Olga", "Bek")
        ]
        self._stranger = world.add_person("Eve", language_code="en")
        for character in self.story.cast:
            self.leads[character.name] = world.add_person(character.name, language_code="en")

    def begin(self) -> None:
        """Everyone writes."""
        for character in self.story.cast:
            for said in character.first:
                self.world.say(self.leads[character.name], said)

    def come_again(self) -> bool:
        """Who comes again does; whether anybody did."""
        returning = [character for character in self.story.cast if character.later]
        for character in returning:
            assert character.later
            self.world.say(self.leads[character.name], character.later)
        return bool(returning)

    def act(self) -> None:
        """Decide on every card that shows new buttons."""
        copies: dict[int, list[JsonObject]] = {}
        for body in self.cards():
            if (card := card_of(body)) and decisions(body):
                copies.setdefault(card, []).append(body)
        for bodies in copies.values():
            if (found := self._worth_a_look(bodies)) is not None:
                self._look_at(found)

    def _worth_a_look(self, copies: list[JsonObject]) -> JsonObject | None:
        """The message furthest down, or if that was looked at the next one that shows something else."""
        *others, newest = copies
        if self._is_new(newest):
            return newest
        _, seen = _buttons(newest)
        return next((one for one in reversed(others) if self._is_new(one) and _buttons(one)[1] != seen), None)

    def press_leftovers(self) -> bool:
        """Press what still shows buttons though nothing is left to decide; whether there was any.

        A copy of whose posting the bot has never heard is kept true from then on.
        """
        leftovers = [body for body in self.cards() if decisions(body) and _buttons(body) not in self._left]
        for body in leftovers:
            self._left.add(_buttons(body))
            if self._is_new(body):
                self._look_at(body)
            self._press(body, next(iter(decisions(body).values())))
        return bool(leftovers)

    def cards(self) -> Iterator[JsonObject]:
        """The bot's messages in the group as they are now."""
        return iter(self.world.sent(self.world.group.id))

    def received(self, character: Character) -> list[str]:
        """What the bot wrote to a lead."""
        return [body["text"] for body in self.world.sent(self.leads[character.name].id)]

    def _addressee(self, text: str) -> Character:
        return next(one for one in self.story.cast if text.startswith(f"Hello, {one.name}!"))

    def _is_new(self, body: JsonObject) -> bool:
        """Whether nobody has looked at these buttons of this message."""
        return _buttons(body) not in self._pressed

    def _look_at(self, body: JsonObject) -> None:
        """Do what an honest operator does, and in a crowd what others do."""
        self._pressed.add(_buttons(body))
        shown = sections(body)
        self._interrupt(self._addressee(shown[0].text))
        everything = next((data for label, data in decisions(body).items() if label.startswith(ALL)), None)
        if everything and self._addressee(shown[0].text).handling is Handling.APPROVES_ALL:
            self._press(body, everything)
        else:
            for number, section in enumerate(shown, 1):
                self._handle(body, section.text, number)
        # The second one changes nothing any more; of undoing there would be no end.
        late = sorted(data for label, data in decisions(body).items() if not label.startswith(UNDO))
        if self.story.crowd and late:
            data = self.random.choice(late)
            self.world.press(self.operators[1], self.world.group.id, body["message_id"], data)

    def _interrupt(self, character: Character) -> None:
        if character.meanwhile and character.name not in self._interrupted:
            self._interrupted.add(character.name)
            self.world.say(self.leads[character.name], character.meanwhile)

    def _handle(self, body: JsonObject, text: str, number: int) -> None:
        """Decide on one of the texts of a card; an uncertain one after a look into the lead's chat."""
        character, buttons = self._addressee(text), decisions_on(body, number)
        if APPROVE in buttons:
            self._decide(body, character, text, buttons, number)
        elif REASON in buttons:  # it is denied, and the agent asks why
            self._press(body, buttons[REASON])
        elif WAS_SENT in buttons and text in self.received(character):
            self._press(body, buttons[WAS_SENT])
        elif WAS_SENT in buttons:
            label = self.random.choice([SEND_AGAIN, SEND_AGAIN, DROP])
            self._press(body, buttons[label])
            if label == SEND_AGAIN:
                self.sent_again.append(text)

    def _decide(
        self, body: JsonObject, character: Character, text: str, buttons: dict[str, str], number: int
    ) -> None:
        handling, again = character.handling, text in self._reconsidered
        self._reconsidered.add(text)
        if handling.changes and text != changed(text):
            if not again:  # the card may be there twice
                self._reply(body, f"= {changed(text)}" if handling is Handling.EDITS else REMARK)
        elif not handling.approves(number):
            self._press(body, buttons[DENY])
        else:
            self._press(body, buttons[APPROVE])
            if handling is Handling.UNDOES and not again:
                self._press(body, undoing(buttons[APPROVE]))

    def _press(self, body: JsonObject, data: str) -> None:
        group, message_id = self.world.group.id, body["message_id"]
        if self.story.crowd and self._stranger:
            self.world.press(self._stranger, group, message_id, data)
        self.world.press(self.operators[0], group, message_id, data)

    def _reply(self, body: JsonObject, words: str) -> None:
        self.world.say(self.operators[0], words, chat_id=self.world.group.id, reply_to=body["message_id"])


def undoing(approval: str) -> str:
    """The button that takes back what this button approves, which stands on the card a moment later."""
    return callback_data(Code.UNDO, approval.partition(":")[2])
