"""Requests of website forms as they came: stored before they are acknowledged, read afterwards."""

import hashlib

from agent.sources import Post, Source
from storage.commit import Wakes
from storage.sources import source_of
from storage.sql import Row, Sql


def post_of(row: Row) -> Post:
    return Post(
        id=row["post_id"],
        source=source_of(row),
        content_type=row["content_type"],
        delivery_id=row["delivery_id"],
        body=row["body"],
        flooding=bool(row["flooding"]),
        attempts=row["attempts"],
        received_at=row["received_at"],
    )


class Posts:
    """Each is handled once; one that keeps failing is parked and blocks no other."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes

    def receive(
        self,
        source: Source,
        body: bytes,
        *,
        content_type: str | None,
        delivery_id: str | None,
        flooding: bool,
        at: int,
        since: int,
    ) -> int | None:
        """Store it; the id of the lead if the same was posted before, by its id or `since` then (ms)."""
        body_hash = hashlib.sha256(body).hexdigest()
        known = self._sql.maybe(
            "lead_of_post", source_id=source.id, delivery_id=delivery_id, body_hash=body_hash, since=since
        )
        self._sql.run(
            "receive_post",
            source_id=source.id,
            content_type=content_type,
            delivery_id=delivery_id,
            body=body,
            body_hash=body_hash,
            flooding=flooding,
            at=at,
        )
        self._wakes.commit.posted = True
        return int(known["lead_id"]) if known else None

    def new(self, limit: int) -> list[Post]:
        """Those that failed before come last."""
        return [post_of(row) for row in self._sql.all("new_posts", limit=limit)]

    def done(self, post: Post, lead_id: int | None) -> None:
        """It is handled: a lead came of it, or it belongs to an earlier one; None for a test."""
        self._sql.run("finish_post", id=post.id, lead_id=lead_id)

    def failed(self, post: Post, error: str, *, limit: int) -> bool:
        """Count a failure; whether the request is parked now, having failed `limit` times."""
        row = self._sql.one("fail_post", id=post.id, error=error, limit=limit)
        return bool(row["state"] == "parked")
