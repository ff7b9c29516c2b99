"""Intake: what people send is stored before it is confirmed, and becomes leads."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from agent.errors import SettingsError
from bot.sandbox.chats import User
from bot.sandbox.faults import FaultKind
from bot.sandbox.media import MediaKind
from bot.sandbox.people import CHANNEL_ID
from bot.sandbox.updates import UpdateType
from bot.sandbox.webhook import Webhook
from tests.bot.harness import APPROVE, NEED, Office, text_of

REFUSE = "CREATE TRIGGER no_room BEFORE INSERT ON inbox BEGIN SELECT raise(ABORT, 'no room'); END"


def sends(office: Office, user: User, **content: Any) -> int:
    """A message with any content, as Telegram would deliver it."""
    message = office.world.put(office.world.private_chat(user), user, content)
    office.world.updates.push(UpdateType.MESSAGE, message.body)
    return message.id


def leads(office: Office) -> list[str]:
    """The words of all leads."""
    return [row[0] for row in office.rows("SELECT message FROM leads ORDER BY id")]


async def test_an_update_is_confirmed_only_once_it_is_stored(bot: Office) -> None:
    """While nothing can be stored the offset stays; afterwards Telegram gives the lead again."""
    bot.rows(REFUSE)
    polls = len(bot.calls("getUpdates"))
    bot.lead()
    await bot.until(lambda: len(bot.calls("getUpdates")) > polls, "another poll")
    assert "offset" not in bot.calls("getUpdates")[-1]
    assert len(bot.world.updates.pending()) == 1
    bot.rows("DROP TRIGGER no_room")
    await bot.card("Dana")
    await bot.until(lambda: not bot.world.updates.pending(), "the confirmation")
    assert leads(bot) == [NEED]


async def test_updates_of_a_stopped_bot_wait(bot: Office) -> None:
    """What is written while the bot is down is taken in at the next start."""
    await bot.stop()
    bot.lead()
    await bot.start()
    await bot.card("Dana")


async def test_a_redelivered_update_changes_nothing(bot: Office) -> None:
    """The same update again makes no second lead."""
    bot.lead()
    await bot.card("Dana")
    again = bot.rows("SELECT update_id FROM inbox")[0][0]
    bot.world.updates._next_id = again
    bot.world.say(bot.world.leads()[0], "the same id with other words")
    bot.world.updates._next_id = again + 10
    bot.lead("Marat")
    await bot.card("Marat")
    assert leads(bot) == [NEED, NEED]


async def test_a_message_in_two_updates_counts_once(bot: Office) -> None:
    """A message is known by its chat and id, whatever update brings it."""
    dana = bot.lead()
    await bot.card("Dana")
    for message in bot.world.chats[dana.id].messages.values():
        bot.world.updates.push(UpdateType.MESSAGE, message.body)
    bot.lead("Marat")
    await bot.card("Marat")
    assert bot.value("SELECT count(*) FROM messages") == 2


async def test_update_ids_may_restart_lower(bot: Office) -> None:
    """After a week of silence Telegram's ids begin anew, and lower ones are as good as any."""
    bot.lead()
    await bot.card("Dana")
    await bot.restart()
    bot.world.updates._next_id = 17
    bot.lead("Marat")
    await bot.card("Marat")


async def test_a_poison_update_is_set_aside(bot: Office) -> None:
    """An update that cannot be handled is parked after five attempts and told of; the others go on."""
    bot.world.updates.push(UpdateType.MESSAGE, {"message_id": 1, "date": 0})
    bot.lead()
    await bot.card("Dana")
    await bot.shown("could not be handled 5 times")
    assert bot.rows("SELECT state, attempts FROM inbox WHERE state != 'done'") == [("parked", 5)]


@pytest.mark.parametrize(
    "update",
    [
        [],
        "update",
        {},
        {"update_id": "17"},
        {"update_id": 10**30},
        {"update_id": 5, "message": {"text": "\ud800"}},
        {"update_id": 5, "message": {"date": float("nan")}},
    ],
    ids=str,
)
async def test_nonsense_of_the_server_ends_nothing(bot: Office, update: Any) -> None:
    """Updates that are none, or that no database can hold, stop neither the poller nor the leads."""
    await bot.app._inbox.receive([update])
    bot.lead()
    await bot.card("Dana")


async def test_a_burst_is_one_lead(stopped: Office) -> None:
    """What a person writes within a few seconds is read together."""
    await stopped.start(burst_quiet="200ms")
    dana = stopped.lead(text="hi")
    stopped.world.say(dana, "need a site")
    stopped.world.say(dana, "call me")
    await stopped.card("hi\nneed a site\ncall me")
    assert leads(stopped) == ["hi\nneed a site\ncall me"]


async def test_a_backlog_is_one_lead(stopped: Office) -> None:
    """However slowly it is handled: the burst is not over while a message of its time waits in the inbox."""
    dana = stopped.world.add_person("Dana")
    for number in range(12):
        stopped.world.say(dana, f"part {number}")
    await stopped.start(burst_quiet="1ms")
    await stopped.card("part 11")
    assert leads(stopped) == ["\n".join(f"part {number}" for number in range(12))]


async def test_an_album_is_one_lead(stopped: Office) -> None:
    """Its messages come one by one, with the caption at one of them."""
    await stopped.start(burst_quiet="200ms")
    dana = stopped.world.add_person("Dana")
    for caption in ("our clinic", None, None):
        stopped.world.send_media(dana, MediaKind.PHOTO, caption=caption, media_group_id="7")
    await stopped.card("[photo] our clinic\n[photo]\n[photo]")
    assert len(leads(stopped)) == 1


KINDS: dict[str, tuple[dict[str, Any], str]] = {
    "text": ({"text": "hello"}, "hello"),
    "animation with its twin": (
        {
            "animation": {"file_id": "1", "file_unique_id": "1", "width": 1, "height": 1, "duration": 1},
            "document": {"file_id": "1", "file_unique_id": "1", "file_name": "cat.mp4"},
        },
        "[animation: cat.mp4]",
    ),
    "story": ({"story": {"chat": {"id": 5, "type": "private", "first_name": "A"}, "id": 3}}, "[story]"),
    "game": ({"game": {"title": "Chess", "description": "-", "photo": []}}, "[game]"),
    "paid_media": ({"paid_media": {"star_count": 5, "paid_media": []}}, "[paid_media]"),
    "invoice": (
        {
            "invoice": {
                "title": "T",
                "description": "-",
                "start_parameter": "",
                "currency": "XTR",
                "total_amount": 1,
            }
        },
        "[invoice]",
    ),
    "message": ({"of_the_future": {"a": 1}}, "[message]"),
}
MEDIA = {
    MediaKind.PHOTO: "[photo]",
    MediaKind.VOICE: "[voice: 7 s]",
    MediaKind.DOCUMENT: "[document: brief.pdf]",
    MediaKind.STICKER: "[sticker: 👍]",
    MediaKind.LOCATION: "[location: 43.23800, 76.94500]",
    MediaKind.VENUE: "[venue: Office, Abay 1]",
    MediaKind.VIDEO: "[video]",
    MediaKind.VIDEO_NOTE: "[video_note]",
    MediaKind.AUDIO: "[audio]",
    MediaKind.ANIMATION: "[animation]",
    MediaKind.DICE: "[dice: 🎲 4]",
    MediaKind.POLL: "[poll: Shall we?]",
}


async def test_every_kind_of_message_is_recorded(bot: Office) -> None:
    """Whatever a person sends is a lead that says what came; nothing crashes and nothing is dropped."""
    expected = {}
    for kind, (content, words) in KINDS.items():
        sends(bot, bot.world.add_person(f"kind {kind}"), **content)
        expected[f"kind {kind}"] = words
    for media, words in MEDIA.items():
        bot.world.send_media(bot.world.add_person(f"media {media}"), media)
        expected[f"media {media}"] = words
    count = len(KINDS) + len(MEDIA)
    await bot.until(lambda: len(bot.waiting("Reply to")) == count, "a card for each")
    recorded = bot.rows("SELECT name, text FROM messages JOIN contacts ON contacts.id = messages.contact_id")
    assert dict(recorded) == expected
    assert set(leads(bot)) == set(expected.values())
    assert bot.rows("SELECT * FROM inbox WHERE attempts > 0") == []


async def test_ones_own_contact_is_ones_phone(bot: Office) -> None:
    """Telegram vouches for a number shared as one's own; the agent gets it beside the words."""
    dana = bot.world.add_person("Dana")
    bot.world.share_contact(dana, "77010000000")
    bot.world.say(dana, NEED)
    await bot.card("Dana")
    assert bot.rows("SELECT phone, message FROM leads") == [("+77010000000", NEED)]


async def test_anothers_contact_is_only_words(bot: Office) -> None:
    """Somebody else's number never becomes the lead's own."""
    dana = bot.world.add_person("Dana")
    bot.world.share_contact(dana, "77010000000", own=False)
    await bot.card("[contact: Dana 77010000000]")
    assert bot.value("SELECT phone FROM contacts") is None


async def test_what_is_no_lead(bot: Office) -> None:
    """Edits, posts of channels, bots, chatter of the group and notices of Telegram make no lead."""
    bot.world.privacy = False
    dana = bot.lead()
    card = await bot.card("Dana")
    (said,) = [id for id, message in bot.world.chats[dana.id].messages.items() if text_of(message) == NEED]
    bot.world.edit(dana, said, "We need two CRMs.")
    bot.world.say(bot.olga, "who takes this one?", chat_id=bot.group_id)
    bot.world.say(bot.olga, "this one", chat_id=bot.group_id, reply_to=card.id)
    robot = User(id=42, first_name="Robot", is_bot=True)
    sends(bot, robot, text="I am a bot")
    sends(
        bot,
        bot.world.add_person("Pinner"),
        pinned_message={"message_id": 1, "date": 0, "chat": {"id": 1, "type": "private"}},
    )
    sends(
        bot,
        bot.world.add_person("Timer"),
        message_auto_delete_timer_changed={"message_auto_delete_time": 86400},
    )
    bot.world.channel_post("news")
    post = bot.world.chats[CHANNEL_ID].messages[1].body
    for kind in (UpdateType.MESSAGE, UpdateType.EDITED_MESSAGE):
        bot.world.updates.push(kind, post)
    bot.lead("Marat")
    await bot.card("Marat")
    assert leads(bot) == [NEED, NEED]


async def test_an_edit_counts_while_nobody_has_read_the_message(stopped: Office) -> None:
    """A typing mistake corrected at once is read corrected."""
    await stopped.start(burst_quiet="200ms")
    dana = stopped.world.add_person("Dana")
    said = stopped.world.say(dana, "We need a sit")
    stopped.world.edit(dana, said, "We need a site")
    await stopped.card("We need a site")
    assert leads(stopped) == ["We need a site"]


async def test_an_edit_of_unread_words_shows_on_the_card(stopped: Office) -> None:
    """Operators see what the agent will read."""
    await stopped.start(burst_quiet="700ms")
    dana = stopped.lead()
    card = await stopped.card("Dana")
    said = stopped.world.say(dana, "until Mondey")
    await stopped.shows(card, "until Mondey")
    stopped.world.edit(dana, said, "until Monday")
    await stopped.shows(card, "until Monday")


async def test_a_message_is_seen_at_once(stopped: Office) -> None:
    """👀 comes before the burst is over, so that the chat does not feel dead."""
    await stopped.start(reaction="👀", burst_quiet="60s")
    dana = stopped.lead()
    await stopped.until(
        lambda: [message.reactions for message in stopped.world.chats[dana.id].messages.values()] == [["👀"]],
        "the reaction",
    )


async def test_a_refused_reaction_is_only_a_courtesy(stopped: Office) -> None:
    """Whatever becomes of the reaction, the lead is worked."""
    await stopped.start(reaction="👀")
    stopped.fault(FaultKind.NOT_OK, "setMessageReaction")
    stopped.lead()
    await stopped.card("Dana")


@pytest.mark.parametrize(
    ("language", "greeting", "privacy", "button"),
    [
        ("ru", "Здравствуйте!", "зарубежного сервиса", "Отправить мой номер"),
        ("kk", "Сәлеметсіз бе!", "шетелдік қызметтің", "Нөмірімді жіберу"),
        ("en-GB", "Hello!", "a service abroad", "Share my phone number"),
        ("de", "Hello!", "a service abroad", "Share my phone number"),
    ],
)
async def test_start_greets(stopped: Office, language: str, greeting: str, privacy: str, button: str) -> None:
    """/start says who reads, and where it is processed, in the person's language; and asks for the phone."""
    await stopped.start(
        greeting="", company_name="<Studio & Co>", privacy_url="https://studio.example/privacy"
    )
    dana = stopped.lead(text="/start", language_code=language)
    (message,) = await stopped.until(lambda: stopped.sent_to(dana.id), "the greeting")
    for words in ("<Studio & Co>", greeting, privacy, "https://studio.example/privacy"):
        assert words in text_of(message)
    assert message.reply_keyboard is not None
    ((key,),) = message.reply_keyboard["keyboard"]
    assert key["request_contact"]
    assert button in key["text"]
    assert leads(stopped) == []


async def test_the_companys_own_greeting(stopped: Office) -> None:
    """GREETING replaces the words; the privacy notice stays."""
    await stopped.start(greeting="Welcome to <us> & co")
    dana = stopped.lead(text="/start")
    (text,) = await stopped.until(lambda: stopped.texts_to(dana), "the greeting")
    assert text.startswith("Welcome to <us> & co\n\nYour message is processed")


async def test_the_greeting_can_be_off(bot: Office) -> None:
    """Off means that /start says nothing."""
    dana = bot.lead(text="/start")
    bot.lead("Marat")
    await bot.card("Marat")
    assert bot.texts_to(dana) == []


async def test_a_message_is_acknowledged_once_a_day(stopped: Office) -> None:
    """The fixed words come with the first lead, and again only after a day."""
    await stopped.start(acknowledgement="")
    dana = stopped.lead()
    words = "Thank you, we have received your message. A person will answer here."
    await stopped.until(lambda: stopped.texts_to(dana) == [words], "the acknowledgement")

    async def writes_again(run_id: int) -> None:
        await stopped.pressed((await stopped.card("Dana", f"run-{run_id}")), APPROVE)
        await stopped.ended(run_id)
        stopped.world.say(dana, "and a site")
        await stopped.card("Dana", f"run-{run_id + 1}")

    await writes_again(1)
    assert stopped.texts_to(dana).count(words) == 1
    stopped.rows("UPDATE contacts SET acknowledged_at = acknowledged_at - 86400000")
    await writes_again(2)
    await stopped.until(lambda: stopped.texts_to(dana).count(words) == 2, "the second acknowledgement")


async def test_the_acknowledgement_can_be_off(bot: Office) -> None:
    """Off means that a lead hears nothing but approved replies."""
    dana = bot.lead()
    await bot.pressed(await bot.card("Dana"), APPROVE)
    await bot.replied(dana)
    assert len(bot.texts_to(dana)) == 1


POLL_FAULTS: dict[str, dict[str, Any]] = {
    "401": {"kind": FaultKind.ERROR, "status": 401, "description": "Unauthorized"},
    "404": {"kind": FaultKind.ERROR, "status": 404, "description": "Not Found"},
    "409": {
        "kind": FaultKind.ERROR,
        "status": 409,
        "description": "Conflict: terminated by other getUpdates request",
    },
    "429": {"kind": FaultKind.ERROR, "status": 429, "description": "Too Many Requests", "retry_after": 1},
    "429 bare": {"kind": FaultKind.ERROR, "status": 429, "description": "Too Many Requests"},
    "500": {"kind": FaultKind.ERROR, "status": 500, "description": "Internal Server Error"},
    "502": {"kind": FaultKind.GATEWAY},
    "html": {"kind": FaultKind.HTML},
    "not ok": {"kind": FaultKind.NOT_OK},
    "reset": {"kind": FaultKind.RESET},
}


@pytest.mark.parametrize("fault", POLL_FAULTS.values(), ids=POLL_FAULTS)
async def test_no_answer_of_telegram_ends_polling(stopped: Office, fault: dict[str, Any]) -> None:
    """After any fault of getUpdates the next poll comes by itself, and the lead with it."""
    stopped.fault(method="getUpdates", **fault)
    stopped.lead()
    await stopped.start()
    await stopped.card("Dana")


async def test_a_webhook_is_removed_where_none_is_wanted(stopped: Office) -> None:
    """Without PUBLIC_URL the bot takes its updates back from a webhook that was set before."""
    stopped.refusals_expected = True
    async with httpx.AsyncClient(base_url=f"{stopped.telegram_url}/bot{stopped.world.token}/") as http:
        await http.post("setWebhook", data={"url": "https://192.0.2.1/nowhere"})
    stopped.world.delivery.start(Webhook(url="http://127.0.0.1:9/nowhere"))
    stopped.lead()
    await stopped.start()
    await stopped.card("Dana")
    assert stopped.calls("deleteWebhook") == [{}]


async def test_a_second_poller_is_told_of(bot: Office) -> None:
    """Who runs two bots with one token reads it in plain words, at /healthz and in the log."""
    bot.refusals_expected = True
    bot.fault(
        FaultKind.ERROR,
        "getUpdates",
        times=3,
        status=409,
        description="Conflict: terminated by other getUpdates",
    )
    bot.lead()  # ends the poll that waits, so that the next ones are struck
    await bot.logged("another program polls with the same bot token")
    assert await bot.app.faults() == [
        "another program polls with the same bot token: stop it, or use another bot"
    ]


@pytest.mark.parametrize("text", ["/start We need a CRM for our clinic", "/start Нужен сайт"])
async def test_words_after_start_are_not_lost(bot: Office, text: str) -> None:
    """Whoever writes the request behind the command is a lead; a link's payload is not."""
    dana = bot.world.add_person("Dana")
    bot.world.say(dana, "/start from_site-1")
    bot.world.say(dana, text)
    await bot.card("Dana")
    assert leads(bot) == [text]


async def test_the_rows_of_another_bot_are_refused(bot: Office) -> None:
    """Message ids count for each bot anew: on another bot's rows new leads would pass for old ones."""
    await bot.stop()
    bot.rows("UPDATE owner SET bot_id = bot_id + 1")
    with pytest.raises(SettingsError, match="belongs to another bot"):
        await bot.start()


async def test_an_update_whose_row_the_database_refuses_holds_up_no_other(bot: Office) -> None:
    """A rule of the database that one message breaks is a fault of that message alone."""
    bot.rows(
        "CREATE TRIGGER rule BEFORE INSERT ON messages WHEN NEW.text = 'poison' "
        "BEGIN SELECT raise(ABORT, 'a rule'); END"
    )
    bot.lead("Eve", "poison")
    bot.lead("Dana", NEED)
    await bot.card("Dana")
    await bot.shown("set aside")
