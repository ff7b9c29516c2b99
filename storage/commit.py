"""What a committed transaction changed that others wait for."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agent.journal import Record


@dataclass(slots=True)
class Commit:
    """Filled while a transaction runs, handed to the observers once it is committed.

    queued: runs that can go on; posted: requests of website forms wait to be read; timed: something became
    due at another time than before; delivering: an event may go out; syncing: the other CRM
    has to be told something; seqs: the last record's number of each
    run that was written to; calls: what is called before the observers.
    """

    records: list[Record] = field(default_factory=list)
    queued: list[int] = field(default_factory=list)
    outgoing: bool = False
    received: bool = False
    delivering: bool = False
    syncing: bool = False
    posted: bool = False
    timed: bool = False
    seqs: dict[int, int] = field(default_factory=dict)
    calls: list[Callable[[], None]] = field(default_factory=list)

    def __bool__(self) -> bool:
        flags = (self.outgoing, self.received, self.posted, self.timed, self.delivering, self.syncing)
        return bool(self.records or self.queued or any(flags))


class Wakes:
    """The commit that is being filled: one object for all rows, a fresh commit for every transaction."""

    def __init__(self) -> None:
        self.commit = Commit()

    def fresh(self) -> Commit:
        self.commit = Commit()
        return self.commit
