"""`analyze_needles`: the published runs, kinds of data, what is said and what is refused."""

import json

import numpy as np
import pytest

from lcstats.errors import OptionError
from lcstats.lengths import Criterion
from lcstats.needles import NeedleAnalysis, analyze_needles, split_needles
from lcstats.needles.door import fit_surface
from lcstats.needles.wording import describe_needles, implied_rows
from lcstats.readers import read_trials
from lcstats.trials import Trials
from lcstats.truths import simulate_needles

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS, DEPTHS = (1024, 8192, 65536), (0.0, 0.5, 1.0)


@pytest.fixture(scope="module")
def simulated():
    return analyze_needles(simulate_needles(LENGTHS, DEPTHS, n_trials=20, seed=1, shared_sd=1.5))


@pytest.fixture
def published(real_data):
    """Runs of GPT-4 with 1, 3 and 10 needles."""
    folder = real_data / "kamradt_v1" / "multi_needle_langsmith"
    trials = read_trials(folder / "gpt4_retrieval_per_needle.csv")
    return {part.frame["n_needles"].iloc[0]: part for part in split_needles(trials)}


def codes(analysis):
    return [notice.code for notice in analysis.notices]


def test_the_published_runs_have_612_needles(published):
    assert sorted(published) == [1, 3, 10]
    found = [len(own) for part in published.values() for own in part.frame["needle_found"]]
    assert sum(found) == 612


def test_ten_needles_by_length(published):
    analysis = analyze_needles(published[10], methods="observed")
    right = [round(row.rate.value * row.n_trials * 10) for row in analysis.rows]
    assert right == [90, 42, 43, 44, 53, 52]
    assert [row.n_trials for row in analysis.rows] == [9] * 6


def test_nine_repeats_of_one_case_have_no_intervals(published):
    analysis = analyze_needles(published[10])
    assert [row.n_units for row in analysis.rows] == [1] * 6
    assert all(np.isnan(row.rate.lower) for row in analysis.rows)
    assert analysis.dependence.n_units == 0
    assert not any(one.estimate.sets for one in analysis.implied)
    (said,) = [n.message for n in analysis.notices if n.code == "one-case-per-length"]
    assert "sent 9 times" in said
    assert "rests on 6 cases" in said
    assert "--repeats independent" in said
    assert analysis.single.standard_errors is None
    assert "6 units" in analysis.single.why_no_errors


@pytest.mark.parametrize("repeats", ["fold", "independent"])
def test_the_cliff_in_depth_is_named_however_repeats_are_counted(published, repeats):
    analysis = analyze_needles(published[10], repeats=repeats)
    (said,) = [n.message for n in analysis.notices if n.code == "curve-misfit"]
    step = analysis.depth_step
    assert step.words() in said
    assert ("these very prompts" in said) == (repeats == "fold")
    assert 0.4 <= step.depth <= 0.6
    assert step.before < 0.15 < 0.85 < step.after
    assert 1000 not in step.lengths


def test_a_curve_far_from_what_was_observed_is_explained(published):
    analysis = analyze_needles(published[1])
    (said,) = [n.message for n in analysis.notices if n.code == "curve-disagrees"]
    rate = analysis.implied_length(1).joint[0]
    assert "the curve says <1000 tokens for 1 needle, 72400 tokens was observed" in said
    assert f"in 100% of trials, and in {rate:.0%} by the curve" in said
    assert "6 units at 6 lengths towards one half" in said


def test_text_says_which_lengths_ratio_and_test_rest_on(published):
    analysis = analyze_needles(published[10], repeats="independent", methods="observed")
    lines = "\n".join(describe_needles(analysis))
    assert analysis.ratio_lengths == ()
    assert "in no trial at 5 of 6 and in every trial at 1 of 6 lengths: no length carries" in lines
    varied = [
        length
        for length in analysis.table.lengths.tolist()
        if (np.ptp(analysis.table.found[analysis.table.length == length], axis=0) > 0).sum() > 1
    ]
    assert list(analysis.independence_lengths) == varied
    assert f"rests on lengths {', '.join(map(str, varied))}: there needles" in lines
    assert "An interval and its p-value differ here" in lines


@pytest.mark.parametrize("known", ["needles", "counts", "all_or_nothing"])
@pytest.mark.parametrize("mark", [0, 1])
def test_separated_needles_have_no_standard_errors(known, mark):
    frame = simulate_needles(LENGTHS, DEPTHS, n_trials=4, seed=1).frame
    frame = frame.assign(needle_found=[[mark] * 4] * len(frame), n_found=4 * mark, score=mark * 1.0)
    left_out = {"needles": [], "counts": ["needle_found"]}.get(known, ["needle_found", "n_found"])
    analysis = analyze_needles(Trials(frame.drop(columns=left_out)))
    assert analysis.table.kind == known
    assert "separated" in codes(analysis)
    single = analysis.to_dict()["single_needle"]
    assert single["standard_errors"] is None
    assert single["fit"].get("robust_standard_errors") is None
    assert "separated" in single["no_standard_errors_because"]
    lines = "\n".join(describe_needles(analysis))
    assert "(no standard errors: found and missed needles are separated" in lines
    assert NeedleAnalysis.from_dict(analysis.to_dict()).single.standard_errors is None


def test_crossings_outside_the_tested_lengths_are_censored():
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=20, seed=1)
    analysis = analyze_needles(trials, numbers=(1, 1000), criterion=Criterion("0.3"))
    shown = [row[-1] for row in implied_rows(analysis.implied) if row[2] == "spread"]
    assert shown[0] == ">65536"
    assert shown[-1] == "<1024"


def test_inference_about_the_very_prompts(published):
    analysis = analyze_needles(published[10], repeats="independent")
    assert "one-placement-per-length" in codes(analysis)
    assert analysis.dependence.n_units == 54
    assert analysis.observed.observed.display == "1000"
    assert analysis.rows[1].rate.lower < 42 / 90 < analysis.rows[1].rate.upper


def test_the_law_does_not_fit_a_cliff_in_depth_and_the_surface_does(published):
    """Found almost only after depth .4 to .6 beyond 1K: what each makes of it, and the misfit."""
    analysis = analyze_needles(published[10], repeats="independent")
    assert analysis.single.fails
    assert "curve-misfit" in codes(analysis)
    curve = analysis.single.curve
    # The bonus at the end has to reach back to the middle: it becomes absurdly large.
    assert curve.recency > 100
    table = analysis.table
    far = table.length > 1000
    shallow, deep = table.depths < 0.4, table.depths > 0.6
    assert table.found[far][shallow[far]].mean() < 0.1
    assert table.found[far][deep[far]].mean() > 0.98
    surface = fit_surface(table).to_frame()
    surface = surface[(surface["length"] > 24800) & (surface["n_cases"] > 0)]
    assert surface[surface["depth"] < 0.35]["accuracy"].max() < 0.25
    assert surface[surface["depth"] > 0.65]["accuracy"].min() > 0.9


def test_results_are_json(simulated):
    document = json.loads(json.dumps(simulated.to_dict()))
    assert {
        *("model", "task", "n_trials", "n_needles", "rate_by_length", "joint_by_length"),
        *("product_by_length", "dependence_ratio", "intraclass_correlation", "independence_p"),
        *("required_rate", "effective_length_by_needles"),
    } <= document.keys()
    assert document["required_rate"]["10"] == pytest.approx(0.85**0.1)
    four = document["effective_length_by_needles"]["4"]
    assert set(four) == {"required_rate", "spread", "close"}
    assert set(document["rate_by_length"]) == {"1024", "8192", "65536"}


def test_tables_have_a_row_per_length(simulated):
    frame = simulated.to_frame()
    assert frame["length"].tolist() == list(LENGTHS)
    assert (frame["joint_lower"] <= frame["joint"]).all()
    assert (frame["dependence_ratio"] == frame["joint"] / frame["product"]).all() or np.allclose(
        frame["dependence_ratio"], frame["joint"] / frame["product"]
    )


def test_shared_luck_is_said(simulated):
    assert "dependent-needles" in codes(simulated)
    assert simulated.dependence.independence_p < 0.05


def test_counts_and_all_or_nothing_give_much_the_same_curve():
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=200, seed=1)
    frame = trials.frame
    known = analyze_needles(trials).single.curve
    counts = Trials(frame.drop(columns=["needle_found"]))
    whole = Trials(
        frame.drop(columns=["needle_found", "n_found"]).assign(
            score=(frame["score"] == 1).astype(float)
        )
    )
    for other, kind in ((counts, "counts"), (whole, "all_or_nothing")):
        analysis = analyze_needles(other)
        assert analysis.table.kind == kind
        rates = analysis.single.curve.accuracy(LENGTHS, DEPTHS)
        assert np.allclose(rates, known.accuracy(LENGTHS, DEPTHS), atol=0.05)
        assert len(analysis.single.draws)
    assert analysis.dependence is None
    assert "all-or-nothing" in codes(analysis)


def test_equal_seeds_give_equal_results(simulated):
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=20, seed=1, shared_sd=1.5)
    assert analyze_needles(trials).to_dict() == simulated.to_dict()


def test_a_relative_rule_is_refused():
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=2, seed=1)
    with pytest.raises(OptionError, match="rule='absolute'"):
        analyze_needles(trials, Criterion(0.85, rule="relative"))


def test_a_single_length_has_no_curve():
    trials = simulate_needles([4096], DEPTHS, n_trials=20, seed=1)
    analysis = analyze_needles(trials)
    assert analysis.single is None
    assert analysis.implied == ()


def test_by_the_surface():
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=20, seed=1)
    analysis = analyze_needles(trials, methods=("curve", "flexible"), numbers=(1, 4))
    assert [one.n_needles for one in analysis.by_surface] == [1, 1, 4, 4]
    assert all(one.estimate.method == "flexible" for one in analysis.by_surface)
