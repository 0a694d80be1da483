"""Scores: right and wrong in many spellings, grades, and judges' scales, all to [0, 1]."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice, OptionError, describe
from lcstats.options import ScoreScale
from lcstats.trials.faults import Faults
from lcstats.trials.values import Groups, Kind, Parsed, largest_by_group, parse_column
from lcstats.trials.wording import DECIMAL_COMMA, counted, flag

SCORE_WORDS = {
    **dict.fromkeys(("c", "correct", "true", "yes", "y", "right", "pass", "passed"), 1.0),
    **dict.fromkeys(("i", "incorrect", "false", "no", "n", "wrong", "fail", "failed"), 0.0),
    **dict.fromkeys(("p", "partial"), 0.5),
}
"""Letters and words that are scores; C, I, P and N as Inspect grades them (N: no answer)."""

_RANGES: dict[ScoreScale, tuple[float, float]] = {
    "0-1": (0.0, 1.0),
    "0-100": (0.0, 100.0),
    "1-10": (1.0, 10.0),
    "0-10": (0.0, 10.0),
}
LEAST_GRADE = 0.01
"""A largest score up to here may be on any scale, or no score at all."""

_RIGHT_FROM: dict[ScoreScale, str] = {"1-10": "7", "0-100": "70"}
"""Scores that are often counted as right, to be named as examples."""


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Scores in [0, 1].

    Attributes
    ----------
    values : float64 array, shape (n_rows,)
        The scores; NaN where a trial is unscored.
    scale : {"0-1", "0-100", "1-10"} or None
        The scale they were read in; None where a threshold made it irrelevant.
    notices : tuple of Notice
        What was inferred about the scale.
    """

    values: NDArray[np.float64]
    scale: ScoreScale | None
    notices: tuple[Notice, ...]


def parse_scores(column: pd.Series) -> Parsed:
    """Parse a column of scores in its own scale; words give their score in [0, 1].

    Examples
    --------
    >>> parse_scores(pd.Series(["C", "false", "7", "nan"])).values.tolist()
    [1.0, 0.0, 7.0, nan]
    """
    return parse_column(column, lambda text: SCORE_WORDS.get(text.lower()))


def read_scores(
    parsed: Parsed,
    column: pd.Series,
    *,
    scale: ScoreScale | None = None,
    threshold: float | None = None,
    groups: Groups | None = None,
    name: str = "score",
    faults: Faults,
) -> Scores:
    """Turn parsed scores into scores in [0, 1].

    Parameters
    ----------
    parsed : Parsed
        The scores in the table's own scale; rows that are not to count are missing.
    column : Series, shape (n_rows,)
        The scores as the table has them, for messages.
    scale : {"0-1", "0-100", "1-10"}, optional
        Their declared scale. A judge's s of 1 to 10 becomes (s - 1)/9. Undeclared, 0-1 is
        taken where the largest is 0 or in (.01, 1]; 0-100 where it is in (10, 100]; 1-10 where all
        are whole numbers from 1 to 10 and 10 is among them.
    threshold : float, optional
        In the table's own scale: scores at or above it are right.
    groups : callable, optional
        Gives the number of each row's language model and task, which share a scale.
    name : str
        The column's own name, for messages.
    faults : Faults
        Gets every score that is unreadable or off its scale, and an unclear scale.

    Returns
    -------
    Scores

    Raises
    ------
    OptionError
        If the threshold is not on the scale.

    Examples
    --------
    >>> from lcstats.trials.origin import Origin
    >>> column = pd.Series([10, 7, 1])
    >>> scores = read_scores(
    ...     parse_scores(column), column, threshold=7, faults=Faults(Origin.of_frame(3))
    ... )
    >>> scores.values.tolist()
    [1.0, 1.0, 0.0]
    """
    faults.add(
        parsed.is_kind(Kind.BAD),
        name,
        column,
        (
            "expected a number, true or false, or one of C, I, P, N, yes, no",
            "mend the value (85% is 0.85), or leave it empty if the trial was not scored; "
            f"{DECIMAL_COMMA}",
        ),
    )
    numbers = parsed.is_kind(Kind.NUMBER)
    if threshold is not None:
        _check_threshold(threshold, scale)
        _refuse_off_scale(parsed, scale, column, name, faults)
        return Scores(
            _apply_threshold(parsed, threshold), scale, _threshold_notices(parsed, threshold)
        )
    notices: tuple[Notice, ...] = ()
    if scale is None:
        scale = _infer_scale(parsed, groups, name, faults)
        notices = _scale_notices(parsed, scale)
    _refuse_off_scale(parsed, scale, column, name, faults)
    return Scores(np.where(numbers, _rescale(parsed.values, scale), parsed.values), scale, notices)


def _check_threshold(threshold: float, scale: ScoreScale | None) -> None:
    if scale is None or threshold <= _RANGES[scale][1]:
        return
    raise OptionError(
        describe(
            f"score_threshold is {threshold:g} and the scores are on the scale {scale}",
            f"expected a threshold of at most {_RANGES[scale][1]:g}",
            "pass the threshold in the scale of the file, or declare another scale with "
            "score_scale (--score-scale)",
        )
    )


def _apply_threshold(parsed: Parsed, threshold: float) -> NDArray[np.float64]:
    bar = np.where(parsed.is_kind(Kind.WORD), min(threshold, 1.0), threshold)
    right = (parsed.values >= bar).astype(np.float64)
    return np.where(np.isnan(parsed.values), np.nan, right)


def _rescale(values: NDArray[np.float64], scale: ScoreScale | None) -> NDArray[np.float64]:
    low, high = _RANGES[scale or "0-1"]
    return values if (low, high) == (0.0, 1.0) else (values - low) / (high - low)


def _infer_scale(parsed: Parsed, groups: Groups | None, name: str, faults: Faults) -> ScoreScale:
    numbers = parsed.is_kind(Kind.NUMBER)
    seen = parsed.values[numbers]
    largest = seen.max(initial=0)
    if largest > 1:
        return _scale_above_one(parsed, groups, name, faults)
    if 0 < largest <= LEAST_GRADE:
        faults.add_table(
            f"{name} holds no score above {largest:g}",
            "expected scores that tell their scale: these would all be nearly wrong",
            f"pass {flag('score_scale', '0-1')} if a right answer is 1, another scale if it is "
            "more, or name another column with --map score=THEIRS",
        )
    return "0-1"


def _scale_above_one(
    parsed: Parsed, groups: Groups | None, name: str, faults: Faults
) -> ScoreScale:
    numbers = parsed.is_kind(Kind.NUMBER)
    seen = parsed.values[numbers]
    whole = bool((seen == np.floor(seen)).all())
    fits_judge = whole and seen.min() >= 1 and seen.max() == 10
    fits_percent = 10 < seen.max() <= 100 and not ((seen > 0) & (seen < 1)).any()
    beside = faults.origin.files_without(numbers & (parsed.values > 1), where=numbers)
    if groups is not None and fits_percent and not fits_judge and not beside:
        n_small = _count_of_small_groups(seen, groups()[numbers])
        beside = (f"{counted(n_small, 'group')} of language model and task",) * (n_small > 0)
    if (fits_judge or fits_percent) and not beside:
        return "1-10" if fits_judge else "0-100"
    faults.add_table(
        f"{name} runs from {seen.min():g} to {seen.max():g}"
        + (f", but only to 1 in {beside[0]}" if beside else ""),
        "expected a scale that leaves no doubt",
        _scale_mend("1-10" if seen.max() <= 10 else "0-100"),
    )
    return "0-100"


def _count_of_small_groups(seen: NDArray[np.float64], groups: NDArray[np.int64]) -> int:
    """Count groups that reach 1 and go no further, beside others up to 100; 0 fits any scale."""
    largest = largest_by_group(seen, groups)
    return int(((largest > 0) & (largest <= 1)).sum())


def _refuse_off_scale(
    parsed: Parsed, scale: ScoreScale | None, column: pd.Series, name: str, faults: Faults
) -> None:
    low, high = _RANGES[scale] if scale else (0.0, np.inf)
    with np.errstate(invalid="ignore"):
        outside = parsed.is_kind(Kind.NUMBER) & ((parsed.values < low) | (parsed.values > high))
    faults.add(
        outside,
        name,
        column,
        (
            f"expected a score from {low:g} to {high:g}" if scale else "expected a score above 0",
            "mend the value, leave it empty if the trial was not scored, "
            "or declare another scale with score_scale (--score-scale)",
        ),
    )


def _scale_mend(example: ScoreScale) -> str:
    """Say how to declare a scale, by the example of one."""
    bar = _RIGHT_FROM[example]
    return (
        f"pass score_scale={example!r} (--score-scale {'|'.join(_RANGES)}) to keep grades, or, for "
        f"scores of single trials, score_threshold={bar} (--score-threshold {bar}) to count {bar} "
        "and more as right"
    )


def _scale_notices(parsed: Parsed, scale: ScoreScale) -> tuple[Notice, ...]:
    seen = parsed.values[parsed.is_kind(Kind.NUMBER)]
    if scale != "0-1":
        formula = "(s - 1)/9" if scale == "1-10" else "s/100"
        return (
            Notice(
                "score-scale",
                f"scores run from {seen.min():g} to {seen.max():g} and were read on the scale "
                f"{scale}, as {formula}; {_scale_mend(scale)}",
            ),
        )
    if seen.size and seen.min() == 1:
        return (
            Notice(
                "score-scale-unclear",
                "every score is 1: taken as right on a 0-1 scale, and it would be the lowest "
                f"mark of a 1-10 judge; {_scale_mend('1-10')}",
            ),
        )
    return ()


def _threshold_notices(parsed: Parsed, threshold: float) -> tuple[Notice, ...]:
    seen = parsed.values[parsed.is_kind(Kind.NUMBER)]
    if seen.size and 0 < threshold <= 1 < seen.max():
        return (
            Notice(
                "threshold-below-scale",
                f"the threshold is {threshold:g} and scores run to {seen.max():g}: every score of "
                "1 and more counts as right; pass the threshold in the scale of the file",
            ),
        )
    if not seen.size or seen.max() >= threshold:
        return ()
    return (
        Notice(
            "threshold-above-scores",
            f"no score reaches the threshold {threshold:g}: the largest is {seen.max():g}",
        ),
    )
