"""Trouble on demand: what can go wrong between a bot and Telegram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from types import UnionType
from typing import Any, Final


class FaultKind(StrEnum):
    """How a call goes wrong. Only LOST, SILENT and SLOW calls have happened nevertheless."""

    ERROR = "error"
    """`ok: false` with `status`; 429 carries `retry_after` unless that is null."""
    GATEWAY = "gateway"
    """`status` (502, 504) with a page of HTML."""
    HTML = "html"
    """200 with a page of HTML."""
    NOT_OK = "not_ok"
    """`ok: false` under the status 200 and without an error code."""
    RESET = "reset"
    """The connection is reset before the call is handled."""
    LOST = "lost"
    """The call is handled, then the connection is reset instead of an answer."""
    SILENT = "silent"
    """The call is handled and never answered."""
    SLOW = "slow"
    """The call is handled at once and answered after `seconds`."""


_TYPES: Final[dict[str, type | UnionType]] = {
    "kind": str,
    "method": str | None,
    "chat_id": int | None,
    "times": int | None,
    "after": int,
    "status": int,
    "description": str,
    "retry_after": int | None,
    "seconds": int | float,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One kind of trouble for the calls that fit.

    `method` and `chat_id` narrow it (None: any); of the calls that fit, the first `after` are spared and the
    next `times` (None: all) are struck.
    """

    kind: FaultKind
    method: str | None = None
    chat_id: int | None = None
    times: int | None = 1
    after: int = 0
    status: int = 502
    description: str = "Bad Gateway"
    retry_after: int | None = None
    seconds: float = 0.0

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Fault:
        """Read a fault as the control endpoint takes it; raise ValueError or TypeError for nonsense."""
        for name, value in body.items():
            if name not in _TYPES:
                raise ValueError(f"a fault has no {name}")
            if not isinstance(value, _TYPES[name]) or isinstance(value, bool):
                raise TypeError(f"{name} of a fault can't be {value!r}")
        if body.get("kind") not in set(FaultKind):
            raise ValueError(f"kind must be one of: {', '.join(FaultKind)}")
        return cls(**{**body, "kind": FaultKind(body["kind"])})

    def json(self) -> dict[str, Any]:
        """The same as the control endpoint shows it."""
        return asdict(self)

    def fits(self, method: str, chat_id: int | None) -> bool:
        same_method = self.method is None or self.method.lower() == method.lower()
        return same_method and (self.chat_id is None or self.chat_id == chat_id)


@dataclass(slots=True, kw_only=True)
class _Armed:
    fault: Fault
    seen: int = 0
    struck: int = 0

    @property
    def spent(self) -> bool:
        return self.fault.times is not None and self.struck >= self.fault.times


class Faults:
    """The faults in force. Every fault that fits counts a call; the first that is due strikes it."""

    def __init__(self) -> None:
        self._armed: list[_Armed] = []

    def add(self, fault: Fault) -> None:
        self._armed.append(_Armed(fault=fault))

    def clear(self) -> None:
        self._armed.clear()

    def waiting(self) -> list[Fault]:
        """The faults that can still strike."""
        return [armed.fault for armed in self._armed if not armed.spent]

    def strike(self, method: str, chat_id: int | None) -> Fault | None:
        """The fault that strikes this call, which uses it up by one."""
        due = None
        for armed in self._armed:
            if armed.spent or not armed.fault.fits(method, chat_id):
                continue
            armed.seen += 1
            if due is None and armed.seen > armed.fault.after:
                due = armed
        if due is None:
            return None
        due.struck += 1
        return due.fault
