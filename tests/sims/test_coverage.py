"""The coverage study: its parts, its promises about files, and its committed table."""

from dataclasses import replace
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcstats as lc
from sims import coverage, coverage_simulation
from sims.coverage import check_limit, check_study, main, make_blocks, run_study, simulate
from sims.coverage_page import exceptions, make_page, write_page
from sims.coverage_rows import (
    disagreements,
    make_rows,
    nominal_error,
    rate_distance,
    rate_error,
    read_rows,
    write_rows,
)
from sims.coverage_simulation import (
    DEPTHS,
    LENGTHS,
    LEVEL,
    N_DRAWN_BLOCKS,
    N_FITTED_BLOCKS,
    Block,
    FoundSet,
    Setting,
    add_results,
    equal_tailed,
    find_sets,
    judge,
    run_block,
    simulate_table,
    true_outcome,
)

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "coverage.csv"
PLATEAU = Setting("plateau", "mean", 20)
BASE = Setting("single-needle", "mean", 80)
FRESH_SEED = 20
FEW = 300

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture(scope="module")
def committed():
    return read_rows(COMMITTED)


@pytest.fixture(scope="module")
def table(committed):
    return {(r.truth, r.treatment, r.n_cases, r.set): r for r in committed}


class TestQuantilesOfMasses:
    def test_cut_equal_tails(self):
        assert equal_tailed(np.array([0.02, 0.01, 0.94, 0.02, 0.01]), 0.95) == (1, 3)

    def test_keep_an_outcome_that_a_tail_ends_in(self):
        assert equal_tailed(np.array([0.5, 0.5]), 0.95) == (0, 1)

    def test_of_certainty_are_one_outcome(self):
        assert equal_tailed(np.array([0.0, 0.0, 1.0, 0.0]), 0.95) == (2, 2)

    @given(
        st.lists(st.floats(0, 1), min_size=2, max_size=9).filter(lambda m: sum(m) > 0.1),
        st.floats(0.5, 0.99),
    )
    def test_hold_at_least_the_level(self, weights, level):
        masses = np.array(weights) / sum(weights)
        lower, upper = equal_tailed(masses, level)
        assert 0 <= lower <= upper < masses.size
        assert masses[lower : upper + 1].sum() >= level - 1e-9


@pytest.mark.parametrize("truth", lc.truths.COVERAGE, ids=lambda truth: truth.name)
@pytest.mark.parametrize("treatment", ["mean", "worst", "quantile:0.1"])
def test_true_outcome_counts_leading_lengths_above_the_threshold(truth, treatment):
    accuracy = truth.accuracy(LENGTHS, DEPTHS)
    ascending = np.sort(accuracy, axis=1)
    treated = {
        "mean": accuracy.mean(axis=1),
        "worst": ascending[:, 0],
        "quantile:0.1": ascending[:, 1],
    }[treatment]
    expected = np.cumprod(treated >= truth.default_threshold - 1e-12).sum()
    criterion = lc.Criterion(truth.default_threshold, depth_treatment=treatment)
    assert true_outcome(accuracy, criterion) == expected


@pytest.mark.parametrize(
    ("name", "mean", "worst"),
    [
        ("single-needle", 6, 5),
        ("shared-haystack", 5, 4),
        ("plateau", 7, 7),
        ("one-bad-depth", 7, 4),
        ("recency-cliff", 4, 4),
        ("all-99", 8, 8),
        ("all-below", 0, 0),
    ],
)
def test_true_outcomes_of_the_method(name, mean, worst):
    accuracy = lc.truths.get_truth(name).accuracy(LENGTHS, DEPTHS)
    assert true_outcome(accuracy, lc.Criterion(0.85)) == mean
    assert true_outcome(accuracy, lc.Criterion(0.85, depth_treatment="worst")) == worst


class TestJudging:
    @pytest.mark.parametrize(
        ("true", "held", "below", "above"), [(1, 0, 1, 0), (2, 1, 0, 0), (4, 1, 0, 0), (5, 0, 0, 1)]
    )
    def test_tells_the_sides_apart(self, true, held, below, above):
        tally = judge({"default": FoundSet((2, 4), "certified")}, 3, true)["default", "certified"]
        assert (tally.held, tally.truth_below, tally.truth_above) == (held, below, above)
        assert (tally.size, tally.squared_size, tally.hit) == (3, 9, 0)

    def test_tallies_add_up_in_any_order(self):
        parts = [judge({"s": FoundSet((0, i), "k")}, i, 2) for i in range(4)]
        forward, backward = {}, {}
        for part in parts:
            add_results(forward, part)
        for part in reversed(parts):
            add_results(backward, part)
        assert forward == backward
        tally = forward["s", "k"]
        assert (tally.simulations, tally.held, tally.truth_above, tally.hit) == (4, 2, 2, 1)
        assert (tally.size, tally.true_outcome) == (10, 8)

    def test_rows_hold_rates_and_errors(self):
        results = {}
        for upper in (1, 3, 3, 3):
            add_results(results, judge({"default": FoundSet((0, upper), "certified")}, 2, 2))
        (row,) = make_rows(PLATEAU, 1, results)
        assert (row.coverage, row.truth_above, row.truth_below, row.hit_rate) == (0.75, 0.25, 0, 1)
        assert (row.mean_size, row.threshold, row.true_outcome) == (3.5, 0.85, 2)
        assert row.size_error == pytest.approx(np.sqrt(0.75 / 4), abs=1e-4)
        assert row.coverage_error == pytest.approx(np.sqrt(4 / 6 * 2 / 6 / 4), abs=1e-4)

    def test_a_change_of_kind_is_seen_in_the_row(self):
        results = judge({"default": FoundSet((0, 1), "certified")}, 1, 1)
        add_results(results, judge({"default": FoundSet((0, 1), "jeffreys")}, 1, 1))
        (row,) = make_rows(PLATEAU, 1, results)
        assert (row.kind, row.simulations) == ("certified+jeffreys", 2)


class TestSimulation:
    @pytest.mark.parametrize("name", ["single-needle", "cells-deviate", "shared-haystack"])
    def test_every_depth_treatment_meets_the_same_tables(self, name):
        truth = lc.truths.get_truth(name)
        tables = [
            simulate_table(truth, 5, Block(Setting(name, treatment, 5), 1, 0, 50).rng)
            for treatment in ("mean", "worst")
        ]
        (cells, accuracy), (others, same_accuracy) = tables
        np.testing.assert_array_equal(cells.grid.numerators, others.grid.numerators)
        np.testing.assert_array_equal(accuracy, same_accuracy)

    @pytest.mark.parametrize(
        "other",
        [Block(PLATEAU, 2, 0, 50), Block(PLATEAU, 1, 1, 50), Block(BASE, 1, 0, 50)],
        ids=["seed", "number", "setting"],
    )
    def test_other_blocks_have_other_streams(self, other):
        assert Block(PLATEAU, 1, 0, 50).rng.random() != other.rng.random()

    def test_redrawn_cells_are_the_target(self):
        truth = lc.truths.get_truth("cells-deviate")
        rng = np.random.default_rng(1)
        _, first = simulate_table(truth, 5, rng)
        _, second = simulate_table(truth, 5, rng)
        assert not np.array_equal(first, second)

    def test_haystacks_are_clusters_and_the_default_falls_back(self):
        truth = lc.truths.get_truth("shared-haystack")
        cells, accuracy = simulate_table(truth, 20, np.random.default_rng(1))
        assert cells.grid.cases.is_clustered
        np.testing.assert_array_equal(accuracy, truth.accuracy(LENGTHS, DEPTHS))
        default = lc.effective_length(cells, lc.Criterion(0.85), masses=()).observed.default_set
        assert (default.kind, default.fell_back_from.kind) == ("jeffreys", "certified")
        assert default.diagnostics["largest_design_effect"] > 1

    def test_blocks_cover_the_simulations_and_more_continue_fewer(self):
        few, many = (make_blocks(PLATEAU, 1, n) for n in (120, 200))
        assert [block.n_simulations for block in few] == [50, 50, 20]
        assert few[:2] == many[:2]

    def test_a_block_tallies_every_set(self):
        results = run_block(Block(PLATEAU, 1, 0, 3))
        assert {name for name, _ in results} == {
            "default",
            "jeffreys",
            "bootstrap-quantiles",
            "jeffreys-quantiles",
            "curve",
        }
        assert all(t.simulations == 3 for t in results.values())
        assert all(t.held + t.truth_below + t.truth_above == 3 for t in results.values())

    def test_drawn_masses_are_rationed_and_clusters_are_also_ignored(self):
        names = {
            name
            for name, _ in run_block(
                Block(Setting("shared-haystack", "mean", 5), 1, N_DRAWN_BLOCKS, 2)
            )
        }
        assert names == {"default", "jeffreys", "jeffreys-quantiles", "clusters-ignored"}

    def test_the_curve_has_a_set_of_its_own_point_in_the_first_blocks(self):
        first, later = (
            run_block(Block(Setting("cliff", "mean", 20), 1, number, 1))
            for number in (N_FITTED_BLOCKS - 1, N_FITTED_BLOCKS)
        )
        assert "curve" not in {name for name, _ in later}
        curve, observed = first["curve", "parametric_bootstrap"], first["default", "certified"]
        # On the cliff the raw cells are right and the curve is not.
        assert (curve.hit, observed.hit, curve.true_outcome) == (0, 1, observed.true_outcome)

    def test_the_sets_are_those_of_the_answer(self):
        rng = np.random.default_rng(1)
        cells, _ = simulate_table(lc.truths.get_truth("single-needle"), 20, rng)
        answer = lc.effective_length(cells, lc.Criterion(0.85), sets=("default", "jeffreys"))
        found, (default, jeffreys) = find_sets(answer), answer.observed.sets
        assert found["default"] == FoundSet((default.lower, default.upper), "certified")
        assert found["jeffreys"].run == (jeffreys.lower, jeffreys.upper)


class TestFiles:
    SETTINGS = (Setting("cliff", "mean", 5), Setting("all-99", "worst", 5))

    @pytest.fixture
    def out(self, tmp_path):
        return tmp_path / "coverage.csv"

    def test_rows_come_back_as_they_were_written(self, out):
        rows = next(simulate([PLATEAU], 1, 5, 1))
        write_rows(rows, out)
        assert read_rows(out) == rows
        assert [path.name for path in out.parent.iterdir()] == ["coverage.csv"]

    @pytest.mark.slow
    def test_equal_bytes_for_any_number_of_processes(self, out, tmp_path):
        run_study(self.SETTINGS, 1, 60, 1, out)
        other = tmp_path / "two" / "coverage.csv"
        run_study(self.SETTINGS, 1, 60, 2, other)
        assert out.read_bytes() == other.read_bytes()
        assert out.with_suffix(".md").read_bytes() == other.with_suffix(".md").read_bytes()

    def test_an_interrupted_study_goes_on_where_it_stopped(self, out, tmp_path, monkeypatch):
        whole = tmp_path / "whole.csv"
        run_study(self.SETTINGS, 1, 4, 1, whole)

        def interrupt(block):
            if block.setting == self.SETTINGS[1]:
                raise KeyboardInterrupt
            return run_block(block)

        monkeypatch.setattr(coverage, "run_block", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_study(self.SETTINGS, 1, 4, 1, out)
        assert {row.setting for row in read_rows(out)} == {self.SETTINGS[0]}

        resumed = []
        monkeypatch.setattr(
            coverage, "run_block", lambda block: resumed.append(block) or run_block(block)
        )
        run_study(self.SETTINGS, 1, 4, 1, out)
        assert {block.setting for block in resumed} == {self.SETTINGS[1]}
        assert out.read_bytes() == whole.read_bytes()

    @pytest.mark.parametrize(("seed", "simulations"), [(2, 4), (1, 5)])
    def test_another_study_does_not_mix_with_the_file(self, out, seed, simulations):
        run_study(self.SETTINGS[:1], 1, 4, 1, out)
        before = out.read_bytes()
        with pytest.raises(ValueError, match="remove the file or pass another --out"):
            run_study(self.SETTINGS, seed, simulations, 1, out)
        assert out.read_bytes() == before

    def test_a_strange_file_is_refused(self, out):
        out.write_text("a,b\n1,2\n")
        with pytest.raises(ValueError, match="remove the file or pass another --out"):
            read_rows(out)


class TestCommandLine:
    ONE = ("--truth", "plateau", "--treatment", "mean", "--cases", "20")

    def test_simulates_what_was_asked_for(self, tmp_path, capsys):
        out = tmp_path / "new" / "coverage.csv"
        arguments = ["--seed", "3", "--simulations", "2", "--truth", "cliff,all-99"]
        arguments += ["--treatment", "mean", "--cases", "5", "--out", str(out)]
        assert main(arguments) == 0
        rows = read_rows(out)
        assert {row.truth for row in rows} == {"cliff", "all-99"}
        assert {(row.seed, row.simulations, row.n_cases) for row in rows} == {(3, 2, 5)}
        captured = capsys.readouterr()
        assert captured.out == captured.err == ""

    @pytest.mark.parametrize(
        ("arguments", "mend"),
        [
            (["--truth", "cliff,plato"], "found 'plato'; expected one of single-needle"),
            (["--treatment", "median"], "separate several by commas"),
            (["--cases", "5,0"], "expected a whole number, 1 or more; write 20, say"),
            (["--simulations", "-1"], "write 20, say"),
        ],
    )
    def test_bad_options_end_with_a_message(self, arguments, mend, capsys):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert mend in capsys.readouterr().err

    @pytest.mark.parametrize(
        ("arguments", "mend"),
        [([], "run without --check"), (["--seed", "1"], "pass --seed")],
        ids=["no-row", "same-seed"],
    )
    def test_check_needs_rows_of_another_seed(self, arguments, mend, tmp_path, capsys):
        out = tmp_path / "coverage.csv"
        if arguments:
            run_study([PLATEAU], 1, 2, 1, out)
        with pytest.raises(SystemExit):
            main([*self.ONE, "--check", "--out", str(out), *arguments])
        assert mend in capsys.readouterr().err


class TestComparison:
    def test_distance_of_equal_shares_is_zero(self):
        assert rate_distance(950, 1000, 285, 300) == pytest.approx(0)

    def test_distance_counts_combined_errors(self):
        error = np.sqrt(0.9 * 0.1 * (1 / 1000 + 1 / 250))
        assert rate_distance(900, 1000, 210, 250) == pytest.approx(0.06 / error, rel=0.1)

    def test_one_miss_among_few_is_no_disagreement(self):
        assert rate_distance(1000, 1000, 299, 300) < 3

    def test_error_of_a_share_of_one_is_not_zero(self):
        assert rate_error(1000, 1000) == pytest.approx(0.001, rel=0.01)
        assert nominal_error(1000, 0.95) == pytest.approx(0.00689, rel=0.01)

    def test_many_comparisons_widen_the_limit(self):
        assert check_limit(3) == 3
        one_tail = 1 - NormalDist().cdf(check_limit(1500))
        assert 2 * one_tail * 1500 == pytest.approx(coverage.FALSE_ALARM_RATE)


class TestRerun:
    """Two committed rows again with fresh seeds; a shortened set must not get through."""

    @pytest.mark.parametrize("setting", [PLATEAU, BASE], ids=str)
    def test_agrees_with_the_committed_rows(self, setting, table):
        (rows,) = simulate([setting], FRESH_SEED, FEW, 1)
        faults = [
            fault
            for row in rows
            for fault in disagreements(table[row.truth, row.treatment, row.n_cases, row.set], row)
        ]
        assert not faults

    @pytest.mark.parametrize(
        ("setting", "ends"),
        [(PLATEAU, (0, -1)), (BASE, (0, -1)), (BASE, (1, 0))],
        ids=["plateau-upper", "base-upper", "base-lower"],
    )
    def test_a_set_shortened_by_one_outcome_fails_the_check(
        self, setting, ends, monkeypatch, capsys
    ):
        def find_shortened(answer):
            lower, upper = find_sets(answer)["default"].run
            return {"default": FoundSet((lower + ends[0], upper + ends[1]), "certified")}

        monkeypatch.setattr(coverage_simulation, "find_sets", find_shortened)
        assert check_study([setting], FRESH_SEED, 100, 1, COMMITTED) == 1
        printed = capsys.readouterr().out
        assert "default: coverage was" in printed
        assert "default: mean_size was" in printed

    def test_the_whole_sets_pass_the_same_check(self, capsys):
        assert check_study([BASE], FRESH_SEED, 100, 1, COMMITTED) == 0
        assert "0 disagreements" in capsys.readouterr().out


class TestCommittedTable:
    def test_is_complete(self, committed):
        found = {(r.truth, r.treatment, r.n_cases) for r in committed if r.set == "default"}
        assert found == {
            (truth, treatment, n_cases)
            for truth in coverage.TRUTHS
            for treatment in coverage.TREATMENTS
            for n_cases in coverage.CASES
        }
        assert {(r.seed, r.simulations) for r in committed if r.set == "default"} == {(1, 1000)}

    def test_page_says_what_the_table_says(self, committed, tmp_path):
        page = COMMITTED.with_suffix(".md").read_text(encoding="utf-8")
        write_page(committed, tmp_path / COMMITTED.name)
        assert page == (tmp_path / COMMITTED.name).with_suffix(".md").read_text(encoding="utf-8")

    def test_page_names_every_exception(self, table):
        key = ("cliff", "mean", 5, "default")
        broken = table | {key: replace(table[key], coverage=0.9)}
        named = {(r.truth, r.treatment, r.n_cases) for r in exceptions(broken)}
        assert ("cliff", "mean", 5) in named
        page = make_page(broken, "coverage.csv")
        assert all(f"**{t}, {d}, {n} cases per cell**" in page for t, d, n in named)

    def test_certified_sets_have_no_exception(self, committed):
        assert not [
            row
            for row in committed
            if row.kind == "certified"
            and row.set == "default"
            and row.coverage < LEVEL - 3 * nominal_error(row.simulations, LEVEL)
        ]

    @pytest.mark.parametrize("n_cases", coverage.CASES)
    def test_plateau_is_held_by_the_set_and_not_by_the_masses(self, table, n_cases):
        assert table["plateau", "mean", n_cases, "default"].coverage >= 0.95
        for kind in ("bootstrap", "jeffreys"):
            assert 0.1 < table["plateau", "mean", n_cases, f"{kind}-quantiles"].coverage < 0.85

    def test_hit_rates_are_those_of_the_exact_distribution(self, committed):
        limit = check_limit(len(committed))
        for row in committed:
            truth = lc.truths.get_truth(row.truth)
            if row.set != "default" or truth.draw_cells or truth.haystack:
                continue
            masses = lc.outcome_probabilities(
                truth.accuracy(LENGTHS, DEPTHS), row.n_cases, row.setting.criterion
            )
            expected = masses[int(row.true_outcome)]
            error = np.sqrt((expected * (1 - expected) + 1e-3) / row.simulations)
            assert abs(row.hit_rate - expected) < limit * error, row
