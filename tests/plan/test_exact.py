"""The exact engine against METHOD's probabilities, enumeration and simulation."""

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from lcstats import Criterion
from lcstats.errors import OptionError
from lcstats.plan.exact import exact_probabilities, near_outcomes
from lcstats.plan.truths import planned_truth

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10

METHOD_HITS = {
    "single-needle": (0.5227, 0.7531, 0.9084),
    "distractors": (0.5452, 0.7524, 0.9424),
    "four-values": (0.5287, 0.7831, 0.9746),
    "aggregate-ten": (0.5714, 0.8139, 0.9698),
    "two-hop": (0.5409, 0.7571, 0.9490),
}
"""Exact hit probabilities of the depth mean at .85, for 5, 20 and 80 cases per cell."""


@pytest.mark.parametrize("name", METHOD_HITS)
def test_hits_are_those_of_the_method(name: str) -> None:
    planned = planned_truth(name, LENGTHS, DEPTHS)
    hits = [exact_probabilities(planned, n, Criterion(0.85)).hit for n in (5, 20, 80)]
    assert hits == pytest.approx(METHOD_HITS[name], abs=5e-5)


def enumerate_tables(
    accuracy: NDArray[np.float64], n: int, criterion: Criterion, lengths: NDArray[np.int64]
) -> tuple[float, float]:
    """Hit and within-one-doubling probability, table by table, with the bar as a whole number."""
    bar = criterion.exact_threshold
    is_worst = criterion.depth_treatment == "worst"
    truth = [row.min() if is_worst else row.mean() for row in accuracy]
    true = next((i for i, a in enumerate(truth) if a < float(bar) - 1e-12), len(truth))
    places = [np.log2(lengths[0]) - 1, *np.log2(lengths)]
    hit = within = 0.0
    for counts in itertools.product(range(n + 1), repeat=accuracy.size):
        table = np.array(counts).reshape(accuracy.shape)
        needed = bar * n * (1 if is_worst else accuracy.shape[1])
        rows = [row.min() if is_worst else row.sum() for row in table]
        outcome = next((i for i, k in enumerate(rows) if k < needed), len(rows))
        chance = float(np.prod(binom.pmf(table, n, accuracy)))
        hit += chance * (outcome == true)
        within += chance * (abs(places[outcome] - places[true]) <= 1)
    return hit, within


@pytest.mark.parametrize("treatment", ["mean", "worst"])
@pytest.mark.parametrize("lengths", [[1000, 2000, 4000], [1000, 4000, 8000]])
def test_small_tables_agree_with_enumeration(treatment: str, lengths: list[int]) -> None:
    accuracy = np.array([[0.95, 0.9], [0.8, 0.7], [0.4, 0.6]])
    criterion = Criterion("2/3", depth_treatment=treatment)
    planned = planned_truth(accuracy, lengths, [0.0, 1.0])
    found = exact_probabilities(planned, 3, criterion)
    expected = enumerate_tables(accuracy, 3, criterion, np.array(lengths))
    assert (found.hit, found.within) == pytest.approx(expected, abs=1e-12)


def test_an_open_truth_is_averaged_over_what_it_leaves_open() -> None:
    truth = planned_truth("cells-deviate", LENGTHS[:3], DEPTHS[:3])
    found = exact_probabilities(truth, 5, Criterion(0.85))
    each = [
        exact_probabilities(planned_truth(a, LENGTHS[:3], DEPTHS[:3]), 5, Criterion(0.85)).hit
        for a in truth.accuracies
    ]
    assert found.hit == pytest.approx(np.mean(each))
    assert found.error == pytest.approx(np.std(each, ddof=1) / np.sqrt(len(each)))


def test_doublings_follow_the_lengths_and_not_their_places() -> None:
    near = near_outcomes(np.array([1000, 1500, 2000, 16000]))
    assert near[1].tolist() == [True, True, True, True, False]
    assert near[4].tolist() == [False, False, False, False, True]
    assert (near == near.T).all()


def test_dependent_trials_are_sent_to_the_simulation() -> None:
    planned = planned_truth("shared-haystack", LENGTHS, DEPTHS)
    with pytest.raises(OptionError, match="use the Monte Carlo engine"):
        exact_probabilities(planned, 5, Criterion(0.85))
