"""Tables that others published: mean accuracies by length, and the effective lengths they state."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files

import pandas as pd

RULER_THRESHOLD = Fraction("0.856")
"""Accuracy of Llama2 (7B) at 4K, which RULER takes as its bar."""

NOLIMA_SHARE = Fraction("0.85")
"""Share of a language model's own base score that NoLiMa asks for."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One language model of a published table.

    Attributes
    ----------
    model : str
    reported : str or None
        Effective length as printed.
    bar : Fraction
        Accuracy that a length has to reach.
    accuracies : mapping of int to Fraction
        Tested length in tokens, ascending, to mean accuracy in [0, 1].
    """

    model: str
    reported: str | None
    bar: Fraction
    accuracies: Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """Mean accuracies of several language models by length, as published.

    Means without a number of cases have no interval, so they are no cells: the effective length is
    all that can be read off (:func:`lcstats.lengths.published_lengths`).

    Attributes
    ----------
    name : str
    task : str
        What was averaged.
    source : str
        Publication and table.
    rows : tuple of PublishedRow
    """

    name: str
    task: str
    source: str
    rows: tuple[PublishedRow, ...]

    def __repr__(self) -> str:
        return f"PublishedTable({self.name}: {len(self.rows)} language models, {self.task})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per language model: model, bar, reported and a column per length."""
        return pd.DataFrame(
            [
                {
                    "model": row.model,
                    "reported": row.reported,
                    "bar": float(row.bar),
                    **{str(length): float(share) for length, share in row.accuracies.items()},
                }
                for row in self.rows
            ]
        )


def ruler_2024() -> PublishedTable:
    """Return RULER's table: the unweighted mean over its 13 tasks, 4K to 128K.

    Examples
    --------
    >>> ruler_2024()
    PublishedTable(ruler_2024: 45 language models, mean over 13 tasks)
    """
    return PublishedTable(
        name="ruler_2024",
        task="mean over 13 tasks",
        source="Hsieh et al. (2024), RULER: What's the Real Context Size of Your Long-Context "
        "Language Models?, with rows added later in github.com/NVIDIA/RULER",
        rows=tuple(_row(printed, RULER_THRESHOLD) for printed in _read("ruler_2024.csv")),
    )


def nolima_2025() -> PublishedTable:
    """Return NoLiMa's table: needles without literal matches, 1K to 128K, 85% of a base score.

    Examples
    --------
    >>> nolima_2025().rows[0].bar
    Fraction(1649, 2000)
    """
    return PublishedTable(
        name="nolima_2025",
        task="mean over needles and placements",
        source="Modarressi et al. (2025), NoLiMa: Long-Context Evaluation Beyond Literal Matching, "
        "main table of github.com/adobe-research/NoLiMa",
        rows=tuple(
            _row(printed, NOLIMA_SHARE * _share(printed["base_score"]))
            for printed in _read("nolima_2025.csv")
        ),
    )


def _read(name: str) -> list[dict[str, str]]:
    """Read a table as text: percentages become fractions exactly as they are printed."""
    with files("lcstats.datasets").joinpath(name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _row(printed: Mapping[str, str], bar: Fraction) -> PublishedRow:
    accuracies = {
        1024 * int(column[:-1]): _share(text)
        for column, text in printed.items()
        if column.endswith("K") and column[:-1].isdecimal() and text
    }
    reported = printed["effective_length_reported"] or None
    return PublishedRow(printed["model"], reported, bar, accuracies)


def _share(percent: str) -> Fraction:
    return Fraction(percent) / 100
