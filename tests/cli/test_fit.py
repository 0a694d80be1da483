"""``lcstats fit``: the numbers are the library's, and a curve that fails says so."""

import re

import numpy as np
import pytest

from lcstats.cells import Cells, count_cells
from lcstats.cli.fit import describe_fit
from lcstats.fit import compare_terms, fit_curve, goodness_of_fit
from lcstats.readers import read_trials
from lcstats.report.fits import FitWithTest, verdict

GROUP_FIELDS = {
    "model", "task", "n_trials", "n_cases", "n_cells", "coefficients", "standard_errors",
    "covariance", "log_likelihood", "deviance", "penalty", "separated", "converged",
    "dropped_terms", "dispersion", "goodness_of_fit", "guess_rate", "lapse_rate",
    "recency_scale", "base_length", "span_doublings",
}  # fmt: skip
LENGTHS = (4096, 8192, 16384, 32768)


def write_trials(path, n_right, n=40, wrong=0):
    """One case per row: `n_right[i]` right of `n` at every length and three depths."""
    lines = ["model,task,case,length,depth,score"]
    for length, right in zip(LENGTHS, n_right, strict=True):
        for depth in (0, 0.5, 1):
            for case in range(n):
                score = 1 if case < right else wrong
                lines.append(f"alpha,needle,{case}-{length}-{depth},{length},{depth},{score}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def gentle(tmp_path_factory):
    return write_trials(tmp_path_factory.mktemp("gentle") / "trials.csv", (39, 37, 33, 25))


@pytest.fixture(scope="module")
def cliff(tmp_path_factory):
    """High, high, then a fall that no logistic law of length makes, and level again."""
    return write_trials(tmp_path_factory.mktemp("cliff") / "trials.csv", (37, 37, 5, 5))


@pytest.mark.smoke
def test_json_is_the_library_s_fit_and_test(run_json, gentle):
    document = run_json("fit", gentle, "--seed", 3)
    assert document.keys() == {"schema_version", "groups", "warnings"}
    (group,) = document["groups"]
    assert group.keys() >= GROUP_FIELDS
    fit = fit_curve(count_cells(read_trials([gentle])))
    expected = fit.to_dict() | {"goodness_of_fit": goodness_of_fit(fit, seed=3).to_dict()}
    tests = {test["terms"][0]: test["p_value"] for test in group.pop("term_tests")}
    assert group == {k: v for k, v in expected.items() if k not in ("counts", "notices")}
    smaller = fit_curve(
        count_cells(read_trials([gentle])), terms=("intercept", "middle", "recency")
    )
    assert tests["length"] == compare_terms(smaller, fit, seed=3).p_value
    assert set(tests) == {"length", "middle", "recency"}
    assert group["goodness_of_fit"]["passes"]
    assert (group["n_trials"], group["n_cells"]) == (480, 12)


def test_every_group_is_fitted(run_json, sweep):
    document = run_json("fit", sweep)
    assert [group["model"] for group in document["groups"]] == ["alpha", "beta"]
    separated = [w["model"] for w in document["warnings"] if w["code"] == "separated"]
    assert separated == ["alpha", "beta"]


def test_text_says_every_coefficient_with_its_error_and_meaning(run, gentle):
    lines = run("fit", gentle).stdout.splitlines()
    fit = fit_curve(count_cells(read_trials([gentle])))
    assert lines[0] == "alpha on needle"
    for line, name in zip(lines[2:6], ("intercept", "length", "middle", "recency"), strict=True):
        words = line.split()
        assert words[0] == name
        assert float(words[1]) == pytest.approx(getattr(fit.curve, name), rel=1e-3)
        assert float(words[2]) == pytest.approx(fit.standard_errors[name], rel=1e-2)
    assert lines[3].endswith("cost of every doubling of length")
    assert f"  Log-likelihood: {fit.log_likelihood:.2f}; dispersion: " in "\n".join(lines)
    assert "  Separated: no" in lines
    assert any(line.startswith("  Goodness of fit: nothing speaks against") for line in lines)
    assert re.fullmatch(r"  Without length: AIC higher by [\d.]+, p = 0.001", lines[-3])


def test_a_cliff_fails_and_is_a_warning(run, run_json, cliff):
    result = run("fit", cliff)
    assert "Goodness of fit: the curve does not fit (p = 0.00" in result.stdout
    assert "do not quote its numbers" in result.stderr
    document = run_json("fit", cliff)
    assert not document["groups"][0]["goodness_of_fit"]["passes"]
    assert "curve-does-not-fit" in [warning["code"] for warning in document["warnings"]]


def test_graded_scores_have_no_test_and_say_so(run, run_json, tmp_path):
    path = write_trials(tmp_path / "graded.csv", (39, 37, 33, 25), wrong=0.25)
    document = run_json("fit", path, "--score-scale", "0-1")
    assert document["groups"][0]["goodness_of_fit"] is None
    assert "no-goodness-of-fit" in [warning["code"] for warning in document["warnings"]]
    assert "Goodness of fit: not tested" in run("fit", path, "--score-scale", "0-1").stdout


def test_flags_reach_the_fit(run_json, gentle):
    (group,) = run_json("fit", gentle, "--penalty", "none", "--guess-rate", "0.25")["groups"]
    fit = fit_curve(count_cells(read_trials([gentle])), penalty="none", guess_rate=0.25)
    assert (group["penalty"], group["guess_rate"]) == ("none", 0.25)
    assert group["coefficients"]["length"] == fit.curve.length


def test_plain_maximum_likelihood_names_every_group_of_separated_data(run, sweep):
    result = run("fit", sweep, "--penalty", "none")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("--penalty jeffreys") == 2
    assert "alpha on needle: the terms separate" in result.stderr
    assert "beta on needle: the terms separate" in result.stderr


def test_of_many_separated_groups_the_first_five_are_named_and_the_rest_counted(run, tmp_path):
    rows = [f"m{i},{n},{int(n < 9000)}" for i in range(7) for n in (4096, 8192, 16384)]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(["model,length,score", *rows]) + "\n")
    result = run("fit", path, "--penalty", "none")
    assert result.stderr.count("--penalty jeffreys") == 5
    assert result.stderr.endswith("and 2 more\n")


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        (("--penalty", "ridge"), "'jeffreys', 'none'"),
        (("--guess-rate", "1.5"), "guess_rate"),
        (("--seed", "-1"), "--seed"),
    ],
)
def test_a_wrong_flag_is_refused(run, gentle, flags, mend):
    result = run("fit", gentle, *flags)
    assert (result.exit_code, result.stdout) == (2, "")
    assert mend in result.stderr


def test_dropped_terms_are_named_with_their_reason():
    cells = Cells.from_counts(
        list(LENGTHS), [np.nan], n_cases=40, successes=[[39], [36], [31], [20]]
    )
    with pytest.warns(UserWarning, match=r"no (middle|recency) term"):
        fit = fit_curve(cells)
    text = "\n".join(describe_fit(FitWithTest(fit, None)))
    assert "  Dropped: middle, because no trial has a depth" in text
    assert "  Dropped: recency, because no trial has a depth" in text
    assert "depth" not in verdict(goodness_of_fit(fit))


def test_the_guess_rate_may_be_a_fraction(run, run_json, gentle):
    group = run_json("fit", gentle, "--guess-rate", "1/4")["groups"][0]
    assert group["guess_rate"] == 0.25
    refused = run("fit", gentle, "--guess-rate", "two")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "guess_rate" in refused.stderr


def test_a_table_without_depths_is_fitted_and_its_terms_tested(run_json, tmp_path):
    rows = [
        f"a,{n},{c}-{n},{int(c < right)}"
        for n, right in zip(LENGTHS, (39, 36, 28, 12), strict=True)
        for c in range(40)
    ]
    (tmp_path / "flat.csv").write_text("\n".join(["model,length,case,score", *rows]) + "\n")
    (group,) = run_json("fit", tmp_path / "flat.csv")["groups"]
    assert [test["terms"] for test in group["term_tests"]] == [["length"]]
    assert group["dropped_terms"] == ["middle", "recency"]


def test_what_holds_for_every_task_is_said_once(run, tmp_path):
    rows = [
        f"alpha,{task},{length},{int(case < right)}"
        for task, rights in (("a", (29, 24, 12)), ("b", (28, 20, 15)))
        for length, right in zip(LENGTHS, rights, strict=False)
        for case in range(30)
    ]
    path = tmp_path / "trials.csv"
    path.write_text("model,task,length,score\n" + "\n".join(rows) + "\n")
    warnings = run("fit", path).stderr
    assert warnings.count("no middle term") == 1
    assert (
        "Warning: every language model and task: no middle term: no trial has a depth" in warnings
    )
    assert warnings.count("no recency term") == 1
    assert "alpha on a: " not in warnings
