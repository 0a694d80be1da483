"""``lcstats fit --joint``: distractors and two hops beside single facts."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cli.fit import describe_joint
from lcstats.errors import OptionError
from lcstats.needles.joint import TaskPart, compare_tasks
from lcstats.readers import read_trials
from lcstats.trials import Trials
from lcstats.truths import DISTRACTORS, SINGLE_NEEDLE, TWO_HOP, mirrored_places, simulate_trials

LENGTHS, DEPTHS = [2048, 8192, 32768, 131072], np.linspace(0, 1, 5)
FLAGS = (
    *("--joint", "single-needle", "--joint", "distractors:intercept,length"),
    *("--joint", "two-hop:combine"),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    frames = [
        simulate_trials(truth, LENGTHS, DEPTHS, n_trials=60, seed=seed).frame
        for seed, truth in enumerate((SINGLE_NEEDLE, DISTRACTORS, TWO_HOP))
    ]
    hops = frames[2]
    places = dict(zip(DEPTHS.tolist(), mirrored_places(DEPTHS).T.tolist(), strict=True))
    hops["n_needles"] = 2
    hops["needle_depths"] = [places[depth] for depth in hops["depth"]]
    path = tmp_path_factory.mktemp("joint") / "trials.jsonl"
    table = pd.concat(frames)[["model", "task", "case", "length", "depth", "score"]]
    table = table.assign(
        n_needles=pd.concat([f.get("n_needles", f["depth"] * 0 + 1) for f in frames])
    )
    table["needle_depths"] = [None] * (len(table) - len(hops)) + hops["needle_depths"].tolist()
    table.to_json(path, orient="records", lines=True)
    return path


def test_json_has_the_library_s_numbers(run_json, results):
    (group,) = run_json("fit", results, *FLAGS, "--seed", 2)["groups"]
    parts = [TaskPart.parse(text) for text in FLAGS[1::2]]
    expected = compare_tasks(read_trials([results]), parts, seed=2)
    assert group["fit"]["coefficients"] == dict(expected.fit.estimates)
    assert group["tests"] == [test.to_dict() for test in expected.tests]
    assert [test["terms"] for test in group["tests"]] == [
        ["intercept[distractors]", "length[distractors]"],
        ["log_combining_rate[two-hop]", "combining_decay[two-hop]"],
    ]
    assert all(test["p_value"] < 0.05 and test["aic_difference"] < 0 for test in group["tests"])


def test_terms_and_factor_are_those_that_trials_were_drawn_with(results):
    parts = [TaskPart.parse(text) for text in FLAGS[1::2]]
    fit = compare_tasks(read_trials([results]), parts, n_simulations=99).fit
    true = {
        "intercept": 4.2, "length": 0.3, "middle": 1.9, "recency": 0.6,
        "intercept[distractors]": -0.9, "length[distractors]": 0.12,
        "log_combining_rate[two-hop]": np.log(0.92), "combining_decay[two-hop]": 0.06,
    }  # fmt: skip
    assert set(fit.estimates) == set(true)
    for name, value in true.items():
        assert abs(fit.estimates[name] - value) < 3.5 * fit.standard_errors[name], name


def test_text_says_terms_factor_and_tests(run, results):
    result = run("fit", results, *FLAGS)
    assert result.exit_code == 0, result.stderr
    for words in (
        "simulated: one curve of single facts for single-needle and distractors and two-hop",
        "length[distractors]",
        "Combining found facts in two-hop: succeeds",
        "Without intercept[distractors], length[distractors]: AIC higher by",
        "Without log_combining_rate[two-hop], combining_decay[two-hop]: AIC higher by",
    ):
        assert words in result.stdout


@pytest.mark.parametrize(
    ("flag", "mend"),
    [
        ("two-hop:combined", "TASK:combine"),
        (":length", "TASK:intercept,length"),
        ("three-hop", "write the name as it is there"),
    ],
)
def test_what_cannot_be_asked_is_refused(run, results, flag, mend):
    result = run("fit", results, "--joint", "single-needle", "--joint", flag)
    assert result.exit_code == 2
    assert mend in result.stderr


def test_a_name_with_a_colon_needs_one_behind_it():
    assert TaskPart.parse("a:b:length").name == "a:b"
    with pytest.raises(OptionError, match="TASK:combine"):
        TaskPart.parse("a:b")


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        (["two-hop:combine"], "--joint SINGLE --joint CHAIN:combine"),
        (["distractors:intercept", "two-hop:combine"], "--joint SINGLE --joint CHAIN:combine"),
        (["single-needle:combine", "distractors"], "--joint single-needle without combine"),
        (["single-needle", "two-hop", "two-hop:combine"], "two-hop is named more than once"),
    ],
)
def test_a_factor_that_nothing_tells_from_finding_is_refused(run, results, flags, mend):
    result = run("fit", results, *(word for flag in flags for word in ("--joint", flag)))
    assert result.exit_code == 2
    assert mend in result.stderr


def test_chains_have_to_say_how_many_facts_they_ask_for(run, results, tmp_path):
    """Without the number the second fact would be left out of the product."""
    path = tmp_path / "trials.jsonl"
    table = pd.read_json(results, lines=True).drop(columns=["n_needles", "needle_depths"])
    table.to_json(path, orient="records", lines=True)
    result = run("fit", path, "--joint", "single-needle", "--joint", "two-hop:combine")
    assert result.exit_code == 2
    assert "expected n_needles in every trial of a task that combines" in result.stderr
    assert "--map n_needles=THEIRS" in result.stderr


def test_lists_alone_say_how_many_facts_a_trial_asks_for(results):
    """The places of two facts make two, with or without a column of numbers."""
    trials = read_trials([results])
    bare = Trials(trials.frame.drop(columns=["n_needles"]), trials.length_unit)
    parts = [TaskPart("single-needle"), TaskPart("two-hop", combines=True)]
    fits = [compare_tasks(one, parts, n_simulations=99).fit for one in (trials, bare)]
    assert fits[0].task("two-hop").n_facts == fits[1].task("two-hop").n_facts == 2
    assert fits[0].estimates == pytest.approx(fits[1].estimates)


def test_only_tested_lengths_are_quoted(results):
    parts = [TaskPart.parse(text) for text in FLAGS[1::2]]
    compared = compare_tasks(read_trials([results]), parts, n_simulations=99)
    lines = "\n".join(describe_joint(compared))
    (chances,) = (one["by_length"] for one in compared.to_dict()["combining"].values())
    assert list(chances) == list(map(str, LENGTHS))
    assert f"{chances['2048']:.3g} of the time at length 2048" in lines
    assert "1024" not in lines
