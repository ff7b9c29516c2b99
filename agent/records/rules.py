"""What a run comes to, decided by the program: the model's words are taken, its decisions are not."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

from agent.errors import Failure
from agent.proposals import Proposal, ProposalState
from agent.records.answer import Answer
from agent.records.result import ActionRequest, Category, Operation, Reason, RecordResult, Status
from agent.records.source import DemoRecord
from agent.records.untrusted import commands


@dataclass(frozen=True, slots=True)
class Wording:
    """The program's own words for a person: what happened, and what is to be done about it."""

    summary: str
    proposed_action: str | None


_BY_HAND = "Обработать запись вручную"
WORDING: Mapping[Reason, Wording] = {
    Reason.MISSING_RECORD_ID: Wording("Обязательный идентификатор отсутствует", "Указать record_id"),
    Reason.MISSING_REQUESTED_DATE: Wording("Запрос указан без даты", "Уточнить дату у ответственного"),
    Reason.UNKNOWN_CATEGORY: Wording("Категория не определена", "Определить категорию вручную"),
    Reason.UNTRUSTED_INSTRUCTION_DETECTED: Wording(
        "Запись содержит недоверенную команду", "Передать запись ответственному без исполнения команды"
    ),
    Reason.RETRY_EXHAUSTED: Wording(
        "Чтение не завершено после разрешённого повтора", "Проверить доступность инструмента"
    ),
    Reason.FORBIDDEN: Wording(
        "Инструмент отказал в доступе", "Проверить назначенные права без обхода ограничения"
    ),
    Reason.NOT_FOUND: Wording("Запись не найдена", "Проверить record_id"),
    Reason.UNKNOWN_RESULT: Wording("Результат чтения неизвестен", "Проверить инструмент и источник"),
    Reason.INVALID_MODEL_ANSWER: Wording("Ответ модели не прошёл проверку", _BY_HAND),
    Reason.MODEL_FAILED: Wording("Модель не дала ответа", _BY_HAND),
    Reason.LIMIT_REACHED: Wording("Исчерпан предел обращений к модели", _BY_HAND),
}

_FAILURES: Mapping[Failure, tuple[Reason, Status]] = {
    Failure.TEMPORARY_ERROR: (Reason.RETRY_EXHAUSTED, Status.FAILED),
    Failure.FORBIDDEN: (Reason.FORBIDDEN, Status.DENIED),
    Failure.NOT_FOUND: (Reason.NOT_FOUND, Status.FAILED),
    Failure.UNKNOWN_RESULT: (Reason.UNKNOWN_RESULT, Status.FAILED),
}

_DECISIONS: Mapping[ProposalState, tuple[Reason, Status]] = {
    ProposalState.APPROVED: (Reason.WRITE_TOOL_UNAVAILABLE, Status.FAILED),
    ProposalState.DENIED: (Reason.HUMAN_DENIED, Status.DENIED),
    ProposalState.EXPIRED: (Reason.CONFIRMATION_EXPIRED, Status.FAILED),
}


def ended(record_id: str | None, reason: Reason, status: Status = Status.FAILED) -> RecordResult:
    """A run that came to no classification, in the program's words."""
    return RecordResult(
        record_id=record_id,
        category=Category.UNKNOWN,
        requested_date=None,
        summary=WORDING[reason].summary,
        needs_human=True,
        proposed_action=WORDING[reason].proposed_action,
        status=status,
        reason=reason,
    )


def unread(record_id: str, failure: Failure) -> RecordResult:
    """A run whose record could not be read."""
    return ended(record_id, *_FAILURES[failure])


def untrusted(record_id: str, record: DemoRecord, answer: Answer) -> bool:
    """Whether the record tries to command the agent: by our rules, or by the model's word."""
    return answer.untrusted_instruction or commands(record.text, record_id)


def classified(record_id: str, record: DemoRecord, answer: Answer) -> RecordResult:
    """A finished classification.  Nothing of a command is in it; a date is the record's own or none."""
    reason = _doubt(record_id, record, answer)
    if reason is Reason.UNTRUSTED_INSTRUCTION_DETECTED:
        words = WORDING[reason]
    else:
        words = Wording(answer.summary, _action(reason, record, answer))
    return RecordResult(
        record_id=record_id,
        category=answer.category,
        requested_date=_date(record, answer),
        summary=words.summary,
        needs_human=reason is not None,
        proposed_action=words.proposed_action,
        status=Status.COMPLETED,
        reason=reason,
    )


def requested(record_id: str, record: DemoRecord, answer: Answer, proposal: Proposal) -> RecordResult:
    """A run that waits for a person's decision on the operation which the record asks for."""
    return RecordResult(
        record_id=record_id,
        category=answer.category,
        requested_date=_date(record, answer),
        summary=answer.summary,
        needs_human=True,
        proposed_action=None,
        status=Status.AWAITING_CONFIRMATION,
        confirmation_status=proposal.confirmation,
        execution_status=proposal.execution,
        action_request=ActionRequest.of(proposal),
    )


def decided(waiting: RecordResult, proposal: Proposal) -> RecordResult:
    """What waited, after the decision.  An approval confirms the intent: no tool is connected."""
    reason, status = _DECISIONS[proposal.state]
    return RecordResult(
        **dict(waiting)
        | {
            "status": status,
            "confirmation_status": proposal.confirmation,
            "execution_status": proposal.execution,
            "reason": reason,
        }
    )


def operation(record_id: str, record: DemoRecord, answer: Answer) -> Operation | None:
    """The operation to put before a person; none is taken from a record that commands."""
    return None if untrusted(record_id, record, answer) else answer.requested_operation


def _doubt(record_id: str, record: DemoRecord, answer: Answer) -> Reason | None:
    """Why a person has to look at a classification; None where the record says all that is needed."""
    if untrusted(record_id, record, answer):
        return Reason.UNTRUSTED_INSTRUCTION_DETECTED
    if answer.category is Category.UNKNOWN:
        return Reason.UNKNOWN_CATEGORY
    return Reason.MISSING_REQUESTED_DATE if _date(record, answer) is None else None


def _date(record: DemoRecord, answer: Answer) -> date | None:
    return record.requested_date if answer.requested_date == record.requested_date else None


def _action(reason: Reason | None, record: DemoRecord, answer: Answer) -> str | None:
    """The model's proposal where a person is needed, unless it repeats the record's own words."""
    if reason is None:
        return None
    own = WORDING[reason].proposed_action
    return (
        own
        if answer.proposed_action is None or _repeats(answer.proposed_action, record)
        else answer.proposed_action
    )


def _repeats(words: str, record: DemoRecord) -> bool:
    """Whether two words in a row are the record's."""
    return bool(set(_pairs(words)) & set(_pairs(record.text)))


def _pairs(text: str) -> list[tuple[str, str]]:
    return list(pairwise(text.casefold().split()))
