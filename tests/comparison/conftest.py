"""Tables of two language models, as small as a test needs them."""

from collections.abc import Callable

import pandas as pd
import pytest

from lcstats.trials import Trials

MakeTrials = Callable[..., Trials]


@pytest.fixture
def trials_of() -> MakeTrials:
    """Make the trials of one language model from its scores; other columns by their names."""

    def make(scores: list[float], *, model: str = "old", **columns: object) -> Trials:
        given = {"case": [f"c{i}" for i in range(len(scores))], "length": 8192, "depth": 0.5}
        frame = pd.DataFrame({"score": scores, "model": model, **{**given, **columns}})
        return Trials.from_frame(frame)

    return make


@pytest.fixture
def two_sides(trials_of: MakeTrials) -> Callable[..., tuple[Trials, Trials]]:
    """Make both sides from counts: both right, only old, only new, neither."""

    def make(both: int, old_only: int, new_only: int, neither: int) -> tuple[Trials, Trials]:
        old = [1] * (both + old_only) + [0] * (new_only + neither)
        new = [1] * both + [0] * old_only + [1] * new_only + [0] * neither
        return trials_of(old), trials_of(new, model="new")

    return make
