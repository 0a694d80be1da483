"""The coverage study: its parts, and its promises about files."""

import zlib
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcstats as lc
from sims import coverage, coverage_simulation
from sims.coverage import check_limit, main, make_blocks, run_study, simulate
from sims.coverage_rows import (
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
    N_DRAWN_BLOCKS,
    N_FITTED_BLOCKS,
    N_MEAN_SURFACE_BLOCKS,
    N_STRICT_BLOCKS,
    SIMULATIONS_PER_BLOCK,
    Block,
    FoundSet,
    Setting,
    Tables,
    add_results,
    ask,
    equal_tailed,
    find_sets,
    fit_table,
    judge,
    run_block,
    simulate_table,
    true_outcome,
)

PLATEAU = Setting("plateau", "mean", 20)
BASE = Setting("single-needle", "mean", 80)
WORST = Setting("single-needle", "worst", 20)

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


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


@pytest.fixture
def only_the_usual_sets(monkeypatch):
    """Leave out what only the first blocks have: the mean takes milliseconds then."""
    for name in ("N_FITTED_BLOCKS", "N_STRICT_BLOCKS", "N_MEAN_SURFACE_BLOCKS"):
        monkeypatch.setattr(coverage_simulation, name, 0)


@pytest.mark.parametrize(
    "truth", [*lc.truths.COVERAGE, *lc.truths.HARD], ids=lambda truth: truth.name
)
@pytest.mark.parametrize("treatment", coverage.TREATMENTS)
def test_true_outcome_counts_leading_lengths_above_the_threshold(truth, treatment):
    accuracy = truth.accuracy(LENGTHS, DEPTHS)
    ascending = np.sort(accuracy, axis=1)
    treated = {
        "mean": accuracy.mean(axis=1),
        "worst": ascending[:, 0],
        "quantile:0.1": ascending[:, 1],
        "window:3": np.min([accuracy[:, i : i + 3].mean(axis=1) for i in range(9)], axis=0),
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


@pytest.mark.parametrize(
    ("name", "outcomes"),
    [
        ("two-shallow-depths", (7, 3, 3, 7)),
        ("sawtooth", (7, 3, 3, 7)),
        ("bar-plateau", (6, 6, 6, 6)),
        ("hairline", (8, 5, 5, 5)),
        ("cold-start", (0, 0, 0, 0)),
        ("last-depth", (8, 7, 8, 8)),
        ("weak-length", (3, 3, 3, 3)),
        ("moving-hole", (7, 3, 7, 7)),
    ],
)
def test_true_outcomes_of_the_hard_truths(name, outcomes):
    accuracy = lc.truths.get_truth(name).accuracy(LENGTHS, DEPTHS)
    found = [true_outcome(accuracy, Setting(name, t, 5).criterion) for t in coverage.TREATMENTS]
    assert tuple(found) == outcomes


class TestJudging:
    @pytest.mark.parametrize(
        ("true", "held", "below", "above"), [(1, 0, 1, 0), (2, 1, 0, 0), (4, 1, 0, 0), (5, 0, 0, 1)]
    )
    def test_tells_the_sides_apart(self, true, held, below, above):
        found = {"default": FoundSet((2, 4), "certified", 3)}
        tally = judge(PLATEAU, found, true)[PLATEAU, "default", "certified"]
        assert (tally.held, tally.truth_below, tally.truth_above) == (held, below, above)
        assert (tally.size, tally.squared_size, tally.hit) == (3, 9, 0)

    def test_tallies_add_up_in_any_order(self):
        parts = [judge(PLATEAU, {"s": FoundSet((0, i), "k", i)}, 2) for i in range(4)]
        forward, backward = {}, {}
        for part in parts:
            add_results(forward, part)
        for part in reversed(parts):
            add_results(backward, part)
        assert forward == backward
        tally = forward[PLATEAU, "s", "k"]
        assert (tally.simulations, tally.held, tally.truth_above, tally.hit) == (4, 2, 2, 1)
        assert (tally.size, tally.true_outcome) == (10, 8)

    def test_rows_hold_rates_and_errors(self):
        results = {}
        for upper in (1, 3, 3, 3):
            found = {"default": FoundSet((0, upper), "certified", 2)}
            add_results(results, judge(PLATEAU, found, 2))
        (row,) = make_rows(1, results)
        assert row.setting == PLATEAU
        assert (row.coverage, row.truth_above, row.truth_below, row.hit_rate) == (0.75, 0.25, 0, 1)
        assert (row.mean_size, row.threshold, row.true_outcome) == (3.5, 0.85, 2)
        assert row.size_error == pytest.approx(np.sqrt(0.75 / 4), abs=1e-4)
        assert row.coverage_error == pytest.approx(np.sqrt(4 / 6 * 2 / 6 / 4), abs=1e-4)

    def test_a_change_of_kind_is_seen_in_the_row(self):
        results = judge(PLATEAU, {"default": FoundSet((0, 1), "certified", 1)}, 1)
        add_results(results, judge(PLATEAU, {"default": FoundSet((0, 1), "jeffreys", 1)}, 1))
        (row,) = make_rows(1, results)
        assert (row.kind, row.simulations) == ("certified+jeffreys", 2)

    def test_every_setting_has_rows_of_its_own(self):
        results = judge(PLATEAU, {"default": FoundSet((0, 1), "certified", 1)}, 1)
        add_results(results, judge(WORST, {"default": FoundSet((0, 1), "hybrid", 1)}, 1))
        assert [row.setting for row in make_rows(1, results)] == [PLATEAU, WORST]


class TestSimulation:
    @pytest.mark.parametrize(
        ("tables", "number", "digest"),
        [
            (Tables("single-needle", 5), 0, 2930848286),
            (Tables("cells-deviate", 20), 1, 2249137491),
            (Tables("shared-haystack", 5), 0, 1231425995),
        ],
        ids=str,
    )
    def test_tables_of_a_seed_stay_the_same(self, tables, number, digest):
        truth, rng = lc.truths.get_truth(tables.truth), Block(tables, ("worst",), 1, number, 50).rng
        found = 0
        for _ in range(3):
            cells, _ = simulate_table(truth, tables.n_cases, rng)
            found = zlib.crc32(np.ascontiguousarray(cells.grid.numerators, "<i8").tobytes(), found)
        assert found == digest

    def test_treatments_asked_alone_or_together_find_the_same(self):
        tables, treatments = Tables("cells-deviate", 5), ("mean", "worst")
        together = run_block(Block(tables, treatments, 1, N_STRICT_BLOCKS, 2))
        alone = {}
        for treatment in treatments:
            add_results(alone, run_block(Block(tables, (treatment,), 1, N_STRICT_BLOCKS, 2)))
        assert together == alone

    @pytest.mark.parametrize(
        "other",
        [
            Block(PLATEAU.tables, ("mean",), 2, 0, 50),
            Block(PLATEAU.tables, ("mean",), 1, 1, 50),
            Block(BASE.tables, ("mean",), 1, 0, 50),
        ],
        ids=["seed", "number", "tables"],
    )
    def test_other_blocks_have_other_streams(self, other):
        block = Block(PLATEAU.tables, ("mean",), 1, 0, 50)
        assert block.rng.random() != other.rng.random()

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
        few, many = (make_blocks(PLATEAU.tables, ("mean",), 1, n) for n in (120, 200))
        assert [block.n_simulations for block in few] == [50, 50, 20]
        assert few[:2] == many[:2]
        assert [block.table_numbers.start for block in many] == [0, 50, 100, 150]

    def test_a_first_block_tallies_every_set(self):
        results = run_block(Block(PLATEAU.tables, coverage.TREATMENTS, 1, 0, 1))
        names = {}
        for setting, name, _ in results:
            names.setdefault(setting.treatment, set()).add(name)
        masses = {"bootstrap-quantiles", "curve"}
        of_part = {"default", "certified", "strict", "posterior"} | masses
        assert names == {
            "mean": {"default", "jeffreys", "posterior", "jeffreys-quantiles"} | masses,
            "worst": of_part,
            "quantile:0.1": of_part,
            "window:3": of_part,
        }
        assert all(t.simulations == 1 for t in results.values())
        assert all(t.held + t.truth_below + t.truth_above == 1 for t in results.values())
        kinds = {s.treatment: kind for s, name, kind in results if name == "default"}
        parts = ("worst", "quantile:0.1", "window:3")
        assert kinds == {"mean": "certified", **dict.fromkeys(parts, "hybrid")}

    def test_later_blocks_have_fewer_sets(self):
        last = max(N_FITTED_BLOCKS, N_STRICT_BLOCKS, N_MEAN_SURFACE_BLOCKS)
        results = run_block(Block(PLATEAU.tables, ("mean", "worst"), 1, last, 1))
        assert {(setting.treatment, name) for setting, name, _ in results} == {
            ("mean", "default"),
            ("mean", "jeffreys"),
            ("mean", "bootstrap-quantiles"),
            ("mean", "jeffreys-quantiles"),
            ("worst", "default"),
            ("worst", "certified"),
            ("worst", "posterior"),
            ("worst", "bootstrap-quantiles"),
        }

    def test_drawn_masses_are_rationed_and_clusters_are_also_ignored(self, only_the_usual_sets):
        block = Block(Tables("shared-haystack", 5), ("mean", "window:3"), 1, N_DRAWN_BLOCKS, 1)
        found = {(setting.treatment, name): kind for setting, name, kind in run_block(block)}
        assert found == {
            ("mean", "default"): "jeffreys",
            ("mean", "jeffreys"): "jeffreys",
            ("mean", "jeffreys-quantiles"): "quantiles",
            ("mean", "clusters-ignored"): "certified",
            ("window:3", "default"): "hybrid",
            ("window:3", "posterior"): "posterior",
            ("window:3", "certified"): "certified",
            ("window:3", "clusters-ignored"): "hybrid",
        }

    def test_sets_have_the_point_of_their_own_method(self):
        results = run_block(Block(Tables("cliff", 20), ("mean", "worst"), 1, 0, 1))
        hits = {(setting.treatment, name): t.hit for (setting, name, _), t in results.items()}
        # On the cliff raw mean and surface are right; the curve and the lowest cell are not.
        assert (hits["mean", "default"], hits["mean", "curve"]) == (1, 0)
        assert (hits["worst", "default"], hits["worst", "certified"]) == (1, 0)
        assert hits["worst", "posterior"] == hits["worst", "strict"] == hits["worst", "default"]

    def test_the_sets_are_those_of_the_answer(self):
        truth = lc.truths.get_truth("single-needle")
        cells, _ = simulate_table(truth, 20, np.random.default_rng(1))
        table = fit_table(cells, N_STRICT_BLOCKS * SIMULATIONS_PER_BLOCK, [WORST])
        answer = ask(table, WORST)
        found, hybrid = find_sets(answer), answer.quoted.default_set
        certified = answer.observed.default_set
        assert answer.quoted.method == "flexible"
        point, observed = answer.quoted.outcome, answer.observed.outcome
        assert found["default"] == FoundSet((hybrid.lower, hybrid.upper), "hybrid", point)
        assert found["certified"].run == (certified.lower, certified.upper)
        assert found["certified"].point == found["bootstrap-quantiles"].point == observed

    def test_the_default_is_what_a_user_gets(self):
        truth = lc.truths.get_truth("single-needle")
        cells, _ = simulate_table(truth, 20, np.random.default_rng(1))
        number = N_STRICT_BLOCKS * SIMULATIONS_PER_BLOCK
        asked = ask(fit_table(cells, number, [WORST]), WORST).quoted
        plain = lc.effective_length(cells, WORST.criterion, seed=number).quoted
        assert asked.outcome == plain.outcome
        assert asked.default_set.to_dict() == plain.default_set.to_dict()


def later_blocks(*arguments):
    """Blocks of one table each, beyond those that have every set."""
    blocks = make_blocks(*arguments[:-1], simulations=arguments[-1])
    return [
        replace(block, number=10 + i, n_simulations=1)
        for i, block in enumerate(blocks * arguments[-1])
    ]


@pytest.mark.usefixtures("only_the_usual_sets")
class TestFiles:
    SETTINGS = (
        Setting("cliff", "mean", 5),
        Setting("cliff", "quantile:0.1", 5),
        Setting("all-99", "mean", 5),
    )

    @pytest.fixture
    def out(self, tmp_path):
        return tmp_path / "coverage.csv"

    def test_rows_come_back_as_they_were_written(self, out):
        rows = next(simulate([PLATEAU], 1, 5, 1))
        write_rows(rows, out)
        assert read_rows(out) == rows
        assert [path.name for path in out.parent.iterdir()] == ["coverage.csv"]

    @pytest.mark.slow
    def test_equal_bytes_for_any_number_of_processes(self, out, tmp_path, monkeypatch):
        # Other processes know nothing of what was patched here; later blocks have fewer sets.
        monkeypatch.undo()
        monkeypatch.setattr(coverage, "make_blocks", later_blocks)
        settings = [setting for setting in self.SETTINGS if setting.treatment == "mean"]
        run_study(settings, 1, 3, 1, out)
        other = tmp_path / "two" / "coverage.csv"
        run_study(settings, 1, 3, 2, other)
        assert out.read_bytes() == other.read_bytes()
        assert out.with_suffix(".md").read_bytes() == other.with_suffix(".md").read_bytes()

    def test_an_interrupted_study_goes_on_where_it_stopped(self, out, tmp_path, monkeypatch):
        whole = tmp_path / "whole.csv"
        run_study(self.SETTINGS, 1, 2, 1, whole)

        def interrupt(block):
            if block.tables == self.SETTINGS[2].tables:
                raise KeyboardInterrupt
            return run_block(block)

        monkeypatch.setattr(coverage, "run_block", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run_study(self.SETTINGS, 1, 2, 1, out)
        assert {row.setting for row in read_rows(out)} == set(self.SETTINGS[:2])

        resumed = []
        monkeypatch.setattr(
            coverage, "run_block", lambda block: resumed.append(block) or run_block(block)
        )
        run_study(self.SETTINGS, 1, 2, 1, out)
        assert {setting for block in resumed for setting in block.settings} == {self.SETTINGS[2]}
        assert out.read_bytes() == whole.read_bytes()

    def test_a_treatment_asked_for_later_joins_the_same_tables(self, out, tmp_path):
        whole = tmp_path / "whole.csv"
        run_study(self.SETTINGS[:2], 1, 2, 1, whole)
        for setting in reversed(self.SETTINGS[:2]):
            run_study([setting], 1, 2, 1, out)
        assert out.read_bytes() == whole.read_bytes()

    @pytest.mark.parametrize(("seed", "simulations"), [(2, 2), (1, 3)])
    def test_another_study_does_not_mix_with_the_file(self, out, seed, simulations):
        run_study(self.SETTINGS[:1], 1, 2, 1, out)
        before = out.read_bytes()
        with pytest.raises(ValueError, match="remove the file or pass another --out"):
            run_study(self.SETTINGS, seed, simulations, 1, out)
        assert out.read_bytes() == before

    def test_a_strange_file_is_refused(self, out):
        out.write_text("a,b\n1,2\n")
        with pytest.raises(ValueError, match="remove the file or pass another --out"):
            read_rows(out)


@pytest.mark.usefixtures("only_the_usual_sets")
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
