"""From what a website form posted to a lead with its run."""

import asyncio
import logging
import traceback
from collections.abc import Sequence
from functools import partial

from agent.clock import Clock
from agent.contacts import Contact
from agent.errors import RowRefused, StorageError
from agent.jsontext import clean, digest, dumps
from agent.outgoing import Lane, Note
from agent.runs import Lead
from agent.sources import Origin, Post
from bot.hook_routes import SAME_CONTENT_MS
from bot.hooks import Preset, Submission, read
from bot.ports import BotStore, BotTransaction, Commit
from bot.reception import Reception
from bot.texts import Texts

log = logging.getLogger(__name__)

BATCH = 50
# So often reading a request may fail before it becomes a lead with its raw text; and once more for that.
ATTEMPTS = 5
SECONDS_AFTER_A_FAULT = 1.0
SECONDS_BEFORE_ANOTHER_TRY = 0.2


class HookInbox:
    """Reads requests in the order in which they came; one that keeps failing blocks no other."""

    def __init__(
        self,
        *,
        store: BotStore,
        reception: Reception,
        region: str,
        group_id: int,
        texts: Texts,
        clock: Clock,
    ) -> None:
        self._store = store
        self._reception = reception
        self._region = region
        self._group_id = group_id
        self._texts = texts
        self._clock = clock
        self._wake = asyncio.Event()
        store.subscribe(self._committed)

    def _committed(self, commit: Commit) -> None:
        if commit.posted:
            self._wake.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self._wake.clear()
            try:
                handled = await self._handle_batch()
            except StorageError as error:
                log.error("what website forms posted waits: %s", error)
                await asyncio.sleep(SECONDS_AFTER_A_FAULT)
                continue
            if not handled:
                await self._wake.wait()

    async def _handle_batch(self) -> int:
        """Read off the event loop, as a body may be long; store together, as a sync costs more."""
        posts = await self._store.read(lambda tx: tx.posts.new(BATCH))
        found = await asyncio.to_thread(self._read_all, posts)
        done = await asyncio.gather(*map(self._handle, posts, found))
        if not all(done):
            await asyncio.sleep(SECONDS_BEFORE_ANOTHER_TRY)
        return len(posts)

    def _read_all(self, posts: Sequence[Post]) -> list[Submission | Exception]:
        return [self._read(post) for post in posts]

    def _read(self, post: Post) -> Submission | Exception:
        if post.attempts >= ATTEMPTS:
            return Submission(message=str(clean(post.body.decode(errors="replace"))), raw_only=True)
        try:
            return read(Preset(post.source.preset), post.content_type, post.body, region=self._region)
        except Exception as error:  # a bug met by one body must not stop the others
            return error

    async def _handle(self, post: Post, found: Submission | Exception) -> bool:
        """Whether it is done; StorageError while nothing can be stored."""
        failure = found if isinstance(found, Exception) else await self._begun(post, found)
        if failure is not None:
            await self._count_failure(post, failure)
        return failure is None

    async def _begun(self, post: Post, submission: Submission) -> Exception | None:
        """Not durable: until the row is on the disk as done it is there as new."""
        take = partial(self._take, post=post, submission=submission)
        try:
            await self._store.transaction(take, durable=False)
        except RowRefused as error:
            return error
        except StorageError:
            raise
        except Exception as error:  # nor one met by one lead
            return error
        return None

    def _take(self, tx: BotTransaction, *, post: Post, submission: Submission) -> None:
        """A lead and its run, or the lead that it was the first time; nothing of a test."""
        if submission.ping:
            return tx.posts.done(post, None)
        origin = origin_of(post, submission)
        lead_id = tx.leads.first(origin, since=post.received_at - SAME_CONTENT_MS)
        return tx.posts.done(post, lead_id or self._begin(tx, post, submission, origin))

    def _begin(self, tx: BotTransaction, post: Post, submission: Submission, origin: Origin) -> int:
        contact = contact_of(tx, post, submission)
        lead = tx.leads.add(lead_of(contact, post, submission), post.received_at, origin)
        self._reception.take_form(tx, contact, lead, words_of(submission), flooding=post.flooding)
        return lead.id

    async def _count_failure(self, post: Post, failure: Exception) -> None:
        """Count it; the operators are told in the same transaction if the request is set aside now."""
        words = type(failure).__name__
        # Its message may hold what was posted.
        where = "".join(traceback.format_tb(failure.__traceback__))
        log.error("request %d of source %s failed (%s)\n%s", post.id, post.source.name, words, where)
        text = self._texts.post_parked.format(source=post.source.name, post=post.id, error=words)
        note = Note(chat_id=self._group_id, text=text, lane=Lane.CARDS, silent=False)

        def count(tx: BotTransaction) -> None:
            if tx.posts.failed(post, words, limit=ATTEMPTS + 1):
                tx.notes.add(note, self._clock())

        await self._store.transaction(count)


def contact_of(tx: BotTransaction, post: Post, submission: Submission) -> Contact:
    """Whose request it is, as far as what they gave tells."""
    return tx.contacts.identify(
        name=_name(post, submission),
        phones=submission.phones,
        emails=submission.emails,
        source=post.source.name,
        at=post.received_at,
    )


def lead_of(contact: Contact, post: Post, submission: Submission) -> Lead:
    return Lead(
        id=0,
        contact_id=contact.id,
        source=post.source.name,
        name=_name(post, submission),
        phone=_phone(submission),
        message=submission.message,
        telegram_id=contact.telegram_id,
        phones=submission.phones,
        emails=submission.emails,
        raw_only=submission.raw_only,
    )


def _name(post: Post, submission: Submission) -> str:
    """What people are shown: a name, or what else is known of the person."""
    known = (submission.name, _phone(submission), *submission.emails, post.source.name)
    return next(name for name in known if name)


def _phone(submission: Submission) -> str | None:
    """What to call: the first number that is sure, else the first as it was written."""
    sure = [phone.trusted for phone in submission.phones if phone.trusted]
    written = [phone.raw for phone in submission.phones]
    return next(iter([*sure, *written]), None)


def words_of(submission: Submission) -> str:
    """What the person said; of a form that only leaves a number, all that it holds."""
    return submission.message or "\n".join(
        f"{label}: {text}" if label else text for label, text in submission.fields
    )


def origin_of(post: Post, submission: Submission) -> Origin:
    """The id of the body comes first: headers may name a delivery rather than a submission."""
    answers = [list(pair) for pair in submission.fields]
    return Origin(
        source=post.source,
        provider_id=submission.provider_id or post.delivery_id,
        content_hash=digest([answers, submission.message]),
        form=dumps({"fields": answers, "meta": submission.meta, "page": submission.page}),
    )
