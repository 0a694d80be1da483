"""An analysis of needles comes back from its dictionary, but for draws."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from lcstats.errors import FormatError
from lcstats.needles import NeedleAnalysis, analyze_needles
from lcstats.needles.wording import describe_needles, implied_rows, length_rows
from lcstats.trials import Trials
from lcstats.truths import simulate_needles
from tests.test_records import differences

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS, DEPTHS = (1024, 16384, 131072), (0.0, 0.5, 1.0)
COLUMNS = {
    "needles": [],
    "counts": ["needle_found"],
    "all_or_nothing": ["needle_found", "n_found"],
}


def analysis_of(kind, methods=("observed", "curve")):
    trials = simulate_needles(LENGTHS, DEPTHS, n_trials=12, seed=3, shared_sd=1.0)
    frame = trials.frame.drop(columns=COLUMNS[kind])
    if kind == "all_or_nothing":
        frame["score"] = (frame["score"] == 1.0).astype(float)
    return analyze_needles(Trials(frame, has_case_ids=False), methods=methods)


def through_json(analysis):
    return NeedleAnalysis.from_dict(json.loads(json.dumps(analysis.to_dict(), allow_nan=False)))


def without_draws(analysis):
    single = analysis.single
    return replace(analysis, single=replace(single, draws=single.draws[:0]))


@pytest.mark.parametrize("kind", COLUMNS)
def test_an_analysis_comes_back(kind):
    analysis = analysis_of(kind)
    assert analysis.table.kind == kind
    again = through_json(analysis)
    assert differences(without_draws(analysis), again) == []
    assert again.to_dict() == analysis.to_dict()
    for lines in (describe_needles, length_rows):
        assert list(lines(again)) == list(lines(analysis))
    assert list(implied_rows(again.implied)) == list(implied_rows(analysis.implied))
    pd.testing.assert_frame_equal(again.to_frame(), analysis.to_frame())


def test_an_analysis_without_a_curve_and_with_a_surface_comes_back():
    analysis = analysis_of("needles", methods=("observed", "flexible"))
    assert analysis.single is None
    assert analysis.by_surface
    assert differences(analysis, through_json(analysis)) == []


def test_what_is_no_such_dictionary_is_refused_with_the_mend():
    document = analysis_of("needles", methods="observed").to_dict()
    with pytest.raises(FormatError, match="make the NeedleAnalysis again"):
        NeedleAnalysis.from_dict({k: v for k, v in document.items() if k != "counts"})
