import re

import numpy as np
import pytest

GROUP_FIELDS = {
    "model", "task", "criterion", "length_unit", "tested_lengths", "n_trials_by_length",
    "n_cases_by_length", "n_unscored_by_length", "accuracy_by_length", "headline", "quote",
    "estimates",
}  # fmt: skip
ESTIMATE_FIELDS = {
    "method", "length", "status", "display", "longest_passing", "crossing", "masses", "sets",
}  # fmt: skip
SET_FIELDS = {
    "kind", "default", "level", "lower", "upper", "display", "extended", "floor",
    "fell_back_from", "diagnostics",
}  # fmt: skip


@pytest.mark.smoke
def test_json_has_the_fields_that_scripts_use(run_json, sweep):
    document = run_json("effective-length", sweep)
    assert document.keys() == {"schema_version", "groups", "warnings"}
    alpha, beta = document["groups"]
    assert alpha.keys() >= GROUP_FIELDS
    assert alpha["criterion"].keys() >= {
        "threshold", "rule", "base_lengths", "depth_treatment", "applied_threshold",
    }  # fmt: skip
    estimate = alpha["estimates"][0]
    assert estimate.keys() >= ESTIMATE_FIELDS
    assert estimate["sets"][0].keys() >= SET_FIELDS
    assert (estimate["length"], estimate["status"]) == (8192, "crossed")
    assert beta["estimates"][0]["length"] == 4096
    assert beta["n_unscored_by_length"] == {"16384": 1}
    for masses in estimate["masses"].values():
        assert np.isclose(sum(masses.values()), 1.0)
        assert list(masses) == ["<4096", "4096", "8192", "16384"]


def test_warnings_say_which_group_they_are_about(run_json, sweep):
    warnings = run_json("effective-length", sweep)["warnings"]
    separated = [w for w in warnings if w["code"] == "separated"]
    assert [(w["model"], w["task"]) for w in separated] == [("alpha", "needle"), ("beta", "needle")]
    assert [w.get("model") for w in warnings if w["code"] == "unscored"] == [None]
    assert len({tuple(sorted(w.items())) for w in warnings}) == len(warnings)


def test_text_can_be_read_aloud(run, sweep):
    result = run("effective-length", sweep, "--select", "model=alpha")
    assert result.stdout.startswith(
        "alpha on needle\n"
        "  Threshold: accuracy 0.85; depth treatment: mean over depths\n"
        "  Effective length: 8192 tokens (observed)\n"
        "  95% set, proved to hold the true one at least that often, if cases are independent: "
    )
    assert "  Masses, not a set, bootstrap (how often each would come up again): " in result.stdout
    assert "  Counts: 45 trials, 45 cases, 0 unscored\n  Quote the raw cells' " in result.stdout
    assert "Warning" not in result.stdout


def test_warnings_go_to_standard_error_once_each(run, sweep):
    lines = run("effective-length", sweep).stderr.splitlines()
    assert len([line for line in lines if "1 of 90 trials have no score" in line]) == 1
    assert not any("1 of 45 trials" in line for line in lines)
    assert len(set(lines)) == len(lines)


def test_worst_depth_by_the_surface_or_without_a_headline(run, run_json, sweep):
    args = ("effective-length", sweep, "--depth", "worst")
    group = run_json(*args)["groups"][0]
    assert group["headline"] == "flexible"
    (default,) = (s for s in group["estimates"][2]["sets"] if s["default"])
    assert default["kind"] == "hybrid"
    assert "(flexible)" in run(*args).stdout
    raw = run_json(*args, "--method", "observed")["groups"][0]
    assert raw["headline"] is None
    assert [estimate["method"] for estimate in raw["estimates"]] == ["observed"]
    assert "quote the set" in run(*args, "--method", "observed").stdout


def test_flags_reach_the_criterion(run_json, sweep):
    group = run_json(
        "effective-length", sweep, "--threshold", "0.9", "--threshold-rule", "relative",
        "--base-lengths", "4096,8K", "--depth", "quantile:0.5", "--level", "0.9",
        "--select", "model=alpha",
    )["groups"][0]  # fmt: skip
    assert group["criterion"]["threshold"] == 0.9
    assert group["criterion"]["base_lengths"] == [4096, 8192]
    assert group["criterion"]["depth_treatment"] == "quantile:0.5"
    assert group["estimates"][0]["sets"][0]["level"] == 0.9


def test_sets_and_masses_are_lists(run_json, sweep):
    estimate = run_json(
        "effective-length", sweep, "--set", "certified,jeffreys", "--masses", "jeffreys",
        "--select", "model=alpha",
    )["groups"][0]["estimates"][0]  # fmt: skip
    assert [s["kind"] for s in estimate["sets"]] == ["certified", "jeffreys"]
    assert list(estimate["masses"]) == ["jeffreys"]


def test_a_length_that_does_not_exist_is_null(run_json, sweep):
    args = ("effective-length", sweep, "--threshold", "1", "--select", "model=beta")
    low = run_json(*args, "--select", "length=16384")["groups"][0]["estimates"][0]
    assert (low["length"], low["display"], low["status"]) == (None, "<16384", "below_tested")
    assert low["sets"][0]["lower"] is None


def test_windows_are_said_in_words_and_in_json(run, run_json, tmp_path):
    path = tmp_path / "trials.csv"
    simulated = ("--lengths", "1024,2048", "--depths", "5", "--trials", "5", "-o", str(path))
    assert run("simulate", "--truth", "single-needle", *simulated).exit_code == 0
    args = ("effective-length", path, "--depth", "window:3", "--method", "observed")
    result = run(*args)
    assert "depth treatment: worst window of 3 adjacent depths" in result.stdout
    assert "no headline" in result.stdout
    assert "a single bad depth may not show" in result.stderr
    group = run_json(*args)["groups"][0]
    assert group["criterion"]["depth_treatment"] == "window:3"
    wide = run("effective-length", path, "--depth", "window:6")
    assert (wide.exit_code, wide.stdout) == (2, "")
    assert "use window:5, or leave that length out" in wide.stderr


def test_more_columns_make_more_groups(run_json, sweep):
    document = run_json("effective-length", sweep, "--by", "model,task,question")
    assert len(document["groups"]) == 10
    assert document["groups"][0]["task"] == "needle question=q1"


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        (("--threshold", "85"), "write 85 percent as 0.85"),
        (("--threshold", "high"), "write it as 0.85"),
        (("--depth", "deepest"), "quantile:0.1"),
        (("--depth", "window:0"), "window:3"),
        (("--level", "95"), "write 0.95, say"),
        (("--method", "spline"), "expected one or more of observed, curve, flexible"),
        (("--set", "certified,widest"), "'widest'; expected one or more of default, certified"),
        (("--masses", "posterior"), "expected one or more of bootstrap, jeffreys"),
        (("--by", "model"), "write --by model,task"),
        (("--by", "model,task,colour"), "correct --by"),
        (("--base-lengths", "4096"), "leave base_lengths out"),
        (("--threshold-rule", "relative", "--base-lengths", "512"), "--base-lengths"),
        (("--map", "length"), "write length=ctx_len, say"),
    ],
)
def test_a_wrong_flag_is_one_message(run, sweep, flags, mend):
    result = run("effective-length", sweep, *flags)
    assert (result.exit_code, result.stdout) == (2, "")
    assert mend in result.stderr
    assert result.stderr.count("Error: ") == 1


def test_the_criterion_is_checked_before_reading(run, tmp_path):
    result = run("effective-length", tmp_path / "absent.csv", "--threshold", "85")
    assert "write 85 percent as 0.85" in result.stderr


def test_real_results_give_the_documented_answer(run_json, real_data):
    group = run_json(
        "effective-length", real_data / "kamradt_v1" / "claude_2_1", "--score-threshold", 7
    )["groups"][0]
    estimate = group["estimates"][0]
    assert (estimate["length"], estimate["longest_passing"]) == (18559, 59529)
    assert sum(group["n_trials_by_length"].values()) == 1376
    assert sum(group["n_cases_by_length"].values()) == 1225


def test_the_curve_stands_beside_the_observed_cells(run_json, sweep):
    group = run_json("effective-length", sweep, "--method", "observed,curve")["groups"][0]
    observed, curve = group["estimates"]
    assert (observed["method"], curve["method"]) == ("observed", "curve")
    assert (group["headline"], observed["crossing"]) == ("observed", None)
    crossing = curve["crossing"]
    assert 8192 < crossing["lower"] < crossing["value"] < crossing["upper"] < 16384
    assert curve["length"] == 8192
    assert not crossing["extrapolated"]
    assert list(curve["masses"]) == ["parametric_bootstrap"]
    assert np.isclose(sum(curve["masses"]["parametric_bootstrap"].values()), 1.0)


def test_the_curve_is_stated_unless_the_method_leaves_it_out(run_json, run, sweep):
    args = ("effective-length", sweep)
    estimates = run_json(*args)["groups"][0]["estimates"]
    assert [estimate["method"] for estimate in estimates] == ["observed", "curve", "flexible"]
    assert len(run_json(*args, "--method", "observed")["groups"][0]["estimates"]) == 1
    assert "curve" not in run(*args, "--method", "observed").stdout


def test_one_length_has_no_curve_unless_it_is_asked_for(run_json, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("case,length,depth,score\n" + "a,4096,0,1\nb,4096,0,0\n" * 9)
    estimates = run_json("effective-length", path)["groups"][0]["estimates"]
    assert [estimate["method"] for estimate in estimates] == ["observed", "flexible"]


def test_text_names_the_curve_s_crossing_set_and_masses(run, sweep):
    args = ("effective-length", sweep, "--method", "curve", "--select", "model=alpha")
    result = run(*args)
    assert "  Effective length: 8192 tokens (observed)\n" in result.stdout
    assert "  By the curve: 8192 tokens (curve)\n" in result.stdout
    assert "  The curve crosses the threshold: at 11" in result.stdout
    assert "tokens, 95% interval " in result.stdout
    assert "8192 tokens (parametric_bootstrap)\n" in result.stdout
    assert "Masses, not a set, parametric_bootstrap (" in result.stdout
    assert "(extrapolated)" not in result.stdout
    assert "the terms separate right from wrong cells" in result.stderr
    low = run(*args, "--threshold", "0.1")
    assert "(extrapolated)" in low.stdout


def test_a_curve_that_fails_is_a_warning(run, run_json, tmp_path):
    rows = ["model,task,case,length,depth,score"]
    for length, right in ((4096, 37), (8192, 37), (16384, 5), (32768, 5)):
        rows += [f"a,t,{c}-{length},{length},0.5,{int(c < right)}" for c in range(40)]
    path = tmp_path / "cliff.csv"
    path.write_text("\n".join(rows) + "\n")
    args = ("effective-length", path, "--method", "observed,curve")
    codes = [warning["code"] for warning in run_json(*args)["warnings"]]
    assert "curve-does-not-fit" in codes
    assert "do not quote its numbers" in run(*args).stderr
    assert "(curve); the curve does not fit, so do not quote it" in run(*args).stdout


def test_penalty_and_guess_rate_reach_the_curve(run, run_json, sweep):
    args = ("effective-length", sweep, "--method", "curve")
    refused = run(*args, "--penalty", "none")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert [name in refused.stderr for name in ("alpha on needle", "beta on needle")] == [True] * 2
    assert "--penalty jeffreys" in refused.stderr
    plain, guessed = (
        run_json(*args, "--guess-rate", rate)["groups"][0]["estimates"][1]["crossing"]["value"]
        for rate in ("0", "0.4")
    )
    assert plain != guessed


def test_only_a_certified_set_is_called_proved(run, tmp_path):
    table = tmp_path / "graded.csv"
    rows = [f"{length},0.5,{score}" for length in (1024, 2048) for score in (1, 0.5, 0.25, 1)]
    table.write_text("length,depth,score\n" + "\n".join(rows))
    args = ("effective-length", table, "--method", "observed")
    jeffreys = run(*args, "--level", "0.995").stdout
    assert "  99.5% set, built to hold the true one that often, which simulations" in jeffreys
    assert "; not certified, because" in jeffreys
    assert "proved to" not in jeffreys


@pytest.mark.parametrize(
    ("flags", "code"),
    [(("--guess-rate", "0.25"), "unused-guess-rate"), (("--penalty", "none"), "unused-penalty")],
)
def test_a_flag_without_effect_is_a_warning(run, run_json, sweep, flags, code):
    args = ("effective-length", sweep, "--select", "model=alpha", "--method", "observed")
    assert "has no effect" in run(*args, *flags).stderr
    assert code in [warning["code"] for warning in run_json(*args, *flags)["warnings"]]
    assert code not in [warning["code"] for warning in run_json(*args)["warnings"]]


def test_one_of_each_is_counted_as_one(run, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("length,depth,score\n1000,0.5,0\n")
    text = run("effective-length", path).stdout + run("fit", path).stdout
    text += run("read", path).stdout + run("failures", path).stdout
    assert "Counts: 1 trial, 1 case, 0 unscored" in text
    assert "Counts: 1 trial, 1 case, 1 cell\n" in text
    assert "1 of 1 failing trial among 1 " in text
    assert "unscored), 1 case\n" in text
    assert not re.search(r"\b1 (trials|cases|cells|lengths|depths|files)\b", text)


@pytest.mark.parametrize("kind", ["heatmap", "masses"])
def test_figures_of_raw_cells_refuse_the_curve(run, sweep, tmp_path, kind):
    args = ("plot", kind, sweep, "--method", "observed,curve", "-o", tmp_path / "out.svg")
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "use 'lcstats effective-length" in result.stderr
    assert not (tmp_path / "out.svg").exists()


def test_clusters_are_named_or_set_aside(run, run_json, tmp_path):
    path = tmp_path / "shared.csv"
    flags = ("--lengths", "4K..16K", "--depths", 3, "--trials", 10, "-o", path)
    assert run("simulate", "--truth", "shared-haystack", *flags).exit_code == 0
    path.write_text(path.read_text().replace("cluster", "haystack", 1))

    def kind(*options):
        document = run_json("effective-length", path, "--method", "observed", *options)
        return document["groups"][0]["estimates"][0]["sets"][0]["kind"]

    assert kind() == "certified"
    assert kind("--cluster", "haystack") == "jeffreys"
    path.write_text(path.read_text().replace("haystack", "cluster", 1))
    assert kind() == "jeffreys"
    assert kind("--cluster", "none") == "certified"
    refused = run("effective-length", path, "--cluster", "nosuch")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "no column 'nosuch'" in refused.stderr
