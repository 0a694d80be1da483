"""Averages of tasks that have depths: the estimator, its masses, sets, tables and figures."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.cells import CellGrid, Cells, average_tasks, count_cells
from lcstats.errors import OptionError
from lcstats.lengths import Criterion, effective_length
from lcstats.lengths.criterion import Treatment
from lcstats.lengths.masses import bootstrap_masses
from lcstats.lengths.observed import treated_accuracies
from lcstats.lengths.resampling import resampled_masses, treat_draws
from lcstats.plots import heatmap_data, plot_decay, plot_depth, plot_heatmap
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
LENGTHS = [4096, 8192]


def averaged(*tasks) -> Cells:
    """Average tasks given as (depths, cases, successes), named a, b, ..."""
    grids = [
        Cells.from_counts(LENGTHS[: len(k)], depths, n_cases=n, successes=k, task=name).grid
        for name, (depths, n, k) in zip("abcdef", tasks, strict=False)
    ]
    return average_tasks(Cells(grids=tuple(grids)))


EQUAL_DEPTHS = (
    ([0.0, 1.0], [[2, 3], [3, 3]], [[2, 2], [1, 3]]),
    ([0.25, 0.75], [[2, 2], [3, 2]], [[1, 2], [2, 1]]),
)
UNEQUAL_DEPTHS = (
    ([0.0, 1.0], [[2, 3], [3, 3]], [[2, 2], [1, 3]]),
    ([0.5], [[4], [3]], [[3], [2]]),
)
RAGGED = (
    ([0.0, 1.0], [[2, 3], [3, 0]], [[2, 2], [1, 0]]),
    ([0.25, 0.75], [[2, 2], [3, 2]], [[1, 2], [2, 1]]),
)
DESIGNS = [EQUAL_DEPTHS, UNEQUAL_DEPTHS, RAGGED]
CRITERIA = [
    Criterion("0.7"),
    Criterion("0.7", depth_treatment="pooled"),
    Criterion("0.5", depth_treatment="worst"),
    Criterion("0.5", depth_treatment="quantile:0.5"),
    Criterion("0.8", rule="relative"),
    Criterion("0.8", rule="relative", base_lengths=(4096, 8192)),
]


def by_hand(cells_of_tasks, treatment):
    """Accuracy of one length from [[(k, n), ...] of each task], as METHOD words it."""
    present = [[(k, n) for k, n in cells if n] for cells in cells_of_tasks]
    present = [cells for cells in present if cells]
    if treatment == "mean":
        means = [sum(Fraction(k, n) for k, n in cells) / len(cells) for cells in present]
        return sum(means) / len(means)
    if treatment == "pooled":
        means = [Fraction(sum(k for k, _ in c), sum(n for _, n in c)) for c in present]
        return sum(means) / len(means)
    shares = sorted(Fraction(k, n) for cells in present for k, n in cells)
    return shares[0] if treatment == "worst" else shares[-(-len(shares) // 2) - 1]


def law_by_hand(design, row, treatment):
    """Distribution of one length's accuracy over all ways in which its cells can be redrawn."""
    flat = [
        (t, n[row][j], k[row][j]) for t, (_, n, k) in enumerate(design) for j in range(len(n[row]))
    ]
    law: dict[Fraction, float] = {}
    for drawn in product(*(range(n + 1) for _, n, _ in flat)):
        chance = prod(
            comb(n, x) * (k / n) ** x * (1 - k / n) ** (n - x)
            for (_, n, k), x in zip(flat, drawn, strict=True)
            if n
        )
        tasks = [
            [(x, n) for (t, n, _), x in zip(flat, drawn, strict=True) if t == task]
            for task in range(len(design))
        ]
        accuracy = by_hand(tasks, treatment)
        law[accuracy] = law.get(accuracy, 0.0) + chance
    return law


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("design", DESIGNS, ids=["equal", "unequal", "ragged"])
def test_masses_are_those_of_every_way_to_redraw_the_cells(design, criterion):
    masses = bootstrap_masses(averaged(*design).grid, criterion)
    laws = [law_by_hand(design, row, criterion.depth_treatment) for row in range(2)]
    expected = np.zeros(3)
    for (first, p), (second, q) in product(laws[0].items(), laws[1].items()):
        bar = criterion.exact_threshold
        if criterion.rule == "relative":
            bar *= (first + second) / 2 if criterion.base_lengths else first
        outcome = 0 if first < bar else 1 if second < bar else 2
        expected[outcome] += p * q
    assert masses == pytest.approx(expected, abs=1e-12)


def test_masses_of_a_larger_table_are_those_of_a_simulation():
    rng = np.random.default_rng(5)
    rates = {"a": (0.99, 0.8, 0.95), "b": (0.9, 0.5), "c": (0.85,)}
    design = []
    for rate in rates.values():
        n = rng.integers(8, 12, (2, len(rate)))
        design.append((np.linspace(0, 1, len(rate)), n, rng.binomial(n, rate)))
    grid = averaged(*design).grid
    n_draws = 200_000
    accuracy = np.zeros((n_draws, 2))
    for _, n, k in design:
        accuracy += (rng.binomial(n, k / n, (n_draws, *n.shape)) / n).mean(axis=2) / len(design)
    bar = float(np.median(accuracy[:, 0])) - 1e-9
    outcome = np.cumprod(accuracy >= bar - 1e-12, axis=1).sum(axis=1)
    drawn = np.bincount(outcome, minlength=3) / n_draws
    exact = bootstrap_masses(grid, Criterion(bar))
    assert exact == pytest.approx(drawn, abs=4 * 0.5 / np.sqrt(n_draws))
    counted = resampled_masses(grid, Criterion(bar), seed=1)
    assert counted == pytest.approx(exact, abs=4 * 0.5 / np.sqrt(4000))


def test_between_depth_differences_are_not_drawn_again():
    """Cells that are all right or all wrong cannot come out otherwise, whatever their mean."""
    cells = averaged(([0.0, 1.0], 20, [[20, 14]]), ([0.0, 1.0], 20, [[20, 20]]))
    sure = averaged(([0.0, 1.0], 20, [[20, 0]]), ([0.0, 1.0], 20, [[20, 20]]))
    assert bootstrap_masses(sure.grid, Criterion("0.75")).tolist() == [0.0, 1.0]
    spread = bootstrap_masses(cells.grid, Criterion("0.95"))[1]
    one_cell = 1 - sum(comb(20, x) * 0.7**x * 0.3 ** (20 - x) for x in range(16))
    assert spread == pytest.approx(one_cell)


def graded_trials():
    scores = {
        ("a", 0.0): [1.0, 0.5],
        ("a", 0.5): [1.0, 0.0, 0.5],
        ("b", np.nan): [0.5, 1.0],
    }
    rows = [
        {"task": t, "depth": d, "length": 4096, "score": s, "case": i}
        for (t, d), values in scores.items()
        for i, s in enumerate(values)
    ]
    return scores, Trials.from_frame(pd.DataFrame(rows))


@pytest.mark.parametrize("treatment", ["mean", "pooled", "worst"])
def test_graded_scores_are_redrawn_case_by_case(treatment):
    scores, trials = graded_trials()
    bar = {"mean": "0.7", "pooled": "0.7", "worst": "0.5"}[treatment]
    passes = total = 0
    for drawn in product(*(product(v, repeat=len(v)) for v in scores.values())):
        units = [(int(2 * sum(cell)), 2 * len(cell)) for cell in drawn]
        passes += by_hand([units[:2], units[2:]], treatment) >= Fraction(bar)
        total += 1
    grid = average_tasks(count_cells(trials)).grid
    masses = bootstrap_masses(grid, Criterion(bar, depth_treatment=treatment))
    assert masses[1] == pytest.approx(passes / total)


counts = st.integers(0, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(st.lists(st.lists(counts, min_size=1, max_size=3), min_size=2, max_size=4))
def test_accuracy_is_the_mean_over_tasks_of_their_depth_means(tasks):
    if not any(n for cells in tasks for _, n in cells):
        return
    flat = [pair for cells in tasks for pair in cells]
    successes, n_cases = (np.array([part], dtype=np.int64) for part in zip(*flat, strict=True))
    grid = CellGrid(
        model="m",
        task="tasks",
        length_unit="tokens",
        lengths=np.array([4096]),
        depths=np.full(len(flat), np.nan),
        n_cases=n_cases,
        n_trials=n_cases,
        numerators=successes,
        unit=1,
        members=tuple(map(str, range(len(tasks)))),
        member_of=tuple(i for i, cells in enumerate(tasks) for _ in cells),
    )
    for treatment in ("mean", "pooled"):
        expected = by_hand(tasks, treatment)
        assert treated_accuracies(grid, Treatment(treatment)) == (expected,)
        drawn = treat_draws(
            successes[None].astype(float), n_cases[None], Treatment(treatment), grid.member_codes
        )
        assert drawn[0, 0] == pytest.approx(float(expected))


def two_tasks(n_cases=20, *, fails=False) -> Trials:
    rows = [
        {"task": t, "length": n, "depth": d, "case": c, "score": float(c % 8 > 0 or n == 4096)}
        for t in ("niah", "qa")
        for n in LENGTHS
        for d in (0.0, 0.5, 1.0)
        for c in range(n_cases)
    ]
    frame = pd.DataFrame(rows).assign(status="ok")
    if fails:
        frame.loc[2, ["score", "status"]] = [np.nan, "timeout"]
    return Trials.from_frame(frame)


def test_one_failed_request_is_no_reason_to_refuse():
    cells = average_tasks(count_cells(two_tasks(fails=True)))
    answer = effective_length(cells, Criterion("0.85"))
    assert cells.grid.n_cases[0].tolist() == [19, 20, 20, 20, 20, 20]
    assert answer.n_unscored.tolist() == [1, 0]
    assert answer.accuracy == pytest.approx([1, 0.85])
    assert answer.observed.display == ">=8192"
    assert "do not all weigh the same" in answer.observed.default_set.fell_back_from.reason


def test_one_failed_request_of_one_case_a_cell_leaves_the_task_s_other_depths():
    cells = average_tasks(count_cells(two_tasks(1, fails=False)))
    frame = two_tasks(1).frame
    frame.loc[0, ["score", "status"]] = [np.nan, "timeout"]
    short = average_tasks(count_cells(Trials.from_frame(frame)))
    assert effective_length(short, Criterion("0.85")).accuracy[0] == pytest.approx(1.0)
    assert [n.code for n in short.notices if n.code == "ragged-task"]
    assert not [n.code for n in cells.notices if n.code == "ragged-task"]


def test_a_single_case_is_drawn_from_its_own_task():
    """Task a is always right, b always wrong: nothing can change at this length."""
    cells = averaged(([0.0, 1.0], 1, [[1, 1]]), ([0.0, 1.0], 1, [[0, 0]]))
    assert bootstrap_masses(cells.grid, Criterion("0.5")).tolist() == [0.0, 1.0]


def test_equal_weights_are_certified_as_the_pooled_counts_are():
    cells = average_tasks(count_cells(two_tasks()))
    answer = effective_length(cells, Criterion("0.8"))
    whole = Cells.from_counts(LENGTHS, [0.5], n_cases=120, successes=[[120], [102]])
    interval = answer.observed.default_set
    assert interval.kind == "certified"
    expected = effective_length(whole, Criterion("0.8")).observed.default_set
    assert (interval.lower, interval.upper) == (expected.lower, expected.upper)


def test_tasks_of_unlike_depths_can_weigh_the_same():
    alike = averaged(([0.5], 40, [[39], [20]]), ([0.0, 1.0], 20, [[20, 20], [9, 9]]))
    assert effective_length(alike, Criterion("0.85")).observed.default_set.kind == "certified"
    unlike = averaged(([0.5], 20, [[19], [10]]), ([0.0, 1.0], 20, [[20, 20], [9, 9]]))
    assert effective_length(unlike, Criterion("0.85")).observed.default_set.kind == "jeffreys"


def test_pooled_depth_pools_within_the_tasks():
    cells = averaged(([0.0, 1.0], [[10, 30]], [[10, 15]]), ([0.5], 5, [[5]]))
    pooled = effective_length(cells, Criterion("0.5", depth_treatment="pooled"))
    assert pooled.accuracy[0] == pytest.approx((25 / 40 + 1) / 2)
    assert pooled.depth_in_words() == "unweighted mean of 2 tasks' pooled accuracies"
    mean = effective_length(cells, Criterion("0.5"))
    assert mean.accuracy[0] == pytest.approx((0.75 + 1) / 2)


def test_worst_is_named_as_no_average():
    answer = effective_length(averaged(*EQUAL_DEPTHS), Criterion("0.5", depth_treatment="worst"))
    assert answer.accuracy[0] == 0.5
    assert "on 2 tasks: " in answer.sentence()
    assert "worst of all depths of 2 tasks" in answer.sentence()
    assert "mean" not in answer.sentence()


def test_tables_name_task_and_depth_of_every_cell():
    cells = averaged(*UNEQUAL_DEPTHS)
    frame = cells.to_frame()
    assert list(zip(frame["averaged_task"], frame["depth"], strict=True))[:3] == [
        ("a", 0.0),
        ("a", 1.0),
        ("b", 0.5),
    ]
    assert heatmap_data(cells)["averaged_task"].tolist() == ["a", "a", "b"] * 2
    restored = Cells.from_dict(cells.to_dict())
    pd.testing.assert_frame_equal(restored.to_frame(), frame)
    criterion = Criterion("0.7")
    assert effective_length(restored, criterion).to_dict() == (
        effective_length(cells, criterion).to_dict()
    )
    assert (
        "averaged_task"
        not in Cells.from_counts([4096], [0.5], n_cases=2, successes=[[1]]).to_frame()
    )


def test_the_heat_map_has_a_block_of_depths_for_each_task():
    ax = plot_heatmap(averaged(*UNEQUAL_DEPTHS))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["0", "1", "0.5"]
    (names,) = (child for child in ax.child_axes if hasattr(child, "set_functions"))
    assert [label.get_text() for label in names.get_yticklabels()] == ["a", "b"]
    assert names.get_yticks().tolist() == [0.5, 2.0]
    flat = plot_heatmap(averaged(([0.5], 2, [[1]]), ([0.5], 2, [[1]])))
    assert [label.get_text() for label in flat.get_yticklabels()] == ["a", "b"]


def test_the_decay_names_the_average_and_depths_have_no_figure():
    cells = averaged(*UNEQUAL_DEPTHS)
    ax = plot_decay(cells)
    assert ax.get_ylabel() == "Accuracy"
    assert any("unweighted mean of 2 tasks" in t.get_text().replace("\n", " ") for t in ax.texts)
    with pytest.raises(OptionError, match="leave the tasks apart"):
        plot_depth(cells)
