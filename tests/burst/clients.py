"""Senders that post until they are told that it was taken, as form products do."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter

import aiohttp

from tests.burst.forms import Form

SECONDS_TO_ANSWER = 5.0
"""As long as Tilda and others wait."""
SECONDS_BEFORE_RETRY = 0.1
# Every so many forms are posted once more although they were taken: an answer may be lost on the way.
TWICE = 10


@dataclass(kw_only=True)
class Clients:
    """`forms` of them are divided among so many clients, each of which has one post under way at a time.

    acknowledged: how often each form was answered 200.  seconds: how long each such answer took.
    cut_off: posts that were sent and got no answer.  others: any other answer, by its status.
    halfway: set once half of the forms are acknowledged.
    """

    urls: Mapping[str, str]
    forms: int
    clients: int
    halfway: asyncio.Event = field(default_factory=asyncio.Event)
    acknowledged: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    cut_off: int = 0
    others: Counter[int] = field(default_factory=Counter)

    async def post(self) -> None:
        """Until every form is acknowledged."""
        waiting = iter(range(self.forms))
        timeout = aiohttp.ClientTimeout(total=SECONDS_TO_ANSWER)
        connector = aiohttp.TCPConnector(limit=self.clients)
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout) as session,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(self.clients):
                group.create_task(self._client(session, waiting))

    async def _client(self, session: aiohttp.ClientSession, waiting: Iterator[int]) -> None:
        for number in waiting:
            form = Form(number=number)
            await self._deliver(session, form)
            if number % TWICE == 0:
                await self._deliver(session, form)

    async def _deliver(self, session: aiohttp.ClientSession, form: Form) -> None:
        while True:
            if await self._post(session, form):
                return
            await asyncio.sleep(SECONDS_BEFORE_RETRY)

    async def _post(self, session: aiohttp.ClientSession, form: Form) -> bool:
        """Post it once; whether it is acknowledged."""
        content_type, body = form.request
        begun = perf_counter()
        try:
            async with session.post(
                self.urls[form.source], data=body, headers={"content-type": content_type}
            ) as response:
                await response.read()
        except aiohttp.ClientConnectorError:
            return False
        except (aiohttp.ClientError, TimeoutError):
            self.cut_off += 1
            return False
        if response.status != 200:
            self.others[response.status] += 1
            return False
        self.seconds.append(perf_counter() - begun)
        self.acknowledged[form.number] += 1
        if len(self.acknowledged) * 2 >= self.forms:
            self.halfway.set()
        return True
