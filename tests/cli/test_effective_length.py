import numpy as np
import pytest

GROUP_FIELDS = {
    "model", "task", "criterion", "length_unit", "tested_lengths", "n_trials_by_length",
    "n_cases_by_length", "n_unscored_by_length", "accuracy_by_length", "headline", "estimates",
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
    unscored = [w for w in warnings if w["code"] == "unscored" and "model" in w]
    assert [(w["model"], w["task"]) for w in unscored] == [("beta", "needle")]
    assert len({tuple(sorted(w.items())) for w in warnings}) == len(warnings)


def test_text_can_be_read_aloud(run, sweep):
    result = run("effective-length", sweep, "--select", "model=alpha")
    assert result.stdout.startswith(
        "alpha on needle\n"
        "  Threshold: accuracy 0.85; depth treatment: mean over depths\n"
        "  Effective length: 8192 tokens (observed)\n"
        "  95% set, which holds the true one at that level: "
    )
    assert "  Masses, not a set, bootstrap (how often each would come up again): " in result.stdout
    assert "  Counts: 45 trials, 45 cases, 0 unscored\n" in result.stdout
    assert "Warning" not in result.stdout


def test_warnings_go_to_standard_error_once_each(run, sweep):
    lines = run("effective-length", sweep).stderr.splitlines()
    assert any(line.startswith("Warning: beta on needle: 1 of 45 trials") for line in lines)
    assert len(set(lines)) == len(lines)


def test_worst_depth_has_no_headline_and_says_why(run, run_json, sweep):
    group = run_json("effective-length", sweep, "--depth", "worst")["groups"][0]
    assert group["headline"] is None
    assert "quote the set" in run("effective-length", sweep, "--depth", "worst").stdout


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
        (("--level", "95"), "write 0.95, say"),
        (("--method", "curve"), "expected one or more of observed"),
        (("--set", "certified,hybrid"), "'hybrid'; expected one or more of default, certified"),
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
