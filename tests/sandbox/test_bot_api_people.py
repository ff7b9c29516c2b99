"""What people do arrives at the bot as Telegram would send it."""

from __future__ import annotations

import pytest
from telegram import Bot, Message, MessageEntity, Update

from bot.sandbox.chats import ANONYMOUS, ChatType, MemberStatus, User
from bot.sandbox.media import MediaKind
from bot.sandbox.world import World


async def messages(bot: Bot) -> list[Message]:
    return [update.message for update in await bot.get_updates() if update.message]


async def test_a_lead_writes(world: World, bot: Bot) -> None:
    """With an id beyond 32 bit, a language, and commands marked; each chat counts its messages."""
    dana, erlan = world.add_person("Dana", language_code="kk"), world.add_person("Ерлан")
    assert world.say(dana, "/start 😀") == world.say(erlan, "hi") == 1
    assert world.say(dana, "two\0lines\r\n") == 2
    first, _, third = await messages(bot)
    assert first.from_user
    assert first.from_user.id == first.chat_id == dana.id > 2**32
    assert first.from_user.language_code == "kk"
    assert first.entities == (MessageEntity(MessageEntity.BOT_COMMAND, 0, 6),)
    assert third.text == "two lines"


async def test_contacts(world: World, bot: Bot, dana: User) -> None:
    """One's own names the user; another's does not."""
    world.share_contact(dana, "+77010000000")
    world.share_contact(dana, "+77020000000", own=False)
    _, own, other = await messages(bot)
    assert own.contact
    assert other.contact
    assert (own.contact.phone_number, own.contact.user_id) == ("+77010000000", dana.id)
    assert other.contact.user_id is None


@pytest.mark.parametrize("kind", list(MediaKind))
async def test_every_kind_of_message(world: World, bot: Bot, dana: User, kind: MediaKind) -> None:
    """The client reads each, with its caption."""
    world.send_media(dana, kind, caption="look /help")
    message = (await messages(bot))[-1]
    assert message.effective_attachment
    assert getattr(message, kind.value)
    assert message.caption == "look /help"
    assert [entity.type for entity in message.caption_entities] == ["bot_command"]


async def test_an_album_is_several_messages(world: World, bot: Bot, dana: User) -> None:
    """They share nothing but the media_group_id."""
    for _ in range(3):
        world.send_media(dana, MediaKind.PHOTO, media_group_id="album")
    album = [message for message in await messages(bot) if message.media_group_id == "album"]
    assert len({message.message_id for message in album}) == 3


async def test_edits_and_channel_posts_are_their_own_updates(world: World, bot: Bot, dana: User) -> None:
    """They are no messages."""
    world.edit(dana, 1, "hello again")
    world.channel_post("/start our news")
    _, edited, post = await bot.get_updates()
    assert edited.edited_message
    assert (edited.edited_message.text, edited.edited_message.message_id) == ("hello again", 1)
    assert post.channel_post
    assert post.channel_post.sender_chat
    assert (post.channel_post.from_user, post.channel_post.chat.type) == (None, "channel")


async def test_privacy_mode(world: World, bot: Bot, olga: User) -> None:
    """In a group the bot hears commands for it or for all, and replies to itself."""
    group = world.group.id
    world.group.bot_status = MemberStatus.MEMBER
    card = await bot.send_message(group, "card")
    for text in ("chatting", "/run", "/run@StudioSandboxBOT 1", "/run@other_bot", "say /run"):
        world.say(olga, text, chat_id=group)
    world.say(olga, "new text", chat_id=group, reply_to=card.message_id)
    assert [message.text for message in await messages(bot)] == [
        "/run",
        "/run@StudioSandboxBOT 1",
        "new text",
    ]
    reply = (await messages(bot))[-1]
    assert reply.reply_to_message == card


@pytest.mark.parametrize(
    ("privacy", "status"), [(False, MemberStatus.MEMBER), (True, MemberStatus.ADMINISTRATOR)]
)
async def test_without_privacy_mode_everything_is_heard(
    world: World, bot: Bot, olga: User, privacy: bool, status: MemberStatus
) -> None:
    """Where the owner has switched it off, and wherever the bot is an administrator."""
    world.privacy, world.group.bot_status = privacy, status
    world.say(olga, "chatting", chat_id=world.group.id)
    assert [message.text for message in await messages(bot)] == ["chatting"]


async def test_presses_of_all_kinds(world: World, bot: Bot, olga: User) -> None:
    """Honest with invented data, anonymous, without a message, about a forged copy, on a deleted one."""
    group = world.group.id
    card = await bot.send_message(group, "card")
    forged = {**card.to_dict(), "chat": {"id": olga.id, "type": "private", "first_name": "Olga"}}
    world.press(olga, group, card.message_id, "invented")
    world.press(olga, group, card.message_id, "x", anonymous=True)
    world.press(olga, group, card.message_id, "x", without_message=True)
    world.press(olga, group, card.message_id, "x", message=forged)
    world.delete(group, card.message_id)
    world.press(olga, group, card.message_id, "x")
    updates: tuple[Update, ...] = await bot.get_updates()
    honest, anonymous, bare, copied, gone = (update.callback_query for update in updates)
    assert honest
    assert anonymous
    assert bare
    assert copied
    assert gone
    assert (honest.data, honest.message) == ("invented", card)
    assert anonymous.from_user.id == ANONYMOUS.id
    assert bare.message is None
    assert copied.message
    assert copied.message.chat.id == olga.id
    assert gone.message
    assert not gone.message.is_accessible
    assert len({query.id for query in (honest, anonymous, bare, copied, gone)}) == 5


async def test_extra_fields_and_threads(world: World, bot: Bot, olga: User) -> None:
    """Whatever else Telegram may put into a message can be put there."""
    group = world.group.id
    world.say(ANONYMOUS, "/run", chat_id=group, sender_chat=world.group.json())
    world.say(olga, "/run", chat_id=group, thread=7)
    anonymous, threaded = await messages(bot)
    assert anonymous.sender_chat
    assert anonymous.sender_chat.id == group
    assert (threaded.message_thread_id, threaded.is_topic_message) == (7, True)


async def test_waiting_for_what_the_bot_does(world: World, bot: Bot, dana: User) -> None:
    """`until` gives what it waited for, and says what it missed."""
    await bot.send_message(dana.id, "hi")
    assert (await world.until(lambda: world.sent(dana.id)))[0]["text"] == "hi"
    with pytest.raises(TimeoutError, match=r"not within 0\.01 s: a second message"):
        await world.until(lambda: len(world.sent(dana.id)) > 1, deadline=0.01, what="a second message")


def test_roles(world: World) -> None:
    """Operators are in the group; a stranger becomes a lead by writing to the bot."""
    olga = world.add_person("Olga", operator=True)
    dana = world.add_person("Dana")
    stranger = world.add_person("Eve", stranger=True)
    assert (world.operators(), world.leads()) == ([olga], [dana])
    world.say(stranger, "hi")
    assert world.leads() == [dana, stranger]


def test_kinds_of_group() -> None:
    """The id tells a basic group from a supergroup, as at Telegram."""
    assert World(group_type=ChatType.GROUP).group.id > -(10**12)
    assert World(forum=True).group.id < -(10**12)
