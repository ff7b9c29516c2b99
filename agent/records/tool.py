"""The one tool of the record classifier.  It reads the run's own record and nothing else, once."""

from pydantic import Field

from agent.errors import CallRefused
from agent.jsontext import JsonObject
from agent.records.source import Source
from agent.tools import Arguments, Risk, Scope, Tool

NAME = "read_demo_record"


class RecordId(Arguments):
    """Which record: only the run's own is accepted."""

    record_id: str = Field(min_length=1, max_length=100, description="The record_id of the task, unchanged")


def read_tool(source: Source) -> Tool:
    """read_demo_record over `source`: tried again once by the engine after a temporary error."""

    def read(wanted: RecordId, scope: Scope) -> JsonObject:
        own = scope.lead.message
        if wanted.record_id != own:
            raise CallRefused(f"This run may read {own} only. Nothing was read.")
        record = source.read(own, scope.attempt)
        return {"record": record.model_dump(mode="json"), "attempt": scope.attempt}

    return Tool(
        name=NAME,
        description=(
            "Reads the demo record of this task. Reads only. Call it once, with the record_id of the task; "
            "other records cannot be read. attempt: how many tries the read took."
        ),
        risk=Risk.READ,
        arguments=RecordId,
        run=read,
        retries=1,
        once=True,
    )
