"""Chats that change under the bot: blocked, kicked, restricted, upgraded, with topics."""

from __future__ import annotations

import pytest
from telegram import Bot, ReplyParameters
from telegram.error import BadRequest, ChatMigrated, Forbidden

from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.chats import ChatType, MemberStatus, Right, User
from bot.sandbox.server import serve
from bot.sandbox.state import view
from bot.sandbox.world import World


@pytest.fixture
def forum(world: World) -> World:
    """The same world, its group with topics."""
    world.group.is_forum = True
    return world


async def test_a_person_who_blocked_the_bot(world: World, bot: Bot, dana: User) -> None:
    """Sends are forbidden, the bot is told of the block, and writing again lifts it."""
    world.block(dana)
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        await bot.send_message(dana.id, "hi")
    world.say(dana, "I am back")
    assert (await bot.send_message(dana.id, "hi")).text == "hi"
    updates = [update.my_chat_member for update in await bot.get_updates()]
    assert [one.new_chat_member.status for one in updates if one] == ["kicked", "member"]


async def test_people_who_never_wrote(world: World, bot: Bot, olga: User) -> None:
    """A bot can't begin a conversation, and an id that nobody has is no chat."""
    with pytest.raises(Forbidden, match="bot can't initiate conversation with a user"):
        await bot.send_message(olga.id, "hi")
    for unknown in (12345, "@nobody", "x"):
        with pytest.raises(BadRequest, match="Chat not found"):
            await bot.send_message(unknown, "hi")


async def test_out_of_the_group(world: World, bot: Bot, olga: User) -> None:
    """Kicked or gone by itself, the bot neither writes nor hears; back in, it does."""
    world.kick_bot()
    with pytest.raises(Forbidden, match="bot was kicked from the supergroup chat"):
        await bot.send_message(world.group.id, "card")
    (update,) = await bot.get_updates()
    assert update.my_chat_member
    world.say(olga, "/run", chat_id=world.group.id)
    assert len(await bot.get_updates()) == 1
    world.readmit_bot()
    await bot.send_message(world.group.id, "card")
    await bot.leave_chat(world.group.id)
    with pytest.raises(Forbidden, match="bot is not a member of the supergroup chat"):
        await bot.send_message(world.group.id, "card")


async def test_without_the_right_to_write(world: World, bot: Bot) -> None:
    """A restricted bot gets 400."""
    world.restrict_bot()
    with pytest.raises(BadRequest, match="Not enough rights to send text messages to the chat"):
        await bot.send_message(world.group.id, "card")
    assert (await bot.get_chat_member(world.group.id, world.me.id)).status == "restricted"


async def test_an_upgraded_group_names_its_new_id() -> None:
    """Sends to the old id raise ChatMigrated; service messages tell it in both chats; members move along."""
    world = World(group_type=ChatType.GROUP)
    olga = world.add_person("Olga", operator=True)
    old = world.group.id
    async with serve(bot_api_app(world)) as url, Bot(world.token, base_url=f"{url}/bot") as bot:
        card = await bot.send_message(old, "card")
        new = world.migrate_group()
        with pytest.raises(ChatMigrated) as error:
            await bot.send_message(old, "next")
        assert error.value.new_chat_id == new == world.group.id
        with pytest.raises(ChatMigrated):
            await bot.edit_message_text("x", old, card.message_id)
        assert (await bot.send_message(new, "next")).chat_id == new
        left, entered = await bot.get_updates()
        assert left.message
        assert entered.message
        assert (left.message.chat_id, left.message.migrate_to_chat_id) == (old, new)
        assert (entered.message.chat_id, entered.message.migrate_from_chat_id) == (new, old)
        assert (await bot.get_chat_member(new, olga.id)).status == "member"
    with pytest.raises(ValueError, match="only a basic group"):
        world.migrate_group()


async def test_members_and_administrators(world: World, bot: Bot, dana: User, olga: User) -> None:
    """Who is in the group, and with what rights."""
    world.group.members[olga.id] = MemberStatus.CREATOR
    assert (await bot.get_chat_member(world.group.id, olga.id)).status == "creator"
    assert (await bot.get_chat_member(world.group.id, dana.id)).status == "left"
    with pytest.raises(BadRequest, match="User not found"):
        await bot.get_chat_member(world.group.id, 999)
    administrators = await bot.get_chat_administrators(world.group.id)
    assert [one.user.id for one in administrators] == [olga.id, world.me.id]
    with pytest.raises(BadRequest, match="There are no administrators in the private chat"):
        await bot.get_chat_administrators(dana.id)
    chat = await bot.get_chat(dana.id)
    assert (chat.type, chat.first_name) == ("private", "Dana")


async def test_topics(forum: World, bot: Bot) -> None:
    """Messages go to a topic by its id, or follow what they reply to."""
    topic = await bot.create_forum_topic(forum.group.id, "Leads")
    card = await bot.send_message(forum.group.id, "card", message_thread_id=topic.message_thread_id)
    assert (card.message_thread_id, card.is_topic_message) == (topic.message_thread_id, True)
    reply = await bot.send_message(forum.group.id, "re", reply_parameters=ReplyParameters(card.message_id))
    assert reply.message_thread_id == topic.message_thread_id
    assert view(forum.group, forum.group.messages[reply.message_id])["topic"] == "Leads"
    await bot.edit_forum_topic(forum.group.id, topic.message_thread_id, name="Clients")
    with pytest.raises(BadRequest, match="Topic_not_modified"):
        await bot.edit_forum_topic(forum.group.id, topic.message_thread_id, name="Clients")


async def test_closed_and_deleted_topics(forum: World, bot: Bot) -> None:
    """Both refuse messages, each in its words."""
    closed = await bot.create_forum_topic(forum.group.id, "Closed")
    deleted = await bot.create_forum_topic(forum.group.id, "Deleted")
    card = await bot.send_message(forum.group.id, "card", message_thread_id=deleted.message_thread_id)
    await bot.close_forum_topic(forum.group.id, closed.message_thread_id)
    forum.delete_topic(deleted.message_thread_id)
    with pytest.raises(BadRequest, match="Topic_closed"):
        await bot.send_message(forum.group.id, "x", message_thread_id=closed.message_thread_id)
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(forum.group.id, "x", message_thread_id=deleted.message_thread_id)
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await bot.edit_message_text("x", forum.group.id, card.message_id)
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.edit_forum_topic(forum.group.id, deleted.message_thread_id, name="x")


async def test_a_person_may_close_a_topic(forum: World, bot: Bot) -> None:
    """The bot is told by a service message, as of what it does itself, and may open the topic again."""
    topic = await bot.create_forum_topic(forum.group.id, "Leads")
    thread = topic.message_thread_id
    forum.close_topic(thread)
    await bot.reopen_forum_topic(forum.group.id, thread)
    with pytest.raises(BadRequest, match="Topic_not_modified"):
        await bot.reopen_forum_topic(forum.group.id, thread)
    created, closed, reopened = [update.message for update in await bot.get_updates()]
    assert created
    assert created.forum_topic_created
    assert (created.message_thread_id, created.forum_topic_created.name) == (thread, "Leads")
    assert closed
    assert closed.forum_topic_closed is not None
    assert reopened
    assert reopened.forum_topic_reopened is not None


async def test_what_people_write_in_a_topic(forum: World, bot: Bot, olga: User) -> None:
    """It replies to the message that opened the topic, unless it replies to another one there."""
    topic = await bot.create_forum_topic(forum.group.id, "Leads")
    thread = topic.message_thread_id
    card = await bot.send_message(forum.group.id, "card", message_thread_id=thread)
    forum.say(olga, "plain", chat_id=forum.group.id, thread=thread)
    forum.say(olga, "reply", chat_id=forum.group.id, reply_to=card.message_id)
    *_, plain, reply = [update.message for update in await bot.get_updates()]
    assert plain
    assert plain.reply_to_message
    assert plain.reply_to_message.forum_topic_created
    assert reply
    assert reply.reply_to_message
    assert (reply.message_thread_id, reply.reply_to_message.message_id) == (thread, card.message_id)


async def test_a_group_that_stops_being_a_forum(forum: World, bot: Bot) -> None:
    """The thread of a message is dropped, as the Bot API server does; new topics are refused."""
    topic = await bot.create_forum_topic(forum.group.id, "Leads")
    forum.group.is_forum = False
    card = await bot.send_message(forum.group.id, "card", message_thread_id=topic.message_thread_id)
    assert (card.message_thread_id, card.is_topic_message) == (None, None)
    with pytest.raises(BadRequest, match="The chat is not a forum"):
        await bot.create_forum_topic(forum.group.id, "Leads")


async def test_forums_do_not_forgive_a_missing_reply(forum: World, bot: Bot) -> None:
    """allow_sending_without_reply is always false in forum topics."""
    lenient = ReplyParameters(99, allow_sending_without_reply=True)
    with pytest.raises(BadRequest, match="Message to be replied not found"):
        await bot.send_message(forum.group.id, "x", reply_parameters=lenient)


async def test_what_makes_no_topic(world: World, bot: Bot) -> None:
    """A group without topics, a missing right, an empty name and one over 128 characters."""
    with pytest.raises(BadRequest, match="The chat is not a forum"):
        await bot.create_forum_topic(world.group.id, "Leads")
    world.group.is_forum = True
    with pytest.raises(BadRequest, match="Message thread not found"):
        await bot.send_message(world.group.id, "x", message_thread_id=5)
    with pytest.raises(BadRequest, match="Topic_title_empty"):
        await bot.create_forum_topic(world.group.id, " ")
    with pytest.raises(BadRequest, match="Topic name is too long"):
        await bot.create_forum_topic(world.group.id, "я" * 129)
    world.group.bot_rights.discard(Right.MANAGE_TOPICS)
    with pytest.raises(BadRequest, match="Not enough rights"):
        await bot.create_forum_topic(world.group.id, "Leads")
