"""Built-in truths: METHOD's numbers, and trials that follow them."""

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import norm

from lcstats import truths
from lcstats.curve import Curve
from lcstats.errors import OptionError
from lcstats.truths import SharedHaystack, get_truth, simulate_cells, simulate_trials

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0.0, 1.0, 11)
K16, K32, K64, K128 = 4, 5, 6, 7
MANY = 100_000
OTHER_CURVE = Curve(3.0, 0.6, 1.0, 1.5, lapse_rate=0.03)


def on_grid(name):
    return get_truth(name).accuracy(LENGTHS, DEPTHS)


def n_passing(rows, threshold=0.85):
    """How many leading rows reach the threshold: METHOD's outcome number."""
    return int(np.argmin(np.append(rows >= threshold, False)))


# The five tasks


def test_four_values_at_16k():
    each = Curve(4.2 - 0.31, 0.3, 1.9, 0.6).accuracy(16384, [0.0, 0.5])[0]
    joint = on_grid("four-values")[K16]
    assert_array_equal(each.round(2), [0.94, 0.83])
    assert_array_equal(joint[[0, 5]].round(2), [0.76, 0.48])
    assert joint.mean().round(2) == 0.62


def test_single_needle_is_the_curve():
    assert_array_equal(on_grid("single-needle"), truths.WORKED_CURVE.accuracy(LENGTHS, DEPTHS))


def test_distractors_lower_the_logit():
    doublings = np.arange(8)[:, None]
    lowered = logit(on_grid("single-needle")) - (0.9 + 0.12 * doublings)
    assert_allclose(on_grid("distractors"), expit(lowered), rtol=1e-12)


def test_four_values_multiply_at_their_own_depths():
    each = Curve(4.2 - 0.31, 0.3, 1.9, 0.6)
    inside, at_the_end = get_truth("four-values").accuracy(LENGTHS, [0.3, 1.0]).T
    assert_allclose(inside, each.accuracy(LENGTHS, [0.27, 0.29, 0.31, 0.33]).prod(axis=1))
    assert_allclose(at_the_end, each.accuracy(LENGTHS, [0.97, 0.99, 1.0, 1.0]).prod(axis=1))


def test_aggregation_does_not_depend_on_the_depth():
    accuracy = on_grid("aggregate-ten")
    each = truths.WORKED_CURVE.accuracy(LENGTHS, np.arange(10) / 9)
    assert accuracy.shape == (8, 11)
    assert_allclose(accuracy, np.repeat(each.prod(axis=1)[:, None], 11, axis=1), rtol=1e-13)


def test_two_hops_use_mirrored_depths():
    accuracy, single = on_grid("two-hop"), on_grid("single-needle")
    joined = 0.92 * np.exp(-0.06 * np.arange(8))[:, None]
    assert_allclose(accuracy, single * single[:, ::-1] * joined, rtol=1e-12)


def test_two_hops_stay_a_probability_at_tiny_lengths():
    assert 0.99 < get_truth("two-hop").accuracy([16], [0.5])[0, 0] <= 1


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("single-needle", 32768),
        ("distractors", 4096),
        ("four-values", 2048),
        ("aggregate-ten", 1024),
        ("two-hop", 1024),
    ],
)
def test_true_effective_lengths_of_the_depth_mean(name, length):
    assert LENGTHS[n_passing(on_grid(name).mean(axis=1)) - 1] == length


def test_true_effective_length_of_the_worst_depth():
    assert LENGTHS[n_passing(on_grid("single-needle").min(axis=1)) - 1] == 16384


@pytest.mark.parametrize(
    "make",
    [
        truths.single_needle,
        truths.distractors,
        truths.four_values,
        truths.aggregate_ten,
        truths.two_hop,
        truths.cells_deviate,
        truths.shared_haystack,
    ],
)
def test_truths_follow_the_curve_they_are_given(make):
    given, worked = make(OTHER_CURVE), make()
    assert given.name == worked.name
    assert np.all(np.abs(given.accuracy(LENGTHS, 0.2) - worked.accuracy(LENGTHS, 0.2)) > 1e-4)


# The truths of the coverage study

DEPTH_MEAN_AND_WORST = {
    "single-needle": (6, 5),
    "cliff": (6, 6),
    "one-bad-depth": (7, 4),
    "ceiling": (6, 5),
    "shared-haystack": (5, 4),
    "plateau": (7, 7),
    "early-loss": (8, 5),
    "recency-cliff": (4, 4),
    "one-bad-cell": (7, 3),
    "rises-again": (4, 4),
    "all-99": (8, 8),
    "all-below": (0, 0),
    "lone-cell": (7, 2),
    "shallow-depth": (7, 4),
    "two-shallow-depths": (7, 3),
    "sawtooth": (7, 3),
    "bar-plateau": (6, 6),
    "hairline": (8, 5),
    "cold-start": (0, 0),
    "last-depth": (8, 7),
    "weak-length": (3, 3),
    "moving-hole": (7, 3),
}


@pytest.mark.parametrize("name", DEPTH_MEAN_AND_WORST)
def test_true_outcomes_of_the_coverage_truths(name):
    truth, accuracy = get_truth(name), on_grid(name)
    found = [
        n_passing(accuracy.mean(axis=1).round(12), truth.default_threshold),
        n_passing(accuracy.min(axis=1), truth.default_threshold),
    ]
    assert tuple(found) == DEPTH_MEAN_AND_WORST[name]


def test_every_coverage_truth_has_known_outcomes():
    named = {truth.name for truth in (*truths.COVERAGE, *truths.HARD)}
    assert named == {*DEPTH_MEAN_AND_WORST, "cells-deviate", "cells-scatter"}
    assert (len(truths.COVERAGE), len(truths.HARD)) == (15, 9)


def test_three_hard_truths_are_kept_for_the_final_check():
    hard = {truth.name for truth in truths.HARD}
    assert len(set(truths.FINAL_CHECK)) == 3
    assert set(truths.FINAL_CHECK) < hard
    assert not hard & {truth.name for truth in truths.COVERAGE}


def test_cliff_dips_then_falls():
    accuracy = on_grid("cliff")
    assert_array_equal(accuracy[0], 0.96)
    assert_array_equal(accuracy[:6, [0, 10]], 0.96)
    assert_allclose(accuracy[:6, 5], 0.96 - 0.03 * np.arange(6) / 5, rtol=1e-14)
    assert_array_equal(accuracy[K64], 0.72)
    assert_array_equal(accuracy[K128], 0.35)


def test_plateau_rows():
    assert_array_equal(on_grid("plateau").mean(axis=1).round(12), [0.86] * 7 + [0.5])


def expected_with_hole(depth_index, rows, value):
    expected = np.full((8, 11), 0.97)
    expected[K128] = 0.70
    expected[rows, depth_index] = value
    return expected


@pytest.mark.parametrize(
    ("name", "depth_index", "rows", "value"),
    [
        ("one-bad-depth", 3, slice(K16, K128), 0.75),
        ("shallow-depth", 3, slice(K16, K128), 0.82),
        ("one-bad-cell", 7, 3, 0.6),
        ("lone-cell", 5, 2, 0.80),
    ],
)
def test_holes(name, depth_index, rows, value):
    assert_array_equal(on_grid(name), expected_with_hole(depth_index, rows, value))


def test_holes_that_move_or_are_two_depths_wide():
    moving = expected_with_hole(0, [], 0.80)
    moving[[3, 4, 5, 6], [2, 4, 6, 8]] = 0.80
    assert_array_equal(on_grid("moving-hole"), moving)
    assert_array_equal(on_grid("two-shallow-depths"), expected_with_hole([4, 5], 3, 0.82))


def test_sawtooth_alternates_over_depth():
    accuracy = on_grid("sawtooth")
    assert_array_equal(accuracy[:3], 0.96)
    assert_allclose(accuracy[3:7, ::2], 0.96, rtol=1e-14)
    assert_allclose(accuracy[3:7, 1::2], 0.84, rtol=1e-14)
    assert_array_equal(accuracy[K128], 0.70)


def test_hairline_crosses_between_lengths_by_a_hundredth():
    accuracy = on_grid("hairline")
    assert_allclose(accuracy[:, 5], [0.95, 0.93, 0.91, 0.89, 0.86, 0.84, 0.81, 0.78])
    assert_allclose(accuracy[:, [0, 10]], 0.98)


def test_last_depth_fails_at_one_corner():
    expected = np.full((8, 11), 0.97)
    expected[K128, 10] = 0.75
    assert_array_equal(on_grid("last-depth"), expected)


def test_flat_hard_truths():
    assert_array_equal(on_grid("bar-plateau")[:, 0], [0.85] * 6 + [0.6] * 2)
    assert_array_equal(on_grid("weak-length")[:, 0], [0.96] * 3 + [0.82] + [0.96] * 4)
    assert_array_equal(on_grid("cold-start")[:, 0], [0.81] + [0.97] * 6 + [0.70])


def test_recency_cliff():
    expected = np.full((8, 11), 0.97)
    expected[K16:, :5] = 0.08
    assert_array_equal(on_grid("recency-cliff"), expected)


def test_ceiling_is_a_fraction_of_the_base():
    assert_allclose(on_grid("ceiling"), 0.94 * on_grid("single-needle"), rtol=1e-14)
    assert get_truth("ceiling").default_threshold == 0.80


def test_early_loss_formula():
    doublings, depth = np.arange(8)[:, None], DEPTHS[None, :]
    loss = 2.8 * (doublings / 7) ** 1.5 * np.exp(-((depth / 0.15) ** 2))
    assert_allclose(on_grid("early-loss"), expit(3.6 - 0.12 * doublings - loss), rtol=1e-13)


def test_rises_again_formula():
    rows = np.array([0.97, 0.96, 0.95, 0.93, 0.80, 0.78, 0.92, 0.96])
    dip = 0.5 * (4 * DEPTHS * (1 - DEPTHS) - 0.6)
    assert_allclose(on_grid("rises-again"), expit(logit(rows)[:, None] - dip), rtol=1e-13)


def test_all_below_formula():
    doublings, dip = np.arange(8)[:, None], 4 * DEPTHS * (1 - DEPTHS)
    logits = np.log(7 / 3) - 0.15 * doublings - 0.5 * (doublings / 7) * dip
    assert_allclose(on_grid("all-below"), expit(logits), rtol=1e-13)


def test_shared_haystack_is_the_integral_over_haystacks():
    truth, logits = get_truth("shared-haystack"), truths.WORKED_CURVE.logit_accuracy(LENGTHS, 0.5)
    expected = [
        quad(lambda z, eta=eta: expit(eta + 0.8 * z) * norm.pdf(z), -12, 12, epsabs=1e-13)[0]
        for eta in logits[:, 0]
    ]
    assert_allclose(truth.accuracy(LENGTHS, 0.5)[:, 0], expected, rtol=1e-11)


def test_haystacks_without_spread_are_the_curve():
    marginal = SharedHaystack(OTHER_CURVE, 0.0).accuracy(LENGTHS, DEPTHS)
    assert_allclose(marginal, OTHER_CURVE.accuracy(LENGTHS, DEPTHS), rtol=1e-13)


def test_deviating_cells_scatter_around_the_curve():
    truth, rng = get_truth("cells-deviate"), np.random.default_rng(5)
    drawn = [truth.drawn(LENGTHS, DEPTHS, rng).accuracy(LENGTHS, DEPTHS) for _ in range(2000)]
    shifts = logit(np.array(drawn)) - truths.WORKED_CURVE.logit_accuracy(LENGTHS, DEPTHS)
    standard_error = 0.4 / np.sqrt(shifts.size)
    assert abs(shifts.mean()) < 5 * standard_error
    assert abs(shifts.std() - 0.4) < 5 * standard_error / np.sqrt(2)
    outcomes = [[n_passing(a.mean(axis=1)), n_passing(a.min(axis=1))] for a in drawn]
    assert_allclose(np.mean(outcomes, axis=0), [5.7, 4.1], atol=0.1)


def test_a_drawn_truth_stays_as_drawn():
    fixed = get_truth("cells-deviate").drawn(LENGTHS, DEPTHS, np.random.default_rng(5))
    again = fixed.drawn(LENGTHS, DEPTHS, np.random.default_rng(6))
    assert again is fixed
    whole = fixed.accuracy(LENGTHS, DEPTHS)
    assert_array_equal(fixed.accuracy(LENGTHS[[2, 5]], DEPTHS[[0, 7]]), whole[[2, 5]][:, [0, 7]])


@pytest.mark.parametrize(("lengths", "depths"), [(5000, 0.5), (2**20, 0.5), (4096, np.nan)])
def test_a_drawn_truth_is_not_asked_beyond_its_table(lengths, depths):
    fixed = get_truth("cells-deviate").drawn(LENGTHS, DEPTHS, np.random.default_rng(5))
    with pytest.raises(OptionError, match=r"ask for one of the table's (length|depth)s"):
        fixed.accuracy(lengths, depths)


def test_a_drawn_truth_can_have_no_depth():
    fixed = get_truth("cells-deviate").drawn(LENGTHS, [0.5, np.nan], np.random.default_rng(5))
    assert fixed.accuracy(4096, np.nan).shape == (1, 1)


# All of them


@pytest.mark.parametrize("name", truths.names())
def test_accuracies_are_probabilities_everywhere(name):
    accuracy = get_truth(name).accuracy([16, 500, 1024, 3000, 2**20], [0.0, 0.33, 1.0, np.nan])
    assert accuracy.shape == (5, 4)
    assert np.all((accuracy >= 0) & (accuracy <= 1))


@pytest.mark.parametrize("name", truths.names())
def test_a_cell_is_the_same_in_every_grid(name):
    truth = get_truth(name)
    assert_allclose(truth.accuracy(8192, 0.3)[0, 0], on_grid(name)[3, 3], rtol=1e-14)


@pytest.mark.parametrize("name", ["cliff", "one-bad-depth", "plateau", "rises-again"])
def test_row_by_row_truths_meet_grids_of_thousands(name):
    thousands = 1000 * 2 ** np.arange(8)
    near = get_truth(name).accuracy(thousands, DEPTHS)
    assert_allclose(near, on_grid(name), atol=0.001)


@pytest.mark.parametrize("depths", [np.linspace(0, 1, 5), np.linspace(0, 1, 21)])
def test_one_bad_depth_meets_other_grids_of_depths(depths):
    assert get_truth("one-bad-depth").accuracy(16384, depths).min() == 0.75


@pytest.mark.parametrize("name", truths.names())
def test_truths_have_a_name_a_line_and_survive_pickling(name):
    truth = get_truth(name)
    assert truth.name == name
    assert truth.title
    assert "\n" not in truth.title
    restored = pickle.loads(pickle.dumps(truth))
    assert_array_equal(restored.accuracy(LENGTHS, DEPTHS), on_grid(name))


def test_names_start_with_the_five_tasks():
    assert truths.names()[:5] == tuple(truth.name for truth in truths.TASKS)
    assert len(set(truths.names())) == 28


def test_unknown_truth_lists_the_names():
    with pytest.raises(OptionError, match=r"expected one of single-needle.*name one of these"):
        get_truth("needle")


@pytest.mark.parametrize("logit_sd", [-0.1, np.nan])
@pytest.mark.parametrize("make", [truths.cells_deviate, truths.shared_haystack])
def test_a_spread_below_zero_is_refused(make, logit_sd):
    with pytest.raises(OptionError, match=r"0 or more; pass logit_sd=0\.8"):
        make(logit_sd=logit_sd)


def test_a_truth_has_drawn_cells_or_haystacks():
    with pytest.raises(OptionError, match="leave out draw_cells or haystack"):
        replace(get_truth("cells-deviate"), haystack=get_truth("shared-haystack").haystack)


# Simulated trials


def table(name="single-needle", *, n_trials=5, seed=1, lengths=LENGTHS, depths=DEPTHS):
    trials = simulate_trials(get_truth(name), lengths, depths, n_trials=n_trials, seed=seed)
    return trials.to_frame()


def as_bytes(frame):
    return frame.to_csv(index=False).encode()


def test_one_row_per_trial_in_a_stable_order():
    frame = table(lengths=[1024, 4096], depths=[0.0, 0.5, 1.0], n_trials=2)
    assert frame["length"].tolist() == [1024] * 6 + [4096] * 6
    assert frame["depth"].tolist() == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0] * 2
    assert frame["case"].tolist() == ["1", "2"] * 6
    assert set(frame["status"]) == {"ok"}
    assert set(frame["task"]) == {"single-needle"}
    assert set(frame["model"]) == {"simulated"}
    assert set(frame["score"]) <= {0.0, 1.0}


def test_a_table_has_cases_and_no_unscored_rows():
    trials = simulate_trials(truths.TWO_HOP, LENGTHS, DEPTHS, n_trials=3, seed=2, model="m/1")
    assert trials.has_case_ids
    assert trials.n_trials == trials.n_scored == trials.n_cases == 8 * 11 * 3
    assert set(trials.to_frame()["model"]) == {"m/1"}
    assert not trials.notices


def test_a_name_stands_for_its_truth():
    named = simulate_trials("two-hop", LENGTHS, DEPTHS, n_trials=2, seed=3).to_frame()
    given = simulate_trials(truths.TWO_HOP, LENGTHS, DEPTHS, n_trials=2, seed=3).to_frame()
    assert as_bytes(named) == as_bytes(given)
    with pytest.raises(OptionError, match="name one of these"):
        simulate_trials("two-hops", LENGTHS, DEPTHS, n_trials=2, seed=3)


@pytest.mark.parametrize("name", ["four-values", "cells-deviate", "shared-haystack"])
def test_equal_seeds_give_equal_bytes_and_others_do_not(name):
    assert as_bytes(table(name)) == as_bytes(table(name))
    assert as_bytes(table(name)) != as_bytes(table(name, seed=2))


@pytest.mark.parametrize("name", ["single-needle", "cells-deviate", "shared-haystack"])
def test_more_trials_continue_the_fewer(name):
    few, many = table(name, n_trials=5), table(name, n_trials=9)
    first = many[many["case"].astype(int) <= 5].reset_index(drop=True)
    assert as_bytes(first) == as_bytes(few)


def test_truths_of_one_seed_meet_the_same_luck():
    easy, hard = table("all-99")["score"], table("cliff")["score"]
    assert np.all(easy >= hard)


def test_trials_without_a_depth():
    frame = table(lengths=[1024], depths=[np.nan], n_trials=4)
    assert frame["depth"].isna().all()
    assert len(frame) == 4


@pytest.mark.parametrize("depths", [[0.0], [1.0], [0.0, 1.0], [np.nan]])
@pytest.mark.parametrize(("name", "score"), [("all-99", 1.0), ("all-below", 0.0)])
def test_scores_and_depths_that_say_little_are_taken_as_they_are(name, score, depths):
    tables = (simulate_trials(name, [128], depths, n_trials=1, seed=seed) for seed in range(100))
    trials = next(each for each in tables if each.to_frame()["score"].eq(score).all())
    assert_array_equal(trials.to_frame()["depth"], depths)
    assert not trials.notices


def test_only_shared_haystacks_are_named():
    assert "cluster" not in table("single-needle")
    frame = table("shared-haystack", n_trials=3)
    sizes = frame.groupby("cluster").size()
    assert len(sizes) == 8 * 3
    assert set(sizes) == {11}
    assert frame.groupby("cluster")[["length", "case"]].nunique().eq(1).all(axis=None)


def test_simulated_trials_follow_the_truth():
    lengths, depths = np.array([32768, 131072]), np.array([0.0, 0.5])
    frame = table(n_trials=MANY, lengths=lengths, depths=depths, seed=7)
    truth = truths.SINGLE_NEEDLE.accuracy(lengths, depths)
    observed = frame.groupby(["length", "depth"])["score"].mean().unstack().to_numpy()
    assert np.all(np.abs(observed - truth) < 5 * np.sqrt(truth * (1 - truth) / MANY))


@pytest.mark.parametrize("name", truths.names())
def test_simulated_cells_follow_the_truth(name):
    rng = np.random.default_rng(11)
    lengths, depths = LENGTHS[[0, 4, 7]], DEPTHS[[0, 3, 5]]
    truth = get_truth(name).drawn(lengths, depths, rng)
    cells = simulate_cells(truth, lengths, depths, n_cases=MANY, rng=rng)
    accuracy = truth.accuracy(lengths, depths)
    error = np.sqrt(accuracy * (1 - accuracy) / MANY)
    assert np.all(np.abs(cells.grid.accuracy - accuracy) < 5 * error)
    assert (cells.grid.task, cells.grid.model) == (name, "simulated")


def test_haystacks_tie_the_depths_of_a_length_together():
    frame = table("shared-haystack", n_trials=20_000, lengths=[65536, 131072], depths=[0.3, 0.7])
    right = frame.set_index(["case", "length", "depth"])["score"].unstack([1, 2]).to_numpy()
    correlation = np.corrcoef(right.T)
    within, between = correlation[[0, 2], [1, 3]], correlation[:2, 2:]
    assert np.all(within > 0.08)
    assert np.all(np.abs(between) < 5 / np.sqrt(20_000))


def test_counts_feel_the_shared_haystacks():
    haystacks, rng = get_truth("shared-haystack"), np.random.default_rng(3)
    counts = [
        simulate_cells(haystacks, [131072], DEPTHS, n_cases=20, rng=rng).grid.successes.sum()
        for _ in range(2000)
    ]
    accuracy = haystacks.accuracy(131072, DEPTHS)
    independent = 20 * (accuracy * (1 - accuracy)).sum()
    assert np.var(counts) > 1.5 * independent


def test_cells_may_differ_in_their_number_of_cases():
    n_cases = np.array([[3, 5, 0], [7, 1, 2]])
    for name in ("single-needle", "shared-haystack"):
        cells = simulate_cells(
            get_truth(name), [1024, 2048], [0.0, 0.5, 1.0], n_cases=n_cases,
            rng=np.random.default_rng(1),
        )  # fmt: skip
        assert_array_equal(cells.grid.n_cases, n_cases)
        assert np.all(cells.grid.successes <= n_cases)


@pytest.mark.parametrize("name", ["single-needle", "cells-deviate", "shared-haystack"])
def test_equal_generators_give_equal_cells(name):
    one, same, other = (
        simulate_cells(
            get_truth(name), LENGTHS, DEPTHS, n_cases=20, rng=np.random.default_rng(seed)
        ).grid.successes
        for seed in (4, 4, 5)
    )
    assert_array_equal(one, same)
    assert np.any(one != other)


def test_a_generator_advances_from_simulation_to_simulation():
    rng = np.random.Generator(np.random.Philox(key=1))
    for name in ("single-needle", "shared-haystack"):
        drawn = [
            simulate_cells(get_truth(name), LENGTHS, DEPTHS, n_cases=20, rng=rng).grid.successes
            for _ in range(3)
        ]
        assert all(np.any(one != other) for one, other in pairwise(drawn))


# What simulation refuses


@pytest.mark.parametrize(
    ("lengths", "depths"),
    [
        ([2048, 1024], DEPTHS),
        ([1024, 1024], DEPTHS),
        ([1024.5], DEPTHS),
        ([], DEPTHS),
        (LENGTHS, []),
        (LENGTHS, [0.5, 0.5]),
        (LENGTHS, [np.nan, 0.5]),
        (LENGTHS, [0.5, np.nan, np.nan]),
    ],
)
def test_axes_have_to_ascend(lengths, depths):
    with pytest.raises(OptionError, match="sort them and leave out repeated values"):
        table(lengths=lengths, depths=depths)
    with pytest.raises(OptionError, match="sort them and leave out repeated values"):
        simulate_cells(truths.TWO_HOP, lengths, depths, n_cases=5, rng=np.random.default_rng(1))


@pytest.mark.parametrize("n_trials", [0, -1, 2.5, True])
def test_at_least_one_trial(n_trials):
    with pytest.raises(OptionError, match="1 or more; pass n_trials=20"):
        table(n_trials=n_trials)


@pytest.mark.parametrize("seed", [-1, 1.5, None])
def test_seeds_are_whole_numbers(seed):
    with pytest.raises(OptionError, match="0 or more; pass seed=20"):
        table(seed=seed)


@pytest.mark.parametrize("n_cases", [-1, [[5, 5]], 2.5])
def test_numbers_of_cases_fit_the_grid(n_cases):
    with pytest.raises(OptionError, match="pass one number for all cells"):
        simulate_cells(
            truths.TWO_HOP, LENGTHS, DEPTHS, n_cases=n_cases, rng=np.random.default_rng(1)
        )
