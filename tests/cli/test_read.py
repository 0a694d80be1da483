import gzip
import re

import pytest

READ_FIELDS = {
    "schema_version", "format", "n_trials", "n_cases", "n_scored", "n_unscored",
    "unscored_by_status", "unscored_by_length", "n_duplicates", "models", "tasks", "lengths",
    "length_unit", "depths", "n_needles", "mapping", "aggregate_only", "warnings",
}  # fmt: skip


@pytest.mark.smoke
def test_json_has_the_fields_that_scripts_use(run_json, sweep):
    document = run_json("read", sweep)
    assert document.keys() >= READ_FIELDS
    assert document["schema_version"] == 1
    assert (document["n_trials"], document["n_scored"], document["n_unscored"]) == (90, 89, 1)
    assert document["unscored_by_status"] == {"timeout": 1}
    assert document["unscored_by_length"] == {"16384": 1}
    assert document["models"] == ["alpha", "beta"]
    assert document["lengths"] == [4096, 8192, 16384]
    assert document["depths"] == [0.0, 0.5, 1.0]
    assert document["mapping"]["length"] == "length"
    assert document["aggregate_only"] is False


def test_text_says_what_was_found(run, sweep):
    result = run("read", sweep)
    assert result.exit_code == 0
    assert "Models: alpha, beta" in result.stdout
    assert "90 (89 scored, 1 unscored)" in result.stdout
    assert "Unscored: 1 timeout" in result.stdout
    assert result.stdout.splitlines()[-1].split() == ["16384", "30", "1"]


def test_standard_input_is_a_path(run_json, sweep):
    assert run_json("read", "-", input=sweep.read_bytes())["n_trials"] == 90


def test_a_glob_is_a_path(run_json, sweep):
    assert run_json("read", sweep.parent / "*.csv")["n_trials"] == 90


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
def test_the_written_table_reads_back_the_same(run, run_json, sweep, tmp_path, suffix):
    path = tmp_path / f"table.{suffix}"
    assert run("read", sweep, "-o", path).exit_code == 0
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    first, again = run_json("read", sweep), run_json("read", path)
    for field in READ_FIELDS - {"format", "mapping"}:
        assert again[field] == first[field], field


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
def test_counts_are_written_as_counts(run, run_json, tmp_path, suffix):
    counts = tmp_path / "counts.csv"
    counts.write_text("length,depth,n,k\n10,0.5,20,17\n20,0.5,20,3\n")
    path = tmp_path / f"again.{suffix}"
    assert run("read", counts, "-o", path, "--length-unit", "documents").exit_code == 0
    again = run_json("read", path)
    assert again["aggregate_only"] is True
    assert (again["n_trials"], again["length_unit"]) == (40, "documents")
    assert run_json("effective-length", path)["groups"][0]["estimates"][0]["length"] == 10


def test_equal_tables_are_equal_gzipped_bytes(run, sweep, tmp_path):
    places = [tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"]
    for place in places:
        run("read", sweep, "-o", place)
    assert places[0].read_bytes() == places[1].read_bytes()
    assert gzip.decompress(places[0].read_bytes()).startswith(b"model,")


def test_a_suffix_that_cannot_be_written_is_refused_before_reading(run, tmp_path):
    result = run("read", tmp_path / "absent.csv", "-o", tmp_path / "table.xlsx")
    assert result.exit_code == 2
    assert "write -o table.csv, say" in result.stderr


def test_map_names_a_column(run_json, tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("how_far,depth,score\n4096,0.5,1\n8192,0.25,0\n")
    document = run_json("read", path, "--map", "length=how_far")
    assert document["mapping"]["length"] == "how_far"


def test_select_keeps_the_rows_with_a_value(run_json, sweep):
    assert run_json("read", sweep, "--select", "model=beta")["models"] == ["beta"]
    assert run_json("read", sweep, "--select", "question=q1")["n_trials"] == 18


@pytest.mark.parametrize(
    ("pair", "mend"),
    [
        ("question=q9", "expected one of q1, q2, q3, q4, q5"),
        ("colour=red", "expected one of .*question"),
        ("model=gamma", "gamma"),
    ],
)
def test_selecting_nothing_is_an_error(run, sweep, pair, mend):
    result = run("read", sweep, "--select", pair)
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.search(mend, result.stderr)


def test_independent_repeats_are_cases(run_json, tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("case,repeat,length,depth,score\na,1,4096,0.5,1\na,2,4096,0.5,0\n")
    assert run_json("read", path)["n_cases"] == 1
    assert run_json("read", path, "--repeats", "independent")["n_cases"] == 2


def test_control_characters_in_names_are_spelled_out(run, tmp_path):
    path = tmp_path / "trials.csv"
    path.write_text("model,length,depth,score\nx\x1b[31m,4096,0.5,1\nx\x1b[31m,8192,0.5,0\n")
    result = run("read", path)
    assert "\x1b" not in result.stdout
    assert r"x\x1b[31m" in result.stdout


def test_formats_say_what_each_carries_and_lacks(run, run_json):
    document = run_json("formats")
    for entry in document["formats"]:
        assert entry.keys() == {"name", "title", "carries", "lacks", "checked"}
        assert entry["carries"]
        assert entry["name"] in run("formats").stdout
