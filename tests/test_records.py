"""Records: read-only arrays, and dictionaries that come back as what they were."""

import json
import warnings
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcstats.cells import CellGrid, Cells, count_cells
from lcstats.curve import Curve
from lcstats.draws import resample
from lcstats.errors import FormatError, LcstatsWarning, Notice
from lcstats.fit import CurveFit, fit_curve, goodness_of_fit
from lcstats.lengths import Criterion, EffectiveLength, effective_length
from lcstats.records import list_notices, notices_of
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS, DEPTHS = [4096, 8192, 16384], [0.0, 0.5, 1.0]
RECORDS = (Cells, CellGrid, Criterion, Curve, CurveFit, EffectiveLength)


def cells_of(successes, n=20, depths=DEPTHS):
    return Cells.from_counts(LENGTHS, depths, n_cases=n, successes=successes)


def trials_of(seed, n=60):
    rng = np.random.default_rng(seed)
    score = rng.choice([0, 0.5, 1, np.nan], n, p=[0.3, 0.1, 0.5, 0.1])
    frame = pd.DataFrame(
        {
            "length": rng.choice(LENGTHS, n),
            "depth": rng.choice([0.0, 0.3, np.nan], n),
            "case": [f"c{i}" for i in range(n)],
            "cluster": rng.choice(["u", "v", "w", None], n),
            "score": score,
            "status": np.where(np.isnan(score), "timeout", "ok"),
        }
    )
    return Trials.from_frame(frame)


def through_json(record):
    text = json.dumps(record.to_dict(), allow_nan=False)
    return type(record).from_dict(json.loads(text))


def differences(one, two, place=""):
    """Name what differs between two records, dtypes and signs of nothing included."""
    if isinstance(one, np.ndarray):
        is_same = one.dtype == two.dtype and np.array_equal(one, two, equal_nan=one.dtype == float)
        return [] if is_same else [place]
    if is_dataclass(one) and not isinstance(one, type):
        parts = [(f.name, getattr(one, f.name), getattr(two, f.name)) for f in fields(one)]
    elif isinstance(one, Mapping):
        parts = [(str(key), one[key], two[key]) for key in one] if one.keys() == two.keys() else []
        if one.keys() != two.keys():
            return [place]
    elif isinstance(one, tuple):
        parts = [(str(i), a, b) for i, (a, b) in enumerate(zip(one, two, strict=True))]
    else:
        both_nan = one != one and two != two
        return [] if both_nan or (type(one) is type(two) and one == two) else [place]
    return [found for name, a, b in parts for found in differences(a, b, f"{place}.{name}")]


FRACTIONS = st.fractions(Fraction(1, 1000), 1, max_denominator=10**9)


@given(
    FRACTIONS,
    st.sampled_from(["absolute", "relative", "above_chance"]),
    st.sampled_from(["mean", "worst", "pooled", "quantile:0.1", "window:3"]),
    st.fractions(0, Fraction(99, 100), max_denominator=1000),
)
def test_a_criterion_comes_back(threshold, rule, treatment, guess_rate):
    base = (4096, 8192) if rule == "relative" else ()
    criterion = Criterion(
        threshold, rule=rule, base_lengths=base, depth_treatment=treatment, guess_rate=guess_rate
    )
    assert through_json(criterion) == criterion


def test_criteria_that_say_the_same_are_the_same():
    assert Criterion(0.85) == Criterion("0.85") == Criterion(Fraction(17, 20))
    assert repr(Criterion(0.85)) == "Criterion(0.85, rule='absolute', depth_treatment='mean')"


@given(st.lists(st.floats(-50, 50), min_size=4, max_size=4), st.floats(0, 0.4), st.floats(0, 0.4))
def test_a_curve_comes_back(coefficients, guess_rate, lapse_rate):
    curve = Curve(*coefficients, guess_rate=guess_rate, lapse_rate=lapse_rate)
    assert through_json(curve) == curve


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_cells_come_back_with_their_cases(seed):
    cells = count_cells(trials_of(seed))
    assert differences(cells, through_json(cells)) == []


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=9, max_size=9), FRACTIONS, st.booleans())
def test_an_effective_length_comes_back(counts, threshold, with_fit):
    cells = cells_of(np.reshape(counts, (3, 3)))
    fit = fit_curve(cells) if with_fit else None
    for treatment in ("mean", "worst"):
        criterion = Criterion(threshold, depth_treatment=treatment)
        answer = effective_length(cells, criterion, fit=fit, sets=("certified", "jeffreys"))
        assert differences(answer, through_json(answer)) == []


def test_what_was_unscored_or_measured_comes_back():
    cells = count_cells(trials_of(3))
    answer = effective_length(cells, Criterion(Fraction(2, 3), rule="relative"))
    assert answer.unscored_by_length
    assert answer.applied_threshold.denominator > 3
    assert differences(answer, through_json(answer)) == []


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=9, max_size=9), st.sampled_from([DEPTHS, None]))
def test_a_fit_comes_back(counts, depths):
    successes = np.reshape(counts, (3, 3)) if depths else np.reshape(counts[:3], (3, 1))
    fit = fit_curve(cells_of(successes, depths=depths or [np.nan]))
    assert differences(fit, through_json(fit)) == []


def test_a_fit_with_estimated_constants_and_clusters_comes_back():
    fit = fit_curve(count_cells(trials_of(5)), lapse_rate="estimate", recency_scale="profile")
    assert fit.robust_covariance is not None
    again = through_json(fit)
    assert differences(fit, again) == []
    assert resample(again, n_draws=5).coefficients.tolist() == (
        resample(fit, n_draws=5).coefficients.tolist()
    )


@pytest.mark.parametrize("kind", RECORDS)
@pytest.mark.parametrize("document", [{"schema_version": 2}, {}, {"schema_version": 1}, [1], None])
def test_what_is_no_such_dictionary_is_refused_with_the_mend(kind, document):
    with pytest.raises(FormatError, match=rf"; expected what {kind.__name__}.to_dict.*; make the"):
        kind.from_dict(document)


def test_the_category_of_a_notice_comes_back_or_becomes_the_general_one():
    notice = Notice("code", "message", LcstatsWarning)
    assert notices_of(list_notices([notice])) == (notice,)
    other = {"code": "code", "message": "message", "category": "SomeoneElsesWarning"}
    assert notices_of([other]) == (notice,)


def arrays_in(record, place):
    """Yield every array below a record with its place."""
    if isinstance(record, np.ndarray):
        yield place, record
    elif isinstance(record, Mapping | tuple):
        items = record.items() if isinstance(record, Mapping) else enumerate(record)
        for name, item in items:
            yield from arrays_in(item, f"{place}.{name}")
    elif is_dataclass(record) and not isinstance(record, type):
        for field in fields(record):
            yield from arrays_in(getattr(record, field.name), f"{place}.{field.name}")


def test_no_array_of_a_record_can_be_written_to():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        fit = fit_curve(cells_of([[20, 19, 20], [17, 12, 18], [9, 4, 11]]))
        records = (
            count_cells(trials_of(1)),
            effective_length(Cells(grids=(fit.grid,)), Criterion(0.85), fit=fit),
            fit,
            resample(fit, n_draws=5),
            goodness_of_fit(fit, n_simulations=99),
        )
    found = [pair for record in records for pair in arrays_in(record, type(record).__name__)]
    assert len(found) > 30
    assert [place for place, array in found if array.flags.writeable] == []
    with pytest.raises(ValueError, match="read-only"):
        records[1].lengths[0] = 5


def test_what_the_caller_passed_in_stays_the_caller_s():
    lengths, depths = np.array(LENGTHS), np.array(DEPTHS)
    n_cases, successes = np.full((3, 3), 20), np.full((3, 3), 17)
    cells = Cells.from_counts(lengths, depths, n_cases=n_cases, successes=successes)
    for array in (lengths, depths, n_cases, successes):
        array[0] = 1
    assert cells.grid.lengths[0] == 4096
    assert cells.grid.depths[0] == 0.0
    assert cells.grid.n_cases[0, 0] == 20
    assert cells.grid.successes[0, 0] == 17


def test_large_arrays_are_not_copied():
    draws = resample(fit_curve(cells_of([[20, 19, 20], [17, 12, 18], [9, 4, 11]])), n_draws=5)
    again = type(draws)(**{f.name: getattr(draws, f.name) for f in fields(draws)} | {"n_failed": 0})
    assert np.shares_memory(again.accuracies, draws.accuracies)
