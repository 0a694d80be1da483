"""Verdicts: tied within the margin, better or worse where shown, else undecided."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from lcstats.comparison.contrast import Contrast, DifferenceInterval
from lcstats.comparison.verdict import correct_for_number, judge


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12))
def test_holms_correction_is_that_of_statsmodels(p_values):
    expected = multipletests(p_values, method="holm")[1]
    np.testing.assert_allclose(correct_for_number(p_values), expected)


def contrast(lower, upper, difference):
    interval = DifferenceInterval("tango", 0.95, lower, upper)
    return Contrast(
        100, 100, 100, 0.8, 0.8 + difference, difference, "mcnemar", 0.01, interval=interval
    )


@pytest.mark.parametrize(
    ("lower", "upper", "difference", "corrected_p", "verdict"),
    [
        (-0.15, -0.03, -0.09, 0.01, "worse"),
        (0.03, 0.15, 0.09, 0.01, "better"),
        (-0.15, -0.03, -0.09, 0.06, "undecided"),
        (-0.10, 0.05, -0.02, 0.40, "undecided"),
        (-0.02, 0.01, -0.005, 0.40, "tied"),
        (-0.019, -0.001, -0.01, 0.01, "tied"),
        (0.0, 0.05, 0.02, 0.01, "better"),
    ],
)
def test_a_verdict_needs_the_interval_or_the_corrected_test(
    lower, upper, difference, corrected_p, verdict
):
    assert judge(contrast(lower, upper, difference), corrected_p, 0.02) == verdict
