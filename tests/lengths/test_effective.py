"""The observed effective length: ties, statuses, rules, treatments, and what stands beside it."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import beta, binom

from lcstats.cells import Cells, average_tasks, count_cells
from lcstats.errors import DesignWarning, LcstatsWarning, OptionError, SmallSampleWarning
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion, effective_length, outcome_probabilities
from lcstats.lengths.jeffreys import design_effects, effective_cases, informative_cases
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
DEPTHS = np.linspace(0, 1, 11)


def cells_of(rows, n=20, lengths=(4096, 8192, 16384)):
    rows = np.asarray(rows)
    return Cells.from_counts(
        lengths[: len(rows)],
        np.linspace(0, 1, rows.shape[1]),
        n_cases=n,
        successes=rows,
    )


def solve(cells, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return effective_length(cells, Criterion(*args, **options))


def test_seventeen_of_twenty_pass_at_085():
    for treatment in ("mean", "worst", "pooled", "quantile:0.1"):
        answer = solve(cells_of([[17] * 11]), 0.85, depth_treatment=treatment)
        assert answer.observed.outcome == 1


@pytest.mark.parametrize(("total", "outcome"), [(187, 1), (186, 0)])
def test_eleven_depths_of_twenty_pass_at_exactly_187(total, outcome):
    row = np.array([17] * 11)
    row[[0, 10]] += [3, -3]
    row[5] += total - 187
    assert row.sum() == total
    assert solve(cells_of([row]), 0.85).observed.outcome == outcome


@given(st.integers(1, 60), st.integers(1, 12), st.data())
@settings(max_examples=60, deadline=None)
def test_a_bar_equal_to_the_accuracy_is_always_reached(n, n_depths, data):
    row = data.draw(st.lists(st.integers(0, n), min_size=n_depths, max_size=n_depths))
    accuracy = Fraction(sum(row), n * n_depths)
    assume(accuracy > 0)
    cells = Cells.from_counts([1024], np.linspace(0, 1, n_depths), n_cases=n, successes=[row])
    assert solve(cells, accuracy).observed.outcome == 1
    above = accuracy + Fraction(1, 10**9)
    if above <= 1:
        assert solve(cells, above).observed.outcome == 0


def test_unequal_cells_are_averaged_as_fractions():
    cells = Cells.from_counts([1024], [0, 0.5, 1], n_cases=[[3, 7, 9]], successes=[[2, 5, 9]])
    mean = (Fraction(2, 3) + Fraction(5, 7) + 1) / 3
    assert solve(cells, mean).observed.outcome == 1
    assert solve(cells, mean + Fraction(1, 10**12)).observed.outcome == 0
    assert solve(cells, 0.8, depth_treatment="pooled").accuracy[0] == pytest.approx(16 / 19)


@pytest.mark.parametrize(
    ("rows", "status", "length", "display"),
    [
        ([[20, 20], [19, 19], [10, 10]], "crossed", 8192, "8192"),
        ([[20, 20], [20, 20], [20, 20]], "beyond_tested", 16384, ">=16384"),
        ([[3, 3], [20, 20], [20, 20]], "below_tested", None, "<4096"),
    ],
)
def test_statuses_are_values(rows, status, length, display):
    estimate = solve(cells_of(rows), 0.85).observed
    assert (estimate.status, estimate.length, estimate.display) == (status, length, display)
    assert estimate.to_dict()["length"] == length


def test_a_curve_that_rises_again_says_so():
    cells = cells_of([[20, 20], [3, 3], [20, 20]])
    with pytest.warns(DesignWarning, match="not monotone in length"):
        answer = effective_length(cells, Criterion(0.85))
    assert answer.observed.length == 4096
    assert answer.observed.longest_passing == 16384


def test_quantile_takes_the_cell_of_that_rank_without_interpolation():
    row = [[4, 8, 12, 16, 20, 20, 20, 20, 20, 20, 20]]
    for q, expected in (("0.05", 4), ("0.1", 8), ("0.18", 8), ("0.19", 12), ("0.3", 16)):
        answer = solve(cells_of(row), 0.5, depth_treatment=f"quantile:{q}")
        assert answer.accuracy[0] == expected / 20


def test_relative_bar_is_measured_on_the_base():
    cells = cells_of([[18, 18], [16, 16], [15, 15]])
    answer = solve(cells, 0.85, rule="relative")
    assert answer.applied_threshold == Fraction(17, 20) * Fraction(18, 20)
    assert answer.observed.length == 8192
    both = solve(cells, 0.85, rule="relative", base_lengths=(4096, 8192))
    assert both.applied_threshold == Fraction(17, 20) * Fraction(17, 20)
    with pytest.raises(OptionError, match="name tested lengths with --base-lengths"):
        solve(cells, 0.85, rule="relative", base_lengths=(512,))


def test_a_length_that_is_the_whole_base_always_passes():
    answer = solve(cells_of([[1, 1], [0, 0], [0, 0]]), 0.85, rule="relative")
    assert answer.observed.outcome == 1
    for mass in answer.observed.masses.values():
        assert mass[0] == pytest.approx(0, abs=1e-12)


def test_above_chance_bar_lies_between_guessing_and_one():
    cells = cells_of([[18, 18], [17, 17], [16, 16]])
    answer = solve(cells, 0.85, rule="above_chance", guess_rate=0.25)
    assert answer.applied_threshold == Fraction(1, 4) + Fraction(17, 20) * Fraction(3, 4)
    assert answer.observed.length == 4096


def random_cells(data, n_lengths=4, n_depths=3):
    n = data.draw(st.integers(1, 12))
    shape = (n_lengths, n_depths)
    counts = data.draw(
        st.lists(st.integers(0, n), min_size=n_lengths * n_depths, max_size=n_lengths * n_depths)
    )
    return Cells.from_counts(
        np.arange(1, 5) * 1000,
        np.linspace(0, 1, n_depths),
        n_cases=n,
        successes=np.array(counts).reshape(shape),
    )


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(["mean", "worst", "pooled", "quantile:0.5"]))
def test_effective_length_does_not_rise_with_the_bar(data, treatment):
    cells = random_cells(data)
    bars = sorted(data.draw(st.lists(st.integers(1, 100), min_size=2, max_size=5)))
    outcomes = [
        solve(cells, Fraction(bar, 100), depth_treatment=treatment).observed.outcome for bar in bars
    ]
    assert outcomes == sorted(outcomes, reverse=True)


@settings(max_examples=80, deadline=None)
@given(
    st.data(),
    st.sampled_from(["mean", "worst", "pooled", "quantile:0.5"]),
    st.sampled_from(["absolute", "relative", "above_chance"]),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_every_set_contains_its_point(data, treatment, rule, level):
    cells = random_cells(data)
    criterion = Criterion(0.7, rule=rule, depth_treatment=treatment)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        answer = effective_length(
            cells, criterion, level=level, sets=("default", "certified", "jeffreys")
        )
    for interval in answer.observed.sets:
        assert answer.observed.outcome in interval
        assert 0 <= interval.lower <= interval.upper <= 4
    assert sum(interval.is_default for interval in answer.observed.sets) == 1


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_row_order_and_names_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    n = 60
    frame = pd.DataFrame(
        {
            "length": rng.choice([1000, 2000, 4000], n),
            "depth": rng.choice([0.0, 0.5, 1.0], n),
            "case": [f"c{i}" for i in range(n)],
            "score": rng.integers(0, 2, n).astype(float),
        }
    )
    shuffled = frame.sample(frac=1, random_state=seed % 1000).assign(
        case=[f"renamed-{i}" for i in range(n)], model="another"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        first, second = (
            effective_length(count_cells(Trials.from_frame(f)), Criterion(0.5))
            for f in (frame, shuffled)
        )
    one, two = first.to_dict(), second.to_dict()
    one.pop("model"), two.pop("model")
    assert one == two


def test_masses_and_sets_never_share_a_field():
    estimate = solve(cells_of([[20, 20], [19, 19], [10, 10]]), 0.85).observed.to_dict()
    assert set(estimate["masses"]) == {"bootstrap", "jeffreys"}
    assert list(estimate["masses"]["jeffreys"]) == ["<4096", "4096", "8192", "16384"]
    assert {"kind", "default", "level", "lower", "upper", "display"} <= set(estimate["sets"][0])


def test_jeffreys_masses_are_products_of_beta_tails():
    cells = cells_of([[20, 20], [19, 19], [10, 10]])
    tails = [beta.sf(0.85, k + 0.5, 40 - k + 0.5) for k in (40, 38, 20)]
    expected = [
        1 - tails[0],
        tails[0] * (1 - tails[1]),
        tails[0] * tails[1] * (1 - tails[2]),
        np.prod(tails),
    ]
    masses = effective_length(cells, Criterion(0.85)).observed.masses["jeffreys"]
    np.testing.assert_allclose(masses, expected, atol=1e-12)


def test_relative_jeffreys_masses_integrate_over_the_base():
    cells = cells_of([[18, 18], [17, 15], [15, 15]])
    masses = effective_length(cells, Criterion(0.85, rule="relative")).observed.masses["jeffreys"]
    rng = np.random.default_rng(0)
    k = np.array([36, 32, 30])
    draws = rng.beta(k + 0.5, 40 - k + 0.5, size=(400_000, 3))
    passes = draws >= 0.85 * draws[:, :1]
    counted = np.bincount(np.cumprod(passes, axis=1).sum(axis=1), minlength=4) / 400_000
    np.testing.assert_allclose(masses, counted, atol=4e-3)


def test_effective_cases_of_unequal_cells():
    assert effective_cases(np.array([[1, 4]]), pooled=False)[0] == pytest.approx(4 / 1.25)
    assert effective_cases(np.array([[1, 4]]), pooled=True)[0] == 5


def test_design_effect_of_cases_that_agree_is_their_number():
    frame = pd.DataFrame(
        {
            "length": [1000] * 40,
            "depth": [0.5] * 40,
            "case": np.arange(40).astype(str),
            "cluster": np.repeat(np.arange(10).astype(str), 4),
            "score": np.repeat([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0], 4),
        }
    )
    grid = count_cells(Trials.from_frame(frame)).grid
    assert design_effects(grid, pooled=False)[0] == pytest.approx(4)
    alone = count_cells(Trials.from_frame(frame.drop(columns="cluster"))).grid
    assert design_effects(alone, pooled=False)[0] == 1


@pytest.mark.parametrize(
    ("cells", "criterion", "code", "category"),
    [
        (cells_of([[9, 9]], n=9), Criterion(0.85), "few-cases", SmallSampleWarning),
        (cells_of([[1, 1]], n=1), Criterion(0.85), "one-case-cells", SmallSampleWarning),
        (cells_of([[9, 9]], n=9), Criterion(0.85), "below-certification-floor", SmallSampleWarning),
        (
            cells_of([[20, 20]]),
            Criterion(0.85, depth_treatment="worst"),
            "worst-depth-biased",
            SmallSampleWarning,
        ),
        (cells_of([[20], [20]]), Criterion(0.85), "single-depth", DesignWarning),
        (cells_of([[20, 20]]), Criterion(0.85), "single-length", DesignWarning),
    ],
)
def test_notices_name_the_limits_of_the_design(cells, criterion, code, category):
    with pytest.warns(category):
        answer = effective_length(cells, criterion)
    assert code in [notice.code for notice in answer.notices]


def test_ragged_grid_is_said():
    cells = Cells.from_counts(
        [1000, 2000], [0, 1], n_cases=[[20, 20], [20, 0]], successes=[[20, 20], [20, 0]]
    )
    with pytest.warns(DesignWarning, match=r"1 of 2 lengths lacks some of the 2 depths"):
        answer = effective_length(cells, Criterion(0.85))
    assert answer.observed.default_set.kind == "jeffreys"


def test_worst_depth_and_quantiles_are_the_surface_s_to_say():
    cells = cells_of([[20, 20], [19, 19], [10, 10]])
    assert solve(cells, 0.85).headline == "observed"
    for treatment in ("worst", "quantile:0.1"):
        answer = solve(cells, 0.85, depth_treatment=treatment)
        assert answer.headline == "flexible"
        assert answer.quoted.default_set.kind == "hybrid"
        assert set(answer.observed.masses) == {"bootstrap"}
        assert answer.observed.default_set.kind == "certified"
        criterion = Criterion(0.85, depth_treatment=treatment)
        raw = effective_length(cells, criterion, sets="certified")
        assert raw.headline is None
        assert "quote the set" in raw.sentence()


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"threshold": 85}, "write 85 percent as 0.85"),
        ({"threshold": 0}, "write 85 percent as 0.85"),
        ({"threshold": "high"}, "write it as 0.85"),
        ({"threshold": 0.85, "rule": "best"}, "pass rule='absolute'"),
        ({"threshold": 0.85, "depth_treatment": "quantile:2"}, "quantile:0.1"),
        ({"threshold": 0.85, "depth_treatment": "median"}, "quantile:0.1"),
        ({"threshold": 0.85, "depth_treatment": "window:1.5"}, "window:3"),
        ({"threshold": 0.85, "guess_rate": 1}, "write one in four as 0.25"),
        ({"threshold": 0.85, "base_lengths": (1024,)}, "pass rule='relative'"),
    ],
)
def test_bad_criteria_are_refused_with_the_mend(options, mend):
    with pytest.raises(OptionError, match=mend):
        Criterion(**options)


def test_several_groups_are_named():
    frame = pd.DataFrame(
        {"model": ["a", "b"], "length": [1000, 1000], "depth": [0.5, 0.5], "score": [1.0, 1.0]}
    )
    cells = count_cells(Trials.from_frame(frame))
    with pytest.raises(OptionError, match=r"take one with cells\.select"):
        effective_length(cells, Criterion(0.85))
    for level in (95, "x", None, 1):
        with pytest.raises(OptionError, match=r"between 0 and 1; write 0\.95, say"):
            effective_length(cells.select(model="a"), Criterion(0.85), level=level)


CELLS = cells_of([[20, 20], [19, 19], [10, 10]])


@pytest.mark.parametrize(
    ("call", "mend"),
    [
        (lambda: effective_length(trials(), Criterion(0.85)), r"count_cells\(trials\)"),
        (lambda: effective_length(trials().frame, Criterion(0.85)), r"count_cells\(trials\)"),
        (lambda: effective_length(CELLS, 0.85), r"write Criterion\(0\.85\)"),
        (lambda: effective_length(CELLS, Criterion(0.85), fit=CELLS), r"fit_curve\(cells\)"),
        (lambda: effective_length(CELLS, Criterion(0.85), sets=None), "pass sets='default'"),
        (lambda: outcome_probabilities([[0.9]], 20, 0.85), r"write Criterion\(0\.85\)"),
        (lambda: Criterion("x"), "write it as 0.85"),
        (lambda: Criterion(None), "write it as 0.85"),
        (lambda: Criterion(0.85, depth_treatment=None), "quantile:0.1"),
        (lambda: Criterion(0.85, rule="relative", base_lengths=4096), r"base_lengths=\(4096,\)"),
    ],
)
def test_what_is_not_worked_with_is_refused_with_the_mend(call, mend):
    with pytest.raises(OptionError, match=rf"expected .*; .*{mend}"):
        call()


def trials():
    return Trials.from_frame(pd.DataFrame({"length": [1000, 2000], "score": [1.0, 0.0]}))


def test_one_word_is_a_sequence_of_one():
    answer = effective_length(CELLS, Criterion(0.85), sets="jeffreys", masses="jeffreys")
    assert [interval.kind for interval in answer.observed.sets] == ["certified", "jeffreys"]
    assert list(answer.observed.masses) == ["jeffreys"]
    with pytest.raises(OptionError, match="pass sets='default', say"):
        effective_length(CELLS, Criterion(0.85), sets="widest")
    assert effective_length(CELLS, Criterion(0.85), sets="default").observed.sets


@pytest.mark.parametrize(("level", "words"), [(0.995, "99.5%"), (0.9999, "99.99%"), (0.9, "90%")])
def test_a_level_is_never_rounded_to_certainty(level, words):
    answer = effective_length(cells_of([[20, 20]]), Criterion(0.99), level=level)
    assert f"{words} set" in answer.sentence()
    said = {notice.code: notice.message for notice in answer.notices}
    assert f"at {words} that takes" in said["below-certification-floor"]
    assert f"Interval({words}, " in repr(answer.observed.default_set)


def test_unscored_trials_are_said_once():
    frame = pd.DataFrame({"length": [1000, 1000], "score": [1.0, None], "status": ["ok", "error"]})
    cells = count_cells(Trials.from_frame(frame))
    for table, words in ((cells, "have no score"), (Cells(cells.grids), "is unscored")):
        notices = effective_length(table, Criterion(0.85)).notices
        (message,) = [notice.message for notice in notices if notice.code == "unscored"]
        assert words in message


def test_a_guess_rate_without_effect_is_said():
    def codes(fit=None, **options):
        criterion = Criterion(0.85, guess_rate=0.25, **options)
        return [notice.code for notice in effective_length(CELLS, criterion, fit=fit).notices]

    assert "unused-guess-rate" in codes()
    assert "unused-guess-rate" not in codes(rule="above_chance")
    assert "unused-guess-rate" not in codes(fit=fit_curve(CELLS, guess_rate=0.25))


@pytest.mark.parametrize(
    ("n_cases", "accuracy", "bar"),
    [
        ((1000, 10), (0.99, 0.70), "0.85"),
        ((1000, 20), (1.0, 0.69), "0.85"),
        ((200, 5), (1.0, 0.69), "0.85"),
        ((1000, 12), (0.99, 0.60), "0.8"),
        ((40, 5), (1.0, 0.39), "0.7"),
    ],
)
def test_the_jeffreys_set_of_tasks_of_unequal_size_holds_a_mean_below_the_bar(
    n_cases, accuracy, bar
):
    large, small = n_cases
    right = round(large * accuracy[0])
    error = 0.0
    for k in range(small + 1):
        tasks = tuple(
            Cells.from_counts([4096], [0.5], n_cases=n, successes=[[s]], task=str(n)).grid
            for n, s in ((large, right), (small, k))
        )
        answer = effective_length(average_tasks(Cells(grids=tasks)), Criterion(bar))
        found = answer.observed.default_set
        assert found.kind == "jeffreys"
        error += binom.pmf(k, small, accuracy[1]) * (found.lower == 1)
    assert sum(accuracy) / 2 < float(bar)
    assert error <= 0.03


def test_cases_of_equal_weight_are_worth_what_their_weights_say():
    grid = Cells.from_counts([4096], [0, 0.5, 1], n_cases=20, successes=[[20, 3, 12]]).grid
    assert informative_cases(grid, pooled=False).tolist() == [pytest.approx(60)]
    assert informative_cases(grid, pooled=True).tolist() == [60]
