"""What tests of the runner share: a small design, a sweep to call, rows to read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lcstats.runner import Design, parse_task

DEPTHS = (0.0, 0.25, 0.5, 0.75, 1.0)


@pytest.fixture
def small() -> Callable[..., Design]:
    """Make a design of one task at 512 and 1024 tokens, three depths, two trials."""

    def make(task: str = "single-needle", **others: Any) -> Design:
        given = {"lengths": [512, 1024], "depths": [0.0, 0.5, 1.0], "n_trials": 2, **others}
        return Design.grid([parse_task(task)], given.pop("lengths"), given.pop("depths"), **given)

    return make


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Where a sweep goes."""
    return tmp_path / "trials.jsonl"
