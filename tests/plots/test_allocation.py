"""The allocation figure: numbers in tiles, darker where there are more."""

import pytest

from lcstats.lengths import Criterion
from lcstats.plan import Budget, allocate, planned_truth
from lcstats.plots import plot_allocation
from tests.plots.drawings import clipped_and_overlapping

LENGTHS, DEPTHS = [4096, 8192, 16384, 32768, 65536], [0.0, 0.5, 1.0]


@pytest.fixture(scope="module")
def allocation():
    planned = planned_truth("single-needle", LENGTHS, DEPTHS)
    return allocate(planned, Criterion(0.85), Budget(8_000_000))


@pytest.mark.parametrize("width", ["single", "double"])
def test_every_tile_says_its_trials(allocation, width):
    ax = plot_allocation(allocation, width=width)
    written = sorted(int(text.get_text()) for text in ax.texts if text.get_text().isdecimal())
    assert written == sorted(allocation.trials.ravel().tolist())
    assert clipped_and_overlapping(ax) == ([], [])


def test_more_trials_are_darker(allocation):
    shades = plot_allocation(allocation).collections[0].get_array().compressed()
    trials = allocation.trials.T.ravel()
    order = trials.argsort()
    assert (shades[order][1:] >= shades[order][:-1]).all()
    assert shades[trials.argmax()] > shades[trials.argmin()]


def test_the_title_says_what_is_gained(allocation):
    words = " ".join(text.get_text() for text in plot_allocation(allocation).texts)
    assert f"with {allocation.uniform_trials} in every cell" in words.replace("\n", " ")
