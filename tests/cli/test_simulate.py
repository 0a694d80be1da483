import pytest

ARGUMENTS = ("--truth", "two-hop", "--lengths", "4K..16K", "--depths", "3", "--trials", 4)


@pytest.mark.smoke
def test_the_table_has_every_trial_and_can_be_analysed(run, run_json, tmp_path):
    path = tmp_path / "trials.csv"
    result = run("simulate", *ARGUMENTS, "--seed", 1, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert f"Written to {path}" in result.stdout
    document = run_json("read", path)
    assert (document["n_trials"], document["tasks"]) == (36, ["two-hop"])
    assert document["lengths"] == [4096, 8192, 16384]
    assert run_json("effective-length", path)["groups"]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
def test_equal_seeds_give_equal_bytes(run, tmp_path, suffix):
    first, again, other = (tmp_path / f"{name}.{suffix}" for name in ("first", "again", "other"))
    for path, seed in ((first, 7), (again, 7), (other, 8)):
        assert run("simulate", *ARGUMENTS, "--seed", seed, "-o", path).exit_code == 0
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()


def test_json_says_what_was_made(run_json, tmp_path):
    document = run_json("simulate", *ARGUMENTS, "-o", tmp_path / "t.csv")
    assert document["n_trials"] == 36
    assert document["depths"] == [0.0, 0.5, 1.0]
    assert (document["truth"], document["seed"]) == ("two-hop", 0)
    assert run_json("read", tmp_path / "t.csv")["models"] == ["simulated"]


@pytest.mark.parametrize(
    ("flags", "mend"),
    [
        (("--truth", "one-hop"), "two-hop"),
        (("--lengths", "4K..100K"), "4096..131072"),
        (("--lengths", "8K,4K"), "sort them"),
        (("--depths", "0,50"), "or a count such as 11"),
        (("--trials", "0"), "0"),
        (("-o", "trials.xlsx"), "write -o trials.csv, say"),
    ],
)
def test_a_wrong_flag_is_one_message_and_no_file(run, tmp_path, flags, mend):
    result = run("simulate", "-o", tmp_path / "t.csv", *flags)
    assert (result.exit_code, result.stdout) == (2, "")
    assert mend in result.stderr
    assert list(tmp_path.iterdir()) == []
