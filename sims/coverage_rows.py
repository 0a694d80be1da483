"""Rows of the coverage table: from tallies, to CSV and back, and one against another."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sims.coverage_simulation import Results, Setting, Tally
from sims.csv_rows import read_csv, write_csv


@dataclass(frozen=True, slots=True)
class Row:
    """One set in one setting: a line of the CSV.

    Rates are shares of the simulations; `coverage_error` and `size_error` are their Monte Carlo
    standard errors. Numbers are rounded as they are written, so that a row read back is equal.
    """

    truth: str
    treatment: str
    n_cases: int
    set: str
    kind: str
    threshold: float
    true_outcome: float
    seed: int
    simulations: int
    coverage: float
    coverage_error: float
    truth_below: float
    truth_above: float
    mean_size: float
    size_error: float
    extended: float
    hit_rate: float

    @property
    def setting(self) -> Setting:
        return Setting(self.truth, self.treatment, self.n_cases)


COMPARED_RATES = ("coverage", "truth_below", "truth_above", "hit_rate")


def make_rows(seed: int, results: Results) -> list[Row]:
    """Turn tallies into rows, one per setting and set."""
    tallies: dict[tuple[Setting, str], Tally] = {}
    kinds: dict[tuple[Setting, str], set[str]] = {}
    for (setting, name, kind), tally in results.items():
        key = setting, name
        tallies[key] = tallies[key] + tally if key in tallies else tally
        kinds.setdefault(key, set()).add(kind)
    return [
        Row(
            truth=setting.truth,
            treatment=setting.treatment,
            n_cases=setting.n_cases,
            set=name,
            kind="+".join(sorted(kinds[setting, name])),
            threshold=float(setting.criterion.exact_threshold),
            seed=seed,
            **summarize(tally),
        )
        for (setting, name), tally in tallies.items()
    ]


def summarize(tally: Tally) -> dict[str, Any]:
    """Return a tally's rates, means and Monte Carlo errors, rounded to four decimals."""
    n = tally.simulations
    mean_size = tally.size / n
    variance = max(tally.squared_size / n - mean_size**2, 0.0)
    numbers = {
        "true_outcome": tally.true_outcome / n,
        "coverage": tally.held / n,
        "coverage_error": rate_error(tally.held, n),
        "truth_below": tally.truth_below / n,
        "truth_above": tally.truth_above / n,
        "mean_size": mean_size,
        "size_error": max(math.sqrt(variance / n), 1 / n),
        "extended": tally.extended / n,
        "hit_rate": tally.hit / n,
    }
    return {"simulations": n, **{name: round(value, 4) for name, value in numbers.items()}}


def rate_error(count: int, n: int) -> float:
    """Monte Carlo standard error of a share; not 0 for shares of 0 and 1 (Laplace's rule)."""
    rate = (count + 1) / (n + 2)
    return math.sqrt(rate * (1 - rate) / n)


def nominal_error(n: int, rate: float) -> float:
    """Monte Carlo standard error of a share over `n` simulations if its true value is `rate`."""
    return math.sqrt(rate * (1 - rate) / n)


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write all rows at once."""
    write_csv(rows, Row, path)


def read_rows(path: Path) -> list[Row]:
    """Read rows back; no file means no rows."""
    return read_csv(Row, path)


def disagreements(committed: Row, rerun: Row, *, limit: float = 3.0) -> list[str]:
    """Say where two rows of one set differ by more than `limit` combined Monte Carlo errors."""
    distances = {
        name: rate_distance(
            round(getattr(committed, name) * committed.simulations),
            committed.simulations,
            round(getattr(rerun, name) * rerun.simulations),
            rerun.simulations,
        )
        for name in COMPARED_RATES
    }
    error = math.hypot(committed.size_error, rerun.size_error)
    distances["mean_size"] = abs(committed.mean_size - rerun.mean_size) / error
    return [
        f"{rerun.truth} {rerun.treatment} n={rerun.n_cases} {rerun.set}: {name} was "
        f"{getattr(committed, name):.4f}, is {getattr(rerun, name):.4f} "
        f"({distance:.1f} combined Monte Carlo errors)"
        for name, distance in distances.items()
        if distance > limit
    ]


def rate_distance(count: int, n: int, other_count: int, other_n: int) -> float:
    """Distance of two shares in combined Monte Carlo errors, under one common rate."""
    rate = (count + other_count + 1) / (n + other_n + 2)
    error = math.sqrt(rate * (1 - rate) * (1 / n + 1 / other_n))
    return abs(count / n - other_count / other_n) / error
