"""What the sandbox has around the bot: a mail server, a receiver of events, a website's form."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from urllib.parse import parse_qs

import aiosmtplib
import httpx
from standardwebhooks import Webhook
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.sandbox.mail_server import mail_server
from bot.sandbox.outside import RECEIVER
from bot.sandbox.server import serve
from bot.sandbox.world import World

ANSWERS = {"name": "Айгерім", "phone": "", "email": "a@b.example", "message": "Қосымша керек & <b>"}


async def test_the_mail_server_keeps_letters(world: World) -> None:
    """Letter for letter, Kazakh too, with whom it went to; a line left open does not hold up its end."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["Subject"] = "Studio <hello@studio.example>", "Өтінімге жауап"
    message.set_content("Сәлеметсіз бе!\n.\nӘбіл\n", cte="base64")
    async with mail_server(world.inbox) as port:
        client = aiosmtplib.SMTP(hostname="127.0.0.1", port=port, start_tls=False)
        await client.connect()
        await client.sendmail("hello@studio.example", ["a@b.example"], message.as_bytes())
    client.close()
    (letter,) = world.inbox.items
    assert (letter["from"], letter["to"]) == ("Studio <hello@studio.example>", "a@b.example")
    assert (letter["subject"], letter["text"].splitlines()) == (
        "Өтінімге жауап",
        ["Сәлеметсіз бе!", ".", "Әбіл"],
    )


async def test_only_signed_events_are_shown_each_once(world: World, url: str) -> None:
    """A wrong signature, none, one of another body or a body of no event: 401 and nothing shown."""
    body = json.dumps({"type": "lead.created", "data": {"lead": {"id": "L-1"}}})
    moment = datetime.now(UTC)
    signature = Webhook(world.inbox.secret).sign("evt_1", moment, body)
    headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(int(moment.timestamp())),
        "webhook-signature": signature,
    }
    other = {**headers, "webhook-signature": "v1,AAAA"}
    broken = {**headers, "webhook-signature": "none"}
    async with httpx.AsyncClient(base_url=url, trust_env=False) as client:

        async def post(content: str | bytes, given: dict[str, str]) -> int:
            return (await client.post(RECEIVER, content=content, headers=given)).status_code

        refused = [await post(body, given) for given in (other, broken, {})]
        refused += [await post(body + " ", headers), await post(b"\xff", headers)]
        assert refused == [401] * 5
        assert world.inbox.items == []
        assert [await post(body, headers), await post(body, headers)] == [200, 200]
        page = {**headers, "origin": "http://elsewhere.example"}
        assert await post(body, page) == 403
    (event,) = world.inbox.items
    assert (event["type"], event["data"]) == ("lead.created", {"lead": {"id": "L-1"}})


async def test_the_form_posts_as_tilda_does(world: World, url: str) -> None:
    """Form-urlencoded, the same `tranid` when it is posted again; the answer is kept with the submission."""
    bodies: list[dict[str, list[str]]] = []

    async def hook(request: Request) -> Response:
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        bodies.append(parse_qs((await request.body()).decode(), keep_blank_values=True))
        return PlainTextResponse(f"ok {len(bodies)}")

    async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
        form = {"answers": ANSWERS}
        assert (await client.post("/sandbox/form", json=form)).status_code == 400  # no bot is served
        assert (await client.post("/sandbox/form", json={"number": 1})).status_code == 400
        async with serve(Starlette(routes=[Route("/hook", hook, methods=["POST"])])) as bot:
            world.website.url = f"{bot}/hook"
            first = (await client.post("/sandbox/form", json=form)).json()
            await client.post("/sandbox/form", json={"number": first["number"]})
        again = (await client.post("/sandbox/form", json={"number": 1})).json()  # the bot is away
        assert (await client.post("/sandbox/form", json={"answers": {}})).status_code == 400
        for body in (b"[", b'{"number": 1e400}', b'{"answers": ' + b"[" * 100_000):
            assert (await client.post("/sandbox/form", content=body)).status_code == 400
    assert [bodies[0][name] for name in ("Name", "Phone", "Email", "Comments")] == [
        [text] for text in ANSWERS.values()
    ]
    assert bodies[0] == bodies[1]
    assert [post["text"] for post in again["posts"]] == ["ok 1", "ok 2", "ConnectError"]
    assert [post["status"] for post in again["posts"]] == [200, 200, None]
