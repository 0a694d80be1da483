"""The committed table of the coverage study: complete, true to its page, and found again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lcstats as lc
from lcstats.lengths import outcome_probabilities
from sims import coverage, coverage_simulation
from sims.coverage import check_limit, check_study, simulate
from sims.coverage_bounds import BASE_BOUNDS, COUNTS, PROTOTYPE_SIZES
from sims.coverage_page import exceptions, larger_than_prototype, make_page, write_page
from sims.coverage_rows import disagreements, nominal_error, read_rows
from sims.coverage_simulation import DEPTHS, LENGTHS, LEVEL, Setting, find_sets

COMMITTED = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "coverage.csv"
PLATEAU = Setting("plateau", "mean", 20)
BASE = Setting("single-needle", "mean", 80)
WORST = Setting("single-needle", "worst", 20)
MEAN = ("default", "mean")
FRESH_SEED = 20
FEW = 300
FEW_WITH_SURFACE = 25

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture(scope="module")
def committed():
    return read_rows(COMMITTED)


@pytest.fixture(scope="module")
def table(committed):
    return {(r.truth, r.treatment, r.n_cases, r.set): r for r in committed}


def need(table, truth, treatment, n_cases, name="default"):
    """Return a committed row; the study takes hours, and what it has not reached is skipped."""
    key = (truth, treatment, n_cases, name)
    if key not in table:
        pytest.skip(f"docs/evidence/coverage.csv has no row for {key} yet")
    return table[key]


def table_at(table, simulations):
    """Return the lines that stand on this many tables."""
    return {key: row for key, row in table.items() if row.simulations == simulations}


@pytest.fixture
def only_the_usual_sets(monkeypatch):
    """Leave out what only the first blocks have: the mean takes milliseconds then."""
    for name in ("N_FITTED_BLOCKS", "N_STRICT_BLOCKS", "N_MEAN_SURFACE_BLOCKS"):
        monkeypatch.setattr(coverage_simulation, name, 0)


@pytest.mark.usefixtures("only_the_usual_sets")
class TestRerun:
    """Committed rows again with fresh seeds; a shortened set must not get through."""

    @pytest.mark.parametrize(
        ("setting", "simulations"),
        [
            (PLATEAU, FEW),
            (BASE, FEW),
            pytest.param(WORST, FEW_WITH_SURFACE, marks=pytest.mark.slow),
        ],
        ids=str,
    )
    def test_agrees_with_the_committed_rows(self, setting, simulations, table):
        need(table, setting.truth, setting.treatment, setting.n_cases)
        (rows,) = simulate([setting], FRESH_SEED, simulations, 1)
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
            whole = find_sets(answer)["default"]
            lower, upper = whole.run
            return {"default": replace(whole, run=(lower + ends[0], upper + ends[1]))}

        monkeypatch.setattr(coverage_simulation, "find_sets", find_shortened)
        assert check_study([setting], FRESH_SEED, 100, 1, COMMITTED) == 1
        printed = capsys.readouterr().out
        assert "default: coverage was" in printed
        assert "default: mean_size was" in printed

    @pytest.mark.slow
    @pytest.mark.parametrize("ends", [(0, -1), (1, 0)], ids=["upper", "lower"])
    def test_a_shortened_hybrid_fails_the_check(self, ends, table, monkeypatch, capsys):
        need(table, WORST.truth, WORST.treatment, WORST.n_cases)

        def find_shortened(answer):
            whole = find_sets(answer)["default"]
            lower, upper = whole.run
            return {"default": replace(whole, run=(lower + ends[0], upper + ends[1]))}

        monkeypatch.setattr(coverage_simulation, "find_sets", find_shortened)
        assert check_study([WORST], FRESH_SEED, FEW_WITH_SURFACE, 1, COMMITTED) == 1
        assert "default: mean_size was" in capsys.readouterr().out

    def test_the_whole_sets_pass_the_same_check(self, capsys):
        assert check_study([BASE], FRESH_SEED, 100, 1, COMMITTED) == 0
        assert "0 disagreements" in capsys.readouterr().out


class TestCommittedTable:
    def test_has_every_truth_of_the_method_for_the_mean(self, committed):
        found = {(r.truth, r.n_cases) for r in committed if (r.set, r.treatment) == MEAN}
        wanted = {(truth.name, n) for truth in lc.truths.COVERAGE for n in coverage.CASES}
        assert wanted <= found

    def test_is_of_one_study(self, committed):
        defaults = [r for r in committed if r.set == "default"]
        assert {r.seed for r in defaults} == {1}
        assert all(r.simulations == coverage.usual_simulations(r.setting) for r in defaults)
        assert {r.truth for r in defaults} <= set(coverage.TRUTHS)
        assert {r.treatment for r in defaults} <= set(coverage.TREATMENTS)
        assert {r.n_cases for r in defaults} <= set(coverage.CASES)

    @pytest.mark.parametrize("treatment", coverage.TREATMENTS)
    def test_has_every_set(self, table, treatment):
        need(table, "single-needle", treatment, 20)
        names = {"default", "bootstrap-quantiles", "curve"}
        if treatment == "mean":
            names |= {"jeffreys", "jeffreys-quantiles"}
        else:
            names |= {"certified", "strict", "posterior"}
        found = {key[3] for key in table if key[:3] == ("single-needle", treatment, 20)}
        assert names <= found

    def test_page_says_what_the_table_says(self, committed, tmp_path):
        page = COMMITTED.with_suffix(".md").read_text(encoding="utf-8")
        write_page(committed, tmp_path / COMMITTED.name)
        assert page == (tmp_path / COMMITTED.name).with_suffix(".md").read_text(encoding="utf-8")

    def test_page_says_which_lines_stand_on_fewer_tables(self, table):
        key = ("plateau", "worst", 5, "default")
        short = {key: replace(table["plateau", "mean", 5, "default"], treatment="worst")}
        assert "Lines of" not in make_page(table_at(table, 1000), "coverage.csv")
        page = make_page(
            table_at(table, 1000) | {key: replace(short[key], simulations=400)}, "coverage.csv"
        )
        words = " ".join(page.split())
        assert "Lines of worst depth stand on 400 tables (Monte Carlo error 0.0109)" in words

    def test_page_names_every_exception(self, table):
        key = ("cliff", "mean", 5, "default")
        broken = table | {key: replace(table[key], coverage=0.0)}
        named = {(r.truth, r.treatment, r.n_cases) for r in exceptions(broken)}
        assert ("cliff", "mean", 5) in named
        page = make_page(broken, "coverage.csv")
        assert all(f"**{t}, {d}, {n} cases per cell**" in page for t, d, n in named)

    def test_page_marks_what_is_kept_for_the_final_check(self, table):
        page = make_page(table, "coverage.csv")
        for name in lc.truths.FINAL_CHECK:
            assert f"*{name}*" in page
            assert (f"| {name} † |" in page) == any(key[0] == name for key in table)
        assert "| plateau † |" not in page

    def test_page_names_what_is_larger_than_it_was_to_be(self, table):
        key = ("single-needle", "worst", 20, "default")
        broken = table | {key: replace(need(table, *key), mean_size=4.5)}
        assert (broken[key], 3.69) in larger_than_prototype(broken)
        page = make_page(broken, "coverage.csv")
        assert "4.50 (at most 3.8: missed)" in page
        assert (
            "- Worst depth, single-needle, n = 20: 4.50 outcomes (`hybrid`), prototype 3.69."
            in page
        )

    @pytest.mark.parametrize(("treatment", "name"), BASE_BOUNDS)
    def test_sizes_on_the_base_are_within_their_bounds(self, treatment, name, table):
        for n_cases, bound in zip(COUNTS, BASE_BOUNDS[treatment, name], strict=True):
            row = need(table, "single-needle", treatment, n_cases, name)
            assert row.mean_size <= bound + 3 * row.size_error, row

    def test_prototype_sizes_are_of_known_truths(self):
        assert {truth for truth, _ in PROTOTYPE_SIZES} <= {t.name for t in lc.truths.COVERAGE}

    def test_certified_sets_have_no_exception(self, committed):
        assert not [
            row
            for row in committed
            if row.kind == "certified"
            and row.set in ("default", "certified")
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
            if not _is_of_raw_cells(row) or truth.draw_cells or truth.haystack:
                continue
            masses = outcome_probabilities(
                truth.accuracy(LENGTHS, DEPTHS), row.n_cases, row.setting.criterion
            )
            expected = masses[int(row.true_outcome)]
            error = np.sqrt((expected * (1 - expected) + 1e-3) / row.simulations)
            assert abs(row.hit_rate - expected) < limit * error, row


def _is_of_raw_cells(row):
    """Tell whether a row's hit rate is that of the observed effective length."""
    return row.set == ("default" if row.treatment == "mean" else "certified")
