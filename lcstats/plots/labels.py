"""Words in figures: lengths, depths, outcomes, sets, and names that fit their place."""

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.fit import GoodnessOfFit
from lcstats.lengths import EffectiveLength, Interval, outcome_label
from lcstats.lengths.criterion import Treatment
from lcstats.options import percent

ColumnsOf = Callable[[str], int]
LengthWriter = Callable[[int], str]

THIN_SPACE = "\u2009"
ELLIPSIS = "\u2026"
MINUS = "\u2212"
BREAKS_AFTER = re.compile(r"(?<=[ \-_/.:@])")


def length_label(length: int, unit: str = "tokens", *, grouped: bool = False) -> str:
    """Write a length as people do: ``128K`` for 131072 tokens, ``5000`` as it is.

    K is 1024 tokens. A length that is a multiple of 1000 as well (128000) is written out,
    because "125K" would be misread; so is every length that does not count tokens.

    Parameters
    ----------
    length : int
    unit : str
        Unit of the length.
    grouped : bool
        Put thin spaces between thousands from five digits on, as figures do.

    Examples
    --------
    >>> [length_label(length) for length in (4096, 5000, 131072, 128000)]
    ['4K', '5000', '128K', '128000']
    >>> length_label(4096, "documents")
    '4096'
    """
    length = int(length)
    if unit == "tokens" and length % 1024 == 0 and length % 1000:
        return f"{length // 1024}K"
    return _with_thin_spaces(length) if grouped else str(length)


def _with_thin_spaces(length: int) -> str:
    return f"{length:,}".replace(",", THIN_SPACE) if length >= 10_000 else str(length)


def length_writer(lengths: NDArray[np.int64], unit: str) -> LengthWriter:
    """Return the one way in which a figure writes all its lengths.

    With K where that does for every length from 1000 on; otherwise all are written out, so that
    ``32K`` and ``64 000`` never stand side by side.

    Parameters
    ----------
    lengths : ndarray of int64, shape (n_lengths,)
        All lengths of the figure.
    unit : str
        Unit of the lengths.

    Examples
    --------
    >>> [length_writer(np.array([4096, last]), "tokens")(4096) for last in (8192, 5000)]
    ['4K', '4096']
    """
    long = [length_label(length, unit) for length in lengths.tolist() if length >= 1000]
    in_k = all(label.endswith("K") for label in long)
    return partial(length_label, unit=unit, grouped=True) if in_k else _with_thin_spaces


def length_axis_label(unit: str) -> str:
    """Name the axis of lengths with its unit."""
    return f"Context length ({unit})"


def depth_labels(depths: NDArray[np.float64]) -> list[str]:
    """Write depths exactly where three decimals can, else to two; NaN is ``none``.

    More decimals are taken only where different depths would read alike. Pass all depths of a
    figure, not only those that get a label.

    Examples
    --------
    >>> depth_labels(np.array([0.0, 0.125, 0.5, np.nan]))
    ['0', '0.125', '0.5', 'none']
    >>> depth_labels(np.array([0.0, 1 / 7, 1.0]))
    ['0', '0.14', '1']
    """
    exact = np.all(np.isnan(depths) | np.isclose(depths, np.round(depths, 3), rtol=0, atol=1e-9))
    for decimals in range(3 if exact else 2, 10):
        labels = [_trim(depth, decimals) for depth in depths.tolist()]
        if len(set(labels)) == np.unique(depths).size:
            break
    return labels


def _trim(depth: float, decimals: int) -> str:
    if np.isnan(depth):
        return "none"
    return f"{depth:.{decimals}f}".rstrip("0").rstrip(".")


def outcome_words(outcome: int, lengths: NDArray[np.int64], write: LengthWriter) -> str:
    """Write an outcome with a figure's labels: ``<4K``, ``32K``, ``>=128K``.

    Examples
    --------
    >>> lengths = np.array([4096, 8192])
    >>> [outcome_words(i, lengths, length_writer(lengths, "tokens")) for i in range(3)]
    ['<4K', '4K', '>=8K']
    """
    sign = re.match(r"\D*", outcome_label(outcome, lengths))
    prefix = sign.group() if sign else ""
    return prefix + write(int(lengths[max(outcome - 1, 0)]))


def set_words(interval: Interval, write: LengthWriter) -> str:
    """Say a set with its level and kind: ``95% set, certified: 16K to 64K``."""
    lower, upper = (
        outcome_words(end, interval.lengths, write) for end in (interval.lower, interval.upper)
    )
    span = lower if interval.lower == interval.upper else f"{lower} to {upper}"
    extended = ", extended to its point" if interval.extended else ""
    return f"{percent(interval.level)} set, {interval.kind}: {span}{extended}"


def estimate_words(answer: EffectiveLength, write: LengthWriter) -> str:
    """Say the effective length with its method, and whether it is a headline."""
    estimate = answer.quoted
    length = outcome_words(estimate.outcome, estimate.lengths, write)
    warning = "" if answer.headline else "; quote the set"
    return f"effective length {length} ({estimate.method}{warning})"


def criterion_words(answer: EffectiveLength) -> str:
    """Say threshold, depth treatment and method."""
    method = answer.quoted.method
    return f"{answer.bar_in_words()}, {answer.depth_in_words()}, {method}"


def curve_words(goodness: GoodnessOfFit | None) -> str:
    """Name a fitted curve by what its test says, or that it has none."""
    if goodness is None:
        return "fitted curve, not tested"
    return "fitted curve" if goodness.passes else "curve that does not fit"


def verdict_words(goodness: GoodnessOfFit) -> str:
    """Say whether a curve fits, with the p-value of its test."""
    word = "nothing speaks against the curve" if goodness.passes else "the curve does not fit"
    return f"{word} (p = {goodness.p_value:.3g})"


def band_bias_words(treatment: Treatment) -> str:
    """Say to which side a band leans because its draws are noisy; empty if to none.

    Under worst depth each draw is a minimum over noisy depths, which is lower than the minimum of
    the curve itself, and so is a worst window; quantiles lean likewise, those above the median
    upwards.

    Examples
    --------
    >>> band_bias_words(Treatment("order")), band_bias_words(Treatment("mean"))
    ('biased low: worst depth of noisy draws', '')
    """
    if treatment.is_window:
        return "biased low: worst window of noisy draws"
    half = Fraction(1, 2)
    if not treatment.is_order or treatment.quantile == half:
        return ""
    what = "worst depth" if treatment.quantile == 0 else "quantile of depths"
    return f"biased {'low' if treatment.quantile < half else 'high'}: {what} of noisy draws"


def signed(number: float) -> str:
    r"""Write a number with its sign, as typeset text does: a true minus, one decimal.

    Examples
    --------
    >>> signed(2.04), signed(-3.96) == "\u22124.0"
    ('+2.0', True)
    """
    return f"{number:+.1f}".replace("-", MINUS)


def signed_share(value: float) -> str:
    r"""Write a difference of shares with its sign and a true minus.

    Examples
    --------
    >>> signed_share(0.05), signed_share(-0.1) == "\u22120.1", signed_share(1e-17)
    ('+0.05', True, '0')
    """
    rounded = round(value, 4)
    return f"{rounded:+g}".replace("-", MINUS) if rounded else "0"


def count_words(grid: CellGrid) -> str:
    """Say how many cases stand behind each cell of a grid."""
    present = grid.n_cases[grid.n_cases > 0]
    fewest, most = int(present.min()), int(present.max())
    per_cell = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    words = f"{per_cell} case{'s' if most > 1 else ''} per cell"
    n_trials = int(grid.n_trials.sum())
    if n_trials != present.sum():
        words += f" ({present.sum()} cases, {n_trials} trials)"
    return words


def unscored_words(grid: CellGrid) -> str:
    """Say how many trials have no score, also at lengths where none has; empty if none."""
    n_unscored = sum(sum(statuses.values()) for statuses in grid.unscored.values())
    if not n_unscored:
        return ""
    return f"; {n_unscored} of {int(grid.n_trials.sum()) + n_unscored} trials unscored"


def shape_words(grid: CellGrid) -> str:
    """Say that lengths were not tested at the same depths; empty if they were."""
    tested = grid.n_cases > 0
    return "" if bool(np.all(tested == tested[:1])) else "; some lengths lack depths"


def character_columns(character: str) -> int:
    """Number of columns of a character: two for East Asian wide ones, else one."""
    return 1 + (unicodedata.east_asian_width(character) in "WF")


def wrap_words(text: str, n_columns: int, *, columns_of: ColumnsOf = character_columns) -> str:
    r"""Break a sentence into lines of at most `n_columns`.

    Parameters
    ----------
    text : str
        Where it has lines already, they stay.
    n_columns : int
    columns_of : callable
        Number of columns of a character.

    Examples
    --------
    >>> wrap_words("accuracy 0.85, mean over depths", 16)
    'accuracy 0.85,\nmean over depths'
    """
    lines: list[str] = []
    for line in text.splitlines():
        lines += _fill(re.split(r"(?<= )", clean(line)), n_columns, columns_of)
    return "\n".join(lines)


def wrap_name(
    name: str, n_columns: int, *, n_lines: int = 2, columns_of: ColumnsOf = character_columns
) -> str:
    r"""Fit a name into a few lines; what is too long loses its middle.

    Parameters
    ----------
    name : str
        Breaks after blanks and after ``- _ / . : @``.
    n_columns : int
    n_lines : int
    columns_of : callable
        Number of columns of a character.

    Examples
    --------
    >>> wrap_name("organisation/some-language-model", 20)
    'organisation/some-\nlanguage-model'
    >>> wrap_name("x" * 100, 6)
    'xxxxxx\n…xxxxx'
    """
    name = clean(name)
    lines = _fill(BREAKS_AFTER.split(name), n_columns, columns_of)
    if len(lines) > n_lines:
        tail = _head(name[::-1], n_columns - 1, columns_of)[::-1]
        lines = [*_full_lines(name, n_columns, n_lines - 1, columns_of), ELLIPSIS + tail]
    return "\n".join(lines)


def clean(text: str) -> str:
    """Replace what cannot be printed, and runs of blanks, by one blank."""
    kept = (c if c.isprintable() or c == THIN_SPACE else " " for c in text)
    return " ".join(word for word in "".join(kept).split(" ") if word)


def _fill(pieces: list[str], n_columns: int, columns_of: ColumnsOf) -> list[str]:
    """Put pieces on lines; a piece longer than a line is cut."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and _columns(lines[-1] + piece.rstrip(" "), columns_of) > n_columns:
            lines.append("")
        for character in piece:
            full = _columns(lines[-1] + character, columns_of) > n_columns
            if full and lines[-1] and character != " ":
                lines.append("")
            lines[-1] += character
    return [line.strip(" ") for line in lines]


def _full_lines(name: str, n_columns: int, n_lines: int, columns_of: ColumnsOf) -> list[str]:
    lines = []
    for _ in range(n_lines):
        line = _head(name, n_columns, columns_of)
        lines.append(line.strip(" "))
        name = name[len(line) :]
    return lines


def _columns(text: str, columns_of: ColumnsOf) -> int:
    return sum(map(columns_of, text))


def _head(text: str, n_columns: int, columns_of: ColumnsOf) -> str:
    kept = ""
    for character in text:
        if _columns(kept + character, columns_of) > n_columns:
            break
        kept += character
    return kept
