"""The page that reads the curve's table: every number on it comes from the lines."""

from collections.abc import Sequence
from typing import Protocol


class Line(Protocol):
    """What the page reads of a line; :class:`sims.curve.Line` has more."""

    @property
    def subject(self) -> str: ...
    @property
    def truth(self) -> str: ...
    @property
    def treatment(self) -> str: ...
    @property
    def penalty(self) -> str: ...
    @property
    def n_cases(self) -> int: ...
    @property
    def rate(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def n_tables(self) -> int: ...
    @property
    def n_failed(self) -> int: ...
    @property
    def seed(self) -> int: ...


def make_page(lines: Sequence[Line], csv_name: str) -> str:
    """Return the page as Markdown."""
    return f"""# The curve: right where it is right, caught where it is wrong

    python -m sims.curve --seed {lines[0].seed}

Tables of 8 lengths (1K to 128K) and 11 depths are simulated from known accuracies; the threshold
is .85. *single-needle* is a curve of the fitted kind, *cliff* and *one-bad-depth* are not. Each
rate has its Monte Carlo error behind it. All numbers: [{csv_name}]({csv_name}). Tables without an
answer (a fit that does not converge, a crossing without both ends) count against the rate:
there are {sum(line.n_failed for line in lines)} in all.

## Hit rate of the grid length

How often the fitted curve has the effective length of the truth, over {_tables(lines, "hit")}
tables a line.

{_table(lines, "hit")}

On *single-needle* the curve does with 5 cases per cell nearly what raw cells do with 20 (see
[the worked example](published.md)). On the cliff it is wrong, and the surer of it the more cases
there are: never quote a curve that fails the test below.

## Coverage of the crossing's interval

How often the 95% interval of the continuous crossing holds the true one, over
{_tables(lines, "crossing")} tables a line.

{_table(lines, "crossing")}

## Coverage of the grid length's set

How often the curve's 95% set of tested lengths (`parametric_bootstrap`) holds the true effective
length, over {_tables(lines, "set")} tables a line. Tested lengths lie a doubling apart, so a set
that must hold its point and cuts off less than a fortieth at each end holds more than the level.

{_table(lines, "set")}

## Goodness of fit

How often `goodness_of_fit` (level .05, 199 simulations) rejects the curve, over
{_tables(lines, "goodness")} tables a line. On *single-needle* this is the test's size, on the
others its power.

{_table(lines, "goodness")}
"""


def _tables(lines: Sequence[Line], subject: str) -> str:
    return f"{max(line.n_tables for line in lines if line.subject == subject):,}"


def _table(lines: Sequence[Line], subject: str) -> str:
    chosen = [line for line in lines if line.subject == subject]
    cases = sorted({line.n_cases for line in chosen})
    heads = ["truth", "depths", "penalty", *(f"n = {n}" for n in cases)]
    rows = [heads, ["---"] * len(heads)]
    for key in dict.fromkeys((line.truth, line.treatment, line.penalty) for line in chosen):
        by_cases = {
            line.n_cases: f"{line.rate:.4f} ({line.error:.4f})"
            for line in chosen
            if (line.truth, line.treatment, line.penalty) == key
        }
        truth, treatment, penalty = key
        rates = (by_cases.get(n, "") for n in cases)
        rows.append([truth, treatment or "all", penalty, *rates])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
