"""Headers: aliases in any spelling, overrides, clashes, missing columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.errors import OptionError, TableError
from lcstats.trials.columns import (
    ALIASES,
    COUNT_COLUMNS,
    TRIAL_COLUMNS,
    depth_unit_of_name,
    is_count_header,
    is_trial_header,
    kinds_of_columns,
    match_columns,
    normalise_name,
    require_columns,
)

SPELLINGS = [(canonical, alias) for canonical in TRIAL_COLUMNS for alias in ALIASES[canonical]]


@st.composite
def respelled(draw, alias):
    """The same name with other separators, capitals and blanks around it."""
    words = alias.split("_")
    words = [draw(st.sampled_from([word, word.upper(), word.title()])) for word in words]
    separators = draw(st.lists(st.sampled_from("_ -"), min_size=len(words), max_size=len(words)))
    text = "".join(word + separator for word, separator in zip(words, separators, strict=True))
    return draw(st.sampled_from(["", " "])) + text[:-1]


@given(st.data())
def test_spelling_of_an_alias_does_not_matter(data):
    canonical, alias = data.draw(st.sampled_from(SPELLINGS))
    name = data.draw(respelled(alias))
    assert match_columns([name]) == {canonical: name}


def test_no_alias_belongs_to_two_columns():
    aliases = [alias for spellings in ALIASES.values() for alias in spellings]
    assert len(set(aliases)) == len(aliases)
    assert [normalise_name(alias) for alias in aliases] == aliases


def test_percent_sign_is_a_word():
    assert match_columns(["depth %", "context length", "Score"]) == {
        "length": "context length",
        "depth": "depth %",
        "score": "Score",
    }


def test_an_override_wins_over_an_alias_and_frees_it():
    mapping = match_columns(["length", "ctx", "score"], overrides={"length": "CTX"})
    assert mapping["length"] == "ctx"


def test_two_candidates_are_both_named():
    with pytest.raises(TableError, match=r"'length' and 'context_length'.*--map length=length"):
        match_columns(["length", "context_length", "score"], table="clash.csv")


def test_all_clashes_come_at_once():
    with pytest.raises(TableError, match=r"(?s)--map length=length.*--map score=correct"):
        match_columns(["length", "ctx_len", "correct", "score"])


def test_twin_headers_clash():
    with pytest.raises(TableError, match="--map score=score"):
        match_columns(["length", "score", "score"])


def test_side_columns_never_clash():
    assert match_columns(["length", "score", "response", "prediction"]) == {
        "length": "length",
        "score": "score",
    }
    assert match_columns(["output", "response"])["output"] == "output"


def test_version_counts_repeats_only_where_nothing_better_does():
    assert match_columns(["version"])["repeat"] == "version"
    assert match_columns(["version", "epoch"])["repeat"] == "epoch"


def test_an_override_of_an_absent_column_names_the_present_ones():
    with pytest.raises(TableError, match=r"columns found: a, b.*correct --map length=ctx"):
        match_columns(["a", "b"], overrides={"length": "ctx"})


def test_an_override_of_an_unknown_canonical_name_suggests_one():
    with pytest.raises(OptionError, match="--map length=THEIRS"):
        match_columns(["ctx"], overrides={"lenght": "ctx"})


def test_missing_columns_are_named_all_at_once():
    with pytest.raises(TableError, match=r"--map length=THEIRS --map score=THEIRS"):
        require_columns({}, ["ctx", "acc_"], ("length", "score"), table="a.csv")


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("depth_percent", "percent"),
        ("Document Depth Percent", "percent"),
        ("depth %", "percent"),
        ("depth-pct", "percent"),
        ("depth_fraction", "fraction"),
        ("Document Depth", None),
    ],
)
def test_names_that_declare_a_unit(name, unit):
    assert depth_unit_of_name(name) == unit


@pytest.mark.parametrize(
    ("header", "is_counts"),
    [
        (["model", "length", "n", "k"], True),
        (["length", "n_cases", "successes", "depth"], True),
        (["length", "score", "n", "k"], False),
        (["length", "n"], False),
    ],
)
def test_headers_of_counts(header, is_counts):
    assert is_count_header(header, {}) is is_counts


def test_overrides_can_make_a_header_one_of_counts_or_trials():
    assert is_count_header(["length", "asked", "hits"], {"n_cases": "asked", "successes": "hits"})
    assert is_trial_header(["ctx", "mark"], {"length": "ctx"})
    assert not is_trial_header(["ctx", "mark"], {})


def test_kinds_of_columns():
    kinds = kinds_of_columns(["id", "Model", "ctx", "n", "x"], {"length": "ctx"})
    assert kinds == {"id": "id", "Model": "label", "ctx": "number", "n": "number", "x": "other"}
    assert set(COUNT_COLUMNS) <= set(ALIASES)
