"""The curve's study: its lines, its page, and that they are the same every time."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sims import curve
from sims.coverage_simulation import DEPTHS, LENGTHS
from sims.curve_page import make_page

EVIDENCE = Path(__file__).parents[2] / curve.OUT
BASE_MEAN = curve.Question("hit", "single-needle", "mean", "jeffreys", 20)


def committed():
    with EVIDENCE.open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return {
            (r["subject"], r["truth"], r["treatment"], r["penalty"], int(r["n_cases"])): r
            for r in rows
        }


def rate(*key):
    return float(committed()[key]["rate"])


def test_a_hit_rate_is_made_again_and_equals_the_committed_one():
    line = curve.answer((BASE_MEAN, 1))
    assert line.rate == rate("hit", "single-needle", "mean", "jeffreys", 20)
    error = (line.rate * (1 - line.rate) / line.n_tables) ** 0.5
    assert line.error == pytest.approx(error, abs=1e-6)


def test_the_committed_page_reads_the_committed_lines():
    lines = [
        curve.Line(
            *(r[name] for name in ("subject", "truth", "treatment", "penalty")),
            int(r["n_cases"]),
            float(r["rate"]),
            float(r["error"]),
            *(int(r[name]) for name in ("n_tables", "n_failed", "seed")),
        )
        for r in committed().values()
    ]
    page = make_page(lines, EVIDENCE.name)
    assert EVIDENCE.with_suffix(".md").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("treatment", "penalty", "n_cases", "expected"),
    [
        ("mean", "jeffreys", 5, 0.72),
        ("mean", "jeffreys", 20, 0.92),
        ("mean", "jeffreys", 80, 0.999),
        ("worst", "jeffreys", 5, 0.73),
        ("worst", "jeffreys", 20, 0.946),
        ("worst", "jeffreys", 80, 1.0),
        ("mean", "none", 5, 0.765),
        ("mean", "none", 20, 0.935),
    ],
)
def test_hit_rates_on_the_base_truth(treatment, penalty, n_cases, expected):
    found = rate("hit", "single-needle", treatment, penalty, n_cases)
    assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("treatment", ["mean", "worst"])
def test_the_curve_misses_the_cliff(treatment):
    assert rate("hit", "cliff", treatment, "jeffreys", 20) < 0.001


@pytest.mark.parametrize("treatment", ["mean", "worst"])
@pytest.mark.parametrize("n_cases", curve.CASES)
def test_the_crossing_is_covered(treatment, n_cases):
    assert 0.93 <= rate("crossing", "single-needle", treatment, "jeffreys", n_cases) <= 0.975


@pytest.mark.parametrize("treatment", ["mean", "worst"])
@pytest.mark.parametrize("n_cases", curve.CASES)
def test_the_set_holds_the_true_length(treatment, n_cases):
    assert rate("set", "single-needle", treatment, "jeffreys", n_cases) >= 0.95


@pytest.mark.parametrize("n_cases", curve.CASES)
def test_size_of_goodness_of_fit(n_cases):
    assert 0.03 <= rate("goodness", "single-needle", "", "jeffreys", n_cases) <= 0.07


@pytest.mark.parametrize("truth", ["cliff", "one-bad-depth"])
def test_power_of_goodness_of_fit(truth):
    powers = [rate("goodness", truth, "", "jeffreys", n) for n in curve.CASES]
    assert powers[0] > 0.5
    assert powers[1:] == [1.0, 1.0]


@pytest.mark.parametrize("question", [q for q in curve.QUESTIONS if q.n_cases == 80][::3])
def test_questions_on_one_truth_share_tables_and_more_continue_fewer(question):
    few = curve.draw_tables(question, 3, 2)
    assert few.shape == (2, LENGTHS.size, DEPTHS.size)
    other = replace(question, subject="other", treatment="worst", penalty="none")
    np.testing.assert_array_equal(curve.draw_tables(other, 3, 5)[:2], few)
    assert not np.array_equal(curve.draw_tables(question, 4, 2), few)


def test_small_studies_count_what_they_find():
    crossing = replace(BASE_MEAN, subject="crossing")
    held, failed = curve.crossings(crossing, curve.draw_tables(crossing, 1, 5))
    assert (held, failed) == (5, 0)
    line = curve.make_line(replace(BASE_MEAN, subject="set"), 1, 2, curve.sets)
    assert (line.rate, line.error, line.n_failed) == (1.0, 0.0, 0)
    cliff = curve.Question("goodness", "cliff", "", "jeffreys", 20)
    line = curve.make_line(cliff, 1, 3, curve.rejections)
    assert (line.rate, line.error, line.n_failed) == (1.0, 0.0, 0)


def test_the_command_writes_the_same_files_again(tmp_path, monkeypatch):
    monkeypatch.setattr(curve, "QUESTIONS", [q for q in curve.QUESTIONS if q.n_cases == 5])
    monkeypatch.setattr(curve, "N_HIT_TABLES", 50)
    monkeypatch.setattr(curve, "N_TABLES", 2)
    monkeypatch.setattr(curve, "N_GOODNESS_TABLES", 2)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert curve.main(["--seed", "2", "--out", str(tmp_path / name / "curve.csv")]) == 0
    for file in ("curve.csv", "curve.md"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    page = (tmp_path / "a" / "curve.md").read_text(encoding="utf-8")
    assert "--seed 2" in page
    assert "| one-bad-depth | all | jeffreys |" in page
