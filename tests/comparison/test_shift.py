"""Shifts of the effective length: enumeration, symmetry, censored ends, planted shifts."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells
from lcstats.comparison import joint
from lcstats.comparison.doublings import shift_label
from lcstats.comparison.joint import curve_joint, observed_joint
from lcstats.comparison.pairs import pair_trials
from lcstats.comparison.shift import length_shift
from lcstats.comparison.shift_result import LengthShift
from lcstats.curve import Curve
from lcstats.errors import OptionError, SmallSampleWarning
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion
from lcstats.trials import Trials
from tests.comparison.paired import (
    LENGTHS,
    drawn_pairs,
    pairs_of,
    pairs_of_counts,
    swapped,
)

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

BASE = Curve(4.2, 0.3, 1.9, 0.6)
WORSE = Curve(3.4, 0.3, 1.9, 0.6)
HALF = Criterion(0.5)


def outcome_of(right, n_cases, bar=0.5):
    """Count the leading lengths whose mean reaches the bar."""
    passes = [k / n >= bar for k, n in zip(right, n_cases, strict=True)]
    return passes.index(False) if False in passes else len(passes)


def test_joint_masses_are_those_of_every_resampling_of_cases():
    old, new = [1, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 0]
    pairs = pairs_of([100] * 3 + [200] * 3, old, new)
    exact = np.zeros((3, 3))
    for first in itertools.product(range(3), repeat=3):
        for second in itertools.product(range(3, 6), repeat=3):
            outcomes = [
                outcome_of([sum(side[i] for i in first), sum(side[i] for i in second)], [3, 3])
                for side in (old, new)
            ]
            exact[tuple(outcomes)] += 1 / 27**2
    joint = observed_joint(pairs.grids(), HALF, n_draws=60_000, seed=1)
    np.testing.assert_allclose(joint, exact, atol=4 * 0.5 / np.sqrt(60_000))
    independent = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    assert np.abs(exact - independent).max() > 0.05


def test_clusters_across_lengths_are_drawn_whole():
    """Three questions, each asked at both lengths."""
    old, new = [1, 1, 0, 1, 0, 0], [1, 0, 0, 0, 1, 0]
    pairs = pairs_of([100] * 3 + [200] * 3, old, new, cluster=[0, 1, 2, 0, 1, 2])
    exact = np.zeros((3, 3))
    for drawn in itertools.product(range(3), repeat=3):
        outcomes = [
            outcome_of([sum(side[i] for i in drawn), sum(side[i + 3] for i in drawn)], [3, 3])
            for side in (old, new)
        ]
        exact[tuple(outcomes)] += 1 / 27
    shift = length_shift(pairs, HALF, methods="observed", n_draws=60_000, seed=2)["observed"]
    assert shift.mass_kind == "cluster_bootstrap"
    np.testing.assert_allclose(shift.joint, exact, atol=4 * 0.5 / np.sqrt(60_000))


def test_graded_scores_are_resampled_as_they_are():
    pairs = pairs_of([100, 100], [1, 3], [2, 2], unit=4)
    joint = observed_joint(pairs.grids(), HALF, n_draws=40_000, seed=1)
    # The old mean is .25, .5 or .75 in one, two and one of four resamplings; the new always .5.
    np.testing.assert_allclose(joint, [[0.0, 0.25], [0.0, 0.75]], atol=0.01)


def test_a_cell_with_one_case_takes_the_cases_of_its_length():
    pairs = pairs_of([100, 100], [1, 0], [1, 1], depth=[0.0, 1.0])
    joint = observed_joint(pairs.grids(), Criterion(0.75), n_draws=40_000, seed=1)
    # Each cell draws one of the two cases: both right with probability 1/4.
    np.testing.assert_allclose(joint, [[0.0, 0.75], [0.0, 0.25]], atol=0.01)


@pytest.mark.parametrize("treatment", ["mean", "worst", "window:2"])
def test_swapping_old_and_new_mirrors_everything(treatment):
    pairs = drawn_pairs(BASE, WORSE, n_cases=20)
    criterion = Criterion(0.85, depth_treatment=treatment)
    there = length_shift(pairs, criterion, n_draws=300)
    back = length_shift(swapped(pairs), criterion, n_draws=300)
    assert list(there) == ["observed", "curve", "flexible"]
    for method, shift in there.items():
        mirrored = back[method]
        np.testing.assert_allclose(mirrored.joint, shift.joint.T, rtol=1e-12)
        assert mirrored.outcomes == shift.outcomes[::-1]
        assert mirrored.mass_longer == pytest.approx(shift.mass_shorter)
        for ours, theirs in zip(shift.intervals, mirrored.intervals, strict=True):
            assert (-ours.upper, -ours.lower) == pytest.approx((theirs.lower, theirs.upper))


def test_equal_answers_never_shift_where_pairs_are_used():
    same = drawn_pairs(BASE, BASE, n_cases=10, shared=1.0)
    shifts = length_shift(same, Criterion(0.85), n_draws=200)
    for method in ("observed", "curve"):
        off = shifts[method].joint.copy()
        np.fill_diagonal(off, 0.0)
        assert off.sum() == 0.0
        assert shifts[method].is_paired
    assert not shifts["flexible"].is_paired
    assert shifts["flexible"].mass_shorter > 0.05


def test_a_planted_shift_is_found_by_every_method():
    # 0.99 up to the cliff, 0.3 beyond it: five lengths of the old, three of the new.
    rates = {"old": np.where(np.arange(8) < 5, 99, 30), "new": np.where(np.arange(8) < 3, 99, 30)}
    pairs = pairs_of_counts(LENGTHS, rates["old"], rates["new"], 100)
    shifts = length_shift(pairs, Criterion(0.85), methods=("observed", "flexible"), n_draws=300)
    for shift in shifts.values():
        assert shift.point == "-2"
        assert shift.doublings["-2"] > 0.99
        assert -2.0 in shift.default_interval
        assert 0.0 not in shift.default_interval
    assert shifts["observed"].default_interval.display == "-2"
    assert shifts["observed"].default_interval.is_proved


def test_a_planted_shift_of_a_curve_is_found_by_the_curve():
    steep, steeper = Curve(8.0, 1.0, 0.0, 0.0), Curve(6.0, 1.0, 0.0, 0.0)
    pairs = drawn_pairs(steep, steeper, n_cases=80)
    shift = length_shift(pairs, Criterion(0.85), methods="curve", n_draws=300)["curve"]
    assert shift.point == "-2"
    assert shift.doublings["-2"] > 0.8
    assert shift.default_interval.lower >= -3


def test_a_curve_that_does_not_fit_is_named_with_its_side():
    """On a plateau with a cliff the curve's interval misses the shift; a test says so first."""
    pairs = pairs_of_counts(LENGTHS, [97] * 7 + [50], [97, 96, 94, 91, 86, 78, 66, 51], 100)
    shift = length_shift(pairs, Criterion(0.85), methods="curve", n_draws=50)["curve"]
    (notice,) = (notice for notice in shift.notices if notice.code == "curve-does-not-fit")
    assert notice.message.startswith("old (old-model): the curve does not fit")
    assert notice.message.endswith("do not quote its numbers")
    smooth = length_shift(drawn_pairs(BASE, WORSE), Criterion(0.85), methods="curve", n_draws=50)
    assert not [n for n in smooth["curve"].notices if n.code == "curve-does-not-fit"]


@pytest.mark.parametrize(
    ("old_right", "new_right", "point", "display"),
    [
        ([0, 0, 0], [0, 0, 0], "both_below", "not bounded"),
        ([40, 40, 40], [40, 40, 40], "both_beyond", "not bounded"),
        ([40, 40, 0], [40, 40, 40], ">=1", "1 or more"),
        ([40, 40, 40], [40, 0, 0], "<=-2", "-2 or less"),
        ([0, 0, 0], [40, 40, 0], ">1", "1 or more"),
        ([40, 0, 0], [0, 0, 0], "<0", "0 or less"),
    ],
)
def test_ends_outside_the_tested_lengths_stay_open(old_right, new_right, point, display):
    pairs = pairs_of_counts([1000, 2000, 4000], old_right, new_right, 40)
    shift = length_shift(pairs, HALF, methods="observed", n_draws=50)["observed"]
    assert (shift.point, dict(shift.doublings)) == (point, {point: 1.0})
    assert shift.default_interval.display == display
    assert len(shift.intervals) == 1
    entry = shift.to_dict()["intervals"][0]
    assert (entry["lower"] is None) == ("more" not in display and display != "0")
    json.dumps(shift.to_dict(), allow_nan=False)


def test_uneven_grids_keep_their_ratios():
    lengths = [10, 20, 30, 75, 500]
    pairs = pairs_of_counts(lengths, [40, 40, 40, 40, 0], [40, 40, 40, 0, 0], 40)
    shift = length_shift(pairs, HALF, methods="observed", n_draws=50)["observed"]
    assert dict(shift.doublings) == {f"{np.log2(30 / 75):.4f}": 1.0}
    assert shift.default_interval.lower == pytest.approx(np.log2(30 / 75))


def test_masses_of_every_method_add_up_to_one():
    for method, shift in length_shift(
        drawn_pairs(BASE, WORSE, n_cases=5), Criterion(0.85), n_draws=200
    ).items():
        assert sum(shift.doublings.values()) == pytest.approx(1.0), method
        same = sum(shift.joint[i, i] for i in range(1, LENGTHS.size))
        parts = shift.mass_shorter + shift.mass_longer + shift.mass_unknown + same
        assert parts == pytest.approx(1.0)


def test_relative_bars_are_each_language_models_own():
    """Half as accurate everywhere, so that relative to its base nothing changes."""
    pairs = pairs_of_counts([1000, 2000, 4000], [80, 72, 40], [40, 36, 20], 80)
    criterion = Criterion(0.8, rule="relative")
    shift = length_shift(pairs, criterion, methods="observed", n_draws=50)["observed"]
    assert shift.point == "0"
    assert length_shift(pairs, Criterion(0.8), methods="observed")["observed"].point == "<-1"


def test_rows_may_come_in_any_order():
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"case": np.tile(np.arange(30), 3), "length": np.repeat([8, 16, 32], 30)})
    old = table.assign(score=rng.random(90) < 0.8, model="a")
    new = table.assign(score=rng.random(90) < 0.6, model="b")
    results = []
    for seed in (None, 5):
        frames = [
            frame if seed is None else frame.sample(frac=1, random_state=seed)
            for frame in (old, new)
        ]
        (pairs,) = pair_trials(*(Trials.from_frame(frame) for frame in frames))
        results.append({m: s.to_dict() for m, s in length_shift(pairs, HALF, n_draws=99).items()})
    assert results[0] == results[1]


def test_any_number_of_threads_gives_the_same_bits():
    pairs = drawn_pairs(BASE, WORSE, n_cases=10)
    fits = tuple(fit_curve(Cells((grid,))) for grid in pairs.grids())
    one, four = (
        curve_joint(fits, Criterion(0.85), n_draws=300, seed=4, n_threads=n) for n in (1, 4)
    )
    assert one.masses.tobytes() == four.masses.tobytes()


def test_other_seeds_give_other_masses():
    pairs = drawn_pairs(BASE, WORSE, n_cases=10)
    first, again, other = (
        length_shift(pairs, Criterion(0.85), methods="observed", seed=seed)["observed"].joint
        for seed in (1, 1, 2)
    )
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_a_method_that_is_not_possible_is_left_out_and_named():
    pairs = pairs_of_counts([1000], [30], [20], 40)
    shifts = length_shift(pairs, HALF, methods=("curve", "observed"), n_draws=50)
    assert list(shifts) == ["observed"]
    (notice,) = [n for n in shifts["observed"].notices if n.code == "no-shift"]
    assert notice.message == "no shift by the curve method: only one length was tested"
    with pytest.raises(OptionError, match=r"ask for methods=\('observed',\)"):
        length_shift(pairs, HALF, methods="curve")


def test_few_cases_per_cell_are_said_to_scatter_too_little():
    pairs = pairs_of_counts([1000, 2000], [9, 3], [8, 2], 9)
    with pytest.warns(SmallSampleWarning, match="as few as 9 cases"):
        length_shift(pairs, HALF, methods="observed", n_draws=50)
    enough = pairs_of_counts([1000, 2000], [9, 3], [8, 2], 10)
    assert not length_shift(enough, HALF, methods="observed", n_draws=50)["observed"].notices


def test_cases_without_a_depth_are_set_aside_but_for_pooled_accuracy():
    pairs = drawn_pairs(BASE, WORSE, n_cases=4)
    depthless = replace(
        pairs,
        **{
            name: np.concatenate([getattr(pairs, name), extra])
            for name, extra in {
                "length": LENGTHS,
                "depth": np.full(8, np.nan),
                "case": np.arange(8).astype(object),
                "old": np.zeros(8, dtype=np.int64),
                "new": np.zeros(8, dtype=np.int64),
                "cluster": np.arange(1000, 1008),
            }.items()
        },
    )
    for treatment, is_same in (("mean", True), ("pooled", False)):
        criterion = Criterion(0.85, depth_treatment=treatment)
        with_them, without = (
            length_shift(p, criterion, methods="observed", n_draws=100)["observed"].joint
            for p in (depthless, pairs)
        )
        assert np.array_equal(with_them, without) == is_same


def test_a_shift_comes_back_from_its_dictionary():
    shifts = length_shift(drawn_pairs(BASE, WORSE, n_cases=5), Criterion(0.85), n_draws=100)
    for shift in shifts.values():
        document = json.loads(json.dumps(shift.to_dict(), allow_nan=False))
        restored = LengthShift.from_dict(document)
        assert restored.to_dict() == shift.to_dict()
        assert repr(restored) == repr(shift)


def test_options_are_checked():
    pairs = pairs_of_counts([1000, 2000], [9, 3], [8, 2], 9)
    with pytest.raises(OptionError, match="pass n_draws=1"):
        length_shift(pairs, HALF, n_draws=0)
    with pytest.raises(OptionError, match=r"write 0\.95"):
        length_shift(pairs, HALF, level=95)
    with pytest.raises(OptionError, match="pass methods='observed'"):
        length_shift(pairs, HALF, methods="guess")
    assert shift_label(0, 0, LENGTHS) == "both_below"


@pytest.mark.parametrize("at_once", [1, 70])
def test_it_does_not_matter_how_many_cases_are_drawn_at_once(monkeypatch, at_once):
    pairs = drawn_pairs(BASE, WORSE, n_cases=6)
    whole = joint.redraw_pairs(pairs.grids(), n_draws=40, seed=3)
    monkeypatch.setattr(joint, "DRAWN_AT_ONCE", at_once)
    parts = joint.redraw_pairs(pairs.grids(), n_draws=40, seed=3)
    np.testing.assert_array_equal(parts.old, whole.old)
    np.testing.assert_array_equal(parts.new, whole.new)


def test_two_lengths_without_depths_leave_no_fit_to_test_and_still_have_a_shift():
    pairs = pairs_of_counts([4096, 8192], [19, 12], [17, 6], 20)
    shifts = length_shift(pairs, Criterion(0.85), n_draws=50)
    assert "curve" in shifts
    assert not any("does not fit" in n.message for each in shifts.values() for n in each.notices)
