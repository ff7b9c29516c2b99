"""What can be taken out as a table."""

from collections.abc import Mapping
from enum import StrEnum


class Export(StrEnum):
    """One table each."""

    LEADS = "leads"
    DEALS = "deals"
    DECISIONS = "decisions"


# The header of each table.  People's spreadsheets rely on it: new columns come behind.
COLUMNS: Mapping[Export, tuple[str, ...]] = {
    Export.LEADS: ("lead_id", "created_at", "source", "name", "phone", "message", "contact_id"),
    Export.DEALS: (
        *("deal_id", "created_at", "lead_id", "name", "phone", "service", "summary", "run_id", "contact_id"),
    ),
    Export.DECISIONS: (
        *("proposal_id", "decided_at", "verdict", "person_id", "person_name", "tool", "decided_on"),
        *("lead_id", "run_id", "arguments_hash"),
    ),
}
# Those of them that hold milliseconds.
TIMES = frozenset({"created_at", "decided_at"})
