"""ROUGE-L against the two packages whose numbers suites quote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge import Rouge

from lcstats.readers.rouge import rouge_l, rouge_lsum

WORDS = ["the", "red", "house", "The", "house.", ".", ". .", "it", "é", "\n", "3.5", "..."]
texts = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@given(texts.filter(lambda text: text.strip(".")), texts.filter(lambda text: text.strip(".")))
def test_rouge_l_is_that_of_rouge(output, reference):
    expected = Rouge().get_scores([output], [reference], avg=True)["rouge-l"]["f"]
    assert rouge_l(output, reference) == expected


@pytest.mark.parametrize(("output", "reference"), [("", "a"), ("a", ""), ("..", "a")])
def test_without_a_sentence_there_is_no_score(output, reference):
    with pytest.raises(ValueError, match=r"Hypothesis is empty|Reference is empty"):
        Rouge().get_scores([output], [reference])
    assert rouge_l(output, reference) == 0


def test_sentences_that_are_too_long_for_rouge_have_their_score():
    words = [f"w{number}" for number in range(1200)]
    output, reference = " ".join(words), " ".join(words[:600])
    with pytest.raises(RecursionError):
        Rouge().get_scores([output], [reference])
    assert rouge_l(output, reference) == pytest.approx(2 / 3)


# Made with rouge_score 0.1.2:
#     RougeScorer(["rougeLsum"]).score(reference, output)["rougeLsum"].fmeasure
@pytest.mark.parametrize(
    ("output", "reference", "score"),
    [
        ("The red house.\nIt burns.", "The house burns!", 0.75),
        ("a b c\nb c d\nd", "d a b\nb d c a", 0.857142857143),
        ("one two two three", "two two one\ntwo", 0.5),
        ("Café 3.5\n\n", "cafe 3 5", 0.666666666667),
        ("", "words", 0.0),
        ("x y z", "?", 0.0),
        ("b a b a c b", "a b c a b a", 0.666666666667),
    ],
)
def test_rouge_lsum_is_that_of_rouge_score(output, reference, score):
    assert rouge_lsum(output, reference) == pytest.approx(score, abs=1e-12)


@given(texts)
def test_a_text_is_like_itself(text):
    has_words = any(char.isascii() and char.isalnum() for char in text)
    assert rouge_lsum(text, text) == pytest.approx(float(has_words))
