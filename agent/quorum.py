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

    role, people: who may approve has the role, and is one of the people (user ids) where they are named.
    editor_may_approve_alone: whether the words of a person may leave on that person's approvals alone.
    second_press: whether what no source says has to be approved twice.
    """

    role: Role = Role.OPERATORS
    people: frozenset[int] | None = None
    quorum: int = 1
    editor_may_approve_alone: bool = True
    second_press: bool = True

    @property
    def is_ordinary(self) -> bool:
        """Whether any one operator can approve it."""
        return self.role is Role.OPERATORS and self.people is None and self.quorum == 1

    def allows(self, person: Person, admins: frozenset[int]) -> bool:
        """Whether this person's approval counts; that it is an operator was checked before."""
        has_role = self.role is Role.OPERATORS or person.id in admins
        return has_role and (self.people is None or person.id in self.people)

    def among(self, operators: frozenset[int] | None, admins: frozenset[int]) -> frozenset[int] | None:
        """Those of the people who may approve; None where operators are not named and nobody can tell."""
        known = admins if self.role is Role.ADMINS else operators
        if known is None or self.people is None:
            return known if self.people is None else self.people
        return known & self.people

    def missing(self, approved: Sequence[Person], editor: Person | None) -> int:
        """How many more people have to approve."""
        people = {person.id for person in approved}
        others = people - {editor.id} if editor else people
        somebody_else = 0 if self.editor_may_approve_alone or editor is None or others else 1
        return max(self.quorum - len(people), somebody_else)
