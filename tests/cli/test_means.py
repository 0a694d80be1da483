"""Means of unknown numbers of cases at the command line: read and drawn, and nothing else."""

import json
from pathlib import Path

import pytest

WIDE = ",2048,4096\nLlama-2-7b,1.0,0.35\nYarn,0.9,0.8\n"


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(WIDE)
    return path


def test_they_are_read(run, wide):
    document = json.loads(run("read", wide, "--json").stdout)
    assert (document["n_trials"], document["n_means"]) == (None, 4)
    assert document["aggregate_only"]
    assert "of an unknown number, 4 mean scores only" in run("read", wide).stdout


@pytest.mark.parametrize("kind", ["heatmap", "decay"])
def test_they_are_drawn_for_every_language_model(run, wide, tmp_path, kind):
    done = run("plot", kind, wide, "-o", tmp_path / "figure.svg", "--json")
    assert done.exit_code == 0, done.stderr
    files = json.loads(done.stdout)["files"]
    assert [file["model"] for file in files] == ["Llama-2-7b", "Yarn"]
    assert all("unknown" in Path(file["path"]).read_text(encoding="utf-8") for file in files)


@pytest.mark.parametrize(
    ("command", "mend"),
    [
        (("effective-length", "WIDE"), "--cases-per-cell N"),
        (("fit", "WIDE"), "--cases-per-cell N"),
        (("plot", "depth", "WIDE", "-o", "x.svg"), "--cases-per-cell N"),
        (("report", "WIDE", "-o", "out"), "--cases-per-cell N"),
        (("failures", "WIDE"), "name the files that the counts or means were made from"),
        (("read", "WIDE", "-o", "x.csv"), "keep the file that was read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_the_rest_is_refused_with_what_to_do(run, wide, command, mend):
    done = run(*(wide if word == "WIDE" else word for word in command))
    assert (done.exit_code, done.stdout) == (2, "")
    assert mend in done.stderr
