"""The law of METHOD section 2: worked values, shapes, properties, and what it refuses."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from lcstats.curve import TERMS, Curve, accuracy_from_logit, design_matrix, logit_accuracy
from lcstats.errors import OptionError

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0.0, 1.0, 11)
WORKED = Curve(intercept=4.2, length=0.30, middle=1.9, recency=0.6)

DEPTH_MEANS = [0.9863, 0.9781, 0.9650, 0.9443, 0.9123, 0.8647, 0.7982, 0.7133]
WORST_DEPTHS = [0.9852, 0.9742, 0.9553, 0.9234, 0.8720, 0.7936, 0.6847, 0.5508]

ROUNDING = 1e-12
"""Slack for monotonicity: a few units in the last place of a probability."""


def written_out(curve: Curve, length: float, depth: float) -> float:
    """METHOD's two lines, one cell at a time."""
    doublings = np.log2(length / curve.base_length)
    eta = (
        curve.intercept
        - curve.length * doublings
        - curve.middle * max(doublings, 0) / curve.span_doublings * 4 * depth * (1 - depth)
        + curve.recency * np.exp(-(1 - depth) / curve.recency_scale)
    )
    return curve.guess_rate + (1 - curve.guess_rate - curve.lapse_rate) / (1 + np.exp(-eta))


# Worked values


def test_worked_values_at_128k():
    accuracy = WORKED.accuracy(131072, DEPTHS)[0]
    assert_array_equal(accuracy[[0, 5, 10]].round(2), [0.89, 0.55, 0.94])
    assert accuracy.mean().round(2) == 0.71


def test_depth_means_per_length():
    assert_array_equal(WORKED.accuracy(LENGTHS, DEPTHS).mean(axis=1).round(4), DEPTH_MEANS)


def test_worst_depth_per_length():
    assert_array_equal(WORKED.accuracy(LENGTHS, DEPTHS).min(axis=1).round(4), WORST_DEPTHS)


def test_grid_is_the_law_cell_by_cell():
    curve = Curve(
        3.0, 0.5, 2.2, 1.1, guess_rate=0.25, lapse_rate=0.05, recency_scale=0.2,
        base_length=4, span_doublings=3.5,
    )  # fmt: skip
    lengths, depths = [1, 3, 4, 10, 45], [0.0, 0.13, 0.5, 1.0]
    expected = [[written_out(curve, length, depth) for depth in depths] for length in lengths]
    assert_allclose(curve.accuracy(lengths, depths), expected, rtol=1e-14)


# Design matrix


def test_design_times_coefficients_is_the_logit():
    curve = Curve(1.0, 0.2, 1.5, 0.7, recency_scale=0.3, base_length=500, span_doublings=4)
    design = design_matrix(
        LENGTHS[:, None], DEPTHS, recency_scale=0.3, base_length=500, span_doublings=4
    )
    assert design.shape == (8, 11, 4)
    assert_allclose(design @ curve.coefficients, curve.logit_accuracy(LENGTHS, DEPTHS), rtol=1e-13)


def test_design_broadcasts_element_by_element():
    paired = design_matrix([1024, 4096, 65536], [0.0, 0.5, 1.0])
    assert paired.shape == (3, 4)
    grid = design_matrix(np.array([[1024], [4096], [65536]]), [0.0, 0.5, 1.0])
    assert_array_equal(paired, grid[[0, 1, 2], [0, 1, 2]])


def test_columns_are_in_the_order_of_the_terms():
    assert TERMS == ("intercept", "length", "middle", "recency")
    assert_array_equal(WORKED.coefficients, [4.2, 0.30, 1.9, 0.6])
    assert_allclose(design_matrix(131072, 0.5), [1, -7, -1, np.exp(-5)], rtol=1e-15)


def test_below_the_base_length_there_is_no_middle_term():
    assert design_matrix(256, 0.5)[2] == 0
    assert design_matrix(256, 0.5)[1] == 2


def test_missing_depth_drops_the_middle_and_recency_terms():
    assert_array_equal(design_matrix(8192, np.nan), [1, -3, 0, 0])
    without = Curve(4.2, 0.3, 0, 0)
    assert_array_equal(WORKED.accuracy(LENGTHS, np.nan), without.accuracy(LENGTHS, 0.5))


def test_a_missing_depth_leaves_other_depths_alone():
    mixed = WORKED.accuracy(LENGTHS, [0.0, 0.5, np.nan])
    assert np.isfinite(mixed).all()
    assert_array_equal(mixed[:, :2], WORKED.accuracy(LENGTHS, [0.0, 0.5]))


def test_a_cell_is_the_same_in_every_grid():
    grid = WORKED.accuracy(LENGTHS, DEPTHS)
    single = [[WORKED.accuracy(length, depth)[0, 0] for depth in DEPTHS] for length in LENGTHS]
    assert_array_equal(grid, single)


def test_scalars_give_a_grid_of_one():
    assert WORKED.accuracy(4096, 0.5).shape == (1, 1)
    assert WORKED.accuracy([], DEPTHS).shape == (0, 11)


def test_the_callers_arrays_are_left_alone():
    lengths, depths = LENGTHS.astype(float), np.array([0.0, np.nan])
    WORKED.accuracy(lengths, depths)
    assert_array_equal(lengths, LENGTHS)
    assert_array_equal(depths, [0.0, np.nan])


# Link


def test_guess_and_lapse_are_the_floor_and_the_ceiling():
    assert_array_equal(
        accuracy_from_logit([-1e4, 1e4], guess_rate=0.25, lapse_rate=0.05), [0.25, 0.95]
    )


def test_logit_accuracy_without_guess_and_lapse_is_the_logit():
    logits = logit_accuracy(design_matrix(LENGTHS, 0.3), [2.0, 0.4, 1.0, 0.5])
    accuracy = accuracy_from_logit(logits)
    assert_allclose(np.log(accuracy / (1 - accuracy)), logits, rtol=1e-10)


# Properties

coefficient = st.floats(-20, 20)
decay = st.floats(0, 20)
rate = st.floats(0, 0.49)
length = st.floats(1, 2**21)
depth = st.floats(0, 1) | st.just(np.nan)


@given(coefficient, decay, decay, coefficient, rate, rate, length, length, depth)
def test_accuracy_does_not_rise_with_length(a, b, c, r, guess, lapse, one, other, where):
    curve = Curve(a, b, c, r, guess_rate=guess, lapse_rate=lapse)
    shorter, longer = curve.accuracy(sorted([one, other]), where)[:, 0]
    assert longer <= shorter + ROUNDING


@given(coefficient, coefficient, coefficient, coefficient, rate, rate, length, depth)
def test_accuracy_lies_between_guess_and_lapse(a, b, c, r, guess, lapse, one, where):
    curve = Curve(a, b, c, r, guess_rate=guess, lapse_rate=lapse)
    accuracy = curve.accuracy(one, where)[0, 0]
    assert guess - ROUNDING <= accuracy <= 1 - lapse + ROUNDING


@given(coefficient, coefficient, decay, decay, length)
def test_the_end_is_no_worse_than_the_start(a, b, c, r, one):
    start, end = Curve(a, b, c, r).accuracy(one, [0.0, 1.0])[0]
    assert end >= start - ROUNDING


@given(coefficient, coefficient, coefficient, coefficient, length, depth, st.floats(0.01, 100))
def test_the_unit_of_length_does_not_matter(a, b, c, r, one, where, factor):
    rescaled = Curve(a, b, c, r, base_length=1024 * factor)
    expected = Curve(a, b, c, r).logit_accuracy(one, where)
    assert_allclose(rescaled.logit_accuracy(one * factor, where), expected, atol=1e-9)


# What is refused


def test_a_curve_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        WORKED.intercept = 1.0


@pytest.mark.parametrize(
    ("guess", "lapse"), [(0.5, 0.5), (0.7, 0.4), (-0.1, 0.0), (0.0, -0.1), (1.0, 0.0)]
)
def test_rates_that_leave_no_room_are_refused(guess, lapse):
    with pytest.raises(OptionError, match=r"sum is below 1; pass guess_rate=0\.25"):
        Curve(1, 0, 0, 0, guess_rate=guess, lapse_rate=lapse)


@pytest.mark.parametrize("name", ["recency_scale", "base_length", "span_doublings"])
@pytest.mark.parametrize("value", [0.0, -1.0])
def test_scales_have_to_be_positive(name, value):
    with pytest.raises(OptionError, match=f"{name} is .*; leave {name} out"):
        Curve(1, 0, 0, 0, **{name: value})


@pytest.mark.parametrize("name", [*TERMS, "guess_rate", "lapse_rate", "base_length"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_numbers_have_to_be_finite(name, value):
    numbers = dict.fromkeys(TERMS, 0.0) | {name: value}
    with pytest.raises(OptionError, match=f"give the curve a number for {name}"):
        Curve(**numbers)


@pytest.mark.parametrize("lengths", [0, -1, [1024, 0], np.nan, np.inf, [[1024]]])
def test_lengths_have_to_be_one_row_above_zero(lengths):
    with pytest.raises(OptionError, match=r"above 0; pass lengths such as \[4096, 8192\]"):
        WORKED.accuracy(lengths, DEPTHS)


@pytest.mark.parametrize("depths", [-0.1, 50, [0.0, 1.5], np.inf, [[0.5]]])
def test_depths_have_to_be_one_row_of_fractions(depths):
    with pytest.raises(OptionError, match="divide percentages by 100"):
        WORKED.accuracy(LENGTHS, depths)
