"""NoCha: claims and pairs, guess rates, skipped and refused responses."""

import json

import pytest

from lcstats.errors import TableError
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

SKIPPED, PROHIBITED = "SKIPPED", "PROHIBITED_CONTENT"


def said(word):
    return f"<explanation>Because.</explanation>\n <answer>{word}</answer>"


def claim(index, truth, response, book="little_women", length=235118, **responses):
    return {
        "book_title": book,
        "claim": f"{index} is {truth}",
        "type": truth,
        "index": index,
        "false-claim-explanation": "",
        "length": length,
        "genre": "historical",
        "length_group": "above 180k",
        "response-gpt4o": response,
        **{f"response-{model}": text for model, text in responses.items()},
    }


@pytest.fixture
def read(tmp_path):
    def read(*claims, **options):
        path = tmp_path / "data_sample.json"
        path.write_text(json.dumps(claims, indent=4))
        return read_trials(path, **options)

    return read


def scores(trials, task):
    return trials.select(task=task).frame["score"].tolist()


def test_fields(read):
    trials = read(claim(148, True, said("TRUE")), claim(148, False, said("TRUE")))
    assert trials.reading.format == "nocha"
    assert trials.tasks == ("nocha_claims", "nocha_pairs")
    row = trials.frame.iloc[0]
    names = ("model", "case", "length", "score", "cluster", "guess_rate")
    assert row[list(names)].tolist() == [
        "gpt4o",
        "little_women 148 true",
        235118,
        1,
        "little_women",
        0.5,
    ]
    assert row["output"].endswith("<answer>TRUE</answer>")
    assert scores(trials, "nocha_claims") == [1, 0]
    pair = trials.select(task="nocha_pairs").frame.iloc[0]
    assert pair[["case", "score", "guess_rate"]].tolist() == ["little_women 148", 0, 0.25]
    assert trials.frame["depth"].isna().all()


def test_a_pair_is_right_only_if_both_claims_are(read):
    trials = read(
        claim(1, True, said("TRUE")),
        claim(1, False, said("FALSE")),
        claim(2, False, said("TRUE")),
        claim(2, True, said("TRUE")),
    )
    assert scores(trials, "nocha_pairs") == [1, 0]


def test_types_as_text(read):
    trials = read(claim(1, "True", said("True")), claim(1, "False", said("true")))
    assert scores(trials, "nocha_claims") == [1, 0]


def test_skipped_and_prohibited_are_unscored_and_so_are_their_pairs(read):
    trials = read(
        claim(1, True, SKIPPED),
        claim(1, False, SKIPPED),
        claim(2, True, said("FALSE")),
        claim(2, False, PROHIBITED),
        claim(3, True, said("TRUE")),
        claim(3, False, said("FALSE")),
        claim(4, True, said("TRUE")),
        claim(4, False, "I cannot say"),
    )
    by_task = trials.frame.groupby("task")["status"].apply(list)
    assert by_task["nocha_claims"] == ["skipped"] * 2 + ["ok", "refused"] + ["ok"] * 3 + [
        "unparsed"
    ]
    assert by_task["nocha_pairs"] == ["skipped", "refused", "ok", "unparsed"]


def test_every_column_of_responses_is_a_language_model(read):
    names = {"gemma-simple": "True.", "bm25-gpt4o-top5": said("FALSE")}
    trials = read(claim(1, True, SKIPPED, **names), claim(1, False, SKIPPED, **names))
    assert trials.models == ("gpt4o", "gemma-simple", "bm25-gpt4o-top5")
    assert trials.select(model="gemma-simple").frame["score"].tolist() == [1, 0, 0]


def test_plain_words_are_answers_only_to_simple_prompts(read):
    trials = read(claim(1, True, "True.", x=said("TRUE")), claim(1, False, "True.", x=said("TRUE")))
    assert trials.select(model="gpt4o").frame["status"].unique().tolist() == ["unparsed"]


def test_the_first_of_several_answers_counts(read):
    both = said("False") + said("True")
    assert scores(read(claim(1, True, both), claim(1, False, both)), "nocha_claims") == [0, 1]


def test_an_index_is_of_one_book(read):
    trials = read(
        claim(1, True, said("TRUE")),
        claim(1, False, said("FALSE")),
        claim(1, True, said("TRUE"), book="gatsby", length=61689),
        claim(1, False, said("TRUE"), book="gatsby", length=61689),
    )
    assert scores(trials, "nocha_pairs") == [1, 0]
    assert set(trials.frame["cluster"]) == {"little_women", "gatsby"}


def test_claims_alone_make_no_pair(read):
    trials = read(claim(1, True, said("TRUE")), claim(2, False, said("TRUE")))
    assert trials.tasks == ("nocha_claims",)
    (notice,) = [notice for notice in trials.notices if notice.code == "claims-alone"]
    assert notice.message.startswith("2 claims")


def test_nothing_but_skipped_claims_cannot_be_analysed(read):
    with pytest.raises(TableError, match=r"no scored trials.*4 skipped|check that the sweep ran"):
        read(claim(1, True, SKIPPED), claim(1, False, SKIPPED))


def test_an_index_of_two_books_of_one_length(read):
    words = {"gatsby": ("TRUE", "TRUE"), "little_women": ("TRUE", "FALSE")}
    trials = read(
        *(
            claim(1, truth, said(word), book=book, length=1000)
            for book, pair in words.items()
            for truth, word in zip((True, False), pair, strict=True)
        )
    )
    assert scores(trials, "nocha_claims") == [1, 0, 1, 1]
    assert scores(trials, "nocha_pairs") == [0, 1]
    assert trials.select(task="nocha_pairs").n_cases == 2
