"""What tests share: the real data and the cases that stand beside the project."""

from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _beside(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"needs ../shared/{name} beside the project, which is not there")
    return folder


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder of real result files, with the values they must give in its README."""
    return _beside("data")


@pytest.fixture(scope="session")
def cases_dir() -> Path:
    """Folder of small inputs of situations that people reported."""
    return _beside("cases")


@pytest.fixture(scope="session", autouse=True)
def _laws_kept_for_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep simulated laws in a folder of the tests, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LCSTATS_CACHE_DIR", str(tmp_path_factory.getbasetemp().parent / "lcstats"))
        yield
