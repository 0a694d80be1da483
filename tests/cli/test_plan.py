"""``lcstats plan``: what it says, its JSON, its files, and what it refuses."""

import pytest

SMALL = ("--lengths", "4K..32K", "--depths", "3")


@pytest.mark.smoke
def test_a_plan_is_a_sentence_a_table_and_a_cost(run):
    result = run("plan", *SMALL, "--target", "hit=0.9", "--price-in", 2, "--trials", "5,20")
    assert result.exit_code == 0, result.stderr
    first, second, *rest = result.stdout.splitlines()
    assert first.startswith("5 trials per cell: ")
    assert "90% on the true length" in first
    assert second == "Truth: single-needle, whose effective length is >=32768; observed, exact."
    assert any(line.startswith("trials per cell  true length") for line in rest)
    assert "length 32768 takes 53% of the money." in rest[-1]


def test_json_holds_the_whole_curve_and_comes_back(run_json, run, tmp_path):
    document = run_json("plan", "--target", "hit=0.7", "--output-tokens", 10)
    assert (document["recommended_trials_per_cell"], document["holds_from"]) == (16, 16)
    assert [row["trials_per_cell"] for row in document["table"]] == list(range(1, 33))
    assert document["total_trials"] == 16 * 88
    assert document["total_tokens"] == 16 * 11 * (255 * 1024 + 8 * 10)
    assert (document["engine"], document["certification_floor"]) == ("exact", 19)
    plan = tmp_path / "plan.json"
    plan.write_text(run("plan", "--target", "hit=0.7", "--json").stdout)
    drawn = run("plot", "plan", plan, "-o", tmp_path / "plan.svg")
    assert drawn.exit_code == 0, drawn.stderr
    assert "within one doubling" in (tmp_path / "plan.svg").read_text()


def test_equal_seeds_print_equal_bytes(run):
    flags = ("plan", *SMALL, "--threshold", 0.95, "--method", "curve", "--trials", 20)
    flags += ("--simulations", 300, "--json")
    first, again, other = (run(*flags, "--seed", seed).stdout for seed in (1, 1, 2))
    assert first == again != other


def test_a_plan_says_what_reading_the_pilot_found(run, run_json, tmp_path):
    pilot = tmp_path / "pilot.csv"
    rows = [f"{length},0.5,1,ok" for length in (4096, 8192) for _ in range(6)]
    pilot.write_text("\n".join(["length,depth,score,status", *rows, "8192,0.5,,timeout"]))
    said = run("plan", "--pilot", pilot, "--trials", 5)
    assert said.exit_code == 0, said.stderr
    assert "1 of 13 trials" in said.stderr
    document = run_json("plan", "--pilot", pilot, "--trials", 5)
    assert any("1 of 13 trials" in warning["message"] for warning in document["warnings"])


def test_a_pilot_brings_lengths_depths_and_what_it_leaves_open(run, run_json, tmp_path):
    pilot = tmp_path / "pilot.csv"
    run("simulate", *SMALL, "--trials", 10, "--seed", 3, "-o", pilot)
    document = run_json("plan", "--pilot", pilot, "--trials", 40, "--threshold", 0.95)
    assert document["lengths"] == [4096, 8192, 16384, 32768]
    assert document["depths"] == [0.0, 0.5, 1.0]
    assert sum(document["true_lengths"].values()) == pytest.approx(1)
    assert "open-truth" in [warning["code"] for warning in document["warnings"]]
    by_curve = run_json(
        "plan", "--pilot", pilot, "--trials", 40, "--method", "curve", "--simulations", 200
    )
    assert by_curve["truth"].endswith("draws of a curve")


def test_files_of_a_truth_are_read(run, run_json, tmp_path):
    trials, fit, table = (tmp_path / name for name in ("t.csv", "fit.json", "truth.csv"))
    run("simulate", *SMALL, "--trials", 40, "--seed", 1, "-o", trials)
    fit.write_text(run("fit", trials, "--json").stdout)
    assert run_json("plan", "--truth", fit, *SMALL, "--trials", 5)["truth"] == "curve"
    table.write_text("length,depth,accuracy\n4096,0,0.99\n4096,1,0.99\n8192,0,0.5\n8192,1,0.5\n")
    flags = ("--truth", table, "--lengths", "4K,8K", "--depths", "0,1.0", "--trials", 5)
    assert run_json("plan", *flags)["true_lengths"] == {"4096": 1.0}


def test_the_checkpoint_is_gone_on_from(run, tmp_path):
    path = tmp_path / "plan.checkpoint"
    flags = ("plan", *SMALL, "--method", "curve", "--trials", 20, "--simulations", 300, "--json")
    fresh = run(*flags).stdout
    assert run(*flags, "--checkpoint", path).stdout == fresh
    assert path.exists()
    assert run(*flags, "--checkpoint", path).stdout == fresh
    refused = run(*flags, "--checkpoint", path, "--seed", 9)
    assert (refused.exit_code, refused.stdout) == (2, "")


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        (("--target", "hit=1"), "write hit=0.9, say"),
        (("--target", "power=0.8", "--difference", "0"), "smallest difference that matters"),
        (("--target", "power=1", "--difference", "0.1"), "write power=0.8, say"),
        (("--target", "nonsense=3"), "pass target="),
        (("--level", "1"), "write 0.95, say"),
        (("--level", "0"), "write 0.95, say"),
        (("--difference", "0.1"), "belongs to a --target"),
        (("--trials", "5,x"), "write 20, or 5,20,80"),
        (("--trials", "0"), "write 20, or 5,20,80"),
        (("--truth", "no-such"), "single-needle"),
        (("--truth", "no-such.json"), "lcstats fit PATH --json"),
        (("--truth", "no-such.csv"), "check the path"),
        (("--price-file", "p.toml"), "needs --price-model"),
        (("--price-out", "3"), "pass input_usd"),
        (("--method", "curve", "--engine", "exact"), "monte_carlo"),
    ],
)
def test_what_cannot_be_planned_is_one_message(run, flags, mend):
    result = run("plan", *flags)
    assert (result.exit_code, result.stdout) == (2, "")
    assert mend in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("text", ["", "[1", "[]", '{"groups": 3}', '{"groups": []}', "null"])
def test_a_file_that_is_no_fit_or_plan_is_said_to_be_none(run, tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    for command in (("plan", "--truth", path), ("plot", "plan", path, "-o", tmp_path / "p.svg")):
        result = run(*command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert "internal error" not in result.stderr
        assert (
            "; run: lcstats" in result.stderr
            or "; fit it alone" in result.stderr
            or ("; make the Plan again" in result.stderr)
        )


def test_a_budget_is_spent_where_the_length_bends(run, run_json):
    flags = ("plan", *SMALL, "--threshold", 0.95, "--trials", 5, "--budget-tokens", "5M")
    said = run(*flags)
    assert said.exit_code == 0, said.stderr
    assert "Unequal trials for the same price: " in said.stdout
    assert "If the truth is cliff: " in said.stdout
    document = run_json(*flags)
    assert len(document["allocation"]) == 12
    spent = sum(cell["trials"] * cell["length"] for cell in document["allocation"])
    assert spent <= 5_000_000
    allocated = document["allocated"]
    assert allocated["hit_probability"] >= allocated["uniform_hit_probability"]
    assert run_json("plan", *SMALL, "--trials", 5)["allocation"] is None


def test_a_curve_is_allocated_by_its_crossing(run, run_json, tmp_path):
    trials, fit = tmp_path / "t.csv", tmp_path / "fit.json"
    lengths = ("--lengths", "1K..128K", "--depths", "3")
    run("simulate", *lengths, "--trials", 40, "--seed", 1, "-o", trials)
    fit.write_text(run("fit", trials, "--json").stdout)
    flags = ("--method", "curve", "--simulations", 200, "--trials", 5, "--budget-tokens", "20M")
    allocated = run_json("plan", "--truth", fit, *lengths, *flags)["allocated"]
    assert allocated["crossing_error"] < allocated["uniform_crossing_error"]
    assert allocated["solver"] == "c_optimal"


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        (("--budget-tokens", "5M", "--budget-usd", "3"), "leave one of them out"),
        (("--budget-tokens", "0"), "write 5M, 200K or 12.50"),
        (("--budget-tokens", "5"), "raise the budget"),
        (("--budget-usd", "5"), "--price-in 2.5"),
        (("--budget-tokens", "5M", "--method", "curve"), "--truth fit.json"),
    ],
)
def test_a_budget_that_cannot_be_spent_is_refused(run, flags, mend):
    result = run("plan", *SMALL, "--trials", 5, "--simulations", 10, *flags)
    assert (result.exit_code, result.stdout) == (2, "")
    assert mend in result.stderr


def test_a_clustered_pilot_is_planned_for_as_independent_and_says_so(run, run_json, tmp_path):
    pilot = tmp_path / "pilot.csv"
    run("simulate", *SMALL, "--truth", "shared-haystack", "--trials", 10, "-o", pilot)
    codes = [
        [warning["code"] for warning in run_json("plan", "--pilot", pilot, *flags)["warnings"]]
        for flags in (("--trials", 5), ("--trials", 5, "--cluster", "none"))
    ]
    assert ["planned-as-independent" in each for each in codes] == [True, False]
