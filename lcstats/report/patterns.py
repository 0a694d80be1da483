"""Patterns in a table of accuracies, each named with its evidence and how strong that is.

A pattern is *shown* where its test speaks for it after Holm's correction over the patterns that
could be tested; what is not shown is not absent. The tests need no curve.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from lcstats.cells import CellGrid
from lcstats.comparison.verdict import correct_for_number
from lcstats.lengths import EffectiveLength
from lcstats.options import percent
from lcstats.report.contrasts import Contrast, Counted, Mask, differences, tail_at_most, trend

CLIFF = 0.2
"""A loss above this, within one doubling of length or across one depth, is a cliff."""

CEILING = 0.98
"""Accuracy that a length has to stay below for a ceiling."""

THIRD = 1.0 / 3.0
STRENGTHS = ((0.001, "strong"), (0.01, "clear"), (1.0, "weak"))
"""Largest corrected p-value to the word for the evidence of a pattern that is shown."""

NAMES: Mapping[str, str] = {
    "rightward_fade": "rightward fade",
    "middle_dip": "middle dip",
    "cliff": "cliff",
    "recency_cliff": "recency cliff",
    "ceiling": "ceiling below 1",
    "not_monotone": "not monotone",
    "all_green": "all green",
}
MEANINGS: Mapping[str, str] = {
    "rightward_fade": "accuracy falls as the context grows, at equal depth",
    "middle_dip": "the middle third of depths does worse than the first and than the last third",
    "cliff": f"accuracy falls by more than {CLIFF:g} within one doubling of length",
    "recency_cliff": f"what lies before some depth is found less often, by more than {CLIFF:g}, "
    "than what lies after it, the very start included",
    "ceiling": f"accuracy stays below {CEILING:g} at every length, the best one too",
    "not_monotone": "a longer context does better than a shorter one",
    "all_green": "every tested length passes: nothing here bounds the length",
}
"""What each pattern is, as tested."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern, looked for in one group.

    Attributes
    ----------
    code : str
        A key of :data:`NAMES`.
    is_shown : bool
    strength : str
        ``strong``, ``clear`` or ``weak`` where it is shown; ``not shown``; ``not testable``.
    evidence : str
        What was found, in words; where it cannot be tested, why.
    effect, lower, upper : float or None
        A difference of accuracies or, for a ceiling, the highest accuracy, with an interval.
    p_value, holm_p : float or None
        One-sided; the second corrected for the number of patterns tested. None where there is no
        test.
    """

    code: str
    is_shown: bool
    strength: str
    evidence: str
    effect: float | None = None
    lower: float | None = None
    upper: float | None = None
    p_value: float | None = None
    holm_p: float | None = None

    @property
    def name(self) -> str:
        """The pattern in words."""
        return NAMES[self.code]

    def to_dict(self) -> dict[str, Any]:
        """Return an entry of ``patterns`` in ``report.json``."""
        return {"name": self.name, "meaning": MEANINGS[self.code], **asdict(self)}


@dataclass(frozen=True, slots=True)
class _Finding:
    """What a test found: a contrast and words, or only words on why there is none."""

    words: str
    contrast: Contrast | None = None


_Find = Callable[[Counted], _Finding]


def find_patterns(
    grid: CellGrid, answer: EffectiveLength, *, level: float = 0.95
) -> tuple[Pattern, ...]:
    """Look for every pattern in one group.

    Parameters
    ----------
    grid : CellGrid
        Of one task, no average.
    answer : EffectiveLength
        Of the same cells; says whether every length passes.
    level : float
        Of the intervals; a pattern is shown where its corrected p-value is at most 1 - level.

    Returns
    -------
    tuple of Pattern
        In the order of :data:`NAMES`.

    Notes
    -----
    - *rightward fade*: trend over log2 of length within every depth.
    - *middle dip*: the trend from the first to the middle third of depths and that from the last to
      it, within every length; the larger of both p-values (intersection-union, Berger 1982,
      Technometrics 24:295).
    - *cliff*: differences of two lengths at most a doubling apart, at the depths both have, against
      a margin; the smallest p-value times the number of pairs.
    - *recency cliff*: from some length on, all depths before a cut, and the first of them alone,
      against those after it; the larger p-value of both, the smallest over lengths and cuts, times
      their number.
    - *ceiling*: the binomial tail of every length's successes; the largest over lengths.
    - *not monotone*: differences of all pairs of lengths; the smallest p-value times their number.

    Holm's correction takes all that were tested (Holm 1979, Scandinavian Journal of Statistics
    6:65).

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.lengths import Criterion, effective_length
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384], [0, 0.5, 1], n_cases=40,
    ...     successes=[[40, 40, 40], [39, 38, 39], [14, 12, 13]],
    ... )  # fmt: skip
    >>> answer = effective_length(cells, Criterion(0.85), sets=("jeffreys",))
    >>> [(p.name, p.strength) for p in find_patterns(cells.grid, answer) if p.is_shown]
    [('rightward fade', 'strong'), ('cliff', 'strong')]
    """
    counts = Counted.of(grid)
    found = {code: find(counts) for code, find in _FINDERS.items()}
    p_values = {code: f.contrast.p_value for code, f in found.items() if f.contrast}
    corrected = dict(zip(p_values, correct_for_number([*p_values.values()]), strict=True))
    patterns = [
        _judge(code, finding, corrected.get(code), level) for code, finding in found.items()
    ]
    losses = [p.name for p in patterns if p.is_shown and p.code in ("rightward_fade", "cliff")]
    return (*patterns, _all_green(answer, losses))


def _judge(code: str, finding: _Finding, holm_p: float | None, level: float) -> Pattern:
    contrast = finding.contrast
    if contrast is None or holm_p is None:
        return Pattern(code, False, "not testable", finding.words)
    is_shown = holm_p <= 1.0 - level
    strength = next(word for bound, word in STRENGTHS if holm_p <= bound)
    lower, upper = contrast.interval(level)
    return Pattern(
        code,
        is_shown,
        strength if is_shown else "not shown",
        finding.words,
        effect=contrast.value,
        lower=max(lower, -1.0),
        upper=min(upper, 1.0),
        p_value=contrast.p_value,
        holm_p=holm_p,
    )


def _fade(counts: Counted) -> _Finding:
    fall = trend(counts.right.T, counts.n.T, np.log2(counts.lengths.astype(np.float64)))
    if fall is None:
        return _Finding("no depth was tested at two lengths")
    first, last = (counts.mean(_row(counts, i)) for i in (0, counts.lengths.size - 1))
    return _Finding(
        f"accuracy {first:.2f} at {counts.lengths[0]} and {last:.2f} at {counts.lengths[-1]}; it "
        f"{'falls' if fall.value > 0 else 'rises'} by {abs(fall.value):.3f} per doubling at equal "
        "depth",
        fall,
    )


def _dip(counts: Counted) -> _Finding:
    depths = counts.depths
    zones = {
        "first": depths < THIRD,
        "middle": (depths >= THIRD) & (depths <= 1 - THIRD),
        "last": depths > 1 - THIRD,
    }
    is_middle = zones["middle"].astype(np.float64)
    falls = {}
    for end in ("first", "last"):
        where = zones[end] | zones["middle"]
        falls[end] = trend(counts.right[:, where], counts.n[:, where], is_middle[where])
    if falls["first"] is None or falls["last"] is None:
        return _Finding("no length was tested in all three thirds of depth")
    weaker = max((f for f in falls.values() if f), key=lambda fall: fall.p_value)
    shares = {name: counts.mean(zone & (counts.n > 0)) for name, zone in zones.items()}
    words = ", ".join(f"{share:.2f} in the {name} third" for name, share in shares.items())
    return _Finding(
        f"accuracy over all lengths {words} of depths; the middle is "
        f"{_above_or_below(-weaker.value)} the nearer end",
        weaker,
    )


def _cliff(counts: Counted) -> _Finding:
    lengths = counts.lengths
    pairs = [(i, j) for i, j in _pairs(counts) if lengths[j] <= 2 * lengths[i]]
    if not pairs:
        return _Finding("no two lengths are at most a doubling apart and share a depth")
    shorter, longer = _rows_of(counts, pairs)
    (i, j), fall = _sharpest(pairs, differences(counts, shorter, longer, CLIFF))
    return _Finding(
        f"the steepest step is from {lengths[i]} to {lengths[j]}, where accuracy "
        f"{_falls_or_rises(fall.value)}",
        fall,
    )


def _not_monotone(counts: Counted) -> _Finding:
    pairs = _pairs(counts)
    if not pairs:
        return _Finding("no two lengths share a depth")
    shorter, longer = _rows_of(counts, pairs)
    (i, j), rise = _sharpest(pairs, differences(counts, longer, shorter))
    return _Finding(
        f"the largest rise is from {counts.lengths[i]} to {counts.lengths[j]}, where accuracy "
        f"{_falls_or_rises(-rise.value)}",
        rise,
    )


def _recency_cliff(counts: Counted) -> _Finding:
    places, start, early, late = _cuts(counts)
    if not places:
        return _Finding("no length was tested at two depths, the first of all among them")
    gains = (differences(counts, late, part, CLIFF) for part in (early, start))
    weaker = [max(pair, key=lambda gain: gain.p_value) for pair in zip(*gains, strict=True)]
    (row, cut), gap = _sharpest(places, weaker)
    chosen = places.index((row, cut))
    at_start, before, after = (counts.mean(part[chosen]) for part in (start, early, late))
    first, place = (f"{depth:.3g}" for depth in counts.depths[[0, cut]])
    return _Finding(
        f"at its sharpest from {counts.lengths[row]} on: accuracy {before:.2f} before depth "
        f"{place} ({at_start:.2f} at {first}) and {after:.2f} from it on",
        gap,
    )


def _cuts(counts: Counted) -> tuple[list[tuple[int, int]], Mask, Mask, Mask]:
    """Return the places (first length, first late depth) with cases on both sides of the cut.

    And their cells at the first depth, before the cut, and from it on; masks have shape
    (n_places, n_lengths, n_depths).
    """
    n_lengths, n_depths = counts.n.shape
    every = [(row, cut) for row in range(n_lengths) for cut in range(1, n_depths)]
    row, cut = np.array(every, dtype=np.int64).reshape(-1, 2).T[:, :, None, None]
    column = np.arange(n_depths)
    long = (np.arange(n_lengths)[:, None] >= row) & (counts.n > 0)
    parts = [long & (column == 0), long & (column < cut), long & (column >= cut)]
    usable = np.logical_and.reduce([part.any(axis=(1, 2)) for part in parts])
    start, early, late = (np.asarray(part[usable]) for part in parts)
    return [place for place, use in zip(every, usable, strict=True) if use], start, early, late


def _ceiling(counts: Counted) -> _Finding:
    n = counts.n.sum(axis=1)
    right = counts.right.sum(axis=1)
    tested = np.flatnonzero(n > 0)
    tails = {int(i): tail_at_most(float(right[i]), float(n[i]), CEILING) for i in tested}
    best = max(tails, key=lambda i: (right[i] / n[i], -i))
    share = float(right[best] / n[best])
    error = float(np.sqrt((right[best] + 1) * (n[best] - right[best] + 1) / (n[best] + 2) ** 3))
    return _Finding(
        f"the best length, {counts.lengths[best]}, has accuracy {share:.3f}",
        Contrast(share, error, max(tails.values())),
    )


_FINDERS: Mapping[str, _Find] = {
    "rightward_fade": _fade,
    "middle_dip": _dip,
    "cliff": _cliff,
    "recency_cliff": _recency_cliff,
    "ceiling": _ceiling,
    "not_monotone": _not_monotone,
}


def _all_green(answer: EffectiveLength, losses: Sequence[str]) -> Pattern:
    """Say whether every length passes, and whether the set leaves it open."""
    estimate = answer.quoted
    longest = f"{answer.lengths[-1]} {answer.length_unit}"
    if estimate.status != "beyond_tested":
        words = f"some length fails: the effective length is {estimate.display}"
        return Pattern("all_green", False, "not shown", words)
    words = f"every tested length passes at {answer.bar_in_words()}, up to {longest}"
    if losses:
        words += f"; still, there is a {' and a '.join(losses)}"
        return Pattern("all_green", False, "not shown", words)
    interval = estimate.default_set
    is_sure = interval.lower == interval.lengths.size
    sure = "holds nothing else" if is_sure else f"is {interval.display}, so a shorter one is open"
    words += f"; the {percent(interval.level)} {interval.kind} set {sure}. Longer ones are needed "
    words += "to bound the length"
    return Pattern("all_green", True, "clear" if is_sure else "weak", words)


def _sharpest(
    places: Sequence[tuple[int, int]], contrasts: Sequence[Contrast]
) -> tuple[tuple[int, int], Contrast]:
    """Return the place with the smallest p-value, which is multiplied by the number of places."""
    chosen = min(range(len(places)), key=lambda i: contrasts[i].p_value)
    p_value = min(1.0, len(places) * contrasts[chosen].p_value)
    return places[chosen], replace(contrasts[chosen], p_value=p_value)


def _pairs(counts: Counted) -> list[tuple[int, int]]:
    """Return the pairs of lengths, the shorter first, that have a depth in common."""
    has_cases = counts.n > 0
    pairs = combinations(range(counts.lengths.size), 2)
    return [(i, j) for i, j in pairs if (has_cases[i] & has_cases[j]).any()]


def _rows_of(counts: Counted, pairs: Sequence[tuple[int, int]]) -> tuple[Mask, Mask]:
    """Return the cells of each pair's two lengths at the depths both have."""
    has_cases = counts.n > 0
    shorter, longer = np.array(pairs).T
    common = (has_cases[shorter] & has_cases[longer])[:, None, :]
    rows = np.arange(counts.lengths.size)[:, None]
    of_shorter, of_longer = ((rows == i[:, None, None]) & common for i in (shorter, longer))
    return np.asarray(of_shorter), np.asarray(of_longer)


def _row(counts: Counted, i: int) -> Mask:
    return np.asarray((np.arange(counts.lengths.size) == i)[:, None] & (counts.n > 0))


def _above_or_below(value: float) -> str:
    return f"{abs(value):.2f} {'above' if value > 0 else 'below'}"


def _falls_or_rises(fall: float) -> str:
    return f"{'falls' if fall > 0 else 'rises'} by {abs(fall):.2f}"


def list_shown(patterns: Sequence[Pattern]) -> Iterator[Pattern]:
    """Yield the patterns that are shown, the strongest evidence first."""
    shown = [pattern for pattern in patterns if pattern.is_shown]
    yield from sorted(shown, key=lambda p: (p.holm_p is None, p.holm_p))


def conclude(patterns: Sequence[Pattern]) -> str:
    """Say in a sentence what was found, "no pattern" too.

    Examples
    --------
    >>> conclude([Pattern("cliff", False, "not shown", "")])
    'No pattern is shown; that does not say there is none.'
    """
    shown = [f"{pattern.name} ({pattern.strength})" for pattern in list_shown(patterns)]
    if not patterns:
        return "Patterns are looked for in single tasks, not in an average of them."
    if not shown:
        return "No pattern is shown; that does not say there is none."
    *first, last = shown
    listed = f"{', '.join(first)} and {last}" if first else last
    return f"{listed[0].upper()}{listed[1:]}."


def patterns_document(
    groups: Mapping[tuple[str, str], Sequence[Pattern]], level: float
) -> dict[str, Any]:
    """Return the ``patterns`` object of ``report.json``.

    Parameters
    ----------
    groups : mapping of (str, str) to sequence of Pattern
        By language model and task.
    level : float
    """
    return {
        "level": level,
        "correction": "holm over the patterns of a group",
        "groups": [
            {
                "model": model,
                "task": task,
                "conclusion": conclude(patterns),
                "patterns": [pattern.to_dict() for pattern in patterns],
            }
            for (model, task), patterns in groups.items()
        ],
    }
