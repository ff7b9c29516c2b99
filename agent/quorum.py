"""How many of whom have to approve."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent.runs import Person


class Role(StrEnum):
    """Who may approve, where people are not named one by one.  Admins are operators."""

    OPERATORS = "operators"
    ADMINS = "admins"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What an approval takes.  A veto takes one operator, whoever it is.

    approvers: a role, or user ids.  editor_may_approve_alone: whether the words of a person may leave on that
    person's approvals alone.  second_press: whether what no source says has to be approved twice.
    """

    approvers: Role | frozenset[int] = Role.OPERATORS
    quorum: int = 1
    editor_may_approve_alone: bool = True
    second_press: bool = True

    def allows(self, person: Person, admins: frozenset[int]) -> bool:
        """Whether this person's approval counts; that it is an operator was checked before."""
        match self.approvers:
            case Role.OPERATORS:
                return True
            case Role.ADMINS:
                return person.id in admins
            case named:
                return person.id in named

    def missing(self, approved: Sequence[Person], editor: Person | None) -> int:
        """How many more people have to approve."""
        people = {person.id for person in approved}
        others = people - {editor.id} if editor else people
        somebody_else = 0 if self.editor_may_approve_alone or editor is None or others else 1
        return max(self.quorum - len(people), somebody_else)
