"""One zygote for all trials of a worker: its imports take seconds."""

from collections.abc import Iterator

import pytest

from tests.crash.serving import Zygote, zygote


@pytest.fixture(scope="session")
def forking() -> Iterator[Zygote]:
    with zygote() as made:
        yield made
