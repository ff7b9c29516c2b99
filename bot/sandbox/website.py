"""A website whose form posts to the bot, in the way of Tilda: from the product's server, form-urlencoded."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from bot.sandbox.chats import Json
from bot.sandbox.inbox import Tell

# What Tilda names the fields of a form (help-ru.tilda.cc/formsscript).
FIELDS: Final = {"name": "Name", "phone": "Phone", "email": "Email", "message": "Comments"}
SECONDS_TO_ANSWER: Final = 5.0
"""As long as Tilda waits."""
_LONGEST_ANSWER: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the bot said to a post; `status` is None where nothing came."""

    at: float
    status: int | None
    text: str

    def json(self) -> Json:
        return {"at": self.at, "status": self.status, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A form that a visitor sent, and what came of each of its posts."""

    number: int
    answers: Mapping[str, str]
    key: str
    posts: list[Answer] = field(default_factory=list)

    def json(self) -> Json:
        posts = [answer.json() for answer in self.posts]
        return {"number": self.number, "answers": dict(self.answers), "posts": posts}


class Website:
    """`url` is the webhook of a source with the preset tilda; `tell` is called with each submission."""

    def __init__(self, clock: Callable[[], float], tell: Tell) -> None:
        self.url: str | None = None
        self.submissions: list[Submission] = []
        self._clock = clock
        self._tell = tell

    async def submit(self, answers: Mapping[str, str]) -> Submission:
        """Post a visitor's answers, by the names in FIELDS; ValueError where no bot is served."""
        if self.url is None:
            raise ValueError("no bot is served here whose webhook a form could post to")
        number = len(self.submissions) + 1
        submission = Submission(number=number, answers=answers, key=f"7000001:{secrets.randbelow(10**9)}")
        self.submissions.append(submission)
        await self._post(self.url, submission)
        return submission

    async def repeat(self, number: int) -> Submission:
        """Post a submission once more, as products do that got no answer; KeyError for an unknown one."""
        if not 1 <= number <= len(self.submissions):
            raise KeyError(number)
        assert self.url is not None, "it was posted there before"
        submission = self.submissions[number - 1]
        await self._post(self.url, submission)
        return submission

    async def _post(self, url: str, submission: Submission) -> None:
        submission.posts.append(await self._answer(url, submission))
        self._tell(submission.json())

    async def _answer(self, url: str, submission: Submission) -> Answer:
        import httpx  # noqa: PLC0415 - as in bot.sandbox.webhook

        fields = {FIELDS[name]: text for name, text in submission.answers.items()}
        own = {"tranid": submission.key, "formid": "form700000001", "formname": "Website"}
        try:
            async with httpx.AsyncClient(timeout=SECONDS_TO_ANSWER, trust_env=False) as client:
                response = await client.post(url, data=fields | own)
        except httpx.HTTPError as error:
            return Answer(at=self._clock(), status=None, text=type(error).__name__)
        return Answer(at=self._clock(), status=response.status_code, text=response.text[:_LONGEST_ANSWER])
