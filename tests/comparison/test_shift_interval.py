"""Intervals of a shift: whatever two sets allow, and no more; what masses cut off."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats.comparison.doublings import (
    attainable_shifts,
    shift_between,
    shift_label,
    shift_masses,
    shift_range,
)
from lcstats.comparison.shift_interval import (
    INTERVAL_MEANINGS,
    ShiftInterval,
    from_both_sets,
    from_combined_sets,
    from_masses,
)
from lcstats.lengths import Interval

GRIDS = (np.array([4096, 8192, 16384, 32768]), np.array([10, 20, 30, 75, 500]), np.array([7]))


@st.composite
def sets(draw):
    """Two sets on one grid."""
    lengths = draw(st.sampled_from(GRIDS))
    ends = [sorted(draw(st.lists(st.integers(0, lengths.size), min_size=2, max_size=2)))] * 2
    ends[1] = sorted(draw(st.lists(st.integers(0, lengths.size), min_size=2, max_size=2)))
    return tuple(Interval("certified", 0.975, *end, lengths) for end in ends)


@settings(deadline=None)
@given(sets())
def test_both_sets_allow_every_shift_between_them_and_no_further(pair):
    old, new = pair
    interval = from_both_sets(old, new, level=0.95)
    ranges = [
        shift_range(i, j, old.lengths)
        for i in range(old.lower, old.upper + 1)
        for j in range(new.lower, new.upper + 1)
    ]
    assert all(interval.lower <= lower and upper <= interval.upper for lower, upper in ranges)
    assert interval.lower in [lower for lower, _ in ranges]
    assert interval.upper in [upper for _, upper in ranges]
    mirrored = from_both_sets(new, old, level=0.95)
    assert (mirrored.lower, mirrored.upper) == pytest.approx((-interval.upper, -interval.lower))


@settings(deadline=None)
@given(sets(), st.data())
def test_combined_sets_lie_within_both_sets_of_the_same_level(pair, data):
    old, new = pair
    points = tuple(data.draw(st.integers(one.lower, one.upper)) for one in pair)
    combined = from_combined_sets(old, new, points, level=0.95)
    if any(point in (0, old.lengths.size) for point in points):
        assert combined is None
        return
    both = from_both_sets(old, new, level=0.95)
    assert both.lower - 1e-9 <= combined.lower <= combined.upper <= both.upper + 1e-9
    assert shift_between(*points, old.lengths) in combined
    finite = [end for end in (combined.lower, combined.upper) if math.isfinite(end)]
    for end in finite:
        assert np.abs(attainable_shifts(old.lengths) - end).min() < 1e-9


def test_distances_are_added_in_squares():
    """One doubling down on either side: 1.41 together, so a shift of 1 but not of 2."""
    lengths = 1024 * 2 ** np.arange(8)
    old, new = (Interval("certified", 0.95, 4, 6, lengths) for _ in range(2))
    interval = from_combined_sets(old, new, (5, 5), level=0.95)
    assert (interval.lower, interval.upper) == (-1.0, 1.0)
    wide = Interval("certified", 0.95, 2, 6, lengths)  # three down: hypot(3, 1) = 3.16
    assert from_combined_sets(wide, new, (5, 5), level=0.95).upper == 3.0


@settings(deadline=None)
@given(
    st.sampled_from(GRIDS),
    st.integers(0, 2**32 - 1),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_masses_lose_at_most_half_of_the_error_at_each_end(lengths, seed, level):
    rng = np.random.default_rng(seed)
    joint = rng.dirichlet(np.full((lengths.size + 1) ** 2, 0.3)).reshape(lengths.size + 1, -1)
    interval = from_masses(joint, lengths, "bootstrap", level=level)
    ranges = {ij: shift_range(*ij, lengths) for ij in np.ndindex(*joint.shape)}
    below = sum(joint[ij] for ij, (lower, _) in ranges.items() if lower < interval.lower)
    above = sum(joint[ij] for ij, (_, upper) in ranges.items() if upper > interval.upper)
    assert max(below, above) <= (1 - level) / 2 + 1e-9
    masses = shift_masses(joint, lengths)
    assert sum(masses.values()) == pytest.approx(1.0)
    assert set(masses) == {shift_label(*ij, lengths) for ij in ranges if joint[ij] > 0}


def test_masses_go_from_loss_to_gain():
    lengths = np.array([1000, 2000, 4000])
    keys = list(shift_masses(np.full((4, 4), 1 / 16), lengths))
    assert keys == [
        "<-2", "<=-2", "<-1", "<=-1", "-1", "<0", "0", ">0", "1", ">=1", ">1", ">=2", ">2",
        "both_below", "both_beyond",
    ]  # fmt: skip


def test_only_proved_sets_make_a_proved_interval():
    lengths = GRIDS[0]
    certified, jeffreys = (Interval(k, 0.975, 1, 2, lengths) for k in ("certified", "jeffreys"))
    assert from_both_sets(certified, certified, level=0.95).is_proved
    assert not from_both_sets(certified, jeffreys, level=0.95).is_proved
    assert not from_combined_sets(certified, certified, (1, 2), level=0.95).is_proved


def test_words_dictionary_and_way_back():
    interval = ShiftInterval("both_sets", 0.95, -1.0, math.inf, is_default=True)
    assert repr(interval) == "ShiftInterval(95%, both_sets: -1 or more)"
    assert ShiftInterval.from_dict(interval.to_dict()) == interval
    assert interval.to_dict()["upper"] is None
    held = interval.holding(3, 1, GRIDS[0])
    assert (held.lower, held.upper) == (-2.0, math.inf)
    assert set(INTERVAL_MEANINGS) == {"both_sets", "combined", "bootstrap", "posterior"}
