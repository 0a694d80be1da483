"""Every kind of bad input: one message with its mend, exit 2, and nothing left behind."""

import gzip
import json

import pytest

HEADER = "length,depth,score\n"
GOOD = HEADER + "4096,0.5,1\n8192,0.25,0\n"
LINE = '{"length": 4096, "depth": 0.25, "score": 1}\n'

REFUSED = {
    "empty.csv": (b"", "check that the sweep ran"),
    "header.csv": (HEADER.encode(), "check that the sweep ran"),
    "unscored.csv": (b"length,depth,score\n4096,0.5,\n4096,0.2,\n", "expected at least one trial"),
    "no_length.csv": (b"depth,score\n0.5,1\n", "name it with --map length=THEIRS"),
    "depth_120.csv": (b"length,depth,score\n4096,120,1\n4096,50,0\n", "expected a percentage"),
    "length_0.csv": (b"length,depth,score\n0,0.5,1\n4096,0.5,0\n", "whole number of at least 1"),
    "two.csv": (b"length,context_length,depth,score\n4,4,0.5,1\n", "choose with --map length="),
    "unknown.txt": (b"hello\n", "name the results files themselves"),
    "deep.json": (b"[" * 100_000 + b"]" * 100_000, "mend what wrote it"),
    "digits.jsonl": (b'{"length": ' + b"1" * 5000 + b', "score": 1}', "--skip-bad-lines"),
    "broken.gz": (gzip.compress(GOOD.encode())[:-9], "copy it again"),
}
ACCEPTED = {
    "k.csv": b"length,depth,score\n128K,0.5,1\n4K,0.5,0\n",
    "utf16.csv": GOOD.encode("utf-16"),
    "bom.csv": b"\xef\xbb\xbf" + GOOD.encode(),
    "cut.jsonl": (LINE + LINE.replace("4096", "8192") + LINE[:20]).encode(),
    "names.csv": (
        b"model,task,length,depth,score\n../../x,a/b,4096,0.5,1\n../../x,a/b,8192,0.5,0\n"
        b"C:\\x,..,4096,0.5,1\n<script>alert(1)</script>,$x_1$,4096,0.5,0\n"
    ),
}


@pytest.mark.parametrize("command", ["read", "effective-length", "report"])
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_is_refused(run, tmp_path, name, command):
    content, mend = REFUSED[name]
    path = tmp_path / name
    path.write_bytes(content)
    output = ("-o", tmp_path / "out" / "report") if command == "report" else ()
    result = run(command, path, *output)
    assert (result.exit_code, result.stdout) == (2, "")
    assert mend in result.stderr
    assert result.stderr.count("Error: ") == 1
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["folder", "missing"])
def test_a_folder_without_results_is_refused(run, tmp_path, name):
    (tmp_path / "folder").mkdir()
    result = run("report", tmp_path / name, "-o", tmp_path / "report")
    assert result.exit_code == 2
    assert "check the path" in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_an_unknown_format_names_those_there_are(run, sweep):
    result = run("read", sweep, "--format", "kamrat_v1")
    assert result.exit_code == 2
    assert "--format kamradt_v1" in result.stderr


def test_marks_of_a_judge_need_a_threshold_or_a_scale(run, tmp_path):
    for number, score in enumerate((1, 10), start=1):
        trial = {"context_length": 4096, "depth_percent": 50.0, "score": score, "version": number,
                 "model": "m", "needle": "n", "model_response": "r"}  # fmt: skip
        (tmp_path / f"len_{number}_results.json").write_text(json.dumps(trial))
    result = run("effective-length", tmp_path)
    assert result.exit_code == 2
    assert "--score-threshold 7" in result.stderr
    assert "--score-scale 1-10" in result.stderr


@pytest.mark.usefixtures("svg_only")
@pytest.mark.parametrize("name", ["utf16.csv", "names.csv"])
def test_what_can_be_used_becomes_a_report(run, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(ACCEPTED[name])
    result = run("report", path, "-o", tmp_path / "report")
    assert result.exit_code == 0, result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([name, "report"])
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "<script>alert" not in page


def test_k_in_lengths_says_its_base(run, run_json, tmp_path):
    path = tmp_path / "k.csv"
    path.write_bytes(ACCEPTED["k.csv"])
    assert run_json("read", path)["lengths"] == [4096, 131072]
    assert "1024" in run("read", path).stderr


def test_a_byte_order_mark_is_no_part_of_a_column(run_json, tmp_path):
    path = tmp_path / "bom.csv"
    path.write_bytes(ACCEPTED["bom.csv"])
    assert run_json("read", path)["mapping"]["length"] == "length"


def test_a_line_that_was_cut_off_is_left_out_and_said(run, run_json, tmp_path):
    path = tmp_path / "cut.jsonl"
    path.write_bytes(ACCEPTED["cut.jsonl"])
    assert run_json("read", path)["n_trials"] == 2
    assert "line 3 is incomplete" in run("read", path).stderr
