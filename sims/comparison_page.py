"""The page of the study of comparisons."""

from collections.abc import Iterator, Sequence

from lcstats.power import largest_correlation
from sims.comparison_rows import Row
from sims.coverage_table import markdown


def make_page(rows: Sequence[Row]) -> str:
    """Return the page as Markdown."""
    return "\n".join(_lines(rows)) + "\n"


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    seed = rows[0].seed
    simulations = max(row.simulations for row in rows)
    yield "# Comparison: intervals, tests and gates"
    yield ""
    yield (
        "Numbers without an error are exact, added up over every possible table; the others are of "
        f"{simulations} simulations each, with their Monte Carlo errors. Level 95%. Made with "
        f"`python -m sims.comparison --seed {seed}`."
    )
    yield from _coverage(rows)
    yield from _tests(rows)
    yield from _gates(rows)
    yield from _simulated(rows)


def _coverage(rows: Sequence[Row]) -> Iterator[str]:
    kept = _of(rows, "interval coverage")
    counts = sorted({row.n for row in kept})
    yield from _title("Coverage of Tango's interval")
    yield (
        "The interval of `lcstats compare` for pairs of 0/1 outcomes. Smallest here: "
        f"{min(row.value for row in kept):.3f}. Correlation is between the two outcomes of a case; "
        f".99 and .95 allow none above {largest_correlation(0.99, 0.95):.3f}."
    )
    yield ""
    places = list(dict.fromkeys((row.old, row.new, row.dependence) for row in kept))
    found = {(row.old, row.new, row.dependence, row.n): row.value for row in kept}
    yield markdown(
        ["accuracies", "correlation", *(f"n = {n}" for n in counts)],
        [
            [
                f"{old:g} and {new:g}",
                f"{rho:g}",
                *(f"{found[old, new, rho, n]:.3f}" for n in counts),
            ]
            for old, new, rho in places
        ],
    )
    unpaired = _of(rows, "unpaired coverage")
    yield ""
    yield "Without pairs, Miettinen and Nurminen's interval, one cell on each side:"
    yield ""
    yield markdown(
        ["accuracies", "cases on each side", "coverage"],
        [[f"{r.old:g} and {r.new:g}", str(r.n), f"{r.value:.3f}"] for r in unpaired],
    )


def _tests(rows: Sequence[Row]) -> Iterator[str]:
    yield from _title("McNemar's test")
    yield "Size where the accuracies are equal, power where they differ; correlation .5."
    yield ""
    yield markdown(
        ["accuracies", "pairs", "p-value", "rejects"],
        [
            [f"{row.old:g} and {row.new:g}", str(row.n), row.design, f"{row.value:.3f}"]
            for row in (*_of(rows, "test size"), *_of(rows, "test power"))
        ],
    )


def _gates(rows: Sequence[Row]) -> Iterator[str]:
    kept = _of(rows, "gate false alarms")
    found = {(row.old, row.n, row.design): row.value for row in kept}
    yield from _title("False alarms of the regression gate")
    yield (
        "The true loss is the margin, and the share of discordant pairs is the worst for the test. "
        "The score test, which the exact test takes only for its order, would give more than 5% "
        f"false alarms: up to {max(r.value for r in kept if r.design == 'score test'):.3f} here."
    )
    yield ""
    yield markdown(
        ["margin", "pairs", "gate", "score test alone"],
        [
            [f"{margin:g}", str(n), *(f"{found[margin, n, d]:.4f}" for d in ("gate", "score test"))]
            for margin, n in dict.fromkeys((row.old, row.n) for row in kept)
        ],
    )


def _simulated(rows: Sequence[Row]) -> Iterator[str]:
    names = ("simulated coverage", "simulated rejections", "simulated gate false alarms")
    parts = [_of(rows, name) for name in names]
    yield from _title("Graded scores and clusters")
    yield (
        "Tango's interval on effective counts, and the exchange of whole clusters' signs (mid-p). "
        "Logits vary over haystacks and cases; a graded score is one of 0, .25, .5, .75 and 1. The "
        "gate's margin is the true loss, and its largest share of false alarms here is "
        f"{_with_error(max(parts[2], key=lambda row: row.value))}. Where the accuracies differ, "
        "rejections are power."
    )
    yield ""
    yield markdown(
        ["design", "accuracies", "coverage", "test rejects", "gate false alarms"],
        [
            [row.design, f"{row.old:g} and {row.new:g}", *map(_with_error, three)]
            for row, three in zip(parts[0], zip(*parts, strict=True), strict=True)
        ],
    )


def _of(rows: Sequence[Row], study: str) -> list[Row]:
    return [row for row in rows if row.study == study]


def _with_error(row: Row) -> str:
    return f"{row.value:.3f} +- {row.error or 0.0:.3f}"


def _title(text: str) -> tuple[str, str, str]:
    return "", f"## {text}", ""
