"""What the model is asked for: one JSON object, of which the program believes as little as it can."""

import re
from datetime import date

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.errors import ModelNonsense
from agent.records.result import Category, Operation, Words

_FENCED = re.compile(r"```(?:json)?\s*(.*?)\s*```", re.DOTALL)


class Answer(BaseModel):
    """The model's answer.  Unknown fields, categories and operations make it invalid."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    category: Category
    requested_date: date | None
    summary: Words
    proposed_action: Words | None
    requested_operation: Operation | None
    untrusted_instruction: bool


def parse(text: str) -> Answer:
    """The answer in `text`, which may stand in a code fence; ModelNonsense names the wrong fields."""
    fenced = _FENCED.fullmatch(text.strip())
    try:
        return Answer.model_validate_json(fenced[1] if fenced else text, strict=True)
    except ValidationError as error:
        fields = sorted({str(item["loc"][0]) if item["loc"] else "JSON" for item in error.errors()})
        raise ModelNonsense(f"the model's answer is off the schema: {', '.join(fields)}") from error
