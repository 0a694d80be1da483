"""The study of comparisons: its committed rows keep what is claimed, and come out again."""

from pathlib import Path

import numpy as np
import pytest

from lcstats.comparison.tango import tango_interval
from sims.comparison import OUT, main, simulated_designs
from sims.comparison_page import make_page
from sims.comparison_rows import (
    POPULATIONS,
    Row,
    Setting,
    every_table,
    exact_studies,
    gate_false_alarms,
    law_of_tables,
    mcnemar_rejections,
    tango_coverage,
)
from sims.csv_rows import read_csv

COMMITTED = Path(__file__).resolve().parents[2] / OUT


@pytest.fixture(scope="module")
def rows():
    return read_csv(Row, COMMITTED)


def of(rows, study, design=None):
    return [row for row in rows if row.study == study and design in (None, row.design)]


def test_every_design_is_there(rows):
    n_simulated = sum(map(len, simulated_designs()))
    assert len(rows) == len(list(exact_studies())) + n_simulated


def test_the_page_is_made_of_the_rows(rows):
    assert COMMITTED.with_suffix(".md").read_text(encoding="utf-8") == make_page(rows)


def test_the_paired_interval_covers(rows):
    kept = of(rows, "interval coverage")
    assert {(row.n, row.old, row.new) for row in kept} >= {(n, 0.99, 0.95) for n in (50, 100, 450)}
    assert min(row.value for row in kept) >= 0.92


def test_the_gate_keeps_its_false_alarms_where_the_score_test_does_not(rows):
    assert max(row.value for row in of(rows, "gate false alarms", "gate")) <= 0.05
    assert max(row.value for row in of(rows, "gate false alarms", "score test")) > 0.07


def test_sizes_and_power_are_the_known_ones(rows):
    found = {(row.design, row.old): round(row.value, 3) for row in of(rows, "test size")}
    assert found == {
        ("mid-p", 0.85): 0.033,
        ("exact", 0.85): 0.014,
        ("mid-p", 0.5): 0.044,
        ("exact", 0.5): 0.025,
    }
    assert all(row.value >= 0.8 for row in of(rows, "test power", "mid-p"))


def test_graded_and_clustered_intervals_cover(rows):
    for row in of(rows, "simulated coverage"):
        assert row.value >= 0.92 - 3 * row.error


def test_the_test_of_equal_accuracies_keeps_its_level(rows):
    for row in of(rows, "simulated rejections"):
        if row.old == row.new:
            assert row.value <= 0.05 + 3 * row.error


def test_committed_exact_rows_come_out_again(rows):
    for study, design, measure in (
        ("interval coverage", "Tango", tango_coverage),
        ("test size", "exact", mcnemar_rejections),
        ("gate false alarms", "gate", gate_false_alarms),
    ):
        row = min(of(rows, study, design), key=lambda r: r.n)
        setting = Setting(study, design, row.n, row.old, row.new, row.dependence)
        assert measure(setting) == pytest.approx(row.value, abs=1e-12)


def test_coverage_by_the_statistic_is_coverage_by_the_interval():
    n, old_share, new_share = 20, 0.2, 0.1
    tables = every_table(n)
    lower, upper = tango_interval(*tables, n, 1.959964)
    held = (lower <= new_share - old_share) & (new_share - old_share <= upper)
    by_interval = law_of_tables(n, old_share, new_share)[held].sum()
    old, new = 0.6, 0.5
    covariance = (old - old_share) - old * new
    rho = covariance / np.sqrt(old * (1 - old) * new * (1 - new))
    setting = Setting("interval coverage", "Tango", n, old, new, rho)
    assert tango_coverage(setting) == pytest.approx(by_interval, abs=1e-9)


@pytest.mark.parametrize("name", POPULATIONS)
def test_populations_have_the_accuracies_they_are_asked_for(name):
    rng = np.random.default_rng(1)
    drawn = [POPULATIONS[name].draw(0.85, 0.6, rng) for _ in range(300)]
    for side, accuracy in (("old", 0.85), ("new", 0.6)):
        means = [getattr(pairs, side).mean() / pairs.unit for pairs in drawn]
        assert np.mean(means) == pytest.approx(accuracy, abs=4 * np.std(means) / np.sqrt(300))


def test_another_seed_is_refused(tmp_path, capsys):
    out = tmp_path / "comparison.csv"
    out.write_bytes(COMMITTED.read_bytes())
    with pytest.raises(SystemExit):
        main(["--seed", "2", "--out", str(out)])
    assert "remove the file or pass another --out" in capsys.readouterr().err


def test_a_finished_study_is_only_written_again(tmp_path):
    out = tmp_path / "comparison.csv"
    out.write_bytes(COMMITTED.read_bytes())
    assert main(["--seed", "1", "--out", str(out)]) == 0
    assert out.read_bytes() == COMMITTED.read_bytes()
    assert out.with_suffix(".md").read_bytes() == COMMITTED.with_suffix(".md").read_bytes()
