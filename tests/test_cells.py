"""Counting: folding, lattices, missing data, and independence of row order."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats.cells import Cells, cells_from_count_frame, count_cells
from lcstats.errors import DesignWarning, OptionError, TableError, UnscoredWarning
from lcstats.fit import fit_curve
from lcstats.lengths import Criterion, effective_length
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def trials_of(**columns):
    return Trials.from_frame(pd.DataFrame(columns))


def test_counts_per_length_and_depth():
    trials = trials_of(
        length=[4096, 4096, 4096, 8192], depth=[0.0, 0.5, 0.5, 0.5], score=[1, 1, 0, 1]
    )
    grid = count_cells(trials).grid
    assert grid.lengths.tolist() == [4096, 8192]
    assert grid.depths.tolist() == [0.0, 0.5]
    assert grid.n_cases.tolist() == [[1, 2], [0, 1]]
    assert grid.numerators.tolist() == [[1, 1], [0, 1]]
    assert grid.unit == 1
    np.testing.assert_array_equal(grid.accuracy, [[1, 0.5], [np.nan, 1]])


def test_repeats_are_folded_into_their_case():
    trials = trials_of(
        length=[1000] * 5,
        depth=[0.5] * 5,
        case=["a", "a", "a", "b", "b"],
        repeat=[1, 2, 3, 1, 2],
        score=[1, 0, 1, 1, 1],
    )
    folded = count_cells(trials).grid
    assert (folded.n_cases.item(), folded.n_trials.item()) == (2, 5)
    assert Fraction(folded.numerators.item(), folded.unit) == Fraction(5, 3)
    assert folded.has_fractions
    apart = count_cells(trials, repeats="independent").grid
    assert (apart.n_cases.item(), apart.numerators.item(), apart.unit) == (5, 4, 1)


def test_repeats_that_agree_keep_whole_successes():
    trials = trials_of(
        length=[1000] * 4,
        depth=[0.5] * 4,
        case=["a", "a", "b", "b"],
        repeat=[1, 2, 1, 2],
        score=[1, 1, 0, 0],
    )
    grid = count_cells(trials).grid
    assert (grid.numerators.item(), grid.unit, grid.has_fractions) == (1, 1, False)


def test_the_same_id_at_two_depths_is_two_cases():
    trials = trials_of(length=[1000] * 2, depth=[0.0, 0.5], case=["a", "a"], score=[1, 0])
    assert count_cells(trials).grid.n_cases.tolist() == [[1, 1]]


def test_thirds_are_exact():
    trials = trials_of(length=[1000] * 3, depth=[0.25] * 3, score=[1 / 3, 2 / 3, 1.0])
    grid = count_cells(trials).grid
    assert Fraction(grid.numerators.item(), grid.unit) == 2


def test_scores_on_no_lattice_are_held_to_nine_decimals():
    score = np.random.default_rng(1).random(50)
    trials = trials_of(length=[1000] * 50, depth=[0.25] * 50, score=score)
    grid = count_cells(trials).grid
    assert grid.unit == 10**9
    assert grid.successes.item() == pytest.approx(score.sum(), abs=50e-9)


def test_unscored_trials_are_counted_and_never_wrong():
    trials = trials_of(
        length=[1000, 1000, 2000],
        depth=[0.5] * 3,
        score=[1, None, None],
        status=["ok", "timeout", "context_exceeded"],
    )
    with pytest.warns(UnscoredWarning, match="it is not a tested length"):
        cells = count_cells(trials)
    grid = cells.grid
    assert grid.lengths.tolist() == [1000]
    assert grid.n_unscored.tolist() == [1]
    assert grid.unscored == {1000: {"timeout": 1}, 2000: {"context_exceeded": 1}}
    assert "length-unscored" in [notice.code for notice in cells.notices]


def test_trials_without_depth_have_a_column_of_their_own():
    grid = count_cells(trials_of(length=[1000, 2000], score=[1, 0])).grid
    assert grid.depths.size == 1
    assert np.isnan(grid.depths[0])


def test_received_axis_keeps_the_grid_and_moves_its_lengths():
    trials = trials_of(
        length=[1000] * 3 + [2000] * 3,
        depth=[0.5] * 6,
        score=[1] * 6,
        tokens_received=[990, 1010, 1005, 1990, 2010, 2000],
    )
    assert count_cells(trials, axis="received").grid.lengths.tolist() == [1005, 2000]
    with pytest.raises(TableError, match="use axis='asked'"):
        count_cells(trials_of(length=[1000], depth=[0.25], score=[1]), axis="received")


def test_groups_are_sorted_selected_and_named():
    trials = trials_of(
        model=["b", "a", "a"],
        task=["x", "y", "x"],
        length=[1000] * 3,
        depth=[0.25] * 3,
        score=[1, 0, 1],
    )
    cells = count_cells(trials)
    assert [(g.model, g.task) for g in cells.grids] == [("a", "x"), ("a", "y"), ("b", "x")]
    assert len(cells.select(model="a")) == 2
    assert cells.select(model="a", task="y").grid.numerators.item() == 0
    assert [group.grid.model for group in cells] == ["a", "a", "b"]
    assert len(cells.to_frame()) == 3
    with pytest.raises(OptionError, match="pass names as they are written there"):
        cells.select(model="c")
    with pytest.raises(OptionError, match=r"cells\.select"):
        _ = cells.grid


@pytest.mark.parametrize("make", [count_cells, Cells])
def test_a_table_is_no_trials_and_the_message_says_what_makes_them(make):
    with pytest.raises(OptionError, match=r"DataFrame; expected .*(from_frame|count_cells)\("):
        make(pd.DataFrame({"length": [1000], "score": [1]}))


def test_counting_cells_again_changes_nothing():
    cells = Cells.from_counts([1000], [0.5], n_cases=3, successes=[[2]])
    assert count_cells(cells) is cells


def test_count_tables_add_up_rows_of_one_cell():
    frame = pd.DataFrame(
        {
            "model": "m",
            "task": "t",
            "length": [1000, 1000, 2000],
            "depth": [0.5, 0.5, 0.5],
            "n_cases": [5, 15, 10],
            "successes": [4, 13, 10],
        }
    )
    cells = cells_from_count_frame(frame)
    assert cells.aggregate_only
    assert cells.grid.n_cases.ravel().tolist() == [20, 10]
    assert cells.grid.numerators.ravel().tolist() == [17, 10]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_row_order_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    n = 40
    frame = pd.DataFrame(
        {
            "length": rng.choice([1000, 2000], n),
            "depth": rng.choice([0.0, 0.3], n),
            "case": [f"c{i}" for i in range(n)],
            "score": rng.choice([0, 0.5, 1], n),
            "cluster": rng.choice(["u", "v", "w"], n),
        }
    )
    first = count_cells(Trials.from_frame(frame)).grid
    second = count_cells(Trials.from_frame(frame.sample(frac=1, random_state=1))).grid
    np.testing.assert_array_equal(first.numerators, second.numerators)
    for name in ("cell", "numerator", "cluster"):
        np.testing.assert_array_equal(getattr(first.cases, name), getattr(second.cases, name))


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"successes": [[1, 2]]}, "transpose the array"),
        ({"lengths": [2000, 1000]}, "sort the axes together"),
        ({"successes": [[1], [9]]}, "check that the two arrays are not swapped"),
    ],
)
def test_bad_counts_are_refused_with_the_mend(options, mend):
    arguments = {"lengths": [1000, 2000], "successes": [[1], [2]], **options}
    with pytest.raises(TableError, match=mend):
        Cells.from_counts(arguments["lengths"], [0.5], n_cases=3, successes=arguments["successes"])


def test_nothing_scored_is_an_error():
    trials = trials_of(
        model=["a", "b"],
        length=[1000, 1000],
        depth=[0.25, 0.25],
        score=[1, None],
        status=["ok", "error"],
    )
    with pytest.raises(TableError, match="look at the status column"):
        count_cells(trials.select(model="b"))


def test_trials_without_filler_are_a_reference_and_no_length():
    frame = pd.DataFrame({"length": ["0k"] * 4 + ["1k"] * 4, "score": [1, 1, 1, 0, 1, 0, 0, 0]})
    cells = count_cells(Trials.from_frame(frame))
    assert cells.grid.lengths.tolist() == [1024]
    (said,) = (n.message for n in cells.notices if n.code == "no-filler")
    assert "4 trials at length 0 (no filler, accuracy 0.75)" in said


def test_the_table_s_guess_rate_reaches_curve_and_bar():
    frame = pd.DataFrame(
        {"length": np.repeat([1024, 4096], 20), "score": [1, 0] * 20, "guess_rate": 0.25}
    )
    cells = count_cells(Trials.from_frame(frame))
    assert cells.grid.guess_rate == 0.25
    assert fit_curve(cells, terms=("intercept", "length")).curve.guess_rate == 0.25
    answer = effective_length(cells, Criterion("0.8", rule="above_chance"))
    assert float(answer.applied_threshold) == pytest.approx(0.25 + 0.8 * 0.75)


def test_of_guess_rates_that_differ_the_lowest_of_a_length_is_the_floor():
    frame = pd.DataFrame(
        {
            "length": np.repeat([1024, 4096], 20),
            "score": [1, 0] * 20,
            "guess_rate": [0.25, 0.75] * 10 + [0.1] * 20,
        }
    )
    with pytest.warns(DesignWarning, match=r"0\.5 of the time at one length and 0\.1 at another"):
        cells = count_cells(Trials.from_frame(frame))
    assert cells.grid.guess_rate == 0.1
    assert [notice.code for notice in cells.notices] == ["guess-rates-differ"]
