"""The table as a whole: columns, names, notices, and what must not matter."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats.errors import LcstatsWarning, OptionError, TableError, UnscoredWarning
from lcstats.trials import Origin, Part, RawTable, TableOptions, Trials, build_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def trials_of(options=None, **columns):
    return Trials.from_frame(pd.DataFrame(columns), options)


def codes(trials):
    return [notice.code for notice in trials.notices]


def test_the_canonical_columns_are_always_there():
    frame = trials_of(
        **{"Context Length": [4096, 8192], "correct": [1, 0], "note": ["a", "b"]}
    ).frame
    assert frame.columns.tolist() == [
        *("model", "task", "case", "repeat", "length", "depth", "score", "status"),
        "note",
    ]
    assert frame.dtypes.astype(str).loc[["repeat", "length"]].tolist() == ["int64", "int64"]
    assert frame["depth"].isna().all()
    assert frame["task"].tolist() == ["default", "default"]
    assert frame["status"].tolist() == ["ok", "ok"]
    assert frame.index.equals(pd.RangeIndex(2))


def test_a_column_named_in_options_pushes_an_old_one_aside():
    options = TableOptions(columns={"score": "judge"})
    frame = trials_of(options, length=[1, 2], judge=[0, 1], score=["x", "y"]).frame
    assert frame["score"].tolist() == [0.0, 1.0]
    assert frame["score_in_file"].tolist() == ["x", "y"]


@pytest.mark.parametrize("table", [pd.DataFrame({"length": [1], "score": [1]}), [1], None])
def test_a_table_that_was_not_checked_is_sent_through_from_frame(table):
    with pytest.raises(TableError, match=r"; expected .*Trials\.from_frame\(frame\)"):
        Trials(table)


def test_from_frame_takes_tables_only():
    with pytest.raises(TableError, match=r"of type str; expected DataFrame; .*read_trials\(paths"):
        Trials.from_frame("results.csv")


def test_counts_and_names():
    trials = trials_of(
        model=["b", "a", "a"], task=["t"] * 3, id=[1, 1, 1], rep=[1, 1, 2],
        length=[4096] * 3, score=[1, 0, None],
    )  # fmt: skip
    assert (trials.n_trials, trials.n_scored, trials.n_cases) == (3, 2, 2)
    assert (trials.models, trials.tasks) == (("b", "a"), ("t",))
    assert "3 trials, 2 scored, 2 language models, 1 task" in repr(trials)
    assert trials.to_frame() is not trials.frame


def test_select():
    trials = trials_of(model=["a", "b"], length=[1, 2], score=[1, 0])
    assert trials.select(model="b").frame["length"].tolist() == [2]
    with pytest.raises(OptionError, match="choose another model"):
        trials.select(model="c")


def test_a_language_models_name_is_data():
    names = ["../../etc/passwd", "org/model:7b", "NA"]
    assert trials_of(model=names, length=[1, 2, 3], score=[1, 0, 1]).models == tuple(names)


def test_naming_the_language_model():
    one = {"model": ["a", "a"], "length": [1, 2], "score": [1, 0]}
    assert trials_of(TableOptions(model_name="mine"), **one).models == ("mine",)
    assert trials_of(length=[1], score=[0]).models == ("model",)
    with pytest.raises(OptionError, match="leave out --model-name"):
        trials_of(TableOptions(model_name="mine"), **{**one, "model": ["a", "b"]})
    with pytest.raises(TableError, match=r"model is empty; .*fill it in"):
        trials_of(**{**one, "model": ["a", ""]})


def test_several_files_without_a_name_are_one_language_model_and_it_is_said():
    tables = [
        RawTable(pd.DataFrame({"length": [1], "score": [0]}), Origin((Part(f"{i}.csv", 1),)))
        for i in range(2)
    ]
    trials = build_trials(tables, TableOptions())
    assert "--model-name NAME" in trials.notices[0].message


def test_tables_with_different_headers_are_put_together():
    first = RawTable(pd.DataFrame({"length": [1], "score": [0]}), Origin((Part("a.csv", 1),)))
    second = RawTable(pd.DataFrame({"ctx_len": ["2"], "correct": ["C"]}), Origin((Part("b", 1),)))
    trials = build_trials([first, second], TableOptions(model_name="m"))
    assert trials.frame["length"].tolist() == [1, 2]
    assert trials.reading.mapping["length"] == "length or ctx_len"


def test_all_faults_of_a_table_come_at_once():
    with pytest.raises(TableError) as caught:
        trials_of(length=[0, 4096], depth=[50, 120], score=["x", 1], tokens_received=[1.5, 2])
    found = str(caught.value)
    assert found.count("\n") == 3
    assert all(word in found for word in ("length is 0", "depth is 120", "'x'", "received is 1.5"))


def test_a_faulty_value_is_named_by_the_tables_own_column():
    with pytest.raises(TableError, match="Document Depth is 120"):
        trials_of(**{"Document Depth": [120, 50], "length": [1, 2], "score": [1, 0]})


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"length": [], "score": []}, "a header and no rows"),
        ({"length": [1, 2], "score": [None, None]}, r"2 rows without a score \(error 2\)"),
        ({"length": [1], "score": [1], "status": ["timeout"]}, r"\(timeout 1\)"),
    ],
)
def test_nothing_scored_is_an_error(columns, why):
    with pytest.raises(TableError, match=f"no scored trials in table: .*{why}.*the sweep ran"):
        trials_of(**columns)


def test_unscored_trials_are_missing_counted_and_said():
    with pytest.warns(UnscoredWarning, match=r"2 of 3 trials have no score \(error 1, timeout 1\)"):
        trials = trials_of(length=[1, 1, 1], score=[0, 0, None], status=["ok", "timeout", None])
    assert trials.frame["score"].isna().tolist() == [False, True, True]
    assert codes(trials) == ["scores-ignored", "unscored"]


def test_scores_of_failed_trials_do_not_decide_the_scale():
    trials = trials_of(length=[1, 1], score=[1, 500], status=["ok", "error"])
    assert trials.reading.score_scale == "0-1"


def test_notices_are_announced_once():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        trials = trials_of(length=["4k", "8k"], score=[1, 0])
    assert [str(warning.message) for warning in caught] == [n.message for n in trials.notices]
    assert all(issubclass(warning.category, LcstatsWarning) for warning in caught)


def test_one_filter_must_be_chosen():
    table = {"id": [0, 0], "filter": ["strict", "loose"], "length": [1, 1], "score": [0, 1]}
    with pytest.raises(OptionError, match=r"strict, loose; .*--filter strict"):
        trials_of(**table)
    chosen = trials_of(TableOptions(filter_name="loose"), **table)
    assert chosen.frame["score"].tolist() == [1.0]
    with pytest.raises(OptionError, match=r"not 'odd'; .*--filter strict"):
        trials_of(TableOptions(filter_name="odd"), **table)
    with pytest.raises(OptionError, match=r"--map filter=THEIRS"):
        trials_of(TableOptions(filter_name="loose"), length=[1], score=[1])


def test_faults_name_the_right_row_after_a_filter():
    table = {"filter": ["a", "b", "b"], "length": [1, 1, 0], "score": [0, 1, 1]}
    with pytest.raises(TableError, match="table row 2: length is 0"):
        trials_of(TableOptions(filter_name="b"), **table)


def test_units_of_length():
    assert (
        trials_of(TableOptions(length_unit="words"), length=[5], score=[0]).length_unit == "words"
    )
    named = {"length": [5], "score": [0], "length_unit": ["characters"]}
    assert trials_of(**named).length_unit == "characters"
    assert trials_of(TableOptions(length_unit="tokens"), **named).length_unit == "tokens"
    with pytest.raises(TableError, match="read tables of different units apart"):
        trials_of(length=[5, 5], score=[0, 1], length_unit=["words", "tokens"])


def test_the_received_axis_stands_in_for_a_missing_length():
    table = {"prompt_tokens": [4000, 8000], "score": [1, 0]}
    trials = trials_of(TableOptions(axis="received"), **table)
    assert trials.frame["length"].tolist() == [4000, 8000]
    assert trials.frame["tokens_received"].tolist() == [4000, 8000]
    with pytest.raises(TableError, match="--map length=THEIRS"):
        trials_of(**table)


@pytest.mark.parametrize(
    ("option", "word", "mend"),
    [
        ("depth_unit", "per mille", "depth_unit='fraction'"),
        ("score_scale", "0-20", "score_scale='0-1'"),
        ("length_unit", "pages", "length_unit='tokens'"),
        ("axis", "sent", "axis='asked'"),
        ("score_threshold", 0, "--score-threshold 7"),
        ("score_threshold", float("nan"), "--score-threshold 7"),
    ],
)
def test_options_are_checked(option, word, mend):
    with pytest.raises(OptionError, match=mend):
        TableOptions(**{option: word})


# What must not matter: the order of the rows, and how the table spells its columns.

rows = st.lists(
    st.tuples(
        st.sampled_from(["a", "b"]),
        st.sampled_from([4096, 8192]),
        st.sampled_from([0, 50, 100]),
        st.integers(min_value=0, max_value=6),
        st.sampled_from([0, 1, None]),
    ),
    min_size=2,
    max_size=30,
    unique_by=lambda row: row[:4],
).filter(lambda found: any(row[4] is not None for row in found))
COLUMNS = ["model", "length", "depth", "case", "score"]
DECLARED = TableOptions(depth_unit="percent", score_scale="0-1")


def in_order(trials):
    frame = trials.frame.sort_values(["model", "length", "depth", "case"])
    return frame.reset_index(drop=True)


@settings(deadline=None, max_examples=25)
@given(rows, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(found, random):
    table = pd.DataFrame(found, columns=COLUMNS)
    order = list(range(len(found)))
    random.shuffle(order)
    first = Trials.from_frame(table, DECLARED)
    second = Trials.from_frame(table.iloc[order], DECLARED)
    pd.testing.assert_frame_equal(in_order(first), in_order(second))
    assert first.notices == second.notices


@settings(deadline=None, max_examples=25)
@given(rows, st.sampled_from(["Token Limit", "ctx-len", "CONTEXT_LENGTH"]), st.booleans())
def test_spelling_does_not_matter(found, length, as_text):
    table = pd.DataFrame(found, columns=COLUMNS)
    spelled = table.rename(columns={"length": length, "score": "Is Correct", "case": "Item ID"})
    spelled = spelled.astype({"Item ID": str}) if as_text else spelled
    pd.testing.assert_frame_equal(
        Trials.from_frame(table, DECLARED).frame, Trials.from_frame(spelled, DECLARED).frame
    )


@settings(deadline=None, max_examples=25)
@given(rows)
def test_a_canonical_table_is_its_own_reading(found):
    trials = Trials.from_frame(pd.DataFrame(found, columns=COLUMNS), DECLARED)
    again = Trials.from_frame(trials.frame, TableOptions(depth_unit="fraction", score_scale="0-1"))
    pd.testing.assert_frame_equal(trials.frame, again.frame)
    assert np.array_equal(trials.frame["score"].isna(), again.frame["status"] != "ok")


def test_a_score_of_minus_one_is_missing():
    trials = trials_of(length=[4096] * 4, score=[1, 0, -1, -1])
    assert trials.frame["score"].notna().tolist() == [True, True, False, False]
    assert "sentinel" in codes(trials)
    with pytest.raises(TableError, match="score is -2"):
        trials_of(length=[4096] * 3, score=[1, -1, -2])


@pytest.mark.parametrize(
    ("name", "value", "mend"),
    [
        ("model_name", " ", r"--model-name NAME\), or leave it out"),
        ("score_threshold", float("inf"), "--score-threshold 7"),
        ("score_threshold", float("nan"), "--score-threshold 7"),
    ],
)
def test_options_that_say_nothing_are_refused(name, value, mend):
    with pytest.raises(OptionError, match=f"{name} is .*{mend}"):
        TableOptions(**{name: value})


def test_a_column_of_units_that_are_none_is_named():
    table = {"length": [4], "score": [0], "length_unit": ["k"]}
    with pytest.raises(TableError, match=r"length_unit is 'k'; .*--length-unit k1024"):
        trials_of(**table)
    assert trials_of(TableOptions(length_unit="k1024"), **table).frame["length"].tolist() == [4096]
