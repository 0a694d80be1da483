"""The page that reads the table on several needles: every number on it comes from the rows."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from sims.coverage_table import markdown

COUNTED = ("intercept", "length", "middle", "recency", "beta-binomial")
"""What is asked of a curve behind counts."""


class Row(Protocol):
    """What the page reads of a row; :class:`sims.needles.Row` has more."""

    @property
    def subject(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def n_trials(self) -> int: ...
    @property
    def shared_sd(self) -> float: ...
    @property
    def statistic(self) -> str: ...
    @property
    def rate(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def n_tables(self) -> int: ...
    @property
    def seed(self) -> int: ...


def make_page(rows: Sequence[Row], csv_name: str) -> str:
    """Return the page as Markdown."""
    return f"""# Several needles: the test of independence, and intervals that need it

    python -m sims.needles --seed {rows[0].seed}

Four values close together at 1K, 4K, 16K and 64K tokens and depths 0, .5 and 1, simulated from the
worked curve of the method. *Shared* is the standard deviation, on the logit, of a luck that all
needles of a trial have in common; at 0 they are independent. Behind every rate stands its Monte
Carlo error. All rows: [{csv_name}]({csv_name}).

## How often independence is rejected at .05

Permutations within length and place, two-sided. At shared 0 this is the size of the test, at 1 its
power. *counts*: nobody knows which needles were found, only how many.

{_table(_of(rows, "test"), ("rejects",))}

## Do intervals hold the rate of a needle at a length?

95% intervals. *clustered*: Wilson's interval of as many cases as the scatter between trials is
worth, which `lcstats needles` prints. *naive*: Wilson's of all needles, as if each were a trial.

{_held_at_worst(_of(rows, "rates"))}

## Do intervals hold the dependence ratio?

95% score intervals, of all trials and of those at each length. *rarely all*: the same curve moved
down, so that few trials find all four; *nearly always all*: moved up, so that few miss any. A
length with no product of rates states no interval, and misses nothing.

{_ratios(_of(rows, "ratio"))}

## Do intervals hold the intra-class correlation?

95% intervals from a cluster bootstrap, bias-corrected quantiles.

{_table(_of(rows, "correlation"), ("correlation",))}

{_on_coefficients(rows)}

## Are the five tasks recovered?

8 lengths, 11 depths, {_n_per_cell(rows)} trials per cell. *all within*: every parameter within
three standard errors of its truth. *lengths of the curve*: the effective length of the fitted
rates, mean over depths, threshold .85, is that of the truth, for every task of the fit.

{_recovered(_of(rows, "recovery"))}

Ten items spread over the whole context say nothing of single depths: alone, *aggregate-ten* is
fitted with intercept and length, and their truth is the fit to its exact rates. Two facts at
mirrored depths say little of the recency bonus and cannot tell a factor from the intercept well:
*two-hop* is fitted together with *single-needle*, which separates retrieval from what comes after.
"""


def _on_coefficients(rows: Sequence[Row]) -> str:
    return f"""## Do intervals hold the coefficients of a curve of single needles?

95% normal intervals. With a shared luck the average trial follows no curve exactly; the target is
the curve fitted to its rates.

{_by_term(_of(rows, "coefficients"))}

## Do intervals hold the coefficients of a curve behind counts?

95% normal intervals where only the number of found needles is known. The likelihood is
beta-binomial where a test at .05 rejects binomial counts, as often as the last column but one says,
and binomial elsewhere; the target is the curve fitted to the rates of the average trial.

{_table(_of(rows, "counted curve"), COUNTED)}"""


def _of(rows: Iterable[Row], subject: str) -> list[Row]:
    return [row for row in rows if row.subject == subject]


def _settings(rows: Iterable[Row]) -> list[tuple[str, int, float]]:
    return list(dict.fromkeys((row.what, row.n_trials, row.shared_sd) for row in rows))


def _find(rows: Iterable[Row], setting: tuple[str, int, float], statistic: str) -> Row:
    return next(
        row
        for row in rows
        if (row.what, row.n_trials, row.shared_sd) == setting and row.statistic == statistic
    )


def _show(row: Row) -> str:
    return f"{row.rate:.3f} ({row.error:.3f})"


def _table(rows: Sequence[Row], statistics: Sequence[str]) -> str:
    header = ("known", "trials per cell", "shared", *statistics, "tables")
    lines = [
        (
            setting[0],
            str(setting[1]),
            f"{setting[2]:g}",
            *(_show(_find(rows, setting, name)) for name in statistics),
            str(_find(rows, setting, statistics[0]).n_tables),
        )
        for setting in _settings(rows)
    ]
    return markdown(header, lines)


def _held_at_worst(rows: Sequence[Row]) -> str:
    """Show, for each kind of interval, the length at which it does worst."""
    header = ("trials per cell", "shared", "clustered", "naive", "tables")
    lines = []
    for setting in _settings(rows):
        own = [row for row in rows if (row.what, row.n_trials, row.shared_sd) == setting]
        worst = [
            min((row for row in own if row.statistic.startswith(kind)), key=lambda row: row.rate)
            for kind in ("clustered", "naive")
        ]
        shown = [
            f"{_show(row)} {row.statistic.split()[1]} {row.statistic.split()[2]}" for row in worst
        ]
        lines.append((str(setting[1]), f"{setting[2]:g}", *shown, str(own[0].n_tables)))
    return markdown(header, lines)


def _ratios(rows: Sequence[Row]) -> str:
    """Show the ratio of all trials, and the length whose own does worst."""
    header = ("known", "trials per cell", "shared", "all trials", "worst length", "tables")
    lines = []
    for setting in _settings(rows):
        own = [row for row in rows if (row.what, row.n_trials, row.shared_sd) == setting]
        whole = next(row for row in own if row.statistic == "in all")
        worst = min((row for row in own if row is not whole), key=lambda row: row.rate)
        shown = (_show(whole), f"{_show(worst)} {worst.statistic}", str(whole.n_tables))
        lines.append((setting[0], str(setting[1]), f"{setting[2]:g}", *shown))
    return markdown(header, lines)


def _by_term(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(row.statistic for row in rows))
    terms = list(dict.fromkeys(name.split()[1] for name in names))
    header = ("standard errors", "shared", *terms, "tables")
    lines = [
        (
            kind,
            f"{setting[2]:g}",
            *(_show(_find(rows, setting, f"{kind} {term}")) for term in terms),
            str(_find(rows, setting, names[0]).n_tables),
        )
        for setting in _settings(rows)
        for kind in ("robust", "model-based")
    ]
    return markdown(header, lines)


def _recovered(rows: Sequence[Row]) -> str:
    header = ("tasks of the fit", "all within", "lengths of the curve", "tables")
    lines = [
        (
            setting[0],
            _show(_find(rows, setting, "all within")),
            _show(_find(rows, setting, "lengths of the curve")),
            str(_find(rows, setting, "all within").n_tables),
        )
        for setting in _settings(rows)
    ]
    return markdown(header, lines)


def _n_per_cell(rows: Iterable[Row]) -> int:
    return next(row.n_trials for row in rows if row.subject == "recovery")
