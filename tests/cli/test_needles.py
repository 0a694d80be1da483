"""``lcstats needles`` and ``lcstats plot needles``: text, JSON, files, refusals."""

import json

import pytest

from lcstats.truths import simulate_needles


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    trials = simulate_needles([1024, 8192, 65536], [0.0, 0.5, 1.0], n_trials=12, seed=1)
    path = tmp_path_factory.mktemp("needles") / "trials.jsonl"
    trials.frame.to_json(path, orient="records", lines=True)
    return path


def test_text_names_threshold_task_and_method(run, results):
    result = run("needles", results)
    assert result.exit_code == 0, result.stderr
    for words in (
        "simulated on 4 needles: 4 needles per trial",
        "Known: which needles were found",
        "Threshold: accuracy 0.85; depth treatment: mean over depths",
        "All needles found, observed:",
        "certified set",
        "Dependence ratio, all found over product of rates:",
        "given length and place",
        "Independence: p =",
        "Required rate of each needle: 0.850 for 1 needle, 0.922 for 2 needles",
        "By the curve of a single needle, if needles were independent:",
    ):
        assert words in result.stdout


def test_json_is_one_object(run_json, results):
    document = run_json("needles", results, "--needles", "1,4,7")
    (group,) = document["groups"]
    assert list(group["required_rate"]) == ["1", "4", "7"]
    assert group["n_trials"] == 108
    assert group["independence_p"] > 0.001
    assert group["effective_length_by_needles"]["7"]["spread"]["status"] == "below_tested"
    assert all({"code", "message"} <= warning.keys() for warning in document["warnings"])


def test_equal_runs_are_byte_identical(run, results):
    assert run("needles", results, "--json").stdout == run("needles", results, "--json").stdout


def test_a_figure_for_each_group(run, results, tmp_path):
    result = run("plot", "needles", results, "-o", tmp_path / "needles.svg")
    assert result.exit_code == 0, result.stderr
    text = (tmp_path / "needles.svg").read_text(encoding="utf-8")
    assert "Share of trials" in text


def test_results_without_needles_are_refused(run, sweep):
    result = run("needles", sweep)
    assert result.exit_code == 2
    assert "--map n_needles=THEIRS" in result.stderr


def test_counts_are_refused(run, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("length,depth,n,k\n4096,0.5,20,11\n8192,0.5,20,10\n")
    result = run("needles", path)
    assert result.exit_code == 2
    assert "one row per trial" in result.stderr


def test_the_published_runs(run, real_data):
    file = real_data / "kamradt_v1" / "multi_needle_langsmith" / "gpt4_retrieval_per_needle.csv"
    result = run("needles", file, "--json", "--repeats", "independent")
    groups = json.loads(result.stdout)["groups"]
    assert [group["n_needles"] for group in groups] == [1, 3, 10]
    ten = groups[2]
    found = [round(rate["value"] * 90) for rate in ten["rate_by_length"].values()]
    assert found == [90, 42, 43, 44, 53, 52]
    assert ten["single_needle"]["goodness_of_fit"]["p_value"] < 0.05
