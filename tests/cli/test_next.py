"""``lcstats next``: the library's plan, as text, JSON and TOML."""

import tomllib

import pytest

from lcstats.cells import count_cells
from lcstats.lengths import Criterion
from lcstats.plan import Budget, plan_next
from lcstats.readers import read_trials

CONTRACT = {"cells", "total_tokens", "cost_usd", "stop", "stop_reason"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    lines = ["model,task,length,depth,score"]
    for length, right in ((4096, 12), (8192, 11), (16384, 6)):
        for depth in (0, 0.5, 1):
            lines += [f"alpha,needle,{length},{depth},{int(i < right)}" for i in range(12)]
    path = tmp_path_factory.mktemp("next") / "trials.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_json_is_the_library_s_plan(run_json, results):
    document = run_json("next", results, "--budget-tokens", "2M", "--batch", 0.5)
    assert document.keys() >= CONTRACT
    cells = count_cells(read_trials([results]))
    expected = plan_next(cells, Criterion(0.85), Budget(2_000_000), batch=0.5).to_dict()
    assert {name: document[name] for name in CONTRACT} == {n: expected[n] for n in CONTRACT}


def test_the_toml_file_holds_the_cells(run, run_json, results, tmp_path):
    out = tmp_path / "next.toml"
    result = run("next", results, "--budget-tokens", "2M", "-o", out)
    assert result.exit_code == 0, result.stderr
    assert f"Written to {out}" in result.stdout
    document = run_json("next", results, "--budget-tokens", "2000K")
    assert tomllib.loads(out.read_text())["cells"] == document["cells"]


def test_text_says_the_set_and_why(run, results):
    result = run("next", results, "--budget-tokens", "2M", "--depth", "worst")
    assert "alpha on needle: 95% anytime set" in result.stdout
    assert "against 0.85: to show that it" in result.stdout


def test_until_is_when_to_stop(run_json, results):
    document = run_json("next", results, "--budget-tokens", "2M", "--until", "set-size=4")
    assert document["stop"] is True
    assert document["cells"] == []
    assert "anytime set is" in document["stop_reason"]


def test_dollars_need_a_price(run, run_json, results):
    refused = run("next", results, "--budget-usd", 2)
    assert refused.exit_code == 2
    assert "input_usd" in refused.stderr
    document = run_json("next", results, "--budget-usd", 2, "--price-in", 2)
    assert 0 < document["cost_usd"] <= 0.5


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        ((), "pass --budget-tokens 5M, say"),
        (("--budget-tokens", "5M", "--budget-usd", "3"), "leave one of them out"),
        (("--budget-tokens", "5Q"), "write 5M, 200K or 12.50"),
        (("--budget-tokens", "0"), "write 5M, 200K or 12.50"),
        (("--budget-tokens", "5M", "--until", "2"), "write set-size=1 for one outcome"),
        (("--budget-tokens", "5M", "--batch", "0"), "pass batch=0.25"),
        (("--budget-tokens", "5M", "-o", "next.csv"), ".toml"),
    ],
)
def test_bad_flags_are_refused_with_the_mend(run, results, flags, mend):
    result = run("next", results, *flags)
    assert result.exit_code == 2
    assert mend in result.stderr
