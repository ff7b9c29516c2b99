"""Every error that is ours.

LeadAgentError
├── SettingsError            wrong or missing settings; all faults at once
├── NotFound                 no run, proposal or lead of that name
├── Fenced                   another worker has taken the run up since; drop what you did
├── ToolError
│   ├── CallRefused          not in this run: nothing was done, the model is told why
│   └── ToolFailed           nothing was done or read; `failure` is its type
├── ModelError
│   ├── ModelUnavailable     passing (429, 5xx, connection): ask again later
│   ├── ModelRefused         for good (bad key, bad request, spent limit): a person takes over
│   │   └── TranscriptRefused    400: perhaps thinking blocks that no longer fit
│   └── ModelNonsense        an answer that is no message at all
├── ChannelError
│   ├── NotSent              it certainly did not leave; may be sent again later
│   ├── Undeliverable        it will never arrive (the lead blocked the bot)
│   ├── OutcomeUnknown       it may have left; only a person can tell
│   └── NotAllowed           the account is closed to us: nothing goes until somebody mends it
└── StorageError
    ├── AlreadyRunning       another process holds this database
    ├── NewerDatabase        written by a newer version of the program
    ├── UnreadableDatabase   corrupt, or not a database of ours
    ├── UnwritableStorage    disk full, read-only, no permission
    └── RowRefused           this row breaks a rule of the database; others may be stored
"""

from enum import StrEnum


class LeadAgentError(Exception):
    """The root; its text is one plain sentence for the person who runs the bot."""


class SettingsError(LeadAgentError):
    """Settings that cannot work; `faults` holds one plain line each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


class NotFound(LeadAgentError):
    """Nothing is stored under that name."""


class Fenced(LeadAgentError):
    """The run moved on without this worker: its work counts for nothing and is dropped."""


class Failure(StrEnum):
    """The types of a tool's failure.  Only after a temporary error may it be tried again."""

    TEMPORARY_ERROR = "temporary_error"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    UNKNOWN_RESULT = "unknown_result"


class ToolError(LeadAgentError):
    """A tool inside the company did not do what it was called for."""


class CallRefused(ToolError):
    """The call is not for this run; the text says so to the model."""


class ToolFailed(ToolError):
    """Nothing was done or read."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.value)
        self.failure = failure


class ModelError(LeadAgentError):
    """The model gave no usable answer."""


class ModelUnavailable(ModelError):
    """A passing fault; `retry_after` is in seconds where the server named it."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ModelRefused(ModelError):
    """A fault that asking again will not mend."""


class TranscriptRefused(ModelRefused):
    """HTTP 400: the transcript itself was refused."""


class ModelNonsense(ModelError):
    """An HTTP 200 that holds no message."""


class ChannelError(LeadAgentError):
    """A message did not (certainly) leave."""


class NotSent(ChannelError):
    """It certainly did not leave; `retry_after` is in seconds."""

    def __init__(self, message: str, *, retry_after: float = 1.0) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Undeliverable(ChannelError):
    """The other side refused for good."""


class OutcomeUnknown(ChannelError):
    """The answer was lost: it may or may not have left."""


class NotAllowed(ChannelError):
    """Whatever is sent would be refused, until somebody mends keys, rights or the plan."""


class StorageError(LeadAgentError):
    """The database cannot be used as it is."""


class AlreadyRunning(StorageError):
    """Another process works on this database."""


class NewerDatabase(StorageError):
    """The database was written by a newer program."""


class UnreadableDatabase(StorageError):
    """Corrupt, or not ours."""


class UnwritableStorage(StorageError):
    """Nothing can be written: disk full, read-only, no permission."""


class RowRefused(StorageError):
    """It breaks a rule of the database: waiting does not help it, and others need not wait."""
