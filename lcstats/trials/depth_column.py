"""Depths: fractions of the context, also written as percentages."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.options import DepthUnit
from lcstats.trials.columns import depth_unit_of_name
from lcstats.trials.faults import Faults
from lcstats.trials.values import (
    Groups,
    Kind,
    Parsed,
    largest_by_group,
    parse_column,
    parse_number,
)
from lcstats.trials.wording import DECIMAL_COMMA, counted, flag

N_DECIMALS = 9
"""Depths are rounded to this many decimals, so that float noise does not split a cell."""

_LARGEST_NUMBER = 10
"""Whole numbers up to this one may number the depths of a sweep."""

_POSITIONS: dict[str, str] = {
    "hundredths": "hundredths of a percent from 0 to 10000",
    "tokens": "a number of tokens from 0 to the length",
    "index0": "a document's place in the list, the first being 0",
    "index1": "a document's place in the list, the first being 1",
}
"""Units of depths that are counted, in words."""

_UNCLEAR_MEND = (
    f"pass {flag('depth_unit', 'fraction')} if 1 is the end of the context, "
    f"{flag('depth_unit', 'percent')} if 100 is"
)


@dataclass(frozen=True, slots=True, eq=False)
class Depths:
    """Depths as fractions.

    Attributes
    ----------
    values : float64 array, shape (n_rows,)
        In [0, 1]: 0 is the start of the context; NaN where a trial has no depth.
    unit : str or None
        The unit the column was read in; None where no depth other than 0 is present.
    """

    values: NDArray[np.float64]
    unit: DepthUnit | None


def read_depths(
    column: pd.Series,
    *,
    unit: DepthUnit | None = None,
    groups: Groups | None = None,
    name: str = "depth",
    faults: Faults,
) -> Depths:
    """Read a column of depths.

    Without a declared unit, the column's name (``depth_percent``) or its values decide:
    a value above 1 means percent, values strictly between 0 and 1 mean fraction. A column
    that says both, or neither (only 0 and 1; only whole numbers up to 10, which may number the
    depths), is asked about.

    Parameters
    ----------
    column : Series, shape (n_rows,)
        The depths as the table has them.
    unit : {"fraction", "percent"}, optional
        Their declared unit. Text with ``%`` is a percentage in any case.
    groups : callable, optional
        Gives the number of each row's language model and task, which share a unit.
    name : str
        The column's own name, for messages.
    faults : Faults
        Gets every depth out of range, unreadable, or of another unit than its column.

    Returns
    -------
    Depths

    Examples
    --------
    >>> from lcstats.trials.origin import Origin
    >>> faults = Faults(Origin.of_frame(3))
    >>> read_depths(pd.Series([0, 25, 100]), faults=faults).values.tolist()
    [0.0, 0.25, 1.0]
    """
    parsed = parse_column(column, parse_percentage)
    faults.add(
        parsed.is_kind(Kind.BAD),
        name,
        column,
        (
            "expected a number or a percentage",
            f"leave the cell empty if the trial has no depth; {DECIMAL_COMMA}",
        ),
    )
    plain = parsed.is_kind(Kind.NUMBER) & (parsed.values != 0)
    percentages = parsed.is_kind(Kind.WORD)
    found = unit or _infer_unit(parsed.values, plain, name, faults)
    if unit is None and percentages.any():
        found = "percent"
        _refuse_mixture(plain, column, name, "percentages", faults)
    elif unit is None and found == "percent" and depth_unit_of_name(name) is None:
        between = plain & (parsed.values > 0) & (parsed.values < 1)
        _refuse_mixture(between, column, name, "values above 1", faults)
        _refuse_unclear_files(parsed, plain, name, faults)
        if groups is not None and plain.any():
            _refuse_unclear_groups(parsed.values[plain], groups()[plain], name, faults)
    in_percent = percentages | (found == "percent")
    values: NDArray[np.float64] = np.where(in_percent, parsed.values / 100, parsed.values)
    _refuse_out_of_range(values, in_percent, column, name, faults)
    return Depths(values.round(N_DECIMALS), found)


def read_positions(
    column: pd.Series,
    *,
    unit: DepthUnit,
    room: NDArray[np.float64],
    name: str = "depth",
    faults: Faults,
) -> Depths:
    """Read depths that are counted: from the start of the context, or in a list of documents.

    Parameters
    ----------
    column : Series, shape (n_rows,)
        The positions as the table has them.
    unit : {"hundredths", "tokens", "index0", "index1"}
        Hundredths of a percent, tokens before the evidence, or the document's place in the list
        counted from 0 or from 1.
    room : float64 array, shape (n_rows,)
        Position of the end of the context, counted from 0 at its start; where it is 0, or
        missing, a trial has no depth.
    name : str
        The column's own name, for messages.
    faults : Faults
        Gets every position that is unreadable or outside the context.

    Returns
    -------
    Depths

    Examples
    --------
    >>> from lcstats.trials.origin import Origin
    >>> faults = Faults(Origin.of_frame(3))
    >>> column, room = pd.Series([1, 20, 1]), np.array([19.0, 19.0, 0.0])
    >>> read_positions(column, unit="index1", room=room, faults=faults).values.tolist()
    [0.0, 1.0, nan]
    """
    parsed = parse_column(column)
    positions = parsed.values - (1.0 if unit == "index1" else 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(room > 0, positions / room, np.nan)
        outside = (positions < 0) | (positions > room)
    faults.add(
        parsed.is_kind(Kind.BAD) | outside,
        name,
        column,
        (
            f"expected {_POSITIONS[unit]}",
            f"mend the value, or pass another unit than {flag('depth_unit', unit)}",
        ),
    )
    return Depths(values.round(N_DECIMALS), unit)


def parse_percentage(text: str) -> float | None:
    """Read a percentage such as ``25 %``.

    Examples
    --------
    >>> parse_percentage("25 %"), parse_percentage("middle")
    (25.0, None)
    """
    return parse_number(text[:-1]) if text.endswith("%") else None


def _infer_unit(
    values: NDArray[np.float64], plain: NDArray[np.bool_], name: str, faults: Faults
) -> DepthUnit | None:
    declared = depth_unit_of_name(name)
    seen = values[plain]
    if not seen.size:
        return declared
    if (seen > 1).any():
        if declared is None and _may_be_numbers(seen):
            _ask_about_numbers(seen, name, faults)
        return declared or "percent"
    if declared != "percent" and (seen < 1).any():
        return "fraction"
    if declared is None or (declared == "percent" and (seen < 1).any()):
        faults.add_table(
            f"{name} holds only values from {seen.min():g} to {seen.max():g}"
            if declared
            else f"{name} holds only 0 and 1",
            "expected depths that tell fractions from percentages",
            _UNCLEAR_MEND,
        )
    return declared


def _may_be_numbers(seen: NDArray[np.float64]) -> bool:
    """Tell whether depths may be the numbers of depths, or tenths, as well as percentages."""
    return bool((seen >= 0).all() and seen.max() <= _LARGEST_NUMBER and (seen % 1 == 0).all())


def _ask_about_numbers(seen: NDArray[np.float64], name: str, faults: Faults) -> None:
    faults.add_table(
        f"{name} holds only whole numbers up to {seen.max():g}",
        "expected depths that tell percentages from places in a list and from tenths",
        f"pass {flag('depth_unit', 'percent')} if {seen.max():g} is {seen.max():g}% of the "
        f"context, {flag('depth_unit', 'index0')} or {flag('depth_unit', 'index1')} if it is a "
        "document's place, or write fractions",
    )


def _refuse_mixture(
    wrong: NDArray[np.bool_], column: pd.Series, name: str, beside: str, faults: Faults
) -> None:
    faults.add(
        wrong,
        name,
        column,
        (f"expected one unit in a column that also holds {beside}", _UNCLEAR_MEND),
    )


def _refuse_unclear_files(
    parsed: Parsed, plain: NDArray[np.bool_], name: str, faults: Faults
) -> None:
    """Ask about a file whose depths are only 0 and 1 beside files in percent."""
    for file in faults.origin.files_without(plain & (parsed.values > 1), where=plain):
        faults.add_table(
            f"{name} holds only 0 and 1 in {file}, and larger values in other files",
            "expected depths that tell fractions from percentages",
            _UNCLEAR_MEND,
        )


def _refuse_unclear_groups(
    seen: NDArray[np.float64], groups: NDArray[np.int64], name: str, faults: Faults
) -> None:
    """Ask about a language model whose depths are only 0 and 1 beside others in percent."""
    if groups.min() == groups.max():
        return
    n_small = int((largest_by_group(seen, groups) == 1).sum())
    if n_small and (seen > 1).any():
        faults.add_table(
            f"{name} holds only 0 and 1 in {counted(n_small, 'group')} of language model and "
            "task, and larger values in others",
            "expected depths that tell fractions from percentages",
            _UNCLEAR_MEND,
        )


def _refuse_out_of_range(
    values: NDArray[np.float64],
    in_percent: NDArray[np.bool_],
    column: pd.Series,
    name: str,
    faults: Faults,
) -> None:
    with np.errstate(invalid="ignore"):
        outside = (values < 0) | (values > 1)
    faults.add(
        outside & in_percent,
        name,
        column,
        (
            "expected a percentage in [0, 100]",
            "mend the value, or leave the cell empty if the trial has no depth; if depths are "
            f"hundredths of a percent pass {flag('depth_unit', 'hundredths')}, if they are counted "
            f"in tokens {flag('depth_unit', 'tokens')}",
        ),
    )
    faults.add(
        outside & ~in_percent,
        name,
        column,
        (
            "expected a fraction in [0, 1]",
            f"if depths are percentages pass {flag('depth_unit', 'percent')}",
        ),
    )
