"""A sample of failing trials to look at by hand, spread over the cells of a table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lcstats.cells import Results
from lcstats.trials import Trials
from lcstats.trials.showing import TEXT_COLUMNS, describe_trial, shorten

LONGEST_SHOWN = 400
"""Characters of a question, an answer or an output that a report shows."""


@dataclass(frozen=True, slots=True)
class FailureSample:
    """Failing trials of one group.

    Attributes
    ----------
    n_failures : int
        Trials with a score below 1; unscored ones are none.
    trials : tuple of mapping
        Some of them in order of length and depth: case, repeat, length, depth, score, question,
        answer, output; texts cut, and None where the table has none.
    columns : tuple of str
        Those of question, answer and output that the table has.
    """

    n_failures: int
    trials: tuple[dict[str, Any], ...]
    columns: tuple[str, ...]


def sample_failures(
    results: Results, model: str, task: str, *, n_shown: int, seed: int
) -> FailureSample | None:
    """Draw failing trials, each cell's turn after the other's.

    Cells come in random order, and so do the trials of each; a second trial of a cell is taken
    only when every failing cell had its turn.

    Returns
    -------
    FailureSample or None
        None for counts, and for tables without texts: there is nothing to look at.
    """
    if not isinstance(results, Trials):
        return None
    frame = results.frame
    failing = frame[(frame["model"] == model) & (frame["task"] == task) & (frame["score"] < 1)]
    chosen = failing.iloc[_spread(failing, n_shown, np.random.default_rng(seed))]
    ordered = chosen.sort_values(["length", "depth", "case", "repeat"], kind="stable")
    seen = [describe_trial(row) for row in ordered.to_dict("records")]
    columns = tuple(name for name in TEXT_COLUMNS if any(trial[name] for trial in seen))
    if not columns:
        return None
    return FailureSample(len(failing), tuple(_cut(trial) for trial in seen), columns)


def _spread(failing: pd.DataFrame, n_shown: int, rng: np.random.Generator) -> list[int]:
    """Return positions of rows, one of every cell before the second of any."""
    shuffled = rng.permutation(len(failing))
    cells = failing[["length", "depth"]].iloc[shuffled]
    turn = cells.groupby(["length", "depth"], dropna=False).cumcount().to_numpy()
    in_turn = shuffled[np.argsort(turn, kind="stable")]
    return [int(position) for position in in_turn[:n_shown]]


def _cut(trial: dict[str, Any]) -> dict[str, Any]:
    texts = {name: trial[name] for name in TEXT_COLUMNS if trial[name] is not None}
    return trial | {name: shorten(text.strip(), LONGEST_SHOWN) for name, text in texts.items()}
