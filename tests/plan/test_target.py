"""Targets: what can be written, what is refused and how it is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.errors import FormatError, OptionError
from lcstats.options import TargetKind, words_of
from lcstats.plan.target import Target

POWER = Target("power", 0.8, difference=0.05, correlation=0.5, accuracy=0.85)


@pytest.mark.parametrize(
    ("text", "expected", "words"),
    [
        ("hit=0.9", Target("hit", 0.9), "90% on the true length"),
        ("within=0.99", Target("within", 0.99), "99% within one doubling"),
        ("within = 0.995", Target("within", 0.995), "99.5% within one doubling"),
        ("set-size=2", Target("set-size", 2.0), "a set of 2 outcomes on average"),
        ("set-size=2.5", Target("set-size", 2.5), "a set of 2.5 outcomes on average"),
        ("certify", Target("certify"), "something that can be certified"),
        ("half-width=0.1", Target("half-width", 0.1), "a half-width of 0.1"),
    ],
)
def test_targets_are_parsed_and_said(text, expected, words):
    target = Target.parse(text)
    assert target == expected
    assert target.words() == words
    assert Target.parse(target.text) == target
    assert repr(target) == f"Target({target.text})"


def test_what_belongs_to_a_kind_is_said_with_it():
    target = Target.parse("half-width=0.1", accuracy=0.9)
    assert target.words() == "a half-width of 0.1 at accuracy 0.9"
    assert repr(target) == "Target(half-width=0.1, accuracy=0.9)"
    target = Target.parse("power=0.8", difference=0.05)
    assert target.words() == "80% power for a difference of 0.05, two independent arms"
    target = Target.parse("power=0.8", difference=0.05, correlation=0.5, accuracy=0.85)
    assert target == POWER
    assert target.words() == "80% power for a difference of 0.05 below 0.85, pairs correlated 0.5"


VALUES = {
    "hit": st.floats(0.01, 0.999),
    "within": st.floats(0.01, 0.999),
    "set-size": st.floats(1.01, 20),
    "half-width": st.floats(0.001, 0.49),
    "power": st.floats(0.1, 0.999),
}


@given(data=st.data(), kind=st.sampled_from(words_of(TargetKind)))
def test_a_target_comes_back_from_its_dictionary(data, kind):
    value = data.draw(VALUES[kind]) if kind in VALUES else None
    difference = data.draw(st.floats(0.001, 0.5)) if kind == "power" else None
    target = Target(kind, value, difference=difference)
    assert Target.from_dict(target.to_dict()) == target
    assert Target.from_dict(POWER.to_dict()) == POWER


@pytest.mark.parametrize("document", [{}, {"schema_version": 1}, {"schema_version": 1, "kind": 3}])
def test_what_is_no_target_is_refused(document):
    with pytest.raises(FormatError, match="make the Target again"):
        Target.from_dict(document)


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("hits=0.9", "expected one of hit, within, .*pass target='hit'"),
        ("hit", "target is hit; .*write hit=0.9"),
        ("hit=", "write one of hit=0.9, .* or certify"),
        ("hit=90%", "with a point and without %; write one of hit=0.9"),
        ("hit=90", "between 0 and 1, since certainty.*write hit=0.9"),
        ("hit=1", "certainty takes infinitely many trials; write hit=0.9"),
        ("hit=nan", "expected a number between 0 and 1"),
        ("within=0", "write within=0.99"),
        ("set-size=1", "above 1, since every set holds one outcome"),
        ("set-size=0.5", "write set-size=2"),
        ("certify=0.85", "certified is the criterion's threshold; write certify"),
        ("half-width=0", "target is half-width=0.*write half-width=0.1"),
        ("half-width=0.5", "says nothing; write half-width=0.1"),
        ("power=1", "certainty takes infinitely many trials; write power=0.8"),
        ("power=0", "write power=0.8"),
    ],
)
def test_impossible_values_are_refused_with_a_sentence(text, mend):
    with pytest.raises(OptionError, match=mend):
        Target.parse(text, difference=0.05 if text.startswith("power") else None)


@pytest.mark.parametrize(
    ("beside", "mend"),
    [
        ({}, "no difference is given; .*smallest difference that matters"),
        ({"difference": 0.0}, "the wanted difference is 0; .*smallest difference that matters"),
        ({"difference": -0.05}, "above 0 and no more than 1; write how far"),
        ({"difference": 0.9, "accuracy": 0.85}, "no more than the better accuracy, 0.85"),
        ({"difference": 0.05, "correlation": 1.0}, "between -1 and 1; write 0.3"),
        ({"difference": 0.05, "accuracy": 85}, "85 percent as 0.85"),
    ],
)
def test_impossible_differences_are_refused_with_a_sentence(beside, mend):
    with pytest.raises(OptionError, match=mend):
        Target.parse("power=0.8", **beside)


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("hit=0.9", {"difference": 0.05}),
        ("half-width=0.1", {"correlation": 0.5}),
        ("certify", {"accuracy": 0.85}),
    ],
)
def test_what_belongs_to_another_kind_is_refused(text, beside):
    with pytest.raises(OptionError, match=f"with target {text}; .*leave it out, or write power"):
        Target.parse(text, **beside)
