"""Lost in the Middle: positions from the documents, pairs of questions, the suite's own rule."""

import gzip
import json

import pytest

from lcstats.errors import FormatError
from lcstats.readers import read_trials
from lcstats.readers.lost_in_the_middle import is_right_qa

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

FOLDER = ("litm", "viktortorp")
STEM = "nq-open-20_total_documents_gold_at_0-gpt-35-reorder-predictions-scored"


def documents(n, gold):
    return [
        {"title": f"t{i}", "text": "x", "hasanswer": True, "isgold": i == gold} for i in range(n)
    ]


def qa(question="who", gold=0, n=20, answer="Curie", **changes):
    return {
        "question": question,
        "answers": ["Marie Curie", "Curie"],
        "ctxs": documents(n, 0),
        "nq_annotated_gold": {"title": "t"},
        "model_prompt": "long",
        "model_documents": documents(n, gold),
        "model_answer": answer,
        "model": "mpt-30b",
        **changes,
    }


def kv(gold=0, n=75, answer="the value is V0", **changes):
    records = [[f"k{i}", f"v{i}"] for i in range(1, n)]
    return {
        "ordered_kv_records": [["k0", "v0"], *records],
        "key": "k0",
        "value": "v0",
        "model_ordered_kv_records": [*records[:gold], ["k0", "v0"], *records[gold:]],
        "model_prompt": "long",
        "model_answer": answer,
        "model": "mpt-30b",
        **changes,
    }


@pytest.fixture
def predictions(tmp_path):
    """Write files of rows, compressed, and return their folder."""
    folder = tmp_path / "predictions"
    folder.mkdir()

    def write(**files):
        for name, rows in files.items():
            text = "".join(json.dumps(row) + "\n" for row in rows)
            (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode()))
        return folder

    return write


def test_qa_fields(predictions):
    trials = read_trials(predictions(a=[qa(gold=9, metric_best_subspan_em=0.0)]))
    assert trials.reading.format == "litm_qa"
    assert trials.length_unit == "documents"
    (row,) = trials.frame.to_dict("records")
    assert row["depth"] == pytest.approx(9 / 19, abs=1e-9)
    names = ("model", "task", "case", "cluster", "length", "score", "output", "status")
    assert {name: row[name] for name in names} == {
        "model": "mpt-30b",
        "task": "qa",
        "case": "who",
        "cluster": "who",
        "length": 20,
        "score": 0.0,
        "output": "Curie",
        "status": "ok",
    }
    assert not {"ctxs", "model_documents", "model_prompt"} & set(trials.frame)


def test_qa_pairs_questions_at_several_positions(predictions):
    files = {f"gold_at_{gold}": [qa("a", gold), qa("b", gold)] for gold in (0, 4, 19)}
    trials = read_trials(predictions(**files))
    assert trials.n_cases == 6
    assert trials.frame["cluster"].nunique() == 2
    assert sorted(trials.frame["depth"].unique()) == pytest.approx([0, 4 / 19, 1], abs=1e-9)


def test_qa_position_is_that_of_the_documents_as_sent(predictions):
    row = qa(gold=3, n=10, ctxs=documents(10, 7), model_use_random_ordering=True)
    assert read_trials(predictions(a=[row])).frame["depth"][0] == pytest.approx(1 / 3, abs=1e-9)


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("It was marie-curie.", False),
        ("It was Marie  the Curie!", True),
        ("No idea\nMarie Curie", False),
        ("", False),
        (None, None),
    ],
)
def test_qa_without_scores_is_scored_by_the_suites_rule(answer, right):
    row = {"answers": ["Marie Curie"], "model_answer": answer}
    assert is_right_qa(row) is right


def test_qa_says_how_many_it_scored(predictions):
    rows = [qa("a"), qa("b", answer="Bohr"), qa("c", answer=None), qa("d")]
    rows[3]["metric_best_subspan_em"] = 1.0
    trials = read_trials(predictions(a=rows))
    assert trials.frame["score"].tolist()[:2] == [1.0, 0.0]
    assert trials.frame["status"].tolist() == ["ok", "ok", "error", "ok"]
    (message,) = [notice.message for notice in trials.notices if notice.code == "scored-here"]
    assert "2 answers" in message


def test_oracle_is_no_position(predictions):
    trials = read_trials(predictions(a=[qa(gold=4)], oracle=[qa(n=1)]))
    oracle = trials.select(task="qa_oracle").frame
    assert oracle["length"].tolist() == [1]
    assert oracle["depth"].isna().all()


def test_closed_book_is_left_out_and_counted(predictions):
    trials = read_trials(predictions(a=[qa()], closedbook=[qa(n=0), qa("b", n=0)]))
    assert trials.n_trials == 1
    assert any("2 questions without documents" in notice.message for notice in trials.notices)
    folder = predictions(a=[qa(n=0)])
    with pytest.raises(FormatError, match="name the files of gold_at_0"):
        read_trials(folder / "a.jsonl.gz")


def test_documents_without_gold_have_no_depth(predictions):
    trials = read_trials(predictions(a=[qa("a", gold=None), qa("b")]))
    assert trials.frame["depth"].isna().tolist() == [True, False]


def test_rows_without_their_fields_are_named(predictions):
    rows = [qa(), {"question": "b", "answers": ["x"], "model_answer": "y"}]
    with pytest.raises(FormatError, match=r"line 2: no usable field 'model_documents'.*--format"):
        read_trials(predictions(a=rows))
    with pytest.raises(FormatError, match=r"line 1: no usable field 'key'.*--format"):
        read_trials(predictions(a=rows), format="litm_kv")


def test_kv_fields(predictions):
    trials = read_trials(predictions(a=[kv(gold=37)]))
    assert trials.reading.format == "litm_kv"
    assert trials.length_unit == "pairs"
    (row,) = trials.frame.to_dict("records")
    assert (row["length"], row["depth"], row["score"]) == (75, 0.5, 1.0)
    assert (row["task"], row["case"], row["cluster"]) == ("kv", "k0", "k0")
    assert not {"ordered_kv_records", "model_ordered_kv_records"} & set(trials.frame)


def test_kv_keeps_stored_scores_and_a_unit_that_was_asked_for(predictions):
    folder = predictions(a=[kv(metric_accuracy=0.0)])
    assert read_trials(folder).frame["score"].tolist() == [0.0]
    assert read_trials(folder, length_unit="documents").length_unit == "documents"


def test_published_predictions(real_data):
    trials = read_trials(real_data.joinpath(*FOLDER, f"{STEM}.first20.jsonl.gz"))
    assert (trials.n_trials, trials.frame["score"].sum()) == (20, 17)
    assert trials.models == ("gpt-3.5-turbo-1106",)
    assert trials.frame["length"].unique().tolist() == [20]
    assert trials.frame["depth"].unique().tolist() == [0.0]


def test_the_suites_rule_gives_the_published_scores(real_data, tmp_path):
    path = real_data.joinpath(*FOLDER, f"{STEM}.first20.jsonl.gz")
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    stored = [row.pop("metric_best_subspan_em") for row in rows]
    unscored = tmp_path / "a.jsonl"
    unscored.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert read_trials(unscored).frame["score"].tolist() == stored


def test_a_published_file_cut_in_its_last_line(real_data):
    trials = read_trials(real_data.joinpath(*FOLDER, f"{STEM}.last2_truncated.jsonl.gz"))
    assert (trials.n_trials, trials.frame["score"].sum()) == (1, 1)
    assert any("line 2 is incomplete" in notice.message for notice in trials.notices)
