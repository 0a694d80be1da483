"""What the forest of effective lengths shows: point and set of every language model."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import OptionError, describe
from lcstats.lengths import Criterion, EffectiveLength


def length_forest_data(
    answers: Sequence[EffectiveLength], *, all_methods: bool = False
) -> pd.DataFrame:
    """Return point and default set of several effective lengths.

    Parameters
    ----------
    answers : sequence of EffectiveLength
        By one criterion, in one unit of length.
    all_methods : bool
        Every method of each, not only the one to quote.

    Returns
    -------
    DataFrame
        One row per answer and method: ``answer`` (its number), ``model``, ``task``, ``method``,
        ``quoted``, ``length`` (missing where no tested length passes), ``status``, ``label``,
        ``kind`` of the set, ``level``, ``lower``, ``upper`` (missing for "no tested length
        passes"), ``set_label``.

    Raises
    ------
    OptionError
        If there are none, or criteria or units differ.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.lengths import Criterion, effective_length
    >>> answers = [
    ...     effective_length(
    ...         Cells.from_counts(
    ...             [4096, 8192], [0, 1], n_cases=80, successes=[[80, 79], [k, k]], model=name
    ...         ),
    ...         Criterion(0.85),
    ...     )
    ...     for name, k in (("a", 79), ("b", 20))
    ... ]
    >>> length_forest_data(answers)[["model", "method", "label", "set_label"]]
      model    method   label set_label
    0     a  observed  >=8192    >=8192
    1     b  observed    4096      4096
    """
    _check_alike(answers)
    rows = [row for number, one in enumerate(answers) for row in _rows(number, one, all_methods)]
    table = pd.DataFrame(rows)
    lengths = ("length", "lower", "upper")
    return table.astype(dict.fromkeys(lengths, "float64"))


def _rows(number: int, answer: EffectiveLength, all_methods: bool) -> Iterator[dict[str, Any]]:
    for estimate in (answer.quoted, *(answer.beside if all_methods else ())):
        interval = estimate.default_set
        yield {
            "answer": number,
            "model": answer.model,
            "task": answer.task,
            "method": estimate.method,
            "quoted": estimate.method == answer.headline,
            "length": estimate.length,
            "status": estimate.status,
            "label": estimate.display,
            "kind": interval.kind,
            "level": interval.level,
            "lower": interval.lower_length,
            "upper": interval.upper_length,
            "set_label": interval.display,
        }


def _check_alike(answers: Sequence[EffectiveLength]) -> None:
    if not answers:
        raise OptionError(
            describe("there is no effective length", "expected at least one", "pass some")
        )
    criteria = {(repr(_what_sets_the_bar(one.criterion)), one.length_unit) for one in answers}
    if len(criteria) > 1:
        listed = "; ".join(f"{criterion} in {unit}" for criterion, unit in sorted(criteria))
        raise OptionError(
            describe(
                f"effective lengths are by {listed}",
                "expected one criterion and one unit for all",
                "make them again by the same criterion",
            )
        )


def _what_sets_the_bar(criterion: Criterion) -> Criterion:
    """Return a criterion without the guess rate, which tasks differ in, where it has no effect."""
    return criterion if criterion.rule == "above_chance" else replace(criterion, guess_rate=0)
