"""lighteval's details: metrics in a struct, places in doc.specific, folders as names."""

import pandas as pd
import pytest

from lcstats.errors import FormatError, OptionError, TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def row(number=0, metric=None, choices=("7",), gold=(0,), **specific):
    doc = {"id": str(number), "task_name": "custom|needle|0", "query": "long"}
    doc |= {"choices": list(choices), "gold_index": list(gold)}
    doc["specific"] = {"context_length": 4096, "depth": 0.5} | specific
    answer = {"text": ["It is 7."], "logprobs": [0.0]}
    return {"doc": doc, "metric": metric or {"em": 1.0}, "model_response": answer}


@pytest.fixture
def write(tmp_path):
    folder = tmp_path / "details" / "qwen" / "Qwen-x" / "2026-01-01T00-00-00"
    folder.mkdir(parents=True)

    def write(*rows, name="details_custom|needle|0_2026.parquet", rename=None):
        frame = pd.DataFrame(rows)
        frame.rename(columns=rename or {}).to_parquet(folder / name)
        return folder / name

    return write


def test_fields(write):
    trials = read_trials(write(row(0), row(1, {"em": 0.0})))
    assert trials.reading.format == "lighteval"
    first = trials.frame.to_dict("records")[0]
    expected = {
        "model": "qwen/Qwen-x",
        "task": "custom|needle|0",
        "case": "0",
        "length": 4096,
        "depth": 0.5,
        "score": 1.0,
        "output": "It is 7.",
    }
    assert {name: first[name] for name in expected} == expected
    assert trials.frame["score"].tolist() == [1, 0]
    assert "guess_rate" not in trials.frame
    assert not trials.notices


def test_names_of_the_other_version(write):
    names = {name: f"__{name}__" for name in ("doc", "metric", "model_response")}
    assert read_trials(write(row(), rename=names)).frame["score"].tolist() == [1]


def test_several_metrics_are_asked_about(write):
    path = write(row(0, {"em": 1.0, "f1": 0.25}))
    with pytest.raises(OptionError, match=r"em, f1.*--filter em"):
        read_trials(path)
    assert read_trials(path, filter_name="f1").frame["score"].tolist() == [0.25]


def test_choices_are_guessed_where_one_is_right(write):
    four = row(choices="ABCD", gold=[2])
    assert read_trials(write(four)).frame["guess_rate"].tolist() == [0.25]
    all_right = row(choices=["7", "seven"], gold=[0, 1])
    assert "guess_rate" not in read_trials(write(all_right)).frame


def test_places_under_other_names_are_named(write):
    rows = [row()]
    rows[0]["doc"]["specific"] = {"tokens": 4000}
    with pytest.raises(TableError, match=r"specific_tokens.*--map length=THEIRS"):
        read_trials(write(*rows))
    trials = read_trials(write(*rows), columns={"length": "specific_tokens"})
    assert trials.frame["length"].tolist() == [4000]


def test_another_folder_is_named_with_a_notice(tmp_path):
    pd.DataFrame([row()]).to_parquet(tmp_path / "a.parquet")
    trials = read_trials(tmp_path / "a.parquet")
    assert trials.models == (tmp_path.name,)
    assert "model-from-folder" in {notice.code for notice in trials.notices}


def test_details_without_numbers_are_refused(write):
    with pytest.raises(FormatError, match=r"no metric of single documents.*another run"):
        read_trials(write(row(0, {"em": "good"})))


def test_runs_of_other_times_are_repeats(tmp_path):
    for day, score in ((1, 1.0), (2, 0.0)):
        folder = tmp_path / "details" / "org" / "mod" / f"2026-01-0{day}T00-00-00"
        folder.mkdir(parents=True)
        pd.DataFrame([row(0, {"em": score})]).to_parquet(folder / "details_a.parquet")
    trials = read_trials(tmp_path)
    assert trials.frame[["repeat", "score"]].values.tolist() == [[1, 1], [2, 0]]
    assert trials.n_cases == 1
    assert "several-runs" in {notice.code for notice in trials.notices}
