"""Words in figures: lengths, depths, outcomes, sets, and names that fit their place."""

import re
import unicodedata
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lcstats.cells import CellGrid
from lcstats.fit import GoodnessOfFit
from lcstats.lengths import EffectiveLength, Estimate, Interval, outcome_label

ColumnsOf = Callable[[str], int]

THIN_SPACE = "\u2009"
ELLIPSIS = "\u2026"
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
    if grouped and length >= 10_000:
        return f"{length:,}".replace(",", THIN_SPACE)
    return str(length)


def length_axis_label(unit: str) -> str:
    """Name the axis of lengths with its unit."""
    return f"Context length ({unit})"


def depth_labels(depths: NDArray[np.float64]) -> list[str]:
    """Write depths with as few decimals as keep them apart; NaN is ``none``.

    Examples
    --------
    >>> depth_labels(np.array([0.0, 0.5, 1.0, np.nan]))
    ['0', '0.5', '1', 'none']
    """
    for decimals in range(1, 10):
        labels = [_trim(depth, decimals) for depth in depths.tolist()]
        if len(set(labels)) == len(labels):
            break
    return labels


def _trim(depth: float, decimals: int) -> str:
    if np.isnan(depth):
        return "none"
    return f"{depth:.{decimals}f}".rstrip("0").rstrip(".")


def outcome_words(outcome: int, lengths: NDArray[np.int64], unit: str) -> str:
    """Write an outcome with a figure's labels: ``<4K``, ``32K``, ``>=128K``.

    Examples
    --------
    >>> [outcome_words(i, np.array([4096, 8192]), "tokens") for i in range(3)]
    ['<4K', '4K', '>=8K']
    """
    sign = re.match(r"\D*", outcome_label(outcome, lengths))
    prefix = sign.group() if sign else ""
    return prefix + length_label(lengths[max(outcome - 1, 0)], unit, grouped=True)


def set_words(interval: Interval, unit: str) -> str:
    """Say a set with its level and kind: ``95% set, certified: 16K to 64K``."""
    lower, upper = (
        outcome_words(end, interval.lengths, unit) for end in (interval.lower, interval.upper)
    )
    span = lower if interval.lower == interval.upper else f"{lower} to {upper}"
    extended = ", extended to its point" if interval.extended else ""
    return f"{interval.level * 100:g}% set, {interval.kind}: {span}{extended}"


def quoted_estimate(answer: EffectiveLength) -> Estimate:
    """Return the estimate that a figure marks: the headline, or the observed one."""
    return answer.headline_estimate or answer.observed


def estimate_words(answer: EffectiveLength) -> str:
    """Say the effective length with its method, and whether it is a headline."""
    estimate = quoted_estimate(answer)
    length = outcome_words(estimate.outcome, estimate.lengths, answer.length_unit)
    warning = "" if answer.headline else "; quote the set"
    return f"effective length {length} ({estimate.method}{warning})"


def criterion_words(answer: EffectiveLength) -> str:
    """Say threshold, depth treatment and method."""
    method = quoted_estimate(answer).method
    return f"{answer.bar_in_words()}, {answer.depth_in_words()}, {method}"


def verdict_words(goodness: GoodnessOfFit) -> str:
    """Say whether a curve fits, with the p-value of its test."""
    word = "nothing speaks against it" if goodness.passes else "it does not fit"
    return f"{word} (p = {goodness.p_value:.3g})"


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
