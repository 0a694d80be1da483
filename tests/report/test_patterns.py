"""Each pattern is found where it is, rarely where it is not, and says what it rests on."""

from functools import cache

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.lengths import Criterion, effective_length
from lcstats.report.patterns import (
    CEILING,
    MEANINGS,
    NAMES,
    Pattern,
    conclude,
    find_patterns,
    list_shown,
    patterns_document,
)
from lcstats.truths import get_truth, simulate_cells

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0.0, 1.0, 11)
MANY = 400
N_SIMULATIONS = 120


def cells_of(successes, n_cases=40, lengths=None, depths=(0.0, 0.5, 1.0)) -> Cells:
    successes = np.asarray(successes)
    lengths = 4096 * 2 ** np.arange(len(successes)) if lengths is None else lengths
    return Cells.from_counts(lengths, depths, n_cases=n_cases, successes=successes)


def look(cells, threshold=0.85, **options) -> dict[str, Pattern]:
    answer = effective_length(cells, Criterion(threshold), sets=("jeffreys",), masses=())
    return {p.code: p for p in find_patterns(cells.grid, answer, **options)}


def shown(cells, **options) -> set[str]:
    return {code for code, pattern in look(cells, **options).items() if pattern.is_shown}


def sure_cells(truth) -> Cells:
    """Counts that are the truth's accuracies, of many cases."""
    accuracy = get_truth(truth).accuracy(LENGTHS, DEPTHS)
    return Cells.from_counts(
        LENGTHS, DEPTHS, n_cases=MANY, successes=np.rint(MANY * accuracy).astype(int)
    )


@pytest.mark.parametrize(
    ("truth", "found"),
    [
        ("single-needle", {"rightward_fade", "middle_dip"}),
        ("cliff", {"rightward_fade", "cliff", "ceiling"}),
        ("plateau", {"rightward_fade", "cliff", "ceiling"}),
        ("recency-cliff", {"rightward_fade", "cliff", "recency_cliff", "ceiling"}),
        ("rises-again", {"rightward_fade", "middle_dip", "not_monotone", "ceiling"}),
        ("ceiling", {"rightward_fade", "middle_dip", "ceiling"}),
        ("all-99", {"all_green"}),
    ],
)
def test_with_many_cases_the_patterns_are_those_of_the_truth(truth, found):
    assert shown(sure_cells(truth)) == found


@cache
def share_shown(truth, n_cases: int) -> dict[str, float]:
    """How often each pattern is shown in tables drawn from a truth."""
    rng = np.random.default_rng(12)
    answer = effective_length(sure_cells("all-99"), Criterion(0.5), sets=("jeffreys",), masses=())
    counts = dict.fromkeys(NAMES, 0)
    for _ in range(N_SIMULATIONS):
        if isinstance(truth, str):
            cells = simulate_cells(truth, LENGTHS, DEPTHS, n_cases=n_cases, rng=rng)
        else:
            flat = rng.binomial(n_cases, truth, (LENGTHS.size, DEPTHS.size))
            cells = Cells.from_counts(LENGTHS, DEPTHS, n_cases=n_cases, successes=flat)
        for pattern in find_patterns(cells.grid, answer):
            counts[pattern.code] += pattern.is_shown
    return {code: count / N_SIMULATIONS for code, count in counts.items()}


ABSENT = [
    (0.7, ("rightward_fade", "middle_dip", "cliff", "recency_cliff", "not_monotone")),
    ("all-99", ("rightward_fade", "middle_dip", "cliff", "recency_cliff", "ceiling",
                "not_monotone")),
    ("single-needle", ("cliff", "recency_cliff", "ceiling", "not_monotone")),
    ("plateau", ("middle_dip", "recency_cliff", "not_monotone")),
]  # fmt: skip


@pytest.mark.parametrize("n_cases", [5, 20])
@pytest.mark.parametrize(("truth", "absent"), ABSENT, ids=[str(truth) for truth, _ in ABSENT])
def test_false_alarms_stay_within_the_level(truth, absent, n_cases):
    """Any of the absent patterns: at most .05, within three Monte Carlo errors."""
    shares = share_shown(truth, n_cases)
    error = np.sqrt(0.05 * 0.95 / N_SIMULATIONS)
    assert sum(shares[code] for code in absent) <= 0.05 + 3 * error


@pytest.mark.parametrize(
    ("truth", "code", "least"),
    [
        ("single-needle", "rightward_fade", 0.95),
        ("single-needle", "middle_dip", 0.6),
        ("cliff", "cliff", 0.5),
        ("recency-cliff", "recency_cliff", 0.95),
        ("rises-again", "not_monotone", 0.9),
        ("ceiling", "ceiling", 0.75),
    ],
)
def test_with_twenty_cases_per_cell_a_pattern_is_mostly_found(truth, code, least):
    assert share_shown(truth, 20)[code] >= least


def test_holm_s_correction_takes_what_was_tested():
    found = look(cells_of([[40, 40, 40], [39, 38, 39], [14, 12, 13]]))
    p_values = sorted(p.p_value for p in found.values() if p.p_value is not None)
    by_hand, largest = [], 0.0
    for rank, p_value in enumerate(p_values):
        largest = max(largest, p_value * (len(p_values) - rank))
        by_hand.append(min(largest, 1.0))
    corrected = sorted(p.holm_p for p in found.values() if p.holm_p is not None)
    assert corrected == pytest.approx(by_hand)
    assert len(p_values) == len(NAMES) - 1


def test_the_evidence_names_the_place():
    found = look(cells_of([[40, 40, 40], [39, 38, 39], [14, 12, 13]]))
    assert "from 8192 to 16384, where accuracy falls by 0.64" in found["cliff"].evidence
    assert found["cliff"].effect == pytest.approx(116 / 120 - 39 / 120)
    assert found["cliff"].lower < found["cliff"].effect < found["cliff"].upper
    rising = look(cells_of([[20, 20, 20], [39, 38, 39]]))["not_monotone"]
    assert "from 4096 to 8192, where accuracy rises by 0.47" in rising.evidence


def test_a_long_step_is_no_cliff():
    found = look(cells_of([[40, 40, 40], [2, 3, 2]], lengths=[4096, 65536]))["cliff"]
    assert (found.strength, found.p_value) == ("not testable", None)
    assert "at most a doubling apart" in found.evidence


@pytest.mark.parametrize("depths", [(0.5,), (np.nan,)], ids=["one", "none"])
def test_without_depths_nothing_is_said_of_them(depths):
    found = look(cells_of([[40], [30], [10]], depths=depths))
    assert {c for c, p in found.items() if p.strength == "not testable"} == {
        "middle_dip",
        "recency_cliff",
    }
    assert found["rightward_fade"].is_shown


def test_one_length_has_no_pattern_over_length():
    found = look(cells_of([[39, 38, 39]]))
    for code in ("rightward_fade", "cliff", "not_monotone"):
        assert found[code].strength == "not testable"
    assert found["all_green"].is_shown


def test_one_miss_in_nine_is_no_pattern():
    """One call per cell and one red cell: no dead zone."""
    cells = cells_of([[1, 1, 1], [1, 1, 0], [1, 1, 1]], n_cases=1)
    assert shown(cells) <= {"all_green"}


def test_all_green_says_whether_the_set_leaves_it_open():
    sure, open_ = look(cells_of([[40] * 3] * 3)), look(cells_of([[5] * 3] * 3, n_cases=5))
    assert sure["all_green"].strength == "clear"
    assert "Longer ones are needed to bound the length" in sure["all_green"].evidence
    assert open_["all_green"].is_shown
    assert not look(cells_of([[40] * 3, [30] * 3]))["all_green"].is_shown


def test_passing_everywhere_while_fading_is_not_all_green():
    found = look(cells_of([[100, 100, 100], [97, 96, 97], [91, 89, 90]], n_cases=100))
    assert found["rightward_fade"].is_shown
    assert not found["all_green"].is_shown
    assert "still, there is a rightward fade" in found["all_green"].evidence


def test_a_higher_level_shows_less():
    cells = cells_of([[40, 40, 40], [39, 39, 39], [36, 36, 37]])
    weak = look(cells)["rightward_fade"]
    assert weak.is_shown
    assert not look(cells, level=1 - weak.holm_p / 2)["rightward_fade"].is_shown


def test_the_best_length_bounds_the_ceiling():
    dull = look(cells_of([[36, 36, 36], [37, 36, 36]] * 2, n_cases=40))["ceiling"]
    assert dull.is_shown
    assert dull.effect == pytest.approx(109 / 120)
    bright = look(cells_of([[40, 40, 40], [30, 30, 30]]))["ceiling"]
    assert not bright.is_shown
    assert bright.p_value == 1.0
    assert dull.effect < CEILING < bright.effect


def test_the_conclusion_names_what_is_shown_and_says_when_nothing_is():
    green = look(cells_of([[40] * 3] * 3))
    assert conclude(list(green.values())) == "All green (clear)."
    assert conclude([]).startswith("Patterns are looked for in single tasks")
    fading = list(look(cells_of([[40, 40, 40], [39, 38, 39], [14, 12, 13]])).values())
    assert [p.code for p in list_shown(fading)] == ["rightward_fade", "cliff"]
    assert conclude(fading) == "Rightward fade (strong) and cliff (strong)."
    none = [p for p in fading if not p.is_shown]
    assert conclude(none) == "No pattern is shown; that does not say there is none."


def test_the_document_holds_every_pattern_with_its_meaning():
    patterns = tuple(look(cells_of([[40, 40, 40], [30, 29, 30]])).values())
    (group,) = patterns_document({("m", "t"): patterns}, 0.95)["groups"]
    assert [entry["code"] for entry in group["patterns"]] == list(NAMES)
    assert {entry["meaning"] for entry in group["patterns"]} == set(MEANINGS.values())
