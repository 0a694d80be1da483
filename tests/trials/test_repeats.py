"""Repeats that agree more than chance."""

import numpy as np
import pandas as pd
import pytest

from lcstats.readers import read_trials
from lcstats.trials import Trials
from lcstats.trials.repeats import design_effect

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def table(scores, **columns):
    """Scores of shape (n_cases, n_repeats), all at one length."""
    n_cases, n_repeats = scores.shape
    frame = pd.DataFrame(
        {
            "length": 4096,
            "case": np.repeat(np.arange(n_cases), n_repeats),
            "repeat": np.tile(np.arange(1, n_repeats + 1), n_cases),
            "score": scores.ravel(),
            **columns,
        }
    )
    return Trials.from_frame(frame)


def said(trials):
    return [n.message for n in trials.notices if n.code == "identical-repeats"]


def test_identical_repeats_are_reported_with_their_effective_number():
    outcome = (np.arange(30) % 3 == 0)[:, None]
    (message,) = said(table(np.repeat(outcome, 4, axis=1).astype(float)))
    assert "agree in 30 of 30 cases" in message
    assert "design effect 4, so 120 trials tell as much as 30" in message


def test_independent_repeats_are_not():
    rng = np.random.default_rng(1)
    found = [said(table(rng.binomial(1, 0.7, (40, 3)).astype(float))) for _ in range(50)]
    assert sum(map(len, found)) <= 1


def test_repeats_that_agree_because_all_are_right_say_nothing():
    assert said(table(np.ones((30, 2)))) == []


def test_graded_scores_and_tables_without_repeats_are_left_alone():
    assert said(table(np.full((30, 2), 0.5))) == []
    assert said(table((np.arange(30) % 2)[:, None].astype(float))) == []


def test_the_design_effect_is_that_of_the_means_of_cases():
    """Against its definition: the variance of the mean over that of as many independent trials."""
    rng = np.random.default_rng(2)
    rates = rng.beta(2, 2, (4000, 50))
    right = rng.binomial(3, rates)
    effects = [design_effect(np.full(50, 3), row.astype(float), np.full(50, 0.5)) for row in right]
    means = right.mean(axis=1) / 3
    assert np.mean(effects) == pytest.approx(means.var() / (0.25 / 150), rel=0.05)


def test_the_second_runs_of_claude_2_1_are_no_new_evidence(real_data):
    trials = read_trials(real_data / "kamradt_v1" / "claude_2_1", score_threshold=7)
    (message,) = said(trials)
    assert "agree in 151 of 151 cases" in message
    assert "design effect 2, so 302 trials tell as much as 151" in message
