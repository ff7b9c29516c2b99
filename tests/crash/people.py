"""The people of a trial: leads who write, operators who press what the cards show."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from agent.jsontext import JsonObject
from bot.sandbox.chats import User
from bot.sandbox.world import World
from tests.crash.story import Character, Story

APPROVE, DENY = "✅ Approve", "❌ Deny"
REASON = "Tone"
WAS_SENT, SEND_AGAIN, DROP = "✅ It was sent", "🔁 It was not: send", "🗑 Drop it"


def outgoing(body: JsonObject) -> str | None:
    """The exact text that a card says will leave; None if it is no such card."""
    for entity in body.get("entities", []):
        if entity["type"] == "pre":
            raw: bytes = body["text"].encode("utf-16-le")
            return raw[2 * entity["offset"] : 2 * (entity["offset"] + entity["length"])].decode("utf-16-le")
    return None


def decisions(body: JsonObject) -> dict[str, str]:
    """The buttons that decide something: callback data by label."""
    rows = body.get("reply_markup", {}).get("inline_keyboard", [])
    return {
        button["text"]: button["callback_data"] for row in rows for button in row if "callback_data" in button
    }


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
    _pressed: set[tuple[int, frozenset[str]]] = field(default_factory=set)
    _interrupted: set[str] = field(default_factory=set)

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
        """Decide on every card that shows new buttons, at the message furthest down."""
        newest = {outgoing(body): body for body in self.cards() if decisions(body)}
        for text, body in newest.items():
            if text is not None and self._is_new(body):
                self._decide(body, text)

    def press_leftovers(self) -> bool:
        """Press what still shows buttons though nothing is left to decide; whether there was any."""
        leftovers = [body for body in self.cards() if decisions(body) and self._is_new(body)]
        for body in leftovers:
            self._decide(body, outgoing(body) or "")
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
        """Whether nobody has pressed these buttons of this message."""
        return (body["message_id"], frozenset(decisions(body).values())) not in self._pressed

    def _decide(self, body: JsonObject, text: str) -> None:
        labels = decisions(body)
        self._pressed.add((body["message_id"], frozenset(labels.values())))
        character = self._addressee(text)
        self._interrupt(character)
        label = self._choice(character, text, labels)
        self._press(body, labels, label)
        if label == SEND_AGAIN:
            self.sent_again.append(text)

    def _interrupt(self, character: Character) -> None:
        if character.meanwhile and character.name not in self._interrupted:
            self._interrupted.add(character.name)
            self.world.say(self.leads[character.name], character.meanwhile)

    def _choice(self, character: Character, text: str, labels: dict[str, str]) -> str:
        """What an honest operator presses: an uncertain card is settled by a look into the lead's chat."""
        if APPROVE in labels:
            return APPROVE if character.approved else DENY
        if REASON in labels:  # it is denied, and the agent asks why
            return REASON
        if text in self.received(character):
            return WAS_SENT
        return self.random.choice([SEND_AGAIN, SEND_AGAIN, DROP])

    def _press(self, body: JsonObject, labels: dict[str, str], label: str) -> None:
        group, message_id = self.world.group.id, body["message_id"]
        first, second = self.operators
        if self.story.crowd and self._stranger:
            self.world.press(self._stranger, group, message_id, labels[label])
        self.world.press(first, group, message_id, labels[label])
        if self.story.crowd:
            self.world.press(second, group, message_id, labels[self.random.choice(sorted(labels))])
