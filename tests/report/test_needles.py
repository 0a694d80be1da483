"""Several needles in a report: the JSON, the section, and tables that have none."""

import json

import pytest

from lcstats.lengths import Criterion
from lcstats.needles import analyze_needles
from lcstats.report import ReportSettings, write_report
from lcstats.report.documents import needles_document, to_json
from lcstats.report.needles import analyze_tasks
from lcstats.trials import Trials
from lcstats.truths import simulate_needles

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

CRITERION, SETTINGS = Criterion(0.85), ReportSettings(methods=("observed",))


@pytest.fixture(scope="module")
def trials():
    return simulate_needles([1024, 65536], [0.0, 1.0], n_trials=12, seed=1, shared_sd=1.0)


def found(trials, criterion=CRITERION, **settings):
    wanted = ReportSettings(methods=("observed",), **settings)
    return analyze_tasks(trials, criterion, level=0.95, settings=wanted)


def test_the_report_has_the_analysis_of_the_library(trials, tmp_path):
    page = write_report(trials, tmp_path / "report", criterion=CRITERION, settings=SETTINGS)
    document = json.loads(page.with_name("report.json").read_text())["needles"]
    expected = needles_document([analyze_needles(trials, CRITERION)], trials.notices)
    assert document["groups"] == json.loads(to_json(expected))["groups"]
    ratio = document["groups"][0]["dependence_ratio"]["value"]
    for text in (page.read_text(), page.with_name("report.md").read_text()):
        assert "Several needles: simulated on 4 needles, 4 per trial" in text
        assert f"Dependence ratio, all found over product of rates: {ratio:.3g}" in text
    table = page.with_name("report.md").read_text()
    assert (
        "| length | rate per needle | all found | product | ratio | trials | units |\n|---:"
        in table
    )
    assert "\n| 65536 |" in table


def test_tables_without_several_needles_have_no_analysis(trials):
    single = trials.frame.drop(columns=["needle_found", "needle_depths", "n_found"])
    single["score"] = 1.0
    for number in (1, None):
        frame = single.assign(n_needles=number).astype({"n_needles": "Int64"})
        assert found(Trials(frame)).analyses == ()
    assert found(Trials(single.drop(columns="n_needles"))).analyses == ()


def test_rules_and_averages_that_name_no_target_have_none(trials):
    assert len(found(trials).analyses) == 1
    assert found(trials, Criterion(0.85, rule="relative")).analyses == ()
    assert found(trials, average_tasks=True).analyses == ()


def test_needles_that_cannot_be_analysed_are_named(trials):
    frame = trials.frame.drop(columns=["needle_found", "n_found"]).assign(score=0.37)
    content = found(Trials(frame))
    (notice,) = content.notices
    assert content.analyses == ()
    assert "the needles of 4 needles are not analysed: a score is no share" in notice.message
