"""The numbers that the how-to page shows, computed again from the published results."""

from pathlib import Path

import pytest

import lcstats as lc

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "compare-two-models.md"


@pytest.fixture(scope="module")
def page():
    return PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("task", "gate"), [("kv_retrieval", "regression"), ("passkey", "noninferiority")]
)
@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_two_language_models_on_infinitebench(real_data, page, task, gate):
    folder = real_data / "infinitebench" / "results"
    old, new = (lc.read_trials(folder / m / f"preds_{task}.jsonl") for m in ("claude2", "kimi"))
    answer = lc.compare(old, new, gate=gate)
    assert f"{answer.sentence()}\n{answer.gate.sentence()}\n" in page


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_two_lengths_of_one_language_model_on_babilong(real_data, page):
    folder = real_data / "babilong" / "google" / "gemini-3-flash-preview"
    trials = lc.read_trials(sorted(folder.glob("qa1_*.csv"))).select(task="qa1")

    def at(length):
        rows = trials.frame[trials.frame["length"] == length]
        return lc.Trials(rows.assign(length=1, model=f"at {length}").reset_index(drop=True))

    for short, long in ((4096, 32768), (65536, 131072)):
        pairs = at(short).frame.merge(at(long).frame, on="case")
        assert (pairs["cluster_x"] == pairs["cluster_y"]).all()
        assert f"{lc.compare(at(short), at(long)).sentence()}\n" in page


def test_the_reported_case(cases_dir, page):
    trials = lc.read_trials(cases_dir / "40-paired-models" / "in.csv")
    assert lc.compare(trials.select(model="A"), trials.select(model="B")).sentence() in page
