"""What tests share: the real data and the cases that stand beside the project."""

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
