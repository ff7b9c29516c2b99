"""Sending, editing, deleting, reacting, pinning, files: the rules of Telegram, met by the real client."""

from __future__ import annotations

import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, Message, ReplyParameters
from telegram.constants import ParseMode
from telegram.error import BadRequest

from bot.sandbox.chats import Right, User
from bot.sandbox.world import World
from tests.sandbox.conftest import Clock

APPROVE = InlineKeyboardMarkup([[InlineKeyboardButton("Approve", callback_data="a")]])
NO_KEYBOARD = InlineKeyboardMarkup([])


async def test_a_message_is_kept_as_it_was_sent(world: World, bot: Bot, olga: User) -> None:
    """Author, chat, keyboard, silence and protection; ids count up within each chat."""
    first = await bot.send_message(world.group.id, "card", reply_markup=APPROVE, disable_notification=True)
    second = await bot.send_message(world.group.id, "next", protect_content=True)
    assert second.message_id == first.message_id + 1
    assert first.from_user == await bot.get_me()
    assert first.reply_markup == APPROVE
    assert second.has_protected_content
    card, following = world.sent(world.group.id)
    assert (card["text"], following["text"]) == ("card", "next")
    kept = world.message(world.group.id, first.message_id)
    assert kept
    assert kept.silent


async def test_replies(world: World, bot: Bot, dana: User) -> None:
    """A reply shows what it answers; one to nothing is refused unless it is allowed to go without."""
    reply = await bot.send_message(dana.id, "hi", reply_parameters=ReplyParameters(1))
    assert reply.reply_to_message
    assert reply.reply_to_message.text == "hello"
    with pytest.raises(BadRequest, match="Message to be replied not found"):
        await bot.send_message(dana.id, "hi", reply_parameters=ReplyParameters(99))
    lenient = ReplyParameters(99, allow_sending_without_reply=True)
    assert not (await bot.send_message(dana.id, "hi", reply_parameters=lenient)).reply_to_message


async def test_an_edit_replaces_text_and_keyboard(world: World, bot: Bot) -> None:
    """The text changes, the keyboard goes unless it is sent again, and the old state is kept for tests."""
    card = await bot.send_message(world.group.id, "card", reply_markup=APPROVE)
    edited = await bot.edit_message_text(
        "<b>done</b>", world.group.id, card.message_id, parse_mode=ParseMode.HTML
    )
    assert isinstance(edited, Message)
    assert (edited.text, edited.reply_markup) == ("done", None)
    assert edited.edit_date
    kept = world.message(world.group.id, card.message_id)
    assert kept
    assert [body["text"] for body in kept.history] == ["card"]


async def test_an_edit_that_changes_nothing_is_refused(world: World, bot: Bot) -> None:
    """Same text, entities and keyboard: "message is not modified", also for the keyboard alone."""
    card = await bot.send_message(world.group.id, "card", reply_markup=APPROVE)
    place = world.group.id, card.message_id
    with pytest.raises(BadRequest, match="Message is not modified"):
        await bot.edit_message_text("card", *place, reply_markup=APPROVE)
    with pytest.raises(BadRequest, match="Message is not modified"):
        await bot.edit_message_reply_markup(*place, reply_markup=APPROVE)
    await bot.edit_message_text("<i>card</i>", *place, parse_mode=ParseMode.HTML, reply_markup=APPROVE)
    await bot.edit_message_reply_markup(*place, reply_markup=NO_KEYBOARD)
    with pytest.raises(BadRequest, match="Message is not modified"):
        await bot.edit_message_reply_markup(*place)


async def test_what_can_not_be_edited(world: World, bot: Bot, dana: User) -> None:
    """Not what is gone, not another's words, not the text of a document, not into nothing."""
    card = await bot.send_message(world.group.id, "card")
    world.delete(world.group.id, card.message_id)
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await bot.edit_message_text("x", world.group.id, card.message_id)
    with pytest.raises(BadRequest, match="Message can't be edited"):
        await bot.edit_message_text("x", dana.id, 1)
    with pytest.raises(BadRequest, match="Message identifier is not specified"):
        await bot.edit_message_text("x", inline_message_id="1")
    file = await bot.send_document(dana.id, b"text", filename="reply.txt")
    with pytest.raises(BadRequest, match="There is no text in the message to edit"):
        await bot.edit_message_text("x", dana.id, file.message_id)
    note = await bot.send_message(dana.id, "note")
    with pytest.raises(BadRequest, match="There is no caption in the message to edit"):
        await bot.edit_message_caption(dana.id, note.message_id, caption="x")


async def test_own_messages_can_be_edited_for_ever_but_deleted_for_48_hours(
    world: World, clock: Clock, bot: Bot
) -> None:
    """The rule that keeps old cards in the group."""
    old = await bot.send_message(world.group.id, "old")
    clock.now += 48 * 3600 + 1
    await bot.edit_message_text("still", world.group.id, old.message_id)
    with pytest.raises(BadRequest, match="Message can't be deleted for everyone"):
        await bot.delete_message(world.group.id, old.message_id)
    young = await bot.send_message(world.group.id, "young")
    assert await bot.delete_message(world.group.id, young.message_id)
    with pytest.raises(BadRequest, match="Message to delete not found"):
        await bot.delete_message(world.group.id, young.message_id)


async def test_deleting_the_messages_of_others_takes_a_right(world: World, bot: Bot, olga: User) -> None:
    """Members may only delete their own."""
    theirs = world.say(olga, "/run", chat_id=world.group.id)
    world.group.bot_rights.discard(Right.DELETE_MESSAGES)
    with pytest.raises(BadRequest, match="Not enough rights"):
        await bot.delete_message(world.group.id, theirs)


async def test_a_document_with_a_caption(world: World, bot: Bot, dana: User) -> None:
    """Uploaded as multipart, described, found again by getFile, sent again by its id."""
    sent = await bot.send_document(
        dana.id,
        "весь текст".encode(),
        filename="card.txt",
        caption="<b>all of it</b>",
        parse_mode=ParseMode.HTML,
    )
    assert sent.document
    assert (sent.document.file_name, sent.document.file_size) == ("card.txt", 19)
    assert (sent.caption, sent.caption_entities[0].type) == ("all of it", "bold")
    file = await bot.get_file(sent.document.file_id)
    assert bytes(await file.download_as_bytearray()).decode() == "весь текст"
    again = await bot.send_document(dana.id, sent.document.file_id)
    assert again.document
    assert again.document.file_id == sent.document.file_id
    edited = await bot.edit_message_caption(dana.id, sent.message_id, caption="new")
    assert isinstance(edited, Message)
    assert edited.caption == "new"


async def test_what_is_no_file_and_no_caption(bot: Bot, dana: User) -> None:
    """Empty uploads, unknown ids and captions over 1024 are refused."""
    with pytest.raises(BadRequest, match="File must be non-empty"):
        await bot.send_document(dana.id, b"", filename="empty.txt")
    with pytest.raises(BadRequest, match="Wrong file identifier"):
        await bot.send_document(dana.id, "unknown-id")
    with pytest.raises(BadRequest, match="Wrong file_id"):
        await bot.get_file("unknown-id")
    await bot.send_photo(dana.id, b"picture", caption="я" * 1024)
    with pytest.raises(BadRequest, match="Message caption is too long"):
        await bot.send_photo(dana.id, b"picture", caption="я" * 1025)


async def test_a_copy_has_no_author(world: World, bot: Bot, dana: User) -> None:
    """copyMessage repeats words with their entities; of nothing it makes nothing."""
    world.say(dana, "see /help")
    copied = await bot.copy_message(world.group.id, dana.id, 2)
    (copy,) = world.sent(world.group.id)
    assert (copy["message_id"], copy["text"]) == (copied.message_id, "see /help")
    assert copy["entities"][0]["type"] == "bot_command"
    with pytest.raises(BadRequest, match="Message to copy not found"):
        await bot.copy_message(world.group.id, dana.id, 99)


async def test_reactions(world: World, bot: Bot, dana: User) -> None:
    """One of Telegram's emoji per message; an empty list takes it back."""
    await bot.set_message_reaction(dana.id, 1, "👀")
    message = world.message(dana.id, 1)
    assert message
    assert message.reactions == ["👀"]
    with pytest.raises(BadRequest, match="Reaction_invalid"):
        await bot.set_message_reaction(dana.id, 1, "🦆")
    with pytest.raises(BadRequest, match="Reactions_too_many"):
        await bot.set_message_reaction(dana.id, 1, ["👀", "👍"])
    with pytest.raises(BadRequest, match="Message to react not found"):
        await bot.set_message_reaction(dana.id, 9, "👀")
    await bot.set_message_reaction(dana.id, 1)
    assert message.reactions == []


async def test_pinning_tells_everyone_once(world: World, bot: Bot) -> None:
    """A service message of the bot itself comes back to it; getChat shows what is pinned."""
    card = await bot.send_message(world.group.id, "3 pending")
    await bot.pin_chat_message(world.group.id, card.message_id, disable_notification=True)
    await bot.pin_chat_message(world.group.id, card.message_id)
    (update,) = await bot.get_updates()
    assert update.message
    assert update.message.pinned_message
    assert (await bot.get_chat(world.group.id)).pinned_message == card
    assert len(world.sent(world.group.id)) == 1
    await bot.unpin_chat_message(world.group.id)
    assert world.group.pinned == []
    with pytest.raises(BadRequest, match="Message to unpin not found"):
        await bot.unpin_chat_message(world.group.id, card.message_id)
    world.group.bot_rights.discard(Right.PIN_MESSAGES)
    with pytest.raises(BadRequest, match="Not enough rights to manage pinned messages"):
        await bot.pin_chat_message(world.group.id, card.message_id)


async def test_a_press_is_answered_once_and_in_time(world: World, clock: Clock, bot: Bot, olga: User) -> None:
    """The second answer, a late one and one to an unknown press get Telegram's one refusal."""
    card = await bot.send_message(world.group.id, "card", reply_markup=APPROVE)
    press = world.press(olga, world.group.id, card.message_id, "a")
    (update,) = await bot.get_updates()
    assert update.callback_query
    assert update.callback_query.message == card
    assert update.callback_query.from_user.id == olga.id
    await bot.answer_callback_query(press, "Approved", show_alert=True)
    answer = world.queries[press].answer
    assert answer
    assert (answer.text, answer.alert) == ("Approved", True)
    late = world.press(olga, world.group.id, card.message_id, "a")
    clock.now += 151
    for query in (press, late, "unknown"):
        with pytest.raises(BadRequest, match="Query is too old and response timeout expired"):
            await bot.answer_callback_query(query)


async def test_an_answer_has_200_characters(world: World, bot: Bot, olga: User) -> None:
    """One more is refused and the press stays unanswered."""
    press = world.press(olga, world.group.id, 1, "a")
    with pytest.raises(BadRequest, match="Message_too_long"):
        await bot.answer_callback_query(press, "я" * 201)
    await bot.answer_callback_query(press, "я" * 200)


async def test_typing_and_commands(world: World, bot: Bot, dana: User) -> None:
    """Known actions only; the menu of commands is kept by scope and language."""
    await bot.send_chat_action(dana.id, "typing")
    with pytest.raises(BadRequest, match="Wrong parameter action in request"):
        await bot.send_chat_action(dana.id, "dancing")
    await bot.set_my_commands([("run", "The state of a run")], language_code="ru")
    ((command,),) = world.commands.values()
    assert command == {"command": "run", "description": "The state of a run"}
    with pytest.raises(BadRequest, match="Bot_command_invalid"):
        await bot.set_my_commands([("Run!", "x")])
    await bot.delete_my_commands(language_code="ru")
    assert world.commands == {}
