"""What becomes of an approved reply: sent, not sent, unknown; never sent twice by itself."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.faults import FaultKind
from bot.sandbox.model_faults import Fault as ModelFault
from bot.sandbox.model_faults import FaultKind as ModelFaultKind
from bot.sandbox.server import serve
from tests.bot.harness import APPROVE, HELLO, Office, data_of, labels_of, office
from tests.bot.test_web import HEADERS, HOOK, start_webhook

SETTLING = ["✅ It was sent", "🔁 It was not: send", "🗑 Drop it"]


async def test_a_lead_that_blocked_the_bot(bot: Office) -> None:
    """Approved is not delivered: the card says that it was not sent, and why; the model is told."""
    bot.refusals_expected = True
    dana = bot.lead()
    card = await bot.card("Dana")
    bot.world.block(dana)
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "not sent", "blocked by the user")
    assert labels_of(card) == []
    proposal = await bot.proposal()
    assert (proposal["confirmation_status"], proposal["execution_status"]) == ("approved", "failed")
    assert await bot.ended() == "done"
    assert bot.api.requests[-1]["messages"][-1]["content"][0]["is_error"]


UNKNOWN = {
    "lost": {"kind": FaultKind.LOST},
    "reset": {"kind": FaultKind.RESET},
    "502": {"kind": FaultKind.GATEWAY},
    "500": {"kind": FaultKind.ERROR, "status": 500, "description": "Internal Server Error"},
    "html": {"kind": FaultKind.HTML},
    "not ok": {"kind": FaultKind.NOT_OK},
}


@pytest.mark.parametrize("fault", UNKNOWN.values(), ids=UNKNOWN)
async def test_a_lost_answer_is_unknown(bot: Office, fault: dict[str, Any]) -> None:
    """The card asks a person; nothing is sent again by itself, not even after a restart."""
    dana = bot.lead()
    card = await bot.card("Dana")
    bot.fault(method="sendMessage", chat_id=dana.id, **fault)
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "delivery unknown")
    assert labels_of(card) == SETTLING
    assert (await bot.proposal())["execution_status"] == "uncertain"
    await bot.restart()
    bot.lead("Marat")
    await bot.card("Marat")
    assert labels_of(card) == SETTLING
    assert len([params for params in bot.calls("sendMessage") if params["chat_id"] == dana.id]) == 1


async def uncertain(bot: Office, kind: FaultKind) -> Any:
    dana = bot.lead()
    card = await bot.card("Dana")
    bot.fault(kind, "sendMessage", chat_id=dana.id)
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "delivery unknown")
    return dana, card


async def test_settled_as_sent(bot: Office) -> None:
    """ "It was sent": so says the card, and nothing is sent again."""
    dana, card = await uncertain(bot, FaultKind.LOST)
    assert (await bot.pressed(card, "It was sent", bot.igor)).text == "Noted"
    await bot.shows(card, "Igor settled it", "it was sent")
    assert await bot.ended() == "done"
    assert bot.texts_to(dana) == [HELLO]
    assert (await bot.proposal())["execution_status"] == "executed"
    assert "is_error" not in bot.api.requests[-1]["messages"][-1]["content"][0]


async def test_settled_as_not_sent(bot: Office) -> None:
    """ "It was not: send": it is sent now, once."""
    dana, card = await uncertain(bot, FaultKind.RESET)
    stale = data_of(card, "It was not")
    await bot.pressed(card, "It was not: send", bot.igor)
    await bot.replied(dana)
    await bot.shows(card, "· sent")
    assert await bot.ended() == "done"
    again = await bot.toast(bot.world.press(bot.olga, bot.group_id, card.id, stale))
    assert again.text == "Igor decided already: sent"
    assert bot.texts_to(dana) == [HELLO]
    assert [verdict for (verdict,) in bot.rows("SELECT verdict FROM decisions")] == ["approve", "send_again"]


async def test_settled_as_dropped(bot: Office) -> None:
    """ "Drop it": nothing is sent, and the model is told that it failed."""
    dana, card = await uncertain(bot, FaultKind.RESET)
    await bot.pressed(card, "Drop it")
    await bot.shows(card, "not sent")
    assert await bot.ended() == "done"
    assert bot.texts_to(dana) == []
    assert (await bot.proposal())["execution_status"] == "failed"


async def test_an_uncertain_card_ignores_the_old_buttons(bot: Office) -> None:
    """A press meant for the approval settles nothing: each state has its own token."""
    dana = bot.lead()
    card = await bot.card("Dana")
    stale = data_of(card, APPROVE)
    bot.fault(FaultKind.RESET, "sendMessage", chat_id=dana.id)
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "delivery unknown")
    late = await bot.toast(bot.world.press(bot.igor, bot.group_id, card.id, stale))
    assert late.text == "Olga decided already: delivery unknown"
    assert bot.texts_to(dana) == []


async def test_a_flooded_reply_is_sent_later_once(bot: Office) -> None:
    """429 says for certain that it did not leave: it does by itself when Telegram allows."""
    dana = bot.lead()
    card = await bot.card("Dana")
    bot.fault(
        FaultKind.ERROR, "sendMessage", chat_id=dana.id, status=429, description="Too Many", retry_after=1
    )
    await bot.pressed(card, APPROVE)
    await bot.replied(dana)
    await bot.shows(card, "· sent")
    assert await bot.ended() == "done"
    assert bot.texts_to(dana) == [HELLO]


async def test_a_flooded_reply_survives_a_restart(bot: Office) -> None:
    """What waits for Telegram's leave waits in its row."""
    dana = bot.lead()
    card = await bot.card("Dana")
    bot.fault(
        FaultKind.ERROR, "sendMessage", chat_id=dana.id, status=429, description="Too Many", retry_after=2
    )
    await bot.pressed(card, APPROVE)
    await bot.until(lambda: bot.value("SELECT execute_after FROM proposals"), "the row")
    await bot.restart()
    await bot.replied(dana)
    assert await bot.ended() == "done"
    assert bot.texts_to(dana) == [HELLO]


async def test_a_refused_connection_is_tried_again(tmp_path: Path) -> None:
    """What never left this machine certainly did not arrive: it is sent once Telegram is there again."""
    async with office(tmp_path) as bot, AsyncExitStack() as telegram:
        bot.telegram_url = await telegram.enter_async_context(serve(bot_api_app(bot.world)))
        await start_webhook(bot)
        dana = bot.lead()
        card = await bot.card("Dana")
        await telegram.aclose()
        press = {
            "id": "1",
            "from": bot.olga.json(),
            "chat_instance": "1",
            "message": card.body,
            "data": data_of(card, APPROVE),
        }
        async with httpx.AsyncClient(trust_env=False) as http:
            update = {"update_id": 5, "callback_query": press}
            await http.post(bot.url + HOOK, json=update, headers=HEADERS)
        await bot.until(lambda: bot.value("SELECT execute_after FROM proposals"), "the row that waits")
        assert bot.texts_to(dana) == []
        await telegram.enter_async_context(
            serve(bot_api_app(bot.world), port=int(bot.telegram_url.rpartition(":")[2]))
        )
        await bot.replied(dana)
        await bot.shows(card, "· sent")
        assert bot.texts_to(dana) == [HELLO]


async def test_a_reply_under_way_at_a_stop_is_finished(bot: Office) -> None:
    """An orderly stop waits for the answer of what is being sent, so that it is not unknown."""
    dana = bot.lead()
    card = await bot.card("Dana")
    bot.fault(FaultKind.SLOW, "sendMessage", chat_id=dana.id, seconds=0.5)
    bot.press(card, APPROVE)
    await bot.replied(dana)
    await bot.stop()
    assert (await bot.proposal())["execution_status"] == "executed"


# --- the model


async def test_a_model_out_of_reach(bot: Office) -> None:
    """The lead waits, people see that it does, and see it corrected when the model is back."""
    bot.api.inject(ModelFault(kind=ModelFaultKind.OVERLOADED))
    bot.lead()
    waits = await bot.shown("Dana waits")
    await bot.card("Reply to Dana")
    await bot.until(lambda: "Dana waits" not in waits.body["text"], "the correction")


@pytest.mark.parametrize(
    "kind",
    [ModelFaultKind.UNAUTHENTICATED, ModelFaultKind.REFUSED, ModelFaultKind.NULL, ModelFaultKind.SPEND_LIMIT],
)
async def test_a_model_that_fails_for_good(bot: Office, kind: ModelFaultKind) -> None:
    """The run ends, and the lead is left to people with the reason."""
    bot.api.inject(ModelFault(kind=kind))
    bot.lead()
    card = await bot.shown("Dana is left to you", "Reason: ")
    assert not card.silent
    assert await bot.ended() in ("failed", "stopped")
