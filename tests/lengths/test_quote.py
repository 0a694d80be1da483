"""Which estimate and set to quote, and why: every case in words."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.errors import LcstatsWarning
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.lengths import Criterion, EffectiveLength, effective_length
from lcstats.lengths.answer import Estimate, FallBack, Interval
from lcstats.lengths.criterion import parse_treatment
from lcstats.lengths.quoting import quote_sentence

LENGTHS = np.array([4096, 8192, 16384, 32768])
BIASED, BELOW_FLOOR, CURVE_FAILS = (
    "worst-depth-biased", "below-certification-floor", "curve-does-not-fit",
)  # fmt: skip


def interval(kind, lower, upper, **options):
    return Interval(kind, 0.95, lower, upper, LENGTHS, is_default=True, **options)


def estimate(method, outcome, kind, lower, upper, **options):
    return Estimate(method, outcome, LENGTHS, None, {}, (interval(kind, lower, upper, **options),))


OBSERVED = estimate("observed", 3, "certified", 2, 3)
RAW_WORST = estimate(
    "observed", 1, "certified", 0, 3, floor=19,
    diagnostics={"floor_counts": "perfect cases per cell"},
)  # fmt: skip


def curve(outcome):
    return estimate("curve", outcome, "parametric_bootstrap", outcome, outcome)


def surface(outcome, lower=1, upper=3, **options):
    return estimate("flexible", outcome, "hybrid", lower, upper, **options)


def said(quoted, *beside, treatment="mean", codes=(), has_headline=True):
    return quote_sentence(
        quoted,
        beside,
        has_headline=has_headline,
        treatment=parse_treatment(treatment),
        codes=codes,
        unit="tokens",
    )


def test_the_raw_cells_are_quoted_with_the_proved_set_and_the_others_agree():
    assert said(OBSERVED, curve(3), surface(3)) == (
        "Quote the raw cells' 16384 tokens with the 95% certified set, 8192 to 16384: it is proved "
        "whatever the accuracies are, if cases are independent. The curve and the flexible surface "
        "agree."
    )
    assert said(OBSERVED, curve(3)).endswith(" The curve agrees.")


def test_a_set_that_stands_in_says_why_it_is_not_proved():
    reason = FallBack("certified", "cases share clusters")
    text = said(estimate("observed", 3, "jeffreys", 2, 3, fell_back_from=reason))
    assert text.endswith(
        "with the 95% jeffreys set, 8192 to 16384: it is built to hold the true length that often, "
        "which is not proved, because cases share clusters."
    )


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (2, "The curve says 8192, a doubling shorter, inside the set."),
        (1, "The curve says 4096, 2 doublings shorter, outside the set."),
        (4, "The curve says >=32768, at least a doubling longer, outside the set."),
        (0, "The curve says <4096, outside the set."),
    ],
)
def test_disagreement_is_said_in_doublings(outcome, words):
    assert said(OBSERVED, curve(outcome)).endswith(f"independent. {words}")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (3, "The curve says the same, but does not fit: do not quote it."),
        (2, "The curve says 8192, a doubling shorter, inside the set, but does not fit: do not"),
    ],
)
def test_a_curve_that_fails_its_test_is_not_to_be_quoted(outcome, words):
    text = said(OBSERVED, curve(outcome), surface(3), codes=[CURVE_FAILS])
    assert f"The flexible surface agrees. {words}" in text


def test_a_curve_without_a_test_is_named_so():
    codes = ["no-goodness-of-fit"]
    agrees = " The curve, whose fit is not tested, and the flexible surface agree."
    assert said(OBSERVED, curve(3), surface(3), codes=codes).endswith(agrees)
    differs = " The curve, whose fit is not tested, says 8192, a doubling shorter, inside the set."
    assert said(OBSERVED, curve(2), codes=codes).endswith(differs)


def test_worst_depth_is_the_surfaces_and_the_raw_cells_are_biased():
    text = said(surface(3), RAW_WORST, curve(3), treatment="worst", codes=[BIASED])
    assert text == (
        "Quote the flexible surface's 16384 tokens with the 95% hybrid set, 4096 to 16384: the "
        "lowest of noisy cells is biased low, so the raw cells' 4096 is not to be quoted. "
        "The curve agrees."
    )


@pytest.mark.parametrize(
    ("outcome", "treatment", "codes", "words"),
    [
        (1, "worst", [BIASED], "is biased low, though the raw cells say the same here."),
        (0, "worst", [BIASED], "the raw cells' 4096 is luck as much as measurement."),
        (3, "quantile:0.1", [BIASED], "a quantile of noisy cells is biased, so the raw"),
        (3, "window:3", [BIASED], "the lowest of noisy windows is biased low, so the raw"),
        (3, "worst", [], "at a single depth it smooths the noise of the cells; the raw cells alone "
         "say 4096."),
        (1, "worst", [], "at a single depth it smooths the noise of the cells."),
    ],
)  # fmt: skip
def test_why_the_surface_is_quoted(outcome, treatment, codes, words):
    text = said(surface(outcome, lower=0), RAW_WORST, treatment=treatment, codes=codes)
    assert words in text


def test_what_certifying_would_take_is_said_where_no_length_is():
    floor = "No length is certified to pass: that takes at least 19 perfect cases per cell."
    codes = [BIASED, BELOW_FLOOR]
    assert floor in said(surface(3), RAW_WORST, treatment="worst", codes=codes)
    assert floor not in said(surface(3), RAW_WORST, treatment="worst", codes=[BIASED])
    certified = estimate("observed", 3, "certified", 1, 3, floor=19)
    assert "certified to pass" not in said(surface(3), certified, treatment="worst", codes=codes)


def test_a_set_of_everything_rules_nothing_out():
    whole = estimate("observed", 3, "certified", 0, 4)
    assert said(whole).endswith("<4096 to >=32768: it is proved, but rules nothing out.")
    assert "; the set rules nothing out." in said(surface(3, 0, 4), RAW_WORST, codes=[BIASED])
    alone = said(whole, treatment="worst", codes=[BIASED], has_headline=False)
    assert "<4096 to >=32768 tokens, which rules nothing out, and no single length" in alone


def test_without_a_surface_the_set_alone_is_quoted():
    text = said(RAW_WORST, curve(2), treatment="worst", codes=[BIASED], has_headline=False)
    assert text == (
        "Quote the 95% certified set, <4096 to 16384 tokens, and no single length: the lowest of "
        "noisy cells is biased low, so the raw cells' 4096 is not to be quoted, and no flexible "
        "surface was fitted. The curve says 8192, inside the set."
    )


def test_a_surface_that_is_there_is_not_said_to_be_missing():
    text = said(RAW_WORST, surface(3), treatment="worst", codes=[BIASED], has_headline=False)
    assert "no flexible surface was fitted" not in text
    assert "no set that holds where cases were added by what was seen" in text
    assert "The flexible surface says" in text


def test_a_surface_without_a_hybrid_set_says_why():
    reason = FallBack("hybrid", "scores are graded")
    fallen = estimate("flexible", 3, "posterior", 2, 3, fell_back_from=reason)
    assert "; the set is no hybrid one, because scores are graded." in said(fallen, RAW_WORST)


def analysed(cells, treatment, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        return effective_length(cells, Criterion(0.85, depth_treatment=treatment), **options)


def cliff():
    right = [[38, 37, 39], [38, 38, 37], [5, 4, 6], [5, 6, 4]]
    return Cells.from_counts(LENGTHS, [0.0, 0.5, 1.0], n_cases=40, successes=right)


def test_an_answer_says_its_own_sentence_and_keeps_it_in_json():
    answer = analysed(cliff(), "mean")
    text = answer.which_to_quote()
    assert text.startswith("Quote the raw cells' 8192 tokens with the 95% certified set, 8192: ")
    assert answer.to_dict()["quote"] == text
    assert EffectiveLength.from_dict(answer.to_dict()).which_to_quote() == text


def test_one_case_per_cell_says_what_would_certify_worst_depth():
    cells = Cells.from_counts(
        LENGTHS, [0.0, 0.5, 1.0], n_cases=1, successes=[[1, 1, 1], [1, 1, 1], [0, 1, 1], [0, 0, 1]]
    )
    text = analysed(cells, "worst").which_to_quote()
    assert text.startswith("Quote the flexible surface's ")
    assert "that takes at least 19 perfect cases per cell." in text


def test_the_curve_fails_where_the_notices_say_so():
    cells = cliff()
    fit = fit_curve(cells)
    answer = analysed(cells, "mean", fit=fit)
    assert not answer.curve_fails
    notice = goodness_of_fit(fit, n_simulations=199).notice()
    warned = replace(answer, notices=(*answer.notices, notice))
    assert warned.curve_fails
    assert "does not fit: do not quote it." in warned.which_to_quote()
