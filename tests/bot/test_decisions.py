"""Presses: who may decide, once, on exactly which card."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.chats import ANONYMOUS, MemberStatus, User
from bot.sandbox.faults import FaultKind
from bot.sandbox.messages_api import MessagesApp
from tests.bot.harness import APPROVE, DENY, HELLO, Office, data_of, labels_of, office, replying, text_of

STRANGER = "You are not among those who may decide. Nothing was changed."
NAMELESS = "Decisions need a name"
OUTDATED = "This card is out of date"


async def pending(bot: Office) -> bool:
    return bool((await bot.proposal())["confirmation_status"] == "pending")


async def test_approve(bot: Office) -> None:
    """Approved: the reply leaves, the card tells who, when and what came of it, and its buttons go."""
    dana = bot.lead()
    card = await bot.card("Dana")
    assert (await bot.pressed(card, APPROVE)).text == "✅ Approved"
    await bot.replied(dana)
    await bot.shows(card, HELLO, "✅ Approved by Olga", "· sent")
    assert labels_of(card) == []
    assert await bot.ended() == "done"
    proposal = await bot.proposal()
    assert (proposal["confirmation_status"], proposal["execution_status"]) == ("approved", "executed")
    assert proposal["decided_by"] == {"id": bot.olga.id, "name": "Olga"}


async def test_deny(bot: Office) -> None:
    """Denied: nothing leaves, the model is told, and the run goes on."""
    dana = bot.lead()
    card = await bot.card("Dana")
    assert (await bot.pressed(card, DENY)).text == "❌ Denied"
    await bot.shows(card, "❌ Denied by Olga", "not sent")
    assert await bot.ended() == "done"
    assert bot.texts_to(dana) == []
    (result,) = bot.api.requests[-1]["messages"][-1]["content"]
    assert result["is_error"]


@pytest.mark.parametrize(("first", "second"), [(APPROVE, DENY), (DENY, APPROVE), (APPROVE, APPROVE)])
async def test_two_operators_at_once(bot: Office, first: str, second: str) -> None:
    """Exactly one decision; the other operator is told who decided and how it stands."""
    bot.lead()
    card = await bot.card("Dana")
    presses = [bot.press(card, first, bot.olga), bot.press(card, second, bot.igor)]
    won, lost = [await bot.toast(press) for press in presses]
    assert won.text in ("✅ Approved", "❌ Denied")
    assert "Olga decided already" in str(lost.text)
    assert lost.alert
    await bot.ended()
    assert bot.rows("SELECT verdict, person_id FROM decisions") == [(first.lower(), bot.olga.id)]


async def test_a_press_on_a_finished_card(bot: Office) -> None:
    """An old client may still show the buttons: the answer says what happened, and nothing happens."""
    dana = bot.lead()
    card = await bot.card("Dana")
    stale = {label: data_of(card, label) for label in (APPROVE, DENY)}
    await bot.pressed(card, APPROVE)
    await bot.ended()
    for data in stale.values():
        answer = await bot.toast(bot.world.press(bot.igor, bot.group_id, card.id, data))
        assert answer.text == "Olga decided already: sent"
    assert bot.texts_to(dana) == [HELLO]


FORGED = [
    "",
    "a",
    "a:",
    "a:guess",
    "z:token",
    "approve",
    "a:" + "я" * 31,
    "A:" + "я" * 31,
    "s:{token}",
    "r:{token}",
    "x:{token}",
]


async def test_forged_callback_data(bot: Office) -> None:
    """Clients can send any data for a card: only the card's own token and verdicts count."""
    dana = bot.lead()
    card = await bot.card("Dana")
    token = data_of(card, APPROVE).removeprefix("a:")
    for data in FORGED:
        press = bot.world.press(bot.olga, bot.group_id, card.id, data.format(token=token))
        assert OUTDATED in str((await bot.toast(press)).text), data
    assert await pending(bot)
    assert bot.texts_to(dana) == []


async def test_the_token_of_another_card(bot: Office) -> None:
    """A token counts on its own card only, so that nobody approves what they do not see."""
    bot.lead("Dana")
    dana = await bot.card("Reply to Dana")
    bot.lead("Marat")
    marat = await bot.card("Reply to Marat")
    press = bot.world.press(bot.olga, bot.group_id, dana.id, data_of(marat, APPROVE))
    assert OUTDATED in str((await bot.toast(press)).text)
    assert bot.rows("SELECT state FROM proposals") == [("pending",), ("pending",)]


async def test_the_token_on_another_message(bot: Office) -> None:
    """A copy of the card, or any other message, decides nothing; neither does one in another chat."""
    bot.lead()
    card = await bot.card("Dana")
    data = data_of(card, APPROVE)
    help_ = await bot.command("/help")
    elsewhere = {**card.body, "chat": {"id": -100777, "type": "supergroup", "title": "Elsewhere"}}
    private = {**card.body, "chat": {"id": bot.olga.id, "type": "private", "first_name": "Olga"}}
    presses = [
        bot.world.press(bot.olga, bot.group_id, help_.id, data),
        bot.world.press(bot.olga, bot.group_id, 999, data),
        bot.world.press(bot.olga, bot.group_id, card.id, data, message=elsewhere),
        bot.world.press(bot.olga, bot.group_id, card.id, data, message=private),
    ]
    for press in presses:
        assert OUTDATED in str((await bot.toast(press)).text)
    assert await pending(bot)


async def test_a_press_without_its_message(bot: Office) -> None:
    """Telegram leaves the message out of old callbacks: the token alone has to do, and the card is edited."""
    bot.lead()
    card = await bot.card("Dana")
    assert (await bot.pressed(card, APPROVE, without_message=True)).text == "✅ Approved"
    await bot.shows(card, "· sent")


async def test_a_stranger(bot: Office) -> None:
    """A member of the group who is on no list decides nothing, and is told so."""
    bot.lead()
    card = await bot.card("Dana")
    guest = bot.world.add_person("Guest", operator=True)
    answer = await bot.pressed(card, APPROVE, guest)
    assert (answer.text, answer.alert) == (STRANGER, True)
    assert await pending(bot)


@pytest.mark.parametrize("allowed", ["", f"{ANONYMOUS.id}"], ids=["", "even when listed"])
async def test_anonymous_admins_and_bots(stopped: Office, allowed: str) -> None:
    """A decision needs a name: anonymous admins, channels, Telegram itself and bots are refused."""
    await stopped.start(admin_ids=allowed, approval_escalate="0s")
    stopped.lead()
    card = await stopped.card("Dana")
    assert NAMELESS in str((await stopped.pressed(card, APPROVE, anonymous=True)).text)
    for id_, is_bot in ((136817688, True), (777000, False), (42, True), (ANONYMOUS.id, False)):
        nobody = User(id=id_, first_name="Nobody", is_bot=is_bot)
        assert NAMELESS in str((await stopped.pressed(card, APPROVE, nobody)).text)
    assert await pending(stopped)


async def test_admins_are_operators(stopped: Office) -> None:
    """ADMIN_IDS may decide too."""
    boss = stopped.world.add_person("Boss", operator=True)
    await stopped.start(operator_ids="", admin_ids=str(boss.id))
    stopped.lead()
    assert (await stopped.pressed(await stopped.card("Dana"), DENY, boss)).text == "❌ Denied"


STANDINGS = {
    MemberStatus.MEMBER: "✅ Approved",
    MemberStatus.ADMINISTRATOR: "✅ Approved",
    MemberStatus.CREATOR: "✅ Approved",
    MemberStatus.RESTRICTED: "✅ Approved",
    MemberStatus.LEFT: STRANGER,
    MemberStatus.KICKED: STRANGER,
}


@pytest.mark.parametrize(("status", "answer"), STANDINGS.items(), ids=STANDINGS)
async def test_members_decide(stopped: Office, status: MemberStatus, answer: str) -> None:
    """OPERATOR_IDS=members: whoever is in the group at that moment, and nobody else."""
    await stopped.start(operator_ids="members")
    stopped.lead()
    card = await stopped.card("Dana")
    person = stopped.world.add_person("Person", operator=True)
    stopped.world.group.members[person.id] = status
    assert (await stopped.pressed(card, APPROVE, person)).text == answer


@pytest.mark.parametrize("kind", [FaultKind.GATEWAY, FaultKind.NOT_OK, FaultKind.RESET, FaultKind.HTML])
async def test_a_membership_that_cannot_be_checked(stopped: Office, kind: FaultKind) -> None:
    """Fails closed, says so, and the next press may do."""
    await stopped.start(operator_ids="members")
    stopped.lead()
    card = await stopped.card("Dana")
    stopped.fault(kind, "getChatMember")
    assert "could not be checked" in str((await stopped.pressed(card, APPROVE)).text)
    assert await pending(stopped)
    assert (await stopped.pressed(card, APPROVE)).text == "✅ Approved"


# --- toasts and edits


async def test_the_toast_does_not_wait_for_the_model(bot: Office) -> None:
    """Even while the model hangs, for this run and for others."""
    dana = bot.lead()
    card = await bot.card("Dana")
    api: MessagesApp = bot.api
    api.latency = 60
    bot.lead("Marat")
    await bot.until(lambda: bot.value("SELECT count(*) FROM runs") == 2, "the other run")
    assert (await bot.pressed(card, APPROVE)).text == "✅ Approved"
    await bot.replied(dana)
    await bot.shows(card, "· sent")


@pytest.mark.parametrize("kind", [FaultKind.ERROR, FaultKind.NOT_OK, FaultKind.RESET, FaultKind.HTML])
async def test_a_failing_toast_changes_nothing(bot: Office, kind: FaultKind) -> None:
    """The decision stands, the reply leaves and the card is edited."""
    dana = bot.lead()
    card = await bot.card("Dana")
    bot.fault(kind, "answerCallbackQuery", status=400, description="Bad Request: query is too old")
    bot.press(card, APPROVE)
    await bot.replied(dana)
    await bot.shows(card, "Approved by Olga", "· sent")


async def test_a_hanging_courtesy_holds_nobody_up(stopped: Office) -> None:
    """A reaction or a toast that gets no answer delays no press after it."""
    await stopped.start(reaction="👀")
    stopped.lead("Dana")
    card = await stopped.card("Reply to Dana")
    stopped.fault(FaultKind.SLOW, "setMessageReaction", seconds=8)
    stopped.fault(FaultKind.SLOW, "answerCallbackQuery", seconds=8)
    stopped.lead("Marat")
    marat = await stopped.until(lambda: stopped.waiting("Reply to Marat"), "the next card", deadline=4)
    presses = [stopped.press(card, APPROVE), stopped.press(marat[0], APPROVE, stopped.igor)]
    await stopped.until(
        lambda: stopped.value("SELECT count(*) FROM runs WHERE status = 'done'") == 2, "the ends", deadline=4
    )
    assert len(presses) == 2


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": FaultKind.GATEWAY},
        {"kind": FaultKind.RESET},
        {"kind": FaultKind.LOST},
        {"kind": FaultKind.ERROR, "status": 429, "description": "Too Many Requests", "retry_after": 1},
    ],
    ids=lambda fault: fault["kind"],
)
async def test_a_failing_edit_is_made_later(bot: Office, fault: dict[str, Any]) -> None:
    """The card tells the truth in the end; an edit that was made already is fine."""
    bot.refusals_expected = True
    bot.lead()
    card = await bot.card("Dana")
    bot.fault(method="editMessageText", **fault)
    await bot.pressed(card, DENY)
    await bot.logged("card 1:")
    await bot.shows(card, "Denied by Olga")


# --- time


async def test_expiry(tmp_path: Path) -> None:
    """Undecided in time: never sent, the card says so, late presses are told, and the run goes on."""
    async with office(tmp_path, approval_ttl="300ms") as bot:
        await bot.start()
        dana = bot.lead()
        card = await bot.card("Dana")
        data = data_of(card, APPROVE)
        await bot.shows(card, "Nobody decided in time", "not sent")
        assert labels_of(card) == []
        late = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, data))
        assert late.alert
        assert await bot.ended() == "done"
        assert bot.texts_to(dana) == []
        assert (await bot.proposal())["confirmation_status"] == "expired"


async def test_expiry_while_stopped(bot: Office) -> None:
    """A proposal whose time ran out while the bot was down is not sent by a press that waited."""
    dana = bot.lead()
    card = await bot.card("Dana")
    await bot.stop()
    bot.rows("UPDATE proposals SET expires_at = 1")
    press = bot.press(card, APPROVE)
    await bot.start()
    answer = await bot.toast(press)
    assert answer.alert
    await bot.shows(card, "Nobody decided in time")
    assert bot.texts_to(dana) == []


async def test_decisions_go_before_cards(tmp_path: Path) -> None:
    """With the group's minute used up by new cards, a decision is still shown at once."""
    async with office(tmp_path, replying(), group_messages_per_minute=20) as bot:
        await bot.start()
        for number in range(20):
            bot.lead(f"Lead {number}")
        await bot.until(lambda: len(bot.waiting()) == 17, "as many cards as may go")
        await bot.until(lambda: bot.value("SELECT count(*) FROM proposals") == 20, "all proposals")
        card = bot.waiting()[0]
        await bot.pressed(card, APPROVE)
        await bot.shows(card, "· sent")
        assert len(bot.waiting()) == 16
        assert text_of(card).startswith("✉️ Reply to Lead")
