"""What a comparison carries of lengths: shifts and curves where a criterion asks for them."""

import doctest
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from lcstats.comparison import Comparison, compare
from lcstats.comparison.across_lengths import notices_across
from lcstats.curve import Curve
from lcstats.errors import OptionError, SmallSampleWarning
from lcstats.lengths import Criterion
from lcstats.trials import Trials
from tests.comparison.paired import drawn_pairs

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


def trials(*, n_cases=5, tasks=("kv",)):
    pairs = drawn_pairs(Curve(4.2, 0.3, 1.9, 0.6), Curve(3.0, 0.3, 1.9, 0.6), n_cases=n_cases)
    table = pd.DataFrame({"length": pairs.length, "depth": pairs.depth, "case": pairs.case})
    sides = []
    for name in ("old", "new"):
        own = table.assign(model=name, score=getattr(pairs, name))
        sides.append(Trials.from_frame(pd.concat([own.assign(task=task) for task in tasks])))
    return sides


def test_without_a_criterion_there_is_nothing_of_lengths():
    group = compare(*trials()).group
    assert (dict(group.effective_length_shift), dict(group.curve_tests)) == ({}, {})


def test_every_task_has_its_shifts_and_they_come_back():
    answer = compare(*trials(tasks=("kv", "hop")), criterion=Criterion(0.85))
    for group in answer.groups:
        assert list(group.effective_length_shift) == ["observed", "curve", "flexible"]
        assert {shift.task for shift in group.effective_length_shift.values()} == {group.task}
        assert group.curve_tests["curve"].p_value < 0.05
    document = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert Comparison.from_dict(document).to_dict() == answer.to_dict()


def test_what_there_is_to_know_is_said_once_with_its_task():
    with pytest.warns(SmallSampleWarning, match="kv: masses of the shift resample cells"):
        answer = compare(*trials(), criterion=Criterion(0.85))
    codes = [notice.code for notice in answer.notices]
    assert codes.count("few-cases-resampled") == 1
    assert set(notices_across(answer.group)) <= set(answer.notices)


def test_a_single_length_and_unpaired_samples_are_left_as_they_are():
    old, new = trials()
    at_one = [Trials.from_frame(t.frame[t.frame["length"] == 65536]) for t in (old, new)]
    assert not compare(*at_one, criterion=Criterion(0.85)).group.effective_length_shift
    nameless = [Trials.from_frame(t.frame.drop(columns=["case", "repeat"])) for t in (old, new)]
    answer = compare(*nameless, criterion=Criterion(0.85))
    assert not answer.group.is_paired
    assert not answer.group.effective_length_shift


def test_a_criterion_has_to_be_one():
    with pytest.raises(OptionError, match=r"write Criterion\(0\.85\), say"):
        compare(*trials(), criterion=0.85)


def test_the_page_says_what_the_functions_return():
    page = Path(__file__).resolve().parents[2] / "docs/explanation/comparing-lengths-and-curves.md"
    blocks = re.findall(r"^```pycon\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, None, None)
    assert len(session.examples) > 8
    report = []
    assert doctest.DocTestRunner().run(session, out=report.append).failed == 0, "".join(report)
