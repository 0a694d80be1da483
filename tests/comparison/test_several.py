"""Several language models: corrections over all comparisons, and letters for ties."""

import json
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.comparison import SeveralComparison, compare_models
from lcstats.comparison.several import share_letters
from lcstats.comparison.verdict import correct_for_number
from lcstats.errors import OptionError
from lcstats.report.documents import to_json
from lcstats.trials import Trials


@pytest.fixture
def four(trials_of):
    right = {"a": 57, "b": 55, "c": 44, "d": 20}
    parts = [trials_of([1] * n + [0] * (60 - n), model=m).frame for m, n in right.items()]
    return Trials.from_frame(pd.concat(parts))


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(
            st.just(list("stuvwxy"[:n])),
            st.sets(st.sampled_from(list(combinations("stuvwxy"[:n], 2)) or [("s", "s")])),
        )
    )
)
def test_names_share_a_letter_exactly_where_they_are_not_apart(drawn):
    names, couples = drawn
    apart = {frozenset(couple) for couple in couples if couple[0] != couple[1]}
    letters = share_letters(names, apart)
    assert all(letters.values())
    for one, other in combinations(names, 2):
        share = bool(set(letters[one]) & set(letters[other]))
        assert share == (frozenset((one, other)) not in apart)


def test_every_pair_is_compared_and_corrected(four):
    answer = compare_models(four)
    couples = [(each.old_model, each.new_model) for each in answer.comparisons]
    assert couples == list(combinations("abcd", 2))
    given_p = [each.group.overall.p_value for each in answer.comparisons]
    corrected = [each.group.holm_p for each in answer.comparisons]
    assert corrected == correct_for_number(given_p)
    assert answer.n_tests == 6
    assert "among 6 tests (Holm)" in answer.sentence()


def test_a_ranking_shows_ties(four):
    ranking = compare_models(four).ranking
    assert [(rank.model, rank.letters) for rank in ranking] == [
        ("a", "a"),
        ("b", "a"),
        ("c", "b"),
        ("d", "c"),
    ]


def test_against_a_reference_the_others_are_not_compared(four):
    answer = compare_models(four, reference="b")
    assert [(e.old_model, e.new_model) for e in answer.comparisons] == [
        ("b", name) for name in "acd"
    ]
    assert {rank.letters for rank in answer.ranking} == {""}


def test_it_comes_back_from_its_dictionary(four):
    answer = compare_models(four)
    document = json.loads(to_json(answer.to_dict()))
    assert SeveralComparison.from_dict(document).to_dict() == answer.to_dict()


def test_tables_of_one_language_model_each_will_do(four):
    parts = [four.select(model=name) for name in "abcd"]
    assert compare_models(parts).to_dict() == compare_models(four).to_dict()


def test_one_language_model_is_too_few(four):
    with pytest.raises(OptionError, match="add the results of another"):
        compare_models(four.select(model="a"))


def test_a_language_model_in_two_tables_is_refused(four):
    with pytest.raises(OptionError, match="--model-name"):
        compare_models([four, four.select(model="a")])


def test_an_unknown_reference_is_refused(four):
    with pytest.raises(OptionError, match="pass a name as it is written there"):
        compare_models(four, reference="z")
