"""Markdown of a comparison, for the page of a pull request."""

from collections.abc import Iterator, Sequence

from lcstats.comparison.contrast import Contrast
from lcstats.comparison.result import INTERVAL_WORDS, Comparison
from lcstats.options import percent

HEADS = (
    "task",
    "verdict",
    "pairs",
    "old",
    "new",
    "difference",
    "interval",
    "old only",
    "new only",
    "p",
    "p corrected",
)
"""Of the table of tasks; those from the third to the last but one are a difference's numbers."""

SHOWN_LENGTHS = 12
"""Lengths of a task up to which they get a table."""


def markdown_summary(comparison: Comparison) -> str:
    """Return a comparison as Markdown: the gate, a table of tasks, and a table of lengths.

    Examples
    --------
    >>> import pandas as pd
    >>> from lcstats.comparison import compare
    >>> from lcstats.trials import Trials
    >>> table = pd.DataFrame({"case": range(9), "length": 8192, "score": [1, 0, 1] * 3})
    >>> trials = Trials.from_frame(table)
    >>> print(markdown_summary(compare(trials, trials)).splitlines()[0])
    ### Long context: model (new) against model (old)
    """
    return "\n".join(_lines(comparison)) + "\n"


def _lines(comparison: Comparison) -> Iterator[str]:
    yield f"### Long context: {_cell(comparison.new_model)} against {_cell(comparison.old_model)}"
    yield ""
    if comparison.gate is not None:
        yield f"**{comparison.gate.outcome.capitalize()}.** {_cell(comparison.gate.sentence())}"
        yield ""
    rows = [
        [group.task, group.verdict, *numbers_of(group.overall), f"{group.holm_p:.3g}"]
        for group in comparison.groups
    ]
    yield from _table(HEADS, rows)
    lengths = [
        [group.task, str(int(each.place)), *numbers_of(each.contrast)]
        for group in comparison.groups
        if 1 < len(group.by_length) <= SHOWN_LENGTHS
        for each in group.by_length
    ]
    if lengths:
        yield ""
        yield "By length (p-values are not corrected):"
        yield ""
        yield from _table(("task", "length", *HEADS[2:-1]), lengths)
    yield ""
    yield _small_print(comparison)
    for notice in comparison.notices:
        yield f"- {_cell(notice.message)}"


def numbers_of(contrast: Contrast) -> list[str]:
    """Return a difference's numbers as text, as :data:`HEADS` name them from the third on.

    Cases stand for pairs where there are none.
    """
    interval = contrast.interval
    only = ["-", "-"] if contrast.discordant is None else [str(n) for n in contrast.discordant]
    return [
        str(contrast.n_paired) if contrast.n_paired else f"0 ({contrast.n_old}, {contrast.n_new})",
        f"{contrast.accuracy_old:.3g}",
        f"{contrast.accuracy_new:.3g}",
        f"{contrast.difference:+.3g}",
        f"{interval.lower:.3g} to {interval.upper:.3g}",
        *only,
        f"{contrast.p_value:.3g}",
    ]


def _small_print(comparison: Comparison) -> str:
    kinds = dict.fromkeys(INTERVAL_WORDS[g.overall.interval.kind] for g in comparison.groups)
    corrected = ", corrected over tasks by Holm's method" if len(comparison.groups) > 1 else ""
    return (
        f"Difference is new minus old with its {percent(comparison.level)} interval "
        f"({'; '.join(kinds)}); margin {comparison.margin:g}; p is two-sided, mid-p for "
        f"pairs{corrected}. Tied: the interval is within the margin. Undecided: not shown either "
        "way."
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    for line in (heads, ["---"] * len(heads), *rows):
        yield f"| {' | '.join(_cell(text) for text in line)} |"


def _cell(text: str) -> str:
    """Keep a name from breaking the table or the page."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return plain.replace("|", r"\|").replace("<", "&lt;")
