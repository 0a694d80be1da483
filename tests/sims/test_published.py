"""The worked example: METHOD's numbers, and a page that is made again byte for byte."""

from pathlib import Path

import pytest

from lcstats.truths import TASKS
from sims import published, published_study
from sims.published_figures import LABELS, draw_curves, draw_study

PAGE = Path(__file__).parents[2] / published.OUT
HITS = {
    "single-needle": (0.5227, 0.7531, 0.9084),
    "distractors": (0.5452, 0.7524, 0.9424),
    "four-values": (0.5287, 0.7831, 0.9746),
    "aggregate-ten": (0.5714, 0.8139, 0.9698),
    "two-hop": (0.5409, 0.7571, 0.9490),
}
LENGTHS = ["32K", "4K", "2K", "1K", "1K"]


def test_accuracies_of_the_worked_example():
    assert published.single_needle_at_longest() == pytest.approx([0.89, 0.55, 0.94, 0.71], abs=5e-3)
    found = published.four_values_at_16k()
    assert found == pytest.approx([0.83, 0.48, 0.94, 0.76, 0.62], abs=5e-3)


def test_required_rates_and_standard_errors():
    rates = [round(published.required_rate(k), 3) for k in published.NEEDLES]
    assert rates == [0.850, 0.922, 0.960, 0.984, 0.992]
    assert [round(published.standard_error(n), 3) for n in published_study.CASES] == [
        0.048,
        0.024,
        0.012,
    ]


def test_effective_lengths_by_task_and_treatment():
    assert [published_study.true_length(truth, "mean") for truth in TASKS] == LENGTHS
    single = [published_study.true_length(TASKS[0], *d) for d in published.DEFINITIONS]
    assert single == ["32K", "16K", "16K", "4K"]
    assert published_study.true_length(TASKS[-1], "mean", 0.95) == "under 1K"


@pytest.mark.parametrize("truth", TASKS, ids=lambda truth: truth.name)
@pytest.mark.parametrize("place", range(3))
def test_hits_are_exact_and_simulations_agree(truth, place):
    n_cases = published_study.CASES[place]
    exact = published_study.exact_hit(truth, n_cases)
    assert exact == pytest.approx(HITS[truth.name][place], abs=5e-5)
    shares = published_study.simulated_outcomes(truth, n_cases, seed=1)
    assert sum(shares) == pytest.approx(1)
    error = (exact * (1 - exact) / published_study.N_TABLES) ** 0.5
    assert shares[0] == pytest.approx(exact, abs=4 * error)


def test_a_little_over_half_hit_with_5_and_a_quarter_miss_by_a_doubling_with_20():
    hit, _, _ = published_study.simulated_outcomes(TASKS[0], 5, seed=1)
    assert 0.5 < hit < 0.56
    _, one_off, further = published_study.simulated_outcomes(TASKS[0], 20, seed=1)
    assert one_off == pytest.approx(0.25, abs=0.03)
    assert further < 0.005


def test_the_committed_page_is_made_again(tmp_path):
    out = tmp_path / "page.md"
    assert published.main(["--seed", "1", "--out", str(out)]) == 0
    page = out.read_text("utf-8").replace("](page-", "](published-")
    assert page == PAGE.read_text("utf-8")


def test_the_figures_show_the_study(tmp_path):
    study = published_study.run_study(seed=1)
    draw_study(study, tmp_path / "study.svg")
    drawn = (tmp_path / "study.svg").read_text("utf-8")
    assert all(truth.name in drawn for truth in TASKS)
    assert all(f">{label}</text>" in drawn for label in LABELS)
    draw_curves(tmp_path / "curves.svg")
    drawn = (tmp_path / "curves.svg").read_text("utf-8")
    assert all(f">{name}</text>" in drawn for name in ("1K", "128K", "threshold 0.85"))
