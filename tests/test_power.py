"""Sample sizes against other software, brute force, published numbers and their own inverses."""

import doctest
import itertools
import re
from math import ceil, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, multinomial, norm
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import (
    power_proportions_2indep,
    proportion_confint,
    samplesize_proportions_2indep_onetail,
)

from lcstats.errors import OptionError
from lcstats.power import (
    arms_for_difference,
    cases_for_half_width,
    detectable_difference,
    discordant_share,
    exact_power_of_pairs,
    largest_correlation,
    mcnemar_p_value,
    pairs_for_difference,
    power_of_arms,
    power_of_pairs,
    smallest_correlation,
    wilson_half_width,
    wilson_interval,
)

PAIRS_OF_ACCURACIES = [(0.9, 0.8), (0.95, 0.9), (0.5, 0.4), (0.85, 0.8)]
WITHIN = 0.02
"""How near to the planned power the exact power has to be."""


def margins(old_only, new_only, both):
    """Accuracies and correlation of cases with these probabilities."""
    old, new = both + old_only, both + new_only
    return old, new, (both - old * new) / sqrt(old * (1 - old) * new * (1 - new))


@pytest.mark.parametrize(("level", "n_cases"), [*itertools.product([0.8, 0.95, 0.99], [1, 7, 93])])
def test_wilson_agrees_with_statsmodels(level, n_cases):
    for accuracy in (0.0, 0.03, 0.5, 0.85, 1.0):
        lower, upper = proportion_confint(
            accuracy * n_cases, n_cases, alpha=1 - level, method="wilson"
        )
        half = wilson_half_width(accuracy, n_cases, level)
        assert half == pytest.approx((upper - lower) / 2, rel=1e-9)
        ends = wilson_interval(accuracy, n_cases, level)
        assert ends == pytest.approx((lower, upper), abs=1e-12)


@pytest.mark.parametrize(
    ("accuracy", "half_width", "expected"),
    [(0.5, 0.10, 93), (0.9, 0.10, 37), (0.5, 0.05, 381), (0.9, 0.05, 141)],
)
def test_cases_for_published_half_widths(accuracy, half_width, expected):
    assert cases_for_half_width(accuracy, half_width) == expected


@given(
    accuracy=st.floats(0, 1),
    half_width=st.floats(0.005, 0.499),
    level=st.sampled_from([0.5, 0.95, 0.999]),
)
def test_no_smaller_number_of_cases_is_narrow_enough(accuracy, half_width, level):
    n_cases = cases_for_half_width(accuracy, half_width, level=level)
    assert wilson_half_width(accuracy, n_cases, level) <= half_width * (1 + 1e-9)
    if n_cases > 1:
        assert wilson_half_width(accuracy, n_cases - 1, level) > half_width * (1 - 1e-9)


@given(accuracy=st.floats(0, 1), n_cases=st.integers(1, 500))
def test_every_further_case_makes_the_interval_narrower(accuracy, n_cases):
    wider, narrower = (wilson_half_width(accuracy, n) for n in (n_cases, n_cases + 1))
    assert narrower < wider


@pytest.mark.parametrize("accuracy", [0.5, 0.9, 0.99])
def test_the_planned_half_width_is_no_less_than_the_average_one(accuracy):
    n_cases = cases_for_half_width(accuracy, 0.1)
    counts = np.arange(n_cases + 1)
    widths = [wilson_half_width(count / n_cases, n_cases) for count in counts]
    average = binom.pmf(counts, n_cases, accuracy) @ widths
    assert 0.09 < average <= wilson_half_width(accuracy, n_cases)


def test_a_mean_of_cells_shares_the_cases_out():
    in_all = cases_for_half_width(0.85, 0.05)
    assert cases_for_half_width(0.85, 0.05, n_cells=11) == ceil(in_all / 11)


def test_wilson_is_too_wide_for_the_mean_of_cells_that_differ():
    accuracies, n_cases = np.array([0.97] * 10 + [0.3]), 20
    law = np.ones(1)
    for accuracy in accuracies:
        law = np.convolve(law, binom.pmf(np.arange(n_cases + 1), n_cases, accuracy))
    lower, upper = wilson_interval(np.arange(law.size) / (law.size - 1), law.size - 1)
    covered = (lower <= accuracies.mean()) & (accuracies.mean() <= upper)
    assert law[covered].sum() > 0.97


@pytest.mark.parametrize(
    ("pair", "pooled", "unpooled"),
    [*zip(PAIRS_OF_ACCURACIES, (199, 435, 388, 906), (197, 432, 385, 903), strict=True)],
)
def test_arms_for_published_differences(pair, pooled, unpooled):
    assert arms_for_difference(*pair) == arms_for_difference(*pair[::-1]) == pooled
    variance = sum(accuracy * (1 - accuracy) for accuracy in pair)
    reach = (norm.ppf(0.975) + norm.ppf(0.8)) / (pair[1] - pair[0])
    assert ceil(variance * reach**2) == pytest.approx(unpooled, abs=1)


@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("pair", [*PAIRS_OF_ACCURACIES, (0.2, 0.9), (1.0, 0.97)])
def test_arms_agree_with_statsmodels(pair, level, power):
    old, new = pair
    expected = samplesize_proportions_2indep_onetail(old - new, new, power, alpha=1 - level)
    n_cases = arms_for_difference(old, new, level=level, power=power)
    assert n_cases == ceil(expected)
    one_tail = power_proportions_2indep(
        abs(old - new),
        min(pair),
        n_cases,
        alpha=(1 - level) / 2,
        alternative="larger",
        return_results=False,
    )
    assert power_of_arms(old, new, n_cases, level=level) == pytest.approx(one_tail, rel=1e-9)


def enumerated_power_of_arms(old, new, n_cases):
    """Power of the pooled z test, summed over every pair of counts."""
    counts = np.arange(n_cases + 1)
    rights = counts[:, np.newaxis] + counts
    mean = rights / (2 * n_cases)
    with np.errstate(invalid="ignore", divide="ignore"):
        scores = (counts[:, np.newaxis] - counts) / np.sqrt(2 * n_cases * mean * (1 - mean))
    significant = np.abs(np.nan_to_num(scores)) >= norm.ppf(0.975)
    laws = (binom.pmf(counts, n_cases, accuracy) for accuracy in (old, new))
    return next(laws) @ significant @ next(laws)


@pytest.mark.parametrize("pair", PAIRS_OF_ACCURACIES)
def test_planned_arms_have_their_power(pair):
    n_cases = arms_for_difference(*pair)
    assert enumerated_power_of_arms(*pair, n_cases) == pytest.approx(0.8, abs=WITHIN)
    assert enumerated_power_of_arms(*pair, n_cases // 2) < 0.6


@pytest.mark.parametrize(("correlation", "expected"), [(0.0, 906), (0.3, 640), (0.5, 460)])
def test_pairs_for_published_correlations(correlation, expected):
    assert pairs_for_difference(0.85, 0.8, correlation) == pytest.approx(expected, rel=0.02)


def test_pairs_for_connors_example():
    # Discordant .45 and .05: 23 pairs, in Connor 1987 and in R's MESS (22.0 before rounding up).
    assert pairs_for_difference(*margins(0.45, 0.05, 0.3)) == 23


@given(
    old=st.floats(0.02, 0.98),
    new=st.floats(0.02, 0.98),
    place=st.floats(0, 1),
)
def test_shares_and_bounds_are_those_of_a_table_of_two_by_two(old, new, place):
    fewest, most = max(0.0, old + new - 1), min(old, new)
    both = fewest + place * (most - fewest)
    _, _, correlation = margins(old - both, new - both, both)
    assert smallest_correlation(old, new) - 1e-9 <= correlation
    assert correlation <= largest_correlation(old, new) + 1e-9
    share = discordant_share(old, new, correlation)
    assert share == pytest.approx(old + new - 2 * both, abs=1e-9)


@pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6])
def test_pairs_do_not_depend_on_which_is_which(correlation):
    n_pairs = pairs_for_difference(0.85, 0.8, correlation)
    assert pairs_for_difference(0.8, 0.85, correlation) == n_pairs
    assert pairs_for_difference(0.15, 0.2, correlation) == pytest.approx(n_pairs, abs=1)


@pytest.mark.parametrize(("old", "new"), [(0.85, 0.8), (0.8, 0.97), (1.0, 0.9), (0.0, 0.1)])
def test_the_bound_of_the_correlation_is_allowed_and_named(old, new):
    bound = largest_correlation(old, new)
    assert discordant_share(old, new, bound) == pytest.approx(abs(new - old))
    with pytest.raises(OptionError, match=rf"to {bound:.4f}: .*take the correlation of a pilot"):
        pairs_for_difference(old, new, bound + 0.01)
    with pytest.raises(OptionError, match="0 to be safe"):
        pairs_for_difference(old, new, smallest_correlation(old, new) - 0.01)


@pytest.mark.parametrize("counts", [(0, 0), (3, 3), (0, 5), (2, 9), (12, 30)])
def test_p_values_agree_with_statsmodels_and_with_sums(counts):
    old_only, new_only = counts
    exact = mcnemar([[1, old_only], [new_only, 1]], exact=True).pvalue
    assert mcnemar_p_value(*counts, test="exact") == pytest.approx(exact)
    law = binom.pmf(np.arange(sum(counts) + 1), sum(counts), 0.5)
    fewer, more = sorted(counts)
    at_most = law[:fewer].sum() + law[more + 1 :].sum()
    expected = at_most + law[fewer] if fewer != more else 1.0
    assert mcnemar_p_value(*counts) == pytest.approx(expected)


@pytest.mark.parametrize("test", ["mid-p", "exact"])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_exact_power_agrees_with_a_sum_over_all_tables(test, level):
    old_only, new_only, n_pairs = 0.4, 0.1, 14
    law = multinomial(n_pairs, [old_only, new_only, 1 - old_only - new_only])
    expected = sum(
        law.pmf([first, second, n_pairs - first - second])
        for first in range(n_pairs + 1)
        for second in range(n_pairs + 1 - first)
        if mcnemar_p_value(first, second, test=test) <= 1 - level
    )
    found = exact_power_of_pairs(
        *margins(old_only, new_only, 0.3), n_pairs=n_pairs, level=level, test=test
    )
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("discordant", "n_pairs", "level", "expected", "tolerance"),
    [
        # G*Power 3.1's example for McNemar's test, one-sided at .05: .839343.
        pytest.param((0.08, 0.32), 50, 0.90, 0.839343, 2e-5, id="G*Power"),
        # R's MESS, tests of power_mcnemar_test, one-sided at .025: .80.
        pytest.param((0.25, 0.45), 144, 0.95, 0.80, 5e-3, id="MESS"),
    ],
)
def test_exact_power_agrees_with_other_software(discordant, n_pairs, level, expected, tolerance):
    found = exact_power_of_pairs(
        *margins(*discordant, 0.2), n_pairs=n_pairs, level=level, test="exact"
    )
    assert found == pytest.approx(expected, abs=tolerance)


def test_the_exact_test_is_conservative():
    size = {
        test: exact_power_of_pairs(0.85, 0.85, 0.5, n_pairs=50, test=test)
        for test in ("mid-p", "exact")
    }
    assert size["exact"] == pytest.approx(0.014, abs=5e-4)
    assert size["exact"] < size["mid-p"] < 0.05


ENOUGH_DISCORDANT = 22
SETTINGS = [
    (old, new, correlation)
    for (old, new), correlation in itertools.product(
        [*PAIRS_OF_ACCURACIES, (0.85, 0.9), (0.97, 0.95), (0.85, 0.7)], [0.0, 0.3, 0.5, 0.7]
    )
    if correlation <= largest_correlation(old, new)
    and pairs_for_difference(old, new, correlation) * discordant_share(old, new, correlation)
    >= ENOUGH_DISCORDANT
]


@pytest.mark.parametrize(("old", "new", "correlation"), SETTINGS)
def test_planned_pairs_have_their_power_with_mid_p(old, new, correlation):
    n_pairs = pairs_for_difference(old, new, correlation)
    found = exact_power_of_pairs(old, new, correlation, n_pairs=n_pairs)
    assert found == pytest.approx(0.8, abs=WITHIN)


def test_enough_settings_are_checked():
    assert len(SETTINGS) >= 18


@pytest.mark.parametrize(("old", "new", "correlation"), SETTINGS)
def test_sizes_and_powers_are_inverse(old, new, correlation):
    n_pairs = pairs_for_difference(old, new, correlation)
    at, before = (power_of_pairs(old, new, correlation, n_pairs=n_pairs - i) for i in (0, 1))
    assert before < 0.8 <= at
    n_cases = arms_for_difference(old, new)
    assert power_of_arms(old, new, n_cases - 1) < 0.8 <= power_of_arms(old, new, n_cases)


@pytest.mark.parametrize(("old", "new", "correlation"), [*SETTINGS, (1.0, 0.9, 0.0)])
def test_the_detectable_difference_is_the_inverse_of_the_size(old, new, correlation):
    direction = "gain" if new > old else "loss"
    n_pairs = pairs_for_difference(old, new, correlation)
    found = detectable_difference(old, n_pairs, correlation=correlation, direction=direction)
    assert found == pytest.approx(abs(new - old), rel=0.02)
    assert found <= abs(new - old)
    unpaired = detectable_difference(old, arms_for_difference(old, new), direction=direction)
    assert unpaired == pytest.approx(abs(new - old), rel=0.02)


@given(
    old=st.floats(0.3, 0.99),
    correlation=st.floats(0.05, 0.95),
    direction=st.sampled_from(["loss", "gain"]),
    n_cases=st.integers(5, 3000),
)
def test_a_detectable_difference_is_the_smallest_with_the_power(
    old, correlation, direction, n_cases
):
    end = 1.0 if direction == "gain" else 0.0
    others = [new for new in np.linspace(old, end, 200)[1:] if new != old]
    possible = [new for new in others if largest_correlation(old, new) >= correlation]
    powers = {
        abs(new - old): power_of_pairs(old, new, correlation, n_pairs=n_cases) for new in possible
    }
    found = detectable_difference(old, n_cases, correlation=correlation, direction=direction)
    too_small = {difference for difference, power in powers.items() if power < 0.8}
    if found is None:
        assert too_small == powers.keys()
    else:
        assert too_small == {difference for difference in powers if difference < found}
        new = old + found if direction == "gain" else old - found
        assert power_of_pairs(old, new, correlation, n_pairs=n_cases) == pytest.approx(0.8)


def test_a_difference_that_no_accuracy_allows_is_none():
    assert detectable_difference(0.95, 20, direction="gain") is None
    assert detectable_difference(0.0, 10**6) is None
    assert detectable_difference(1.0, 10**6, correlation=0.3) is None


@pytest.mark.parametrize("old", [0.0, 1.0])
def test_accuracies_of_0_and_1_give_finite_sizes(old):
    assert cases_for_half_width(old, 0.1) == 16
    for new in (abs(old - 0.1), 1.0 - old):
        assert 1 <= arms_for_difference(old, new) < 200
        n_pairs = pairs_for_difference(old, new, 0.0)
        assert 1 <= n_pairs < 200
        assert exact_power_of_pairs(old, new, 0.0, n_pairs=2 * n_pairs) > 0.8
    assert power_of_arms(old, 1.0 - old, 2) == 1.0
    assert exact_power_of_pairs(old, old, 0.0, n_pairs=9) == 0.0


@pytest.mark.parametrize(
    ("call", "mend"),
    [
        (lambda: arms_for_difference(0.8, 0.8), "smallest difference that matters"),
        (lambda: pairs_for_difference(0.8, 0.8, 0.3), "no number of cases shows a difference of 0"),
        (lambda: power_of_pairs(0.8, 0.8, 0.3, n_pairs=9), "smallest difference that matters"),
        (lambda: arms_for_difference(0.8, 0.9, level=0.0), "level is 0.0; .*write 0.95"),
        (lambda: cases_for_half_width(0.8, 0.1, level=0), "level is 0; .*write 0.95"),
        (lambda: arms_for_difference(0.8, 0.9, power=1.0), "power is 1.0; .*write 0.8"),
        (lambda: pairs_for_difference(0.8, 0.9, 0.3, power=0.01), "above 0.05, .*write 0.8"),
        (lambda: detectable_difference(0.8, 100, power=1.0), "power is 1.0; .*write 0.8"),
        (lambda: detectable_difference(0.8, 100, correlation=-0.1), "two independent arms"),
        (lambda: detectable_difference(0.8, 100, direction="up"), "pass direction='loss'"),
        (lambda: arms_for_difference(85, 0.8), "old is 85; .*85 percent as 0.85"),
        (lambda: arms_for_difference(0.85, float("nan")), "new is nan; .*85 percent as 0.85"),
        (lambda: wilson_half_width(0.5, 0), "n_cases is 0; .*n_cases=1"),
        (lambda: cases_for_half_width(0.5, 0.0), "half_width is 0.0; .*half_width=0.1"),
        (lambda: cases_for_half_width(0.5, 0.5), "says nothing; pass half_width=0.1"),
        (lambda: cases_for_half_width(0.5, 0.1, n_cells=0), "n_cells is 0; .*n_cells=1"),
        (lambda: mcnemar_p_value(1, 2, test="chi2"), "expected one of mid-p, exact"),
    ],
)
def test_what_cannot_be_planned_is_refused(call, mend):
    with pytest.raises(OptionError, match=mend):
        call()


def test_the_page_of_formulas_says_what_the_functions_return():
    page = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "planning-formulas.md"
    blocks = re.findall(r"^```pycon\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, None, None)
    assert len(session.examples) > 15
    report = []
    assert doctest.DocTestRunner().run(session, out=report.append).failed == 0, "".join(report)
