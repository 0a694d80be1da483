"""Effective lengths of sweeps that people published, as their files must give them."""

import numpy as np
import pytest

from lcstats.cells import Cells, count_cells
from lcstats.lengths import Criterion, EffectiveLength, effective_length
from lcstats.readers import read_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

MEAN, WORST, POOLED = (
    Criterion("0.85", depth_treatment=treatment) for treatment in ("mean", "worst", "pooled")
)


@pytest.fixture(scope="module")
def claude(real_data):
    return read_trials(real_data / "kamradt_v1" / "claude_2_1", score_threshold=7)


def gpt4(real_data, mark: int, name: str = "") -> Cells:
    path = real_data / "kamradt_v1" / "gpt4_128k" / name
    return count_cells(read_trials(path, score_threshold=mark))


def masses(answer: EffectiveLength, kind: str) -> dict[int, float]:
    shares = answer.observed.masses[kind]
    assert np.isclose(shares.sum(), 1.0)
    return {int(n): round(share, 4) for n, share in zip(answer.lengths, shares[1:], strict=True)}


@pytest.mark.parametrize(("mark", "right"), [(7, 831), (10, 819)])
@pytest.mark.parametrize("threshold", ["0.85", "0.90"])
def test_claude_2_1(real_data, mark, right, threshold):
    trials = read_trials(real_data / "kamradt_v1" / "claude_2_1", score_threshold=mark)
    assert (len(trials.frame), trials.frame["score"].sum()) == (1376, right)
    cells = count_cells(trials)
    assert (cells.grid.lengths.size, cells.grid.depths.size) == (35, 35)
    for treatment, length in (("mean", 18559), ("worst", 1000)):
        answer = effective_length(cells, Criterion(threshold, depth_treatment=treatment))
        assert answer.observed.length == length


def test_claude_2_1_passes_again_after_its_first_failure(claude):
    observed = effective_length(count_cells(claude), MEAN).observed
    assert (observed.length, observed.longest_passing) == (18559, 59529)


def test_the_mean_of_depths_is_not_the_pooled_accuracy_where_depths_were_doubled(claude):
    cells = count_cells(claude, repeats="independent")
    at = int(np.flatnonzero(cells.grid.lengths == 24412)[0])
    means = [effective_length(cells, criterion).accuracy[at] for criterion in (POOLED, MEAN)]
    assert np.round(means, 6).tolist() == [0.782609, 0.771429]


def test_jeffreys_masses_of_claude_2_1_folded(claude):
    cells = count_cells(claude)
    assert (cells.grid.n_trials.sum(), cells.grid.n_cases.sum()) == (1376, 1225)
    shares = masses(effective_length(cells, MEAN), "jeffreys")
    assert [shares[n] for n in (1000, 18559, 24412)] == [0.1403, 0.7711, 0.0867]


def test_jeffreys_masses_of_claude_2_1_with_every_file_a_trial(claude):
    """The published .0579 .8439 .0981 pool the depths; a mean has fewer effective cases."""
    cells = count_cells(claude, repeats="independent")
    pooled, mean = (masses(effective_length(cells, c), "jeffreys") for c in (POOLED, MEAN))
    assert [pooled[n] for n in (1000, 18559, 24412)] == [0.0579, 0.8439, 0.0981]
    assert [mean[n] for n in (1000, 18559, 24412)] == [0.0579, 0.8632, 0.0788]


@pytest.mark.parametrize(
    ("mark", "right", "threshold", "length"),
    [(7, 295, "0.85", 91714), (7, 295, "0.90", 73571), (10, 294, "0.85", 73571),
     (10, 294, "0.90", 73571)],
)  # fmt: skip
def test_gpt4_128k(real_data, mark, right, threshold, length):
    cells = gpt4(real_data, mark)
    assert cells.grid.n_trials.sum() == 330
    independent = count_cells(
        read_trials(real_data / "kamradt_v1" / "gpt4_128k", score_threshold=mark),
        repeats="independent",
    )
    assert independent.grid.successes.sum() == right
    criterion = Criterion(threshold)
    assert effective_length(cells, criterion).observed.length == length
    worst = Criterion(threshold, depth_treatment="worst")
    assert effective_length(cells, worst).observed.length == 64500


def test_the_first_file_of_gpt4_holds_one_trial_a_cell_and_says_so(real_data):
    cells = gpt4(real_data, 7, "OpenAI_OriginalResults.json")
    assert (cells.grid.n_trials.sum(), cells.grid.successes.sum()) == (225, 208)
    codes = {notice.code for notice in effective_length(cells, MEAN).notices}
    assert "one-case-cells" in codes
