"""Notices: what was left aside, what contradicts, and what may not be concluded."""

import numpy as np
import pytest

from lcstats.fit.joint import fit_joint
from lcstats.needles import analyze_needles, measure_dependence, tabulate_needles
from lcstats.needles.notices import notices_on_dependence, notices_on_table, notices_on_trials
from lcstats.needles.single import task_counts
from lcstats.needles.strata import make_strata
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

PLACES = [[0.2, 0.8]] * 4
FOUND = [[1, 0], [1, 1], [0, 1], [0, 0]]


def said(trials, repeats="fold"):
    table = tabulate_needles(trials, repeats=repeats)
    return {
        notice.code: notice.message
        for notice in (*notices_on_trials(trials, table), *notices_on_table(table))
    }


def test_whole_tables_have_nothing_to_say(trials_of):
    places = [[0.2, 0.8], [0.2, 0.8], [0.1, 0.9], [0.1, 0.9]]
    assert set(said(trials_of(FOUND, needle_depths=places))) == {"few-units"}


@pytest.mark.parametrize("name", ["needle_found", "needle_depths"])
def test_a_column_with_a_gap_is_left_aside_aloud(trials_of, name):
    frame = trials_of(FOUND, needle_depths=PLACES).frame
    trials = Trials(frame.assign(**{name: [None, *frame[name].tolist()[1:]]}))
    message = said(trials)["partly-empty-column"]
    assert f"{name} is empty in 1 of 4 trials" in message


def test_gaps_in_counts_do_not_matter_beside_known_needles(trials_of):
    frame = trials_of(FOUND, needle_depths=PLACES).frame
    gap = frame.assign(n_found=frame["n_found"].astype("Int64").where(frame.index > 0))
    assert "partly-empty-column" not in said(Trials(gap))


def test_scores_that_needles_contradict_are_counted(trials_of):
    trials = trials_of(FOUND, needle_depths=PLACES, score=[1.0, 1.0, 0.5, 0.0])
    assert said(trials)["scores-disagree"].startswith("1 trial ")


def test_scores_may_say_whether_all_were_found(trials_of):
    assert "scores-disagree" not in said(trials_of(FOUND, score=[0.0, 1.0, 0.0, 0.0]))


def test_unknown_places_are_no_shared_placement(trials_of):
    frame = trials_of(FOUND).frame
    nowhere = Trials(frame.assign(depth=np.nan))
    found = said(nowhere, "independent")
    assert "one-placement-per-length" not in found
    assert "needle-places-unknown" in found
    assert make_strata(tabulate_needles(nowhere)).words == "length and order"
    assert "one-placement-per-length" in said(trials_of(FOUND, needle_depths=PLACES), "independent")


def test_counts_of_unequal_needles_are_not_called_dependent(trials_of):
    """Half the needles always found, half never: counts that scatter less than binomial ones."""
    trials = trials_of([[1, 1, 1, 0, 0, 0]] * 30 + [[1, 1, 1, 1, 0, 0]])
    counts = Trials(trials.frame.drop(columns=["needle_found"]))
    table = tabulate_needles(counts)
    dependence = measure_dependence(table, n_draws=0)
    assert dependence.independence_p < 0.05
    assert dependence.intraclass_correlation.value < 0
    assert [notice.code for notice in notices_on_dependence(table, dependence)] == [
        "unequal-needles"
    ]


def test_a_joint_fit_names_what_trials_do_not_determine(trials_of):
    """Depths that all but coincide say nothing of the recency bonus."""
    lengths = np.repeat([1024, 8192, 65536], 8)
    near = [[0.4, 0.6 + 1e-4 * (i % 2)] for i in range(24)]
    frame = trials_of(FOUND * 6, length=lengths, needle_depths=near).frame
    table = tabulate_needles(Trials(frame.drop(columns=["needle_found"])))
    notices = fit_joint(task_counts(table)).notices
    assert any(n.code == "dropped-term" and "recency" in n.message for n in notices)


def test_depths_of_needles_are_tested_places(trials_of):
    analysis = analyze_needles(trials_of(FOUND, needle_depths=PLACES), methods="observed")
    assert "single-depth" not in {notice.code for notice in analysis.notices}
