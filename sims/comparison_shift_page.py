"""The page of the study of shifts and tests of curves: all numbers from its rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sims.coverage_table import markdown

TERMS = ("intercept", "length", "middle", "recency")
INTERVALS = {
    "mean": (
        ("observed, both_sets", "raw cells, both sets"),
        ("observed, combined", "raw cells, combined"),
        ("observed, masses", "raw cells, quantiles of masses"),
        ("curve, bootstrap", "curve, bootstrap"),
    ),
    "worst": (
        ("flexible, both_sets", "surface, both sets"),
        ("flexible, combined", "surface, combined"),
        ("flexible, masses", "surface, quantiles of masses"),
        ("curve, bootstrap", "curve, bootstrap"),
        ("observed, both_sets", "raw cells, both sets"),
        ("observed, masses", "raw cells, quantiles of masses"),
    ),
}
TITLES = {"mean": "Mean over depths", "worst": "Worst depth"}


@dataclass(frozen=True, slots=True)
class Row:
    """One number of one design.

    Attributes
    ----------
    part : {"shift", "test"}
    truth : str
        The new curve.
    cases : int
        Per cell.
    correlation : float
        Of the two scores of a case, as far as the accuracies allow.
    depth : str
        Treatment; empty for tests.
    subject : str
        Method and kind of interval, or test.
    quantity : {"coverage", "size", "rejects"}
    value, error : float
        With its Monte Carlo error.
    simulations, seed : int
    """

    part: str
    truth: str
    cases: int
    correlation: float
    depth: str
    subject: str
    quantity: str
    value: float
    error: float
    simulations: int
    seed: int

    @property
    def design(self) -> tuple[str, str, int, float]:
        return self.part, self.truth, self.cases, self.correlation


def make_page(rows: Sequence[Row], csv_name: str) -> str:
    """Return the page as Markdown."""
    most = max(row.simulations for row in rows)
    return f"""# Shifts of the effective length, and tests of curves

    python -m sims.comparison_shift --seed {rows[0].seed} --simulations {most}

Two language models on the same cases: 8 lengths (1K to 128K), 5 depths, threshold 0.85, 95%. The
old one follows the worked curve (effective length 32K for the mean, 16K for the worst
depth). *equal*: the new one too. *shifted*: its level is .6 lower in log-odds, which costs one
doubling of either. *steeper*: each doubling costs .4 instead of .3. *plateau*: .97 up to 64K for
the old one and .86 for the new one, .5 beyond, so that both reach 64K and the new one looks
shorter. The two scores of a case are correlated as said, as far as the accuracies allow. Raw cells
and tests stand on {most} tables, the curve and the surface on {_fewest(rows)}. All numbers:
[{csv_name}]({csv_name}).

## How often intervals hold the true shift

In brackets how many of the 15 shifts between tested lengths an interval holds on average: with
*not bounded* all of them.

{_intervals(rows)}

*Both sets* is the interval to quote: all shifts from the old set to the new one, each at half of
the error. *Combined* adds distances from point to set in squares, which no proof backs, and exists
only where both points lie inside the tested lengths. *Quantiles of masses* are what the masses
themselves would say; they are no interval, and this is why.

{_lowest(rows)}

## How often tests of equal curves reject

Under *equal* these are false alarms, which should be .05; under the others power.

{_tests(rows)}

## Which term moved

Share of tables in which the difference of a term is shown, with Holm over four terms; in brackets
how often its 95% interval holds the true difference.

{_terms(rows)}
"""


def _fewest(rows: Sequence[Row]) -> int:
    """Say on how many tables curve and surface stand; combined intervals may not exist on all."""
    fitted = [r for r in rows if r.subject.startswith(("curve", "flexible"))]
    return min(r.simulations for r in fitted if not r.subject.endswith("combined"))


def _designs(rows: Iterable[Row], part: str) -> list[tuple[str, int, float]]:
    found = {(row.truth, row.cases, row.correlation) for row in rows if row.part == part}
    return sorted(found)


def _pick(
    rows: Iterable[Row], part: str, design: tuple[str, int, float], depth: str = ""
) -> dict[tuple[str, str], Row]:
    return {
        (row.subject, row.quantity): row
        for row in rows
        if (row.part, row.depth) == (part, depth)
        and (row.truth, row.cases, row.correlation) == design
    }


def _intervals(rows: Sequence[Row]) -> str:
    parts = []
    for depth, named in INTERVALS.items():
        header = ("truth", "cases", "correlation", *(words for _, words in named))
        lines = []
        for design in _designs(rows, "shift"):
            found = _pick(rows, "shift", design, depth)
            cells = [_coverage(found, subject) for subject, _ in named]
            lines.append([*map(str, design), *cells])
        parts.append(f"### {TITLES[depth]}\n\n{markdown(header, lines)}")
    return "\n\n".join(parts)


def _coverage(found: dict[tuple[str, str], Row], subject: str) -> str:
    row = found.get((subject, "coverage"))
    if row is None:
        return "-"
    return f"{_share(row)} ({found[subject, 'size'].value:.1f})"


def _share(row: Row) -> str:
    return f"{row.value:.3f} +- {row.error:.3f}"


def _lowest(rows: Sequence[Row]) -> str:
    """Say the smallest coverage of every interval."""
    lines = []
    for depth, named in INTERVALS.items():
        for subject, words in named:
            covers = [
                row
                for row in rows
                if (row.depth, row.subject, row.quantity) == (depth, subject, "coverage")
            ]
            if covers:
                row = min(covers, key=lambda row: row.value)
                lines.append(
                    f"- {TITLES[depth]}, {words}: smallest coverage {_share(row)} ({row.truth}, "
                    f"{row.cases} cases, correlation {row.correlation:g})."
                )
    return "\n".join(lines)


def _tests(rows: Sequence[Row]) -> str:
    tests = ("swapping", "adjusted chi-square")
    lines = []
    for design in _designs(rows, "test"):
        found = _pick(rows, "test", design)
        lines.append([*map(str, design), *(_share(found[test, "rejects"]) for test in tests)])
    return markdown(("truth", "cases", "correlation", *tests), lines)


def _terms(rows: Sequence[Row]) -> str:
    lines = []
    for design in _designs(rows, "test"):
        found = _pick(rows, "test", design)
        cells = [
            f"{_share(found[f'{term}, Holm', 'rejects'])} "
            f"({found[f'{term}, interval', 'coverage'].value:.3f})"
            for term in TERMS
        ]
        lines.append([*map(str, design), *cells])
    return markdown(("truth", "cases", "correlation", *TERMS), lines)
