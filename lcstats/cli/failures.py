"""``lcstats failures``: failing trials with question, answer and output, to look at by hand."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from lcstats.cli.commands import define_command
from lcstats.cli.inputs import (
    read_results,
    single_trials,
)
from lcstats.cli.options import ReadingOptions, json_option, paths_argument, reading_options
from lcstats.cli.output import print_json, print_notices, print_text
from lcstats.cli.parameters import LENGTH
from lcstats.errors import OptionError, describe

if TYPE_CHECKING:
    import pandas as pd


LONGEST_SHOWN = 600
SAME_DEPTH = 5e-4


@define_command("failures", "lcstats failures results/ --score-threshold 7 --length 32K -n 5")
@paths_argument()
@reading_options
@click.option(
    "-n",
    "n_shown",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many to show, spread over lengths and depths.",
)
@click.option(
    "--length",
    "lengths",
    type=LENGTH,
    multiple=True,
    metavar="L",
    help="Only trials of this length; repeat for several.",
)
@click.option(
    "--depth",
    "depths",
    type=click.FloatRange(0, 1),
    multiple=True,
    metavar="D",
    help="Only trials of this depth, a fraction; repeat for several.",
)
@json_option
def command(
    reading: ReadingOptions,
    n_shown: int,
    lengths: tuple[int, ...],
    depths: tuple[float, ...],
    as_json: bool,
) -> None:
    """Show failing trials with question, answer and output, to look at by hand.

    A failing trial is one with a score below 1; unscored trials are counted, not shown. Of many,
    evenly spaced ones are taken in order of length and depth.
    """
    from lcstats.trials.showing import describe_trial

    trials = single_trials(
        read_results(reading),
        "expected results with one row or file per trial",
        "name the files that the counts or means were made from",
    )
    frame = _choose(trials.frame, lengths, depths)
    failing = frame[frame["score"] < 1].sort_values(
        ["model", "task", "length", "depth", "case", "repeat"], kind="stable"
    )
    shown = spread_over(failing, n_shown)
    entries = [describe_trial(row) for row in shown.to_dict("records")]
    counts = {
        "n_trials": len(frame),
        "n_failures": len(failing),
        "n_shown": len(shown),
        "n_unscored": int(frame["score"].isna().sum()),
    }
    if as_json:
        from lcstats.report.documents import list_warnings

        warnings = list_warnings(trials.notices)
        print_json({"schema_version": 1, **counts, "failures": entries, "warnings": warnings})
        return
    print_notices(trials.notices)
    for line in _lines(entries, counts, trials.length_unit):
        print_text(line)


def _choose(
    frame: "pd.DataFrame", lengths: tuple[int, ...], depths: tuple[float, ...]
) -> "pd.DataFrame":
    """Keep the trials of some lengths and depths."""
    if lengths:
        frame = _kept(frame, frame["length"].isin(lengths), frame["length"], "--length")
    if depths:
        near = [(frame["depth"] - depth).abs() <= SAME_DEPTH for depth in depths]
        matches = near[0]
        for match in near[1:]:
            matches |= match
        frame = _kept(frame, matches, frame["depth"], "--depth")
    return frame


def _kept(
    frame: "pd.DataFrame", matches: "pd.Series", values: "pd.Series", flag: str
) -> "pd.DataFrame":
    if matches.any():
        return frame[matches]
    present = sorted(values.dropna().unique().tolist())
    raise OptionError(
        describe(
            f"no trial has the {flag[2:]} that {flag} names",
            f"expected one of {', '.join(f'{value:.6g}' for value in present[:40])}",
            f"correct {flag} or leave it out",
        )
    )


def spread_over(failing: "pd.DataFrame", n_shown: int) -> "pd.DataFrame":
    """Take evenly spaced rows, the first and the last among them."""
    n_rows = len(failing)
    if n_rows <= n_shown:
        return failing
    steps = max(n_shown - 1, 1)
    return failing.iloc[[round(i * (n_rows - 1) / steps) for i in range(n_shown)]]


def _lines(entries: list[dict[str, Any]], counts: dict[str, int], unit: str) -> Iterator[str]:
    from lcstats.trials.showing import TEXT_COLUMNS
    from lcstats.trials.wording import counted

    yield (
        f"{counts['n_shown']} of {counted(counts['n_failures'], 'failing trial')} among "
        f"{counts['n_trials']} ({counts['n_unscored']} unscored, not shown)"
    )
    lacking = [name for name in TEXT_COLUMNS if all(entry[name] is None for entry in entries)]
    if entries and lacking:
        yield f"Not in the table: {', '.join(lacking)}"
    for entry in entries:
        depth = "no depth" if entry["depth"] != entry["depth"] else f"depth {entry['depth']:.4g}"
        yield ""
        yield (
            f"{entry['model']} on {entry['task']}, length {entry['length']} {unit}, {depth}, "
            f"repeat {entry['repeat']}, score {entry['score']:.4g}"
        )
        for name in ("case", *TEXT_COLUMNS):
            if name not in lacking:
                yield f"  {name}: {_shorten(entry[name])}"


def _shorten(text: str | None) -> str:
    """Keep head and tail of a long text, indented under its name."""
    from lcstats.trials.showing import shorten

    return "none" if text is None else shorten(text, LONGEST_SHOWN).strip().replace("\n", "\n    ")
