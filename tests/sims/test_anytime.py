"""Looking often, exactly: the committed figures are made again, and simulation agrees."""

import csv
from pathlib import Path

import numpy as np
import pytest

from lcstats.lengths import anytime
from sims import anytime as study

EVIDENCE = Path(__file__).parents[2] / study.OUT


@pytest.fixture(scope="module")
def committed():
    with EVIDENCE.open(encoding="utf-8") as file:
        return [
            study.Figure(r["name"], *(float(r[n]) for n in ("setting", "accuracy", "value")))
            for r in csv.DictReader(file)
        ]


def test_looking_at_wilson_excludes_the_truth_38_percent_of_the_time():
    wrong = study.ever(study.excluded_by_wilson(0.85), 0.85, first=10)
    assert round(wrong, 2) == 0.38


@pytest.mark.parametrize("bar", [0.5, 0.85, 0.99])
def test_looking_at_the_evidence_excludes_the_truth_5_percent_of_the_time_at_most(bar):
    assert study.ever(study.excluded_by_evidence(bar), bar, first=1) <= 0.05


def test_a_looser_threshold_is_seen(monkeypatch):
    monkeypatch.setattr(study, "LEVEL", 0.8)
    assert study.ever(study.excluded_by_evidence(0.85), 0.85, first=1) > 0.05


def test_the_chain_agrees_with_simulation():
    rng = np.random.default_rng(5)
    n = np.arange(1, 101)
    counts = (rng.random((4000, 100)) < 0.85).cumsum(axis=1)
    excludes = study.excluded_by_wilson(0.85)
    out = np.column_stack([excludes(counts[:, i].astype(float), m) for i, m in enumerate(n)])
    simulated = out[:, 9:].any(axis=1).mean()
    exact = study.ever(excludes, 0.85, first=10, last=100)
    assert abs(simulated - exact) < 4 * np.sqrt(exact * (1 - exact) / 4000)


def test_committed_figures_are_made_again(committed):
    made = {(f.name, f.setting): f.value for f in committed}
    for bar in (0.85, 0.95):
        again = study.ever(study.excluded_by_evidence(bar), bar, first=1)
        assert made["anytime", bar] == pytest.approx(again, rel=1e-5)
    trials = {(f.setting, f.accuracy): f.value for f in committed if f.name == "trials"}
    assert trials[anytime.PRIOR_CASES, 0.97] == pytest.approx(study.mean_trials(0.97), rel=1e-5)


def test_the_committed_page_reads_the_committed_figures(committed):
    assert EVIDENCE.with_suffix(".md").read_text(encoding="utf-8") == study.page(committed)
