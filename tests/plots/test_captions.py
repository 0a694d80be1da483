"""What a report says of its figures: lengths in one way, depths as the figures write them."""

import numpy as np
import pytest

from lcstats.fit import fit_curve
from lcstats.lengths import Criterion, effective_length
from lcstats.report.figures import describe_decay, describe_depth, describe_heatmap
from lcstats.report.fits import FitWithTest
from tests.plots.drawings import answer_of, ragged, simulated

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def test_the_decay_caption_writes_a_length_in_one_way():
    text = describe_decay(answer_of(simulated()))
    assert " at 32768, " in text
    assert "the effective length is 32768." in text
    assert "32K" not in text


@pytest.mark.parametrize(
    ("treatment", "said"),
    [
        ("mean", "a line with its band, crosses"),
        ("worst", "a line with its band (biased low: worst depth of noisy draws), crosses"),
    ],
)
def test_the_decay_caption_says_that_the_band_of_a_minimum_lies_low(treatment, said):
    cells = simulated(n_cases=40)
    fit = fit_curve(cells)
    answer = effective_length(cells, Criterion(0.85, depth_treatment=treatment), fit=fit)
    assert said in describe_decay(answer, FitWithTest(fit, None))


def test_captions_write_depths_as_the_figures_do():
    cells = simulated(depths=np.arange(8) / 7)
    assert " at 0.57, " in describe_depth(cells, None)
    assert describe_heatmap(cells).endswith("length 131072, depth 0.43.")


def test_the_heatmap_caption_claims_no_more_than_is_known_of_holes():
    assert "1 of 9 cells have no scored trial." in describe_heatmap(ragged())
