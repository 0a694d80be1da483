import pytest


def test_json_shows_failing_trials_with_their_texts(run_json, sweep):
    document = run_json("failures", sweep, "-n", 3)
    assert (document["n_trials"], document["n_failures"], document["n_unscored"]) == (90, 23, 1)
    assert document["n_shown"] == len(document["failures"]) == 3
    first, _, last = document["failures"]
    assert first == {
        "model": "alpha", "task": "needle", "case": "4", "repeat": 1, "length": 16384,
        "depth": 0.0, "score": 0.0, "question": "q4", "answer": "a4", "output": "o4",
    }  # fmt: skip
    assert (last["model"], last["length"], last["depth"], last["case"]) == ("beta", 16384, 1.0, "4")


def test_a_length_and_a_depth_narrow_the_choice(run_json, sweep):
    document = run_json("failures", sweep, "--length", "8K", "--depth", 0.5)
    assert [(f["model"], f["case"]) for f in document["failures"]] == [("beta", "5")]
    assert document["n_trials"] == 10


def test_text_shows_question_answer_and_output(run, sweep):
    result = run("failures", sweep, "-n", 1)
    assert "1 of 23 failing trials among 90 (1 unscored, not shown)" in result.stdout
    for line in ("question: q4", "answer: a4", "output: o4", "case: 4"):
        assert f"  {line}\n" in result.stdout
    assert "alpha on needle, length 16384 tokens, depth 0" in result.stdout


@pytest.mark.parametrize(
    ("flag", "value", "mend"),
    [("--length", "5000", "4096, 8192, 16384"), ("--depth", "0.3", "0, 0.5, 1")],
)
def test_a_length_or_depth_that_is_not_there_names_those_that_are(run, sweep, flag, value, mend):
    result = run("failures", sweep, flag, value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"expected one of {mend}" in result.stderr


def test_counts_have_no_trials_to_look_at(run, tmp_path):
    counts = tmp_path / "counts.csv"
    counts.write_text("length,n,k\n4096,20,17\n")
    result = run("failures", counts)
    assert result.exit_code == 2
    assert "name the files that the counts or means were made from" in result.stderr


def test_a_long_output_keeps_head_and_tail(run, tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text(f"length,depth,score,output\n4096,0.5,1,x\n8192,0.5,0,A{'b' * 5000}C\n")
    shown = run("failures", path).stdout
    assert "output: Abbb" in shown
    assert "bbbC\n" in shown
    assert "[... 4402 characters ...]" in shown
    assert "Not in the table: question, answer\n" in shown
    assert "question:" not in shown


def test_trials_without_depth_are_shown(run, run_json, tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("length,score\n4096,1\n8192,0\n")
    assert run_json("failures", path)["failures"][0]["depth"] is None
    assert "no depth" in run("failures", path).stdout
