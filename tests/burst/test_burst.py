"""The burst in small; `make burst` is the large one."""

from pathlib import Path

from tests.burst.proof import burst


async def test_every_form_that_was_acknowledged_is_one_lead(tmp_path: Path) -> None:
    """The real program is killed amid posts from many clients and started again; nothing is lost or doubled.

    What got no answer is posted again, as senders do, and some of what was answered too.
    """
    found = await burst(tmp_path, forms=60, clients=20)
    assert found.faults == []
    assert found.clients.acknowledged.total() == 66
