"""The study on several needles on a small scale: truths, resuming, and the page."""

import pytest

from sims import needles
from sims.csv_rows import read_csv
from sims.needles_page import make_page

SMALL = {
    "N_TESTS": 4,
    "N_INTERVALS": 4,
    "N_RATIOS": 3,
    "N_BOOTSTRAPS": 3,
    "N_FITS": 3,
    "N_RECOVERIES": 2,
    "N_DRAWS": 20,
}


@pytest.fixture(scope="module")
def small():
    patch = pytest.MonkeyPatch()
    for name, value in SMALL.items():
        patch.setattr(needles, name, value)
    yield
    patch.undo()


@pytest.fixture(scope="module")
def rows(small, tmp_path_factory):
    out = tmp_path_factory.mktemp("study") / "needles.csv"
    found = needles.run_study(needles.QUESTIONS, 1, out)
    assert read_csv(needles.Row, out) == found
    return found


def test_every_question_is_answered(rows):
    asked = {(q.subject, q.what, q.n_trials, q.shared_sd) for q in needles.QUESTIONS}
    assert {(r.subject, r.what, r.n_trials, r.shared_sd) for r in rows} == asked


def test_an_answered_question_is_not_asked_again(rows, small, tmp_path, monkeypatch):
    out = tmp_path / "needles.csv"
    question = needles.QUESTIONS[0]
    first = needles.run_study([question], 1, out)
    monkeypatch.setattr(needles, "answer", lambda *_: pytest.fail("asked again"))
    assert needles.run_study([question], 1, out) == first


def test_independent_needles_have_a_ratio_of_one():
    question = needles.Question("ratio", "needles", 5)
    assert list(needles.true_ratios(question).values()) == pytest.approx([1] * 5)
    assert needles.true_correlation(question) == pytest.approx(0, abs=1e-12)


def test_the_page_holds_the_rows(rows):
    page = make_page(rows, "needles.csv")
    row = next(r for r in rows if r.subject == "recovery")
    assert f"| {row.what} | {row.rate:.3f} ({row.error:.3f}) |" in page
