"""Figures of several language models from the command line, and the lines of ``compare``."""

import pandas as pd
import pytest

from lcstats.curve import Curve
from tests.comparison.paired import drawn_pairs


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    """Two files with the same cases; the new language model loses."""
    pairs = drawn_pairs(Curve(4.2, 0.3, 1.9, 0.6), Curve(3.0, 0.3, 1.9, 0.6), n_cases=10)
    table = pd.DataFrame({"length": pairs.length, "depth": pairs.depth, "case": pairs.case})
    folder = tmp_path_factory.mktemp("sides")
    for name in ("old", "new"):
        own = table.assign(model=name, task="kv", score=getattr(pairs, name))
        own.to_csv(folder / f"{name}.csv", index=False)
    return folder / "old.csv", folder / "new.csv"


@pytest.mark.parametrize("kind", ["difference", "shift", "forest"])
def test_two_files_make_one_figure(run, sides, tmp_path, kind):
    path = tmp_path / f"{kind}.svg"
    result = run("plot", kind, *sides, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"Written to {path}\n"
    text = path.read_text()
    expected = {"difference": "new against old", "shift": "Flexible surface", "forest": "raw cells"}
    assert expected[kind] in text


def test_the_json_says_what_was_drawn(run_json, sides, tmp_path):
    path = tmp_path / "shift.png"
    document = run_json("plot", "shift", *sides, "--depth", "worst", "-o", path)
    assert document["files"] == [{"model": "new against old", "task": "kv", "path": str(path)}]
    codes = {warning["code"] for warning in document["warnings"]}
    assert "few-cases-resampled" not in codes
    few = run_json("plot", "forest", *sides, "--depth", "worst", "-o", path)
    assert few["files"][0]["model"] == "2 language models"


@pytest.mark.parametrize("kind", ["difference", "shift"])
def test_one_path_is_not_enough(run, sides, tmp_path, kind):
    result = run("plot", kind, sides[0], "-o", tmp_path / "x.svg")
    assert result.exit_code == 2
    assert f"write 'lcstats plot {kind} OLD NEW -o FILE'" in result.stderr


def test_a_single_length_has_no_shift_but_a_difference_by_depth(run, sides, tmp_path):
    cut = []
    for side in sides:
        own = pd.read_csv(side)
        cut.append(tmp_path / side.name)
        own[own["length"] == 65536].to_csv(cut[-1], index=False)
    result = run("plot", "shift", *cut, "-o", tmp_path / "x.svg")
    assert result.exit_code == 2
    assert "which needs no pairs" in result.stderr
    assert run("plot", "difference", *cut, "-o", tmp_path / "x.svg").exit_code == 0
    assert "Depth (0 = start of the context)" in (tmp_path / "x.svg").read_text()


def test_compare_says_shifts_and_curves(run, run_json, sides):
    lines = run("compare", *sides).stdout.splitlines()
    shifts = [line for line in lines if line.startswith("kv: effective length")]
    assert [line.split("doublings (")[1].split(";")[0] for line in shifts] == [
        "observed",
        "curve",
        "flexible",
    ]
    assert all("at accuracy 0.85, mean over depths" in line for line in shifts)
    assert any(line.startswith("kv: curves differ by") for line in lines)
    group = run_json("compare", *sides, "--depth", "worst")["groups"][0]
    shift = group["effective_length_shift"]["flexible"]
    assert sum(shift["doublings"].values()) == pytest.approx(1.0)
    assert shift["criterion"]["depth_treatment"] == "worst"
    assert group["curve_tests"]["curve"]["p_value"] == 0.001
