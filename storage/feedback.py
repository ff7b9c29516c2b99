"""Rows of feedback."""

import json

from agent.feedback import Feedback
from agent.jsontext import dumps
from agent.runs import Person
from storage.sql import Row, Sql


def feedback_of(row: Row) -> Feedback:
    return Feedback(
        id=row["id"],
        run_id=row["run_id"],
        expected=row["expected"],
        input=json.loads(row["input"]),
        result=json.loads(row["result"]),
        versions=json.loads(row["versions"]),
        by=Person(id=row["person_id"], name=row["person_name"]),
        at=row["at"],
        run_name=row["run_name"],
    )


class FeedbackRows:
    """One row for each message that gave feedback: an update that is handled again adds none."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def add(self, feedback: Feedback, *, chat_id: int, message_id: int) -> str:
        """The id of the feedback, also where that message was stored before."""
        row = self._sql.one(
            "add_feedback",
            run_id=feedback.run_id,
            expected=feedback.expected,
            input=dumps(feedback.input),
            result=dumps(feedback.result),
            versions=dumps(feedback.versions),
            person_id=feedback.by.id,
            person_name=feedback.by.name,
            at=feedback.at,
            chat_id=chat_id,
            message_id=message_id,
        )
        return f"F-{row['id']}"

    def latest(self, limit: int, run_id: int | None = None) -> list[Feedback]:
        """Newest first, of one run or of all."""
        query = "latest_feedback" if run_id is None else "feedback_of_run"
        given = {} if run_id is None else {"run_id": run_id}
        return [feedback_of(row) for row in self._sql.all(query, limit=limit, **given)]
