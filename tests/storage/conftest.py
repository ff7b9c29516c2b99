"""Files and disks for the storage's tests."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made; its folder is not there yet."""
    return tmp_path / "data" / "lead-agent.db"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 6 MB of its own: permission bits bind no root, and no full disk can be feigned."""
    if shutil.which("mount") is None:
        pytest.skip("there is no mount here, so no small disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=6m,mode=0700", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("mounting is not permitted here, so no small disk")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)
