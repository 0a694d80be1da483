"""The page that reads the coverage table: every number on it comes from the rows."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from textwrap import fill

import lcstats as lc
from sims.coverage_bounds import ALLOWANCE, BASE_BOUNDS, COUNTS, PROTOTYPE_SIZES
from sims.coverage_rows import Row, nominal_error
from sims.coverage_simulation import DEPTHS, LENGTHS, LEVEL
from sims.coverage_table import (
    KEPT,
    Column,
    Table,
    by_truth,
    by_truth_with_length,
    counts_of,
    coverage_and_size,
    falls_short,
    hit_rate,
    index_rows,
    markdown,
    place,
    rows_of,
    show,
    sides,
)

BASE = "single-needle"
TITLES = {
    "mean": "Mean over depths",
    "worst": "Worst depth",
    "quantile:0.1": "Lower tenth of the depths (the second worst of eleven)",
    "window:3": "Worst three adjacent depths",
}
USUAL_KINDS = {"mean": "certified"}
"""Kind of the default set where it does not fall back; elsewhere hybrid."""

ADVICE = {
    ("mean", "default"): "always, for independent 0/1 cases: both ends are proved",
    ("mean", "jeffreys"): "cases share clusters, are graded or unequal: the default falls back to "
    "it; measured, not proved",
    ("worst", "default"): "to quote: the upper end is proved, the lower end trusts neighbouring "
    "lengths and depths to be alike",
    ("worst", "certified"): "a lower end has to be guaranteed, whatever the accuracies are",
    ("worst", "strict"): "a lone weak cell is feared and `certified` says too little",
}
"""When to trust a set; that of worst depth holds for quantiles and windows too."""

COMPARED: dict[str, tuple[Column, ...]] = {
    "mean": (("jeffreys, ", "jeffreys"), ("posterior, ", "posterior")),
    "worst": (("certified, ", "certified"), ("strict, ", "strict"), ("posterior, ", "posterior")),
}
UNPROVED = {
    "posterior": "`posterior` of the surface",
    "curve": "bootstrap of the curve",
    "bootstrap-quantiles": "quantiles of `bootstrap` masses",
    "jeffreys-quantiles": "quantiles of `jeffreys` masses",
}
"""What else one might quote for a set."""


def write_page(rows: Iterable[Row], csv_path: Path) -> None:
    """Write the page beside the CSV file, with the suffix ``.md``."""
    table = index_rows(rows)
    if table:
        csv_path.with_suffix(".md").write_text(make_page(table, csv_path.name), encoding="utf-8")


def make_page(table: Table, csv_name: str) -> str:
    """Return the page as Markdown."""
    treatments = [t for t in TITLES if rows_of(table, t, "default")]
    parts = [
        _heading(table, csv_name),
        _not_reached(table),
        _trust(table, treatments),
        _exceptions(table),
        _sizes(table),
        _plateau(table) if rows_of(table, "mean", "default") else "",
        *(_treatment(table, treatment) for treatment in treatments),
        _haystack(table),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _not_reached(table: Table) -> str:
    """Say how much of the study there is, so that nothing is taken for measured."""
    n_points = len((*lc.truths.COVERAGE, *lc.truths.HARD)) * len(COUNTS)
    done = {title: len(rows_of(table, t, "default")) for t, title in TITLES.items()}
    if all(n_done == n_points for n_done in done.values()):
        return ""
    counted = ", ".join(f"{title.lower()} {n_done}" for title, n_done in done.items())
    words = (
        f"**Measured so far**, of {n_points} truths and numbers of cases: {counted}. What is not "
        "measured may hold exceptions. Where a smooth surface is known to break, a lone weak cell "
        "and one shallow depth, [the decision on the hybrid set](../decisions/0006-hybrid-set.md) "
        "has numbers."
    )
    return fill(words, 100, break_on_hyphens=False, break_long_words=False)


def exceptions(table: Table) -> list[Row]:
    """Return default and certified sets that cover less than the level by over three errors."""
    named = ("default", "certified")
    return [row for row in table.values() if row.set in named and falls_short(row)]


def larger_than_prototype(table: Table) -> list[tuple[Row, float]]:
    """Return default sets that are larger than the prototype's by more than the allowance."""
    return [
        (row, size)
        for (truth, treatment), sizes in PROTOTYPE_SIZES.items()
        for n_cases, size in zip(COUNTS, sizes, strict=True)
        if (row := table.get((truth, treatment, n_cases, "default")))
        and row.mean_size > size + ALLOWANCE
    ]


def _heading(table: Table, csv_name: str) -> str:
    row = max(table.values(), key=lambda r: r.simulations)
    n = row.simulations
    kept = ", ".join(f"*{name}*" for name in lc.truths.FINAL_CHECK)
    fewer = _shorter(table, n) + _fewer(table)
    how = f"""Accuracies are known, tables are simulated from them, and the {LEVEL:.0%} sets of the
effective length are compared with the true one: {n} tables per line, {LENGTHS.size} lengths from 1K
to 128K, {DEPTHS.size} depths, n = 5, 20 or 80 cases per cell. Every depth treatment is asked of the
same tables. With {n} tables the Monte Carlo error of a coverage of {LEVEL:g} is
{nominal_error(n, LEVEL):.4f}; of one near 1 it is about {1 / n:.4f}.{fewer} All numbers,
with their own Monte Carlo errors, are in [{csv_name}]({csv_name})."""
    truths = f"""The truths are those of `lcstats.truths.COVERAGE` and, harder,
`lcstats.truths.HARD`. Those marked {KEPT} ({kept}) are kept for a final check: no set is tuned on
them. The threshold is .85, for *ceiling* .80. The true outcome is the library's own rule applied to
the accuracies themselves: for *cells-deviate* and *cells-scatter* those drawn in each simulation,
for *shared-haystack* those over all haystacks. Sizes count outcomes: there are {LENGTHS.size + 1},
from "not even 1K" to "128K or more"."""
    command = f"    python -m sims.coverage --seed {row.seed}"
    return "\n\n".join(
        ["# How often the sets hold the truth", command, _wrapped(how), _wrapped(truths)]
    )


def _wrapped(text: str) -> str:
    return fill(text, 100, break_on_hyphens=False, break_long_words=False)


def _shorter(table: Table, full: int) -> str:
    """Say which lines stand on fewer tables than most, and which of their kind do not."""
    short = [row for row in table.values() if row.set == "default" and row.simulations < full]
    if not short:
        return ""
    treatments = {row.treatment: TITLES[row.treatment] for row in short}
    whole = dict.fromkeys(
        f"*{row.truth}*"
        for row in table.values()
        if row.treatment in treatments and row.simulations == full
    )
    numbers = " or ".join(str(n) for n in sorted({row.simulations for row in short}))
    error = nominal_error(min(row.simulations for row in short), LEVEL)
    but = f", but for {', '.join(whole)}" if whole else ""
    return (
        f" Lines of {_listed(treatments.values())} stand on {numbers} tables (Monte Carlo error "
        f"{error:.4f}){but}."
    )


def _listed(titles: Iterable[str]) -> str:
    *first, last = (title[0].lower() + title[1:] for title in titles)
    return f"{', '.join(first)} and {last}" if first else last


def _fewer(table: Table) -> str:
    """Say which sets stand on fewer tables."""
    full = max(row.simulations for row in table.values())
    groups = {
        (row.set, row.simulations, _which(row))
        for row in table.values()
        if row.simulations < full and row.simulations < _full_of(table, row)
    }
    if not groups:
        return ""
    named = "; ".join(f"`{name}`{which} on {n}" for name, n, which in sorted(groups))
    return f" Sets that take long stand on fewer tables: {named}."


def _full_of(table: Table, row: Row) -> int:
    return table[row.truth, row.treatment, row.n_cases, "default"].simulations


def _which(row: Row) -> str:
    """Name the part of the study in which a set is rationed, where it is not all of it."""
    if row.set.endswith("quantiles"):
        return f" of *{row.truth}*"
    return " of the mean" if row.set == "posterior" else ""


def _trust(table: Table, treatments: Sequence[str]) -> str:
    header = [
        "depths",
        "set",
        "trust it when",
        "smallest coverage",
        "exceptions",
        _base_header(table),
    ]
    lines = [
        [
            TITLES[treatment] if name == "default" else "",
            f"**{_usual(treatment)}** (default)" if name == "default" else name,
            advice,
            _least(rows),
            _short_of(rows),
            _base_sizes(table, treatment, name),
        ]
        for treatment in treatments
        for (like, name), advice in ADVICE.items()
        if like == _like(treatment) and (rows := rows_of(table, treatment, name))
    ]
    return f"""## Which set to trust when

{markdown(header, lines)}

An exception covers less than {LEVEL:g} minus three Monte Carlo errors. Coverage near 1 is what a
guarantee for every truth costs: the level is used up where it is hardest to hold, by accuracies at
the threshold itself.

What else one might quote, with its smallest coverage, and for how many of the truths and numbers
of cases it is an exception:

{_unproved(table, treatments)}"""


def _base_header(table: Table) -> str:
    return f"outcomes on *{BASE}*, n = {' / '.join(map(str, counts_of(table)))}"


def _base_sizes(table: Table, treatment: str, name: str) -> str:
    rows = (table.get((BASE, treatment, n, name)) for n in counts_of(table))
    return " / ".join(f"{row.mean_size:.2f}" for row in rows if row)


def _least(rows: Sequence[Row]) -> str:
    lowest = min(rows, key=lambda row: row.coverage)
    return f"{lowest.coverage:.3f} ({place(lowest)})"


def _short_of(rows: Iterable[Row]) -> str:
    found = [f"{place(row)}: {row.coverage:.3f}" for row in rows if falls_short(row)]
    return "; ".join(found) or "none"


def _unproved(table: Table, treatments: Sequence[str]) -> str:
    lines = []
    for name, title in UNPROVED.items():
        cells = []
        for treatment in treatments:
            rows = rows_of(table, treatment, name)
            short = sum(map(falls_short, rows))
            cells.append(f"{_least(rows)}; {short} of {len(rows)}" if rows else "")
        lines.append([title, *cells])
    return markdown(["", *(TITLES[treatment] for treatment in treatments)], lines)


def _exceptions(table: Table) -> str:
    found = exceptions(table)
    if not found:
        text = (
            f"None: no default or certified set covers less than {LEVEL:g} minus three Monte Carlo "
            "errors, for any truth, depth treatment or number of cases."
        )
    else:
        text = "\n".join(
            f"- **{row.truth}, {row.treatment}, {row.n_cases} cases per cell**"
            f"{f' {KEPT}' if row.truth in lc.truths.FINAL_CHECK else ''}: the "
            f"{'default ' if row.set == 'default' else ''}`{row.kind}` set covers "
            f"{row.coverage:.3f} (Monte Carlo error {row.coverage_error:.3f}), truth below the set "
            f"{row.truth_below:.3f}, above it {row.truth_above:.3f}."
            for row in found
        )
    return f"## Exceptions\n\n{text}"


def _sizes(table: Table) -> str:
    lines = list(_base_lines(table))
    if not lines:
        return ""
    header = [f"on *{BASE}*", *(f"n = {n}" for n in COUNTS)]
    larger = "\n".join(
        f"- {TITLES[row.treatment]}, {place(row)}: {row.mean_size:.2f} outcomes (`{row.kind}`), "
        f"prototype {size:.2f}."
        for row, size in larger_than_prototype(table)
    )
    return f"""## Sizes

Mean number of outcomes, and the largest that it was to be.

{markdown(header, lines)}

Against the prototype that these sets grew out of (300 tables per truth; it took the cases of a
haystack as independent), default sets for mean and worst depth on the truths it was measured on
that are larger by more than {ALLOWANCE:g}:

{larger or "- none."}"""


def _base_lines(table: Table) -> Iterator[list[str]]:
    for (treatment, name), bounds in BASE_BOUNDS.items():
        rows = [table.get((BASE, treatment, n, name)) for n in COUNTS]
        if any(rows):
            kind = _usual(treatment) if name == "default" else name
            cells = (
                show(row, partial(_size_and_bound, bound))
                for row, bound in zip(rows, bounds, strict=True)
            )
            yield [f"{TITLES[treatment]}, {kind}", *cells]


def _size_and_bound(bound: float, row: Row) -> str:
    missed = "" if row.mean_size <= bound else ": missed"
    return f"{row.mean_size:.2f} (at most {bound:g}{missed})"


def _plateau(table: Table) -> str:
    counts = [n for n in counts_of(table) if ("plateau", "mean", n, "default") in table]
    if not counts:
        return ""
    held = {
        name: " / ".join(f"{table['plateau', 'mean', n, name].coverage:.3f}" for n in counts)
        for name in ("default", "bootstrap-quantiles", "jeffreys-quantiles")
    }
    cases = " / ".join(map(str, counts))
    return f"""## Masses are not a set

On the *plateau* seven lengths have accuracy .86 and the threshold is .85. With {cases} cases per
cell the default set of the mean holds the true length in {held["default"]} of the tables; the
equal-tailed quantiles of the `bootstrap` masses in {held["bootstrap-quantiles"]}, those of the
`jeffreys` masses in {held["jeffreys-quantiles"]}.

Masses say how often each outcome would come up if the same cells were drawn again. An outcome as
long as 64K needs seven lengths to pass together. Each of them passes little more than half the
time when it is so close to the threshold, so all seven seldom do, in the data as in what is drawn
from the data: both stop short, in the same direction, and the quantiles of a quantity that is
biased low do not reach up to the truth. More cases help only once .86 and .85 can be told apart.
The default set asks another question of each outcome: would these data be surprising if it were
the truth? If all seven lengths work at .85 or just above, one of them falling a little short is
no surprise, so 64K stays in. The price is honest: on a plateau this near to the threshold the set
is nearly everything."""


def _treatment(table: Table, treatment: str) -> str:
    observed = "default" if treatment == "mean" else "certified"
    surface = "posterior" if treatment == "mean" else "default"
    points = (("observed, ", observed), ("surface, ", surface), ("curve, ", "curve"))
    masses = [("bootstrap masses, ", "bootstrap-quantiles")]
    masses += [("jeffreys masses, ", "jeffreys-quantiles")] if treatment == "mean" else []
    others = (*masses, ("curve, ", "curve"))
    return f"""## {TITLES[treatment]}

Coverage of the default set ({_usual(treatment)} unless another is named), in brackets the share of
tables with the truth below / above the set, then the mean number of outcomes in it.

{by_truth_with_length(table, treatment, "default", partial(_default_cell, _usual(treatment)))}

### Other sets

Coverage and, in brackets, both sides, then the mean number of outcomes.

{by_truth(table, treatment, COMPARED[_like(treatment)], _with_sides)}

### What is no set for every truth

Coverage and mean number of outcomes of the equal-tailed quantiles of masses, and of the curve's set
(bootstrap from the fitted curve; haystacks drawn whole). {_warning(treatment)}

{by_truth(table, treatment, others, coverage_and_size)}

### The point alone

Share of tables in which the effective length by raw cells, by the surface or by the curve is the
true one.

{by_truth(table, treatment, points, hit_rate)}"""


def _warning(treatment: str) -> str:
    curve = (
        f"Where the truth is no curve of its form, as *{BASE}* is, the curve's set can be "
        "confidently wrong at any number of cases: hence a fit comes with its [test](curve.md)."
    )
    if treatment == "mean":
        return curve
    return (
        "The lowest of noisy cells is biased low, and drawn again from themselves the cells are "
        f"biased twice. {curve}"
    )


def _haystack(table: Table) -> str:
    rows = [row for row in table.values() if row.set == "clusters-ignored"]
    if not rows:
        return ""
    lines = []
    for row in rows:
        cell = partial(_default_cell, _usual(row.treatment))
        named = table.get((row.truth, row.treatment, row.n_cases, "default"))
        label = f"{TITLES[row.treatment]}, n = {row.n_cases}"
        lines.append([label, show(named, cell), cell(row)])
    return f"""## Shared haystacks

In *shared-haystack* the trials of one number at one length share a haystack at all depths. With the
haystack in the `cluster` column the depth mean falls back to the `jeffreys` set with a design
effect; the upper end for worst depth is proved with haystacks as units; and for windows no upper
end is proved, so that the surface's `posterior`, which takes cases as independent, stands in. Left
out of the table, nothing shows that cases depend on each other, and the default set rests on an
independence that is not there.

{markdown(["", "clusters named", "clusters left out"], lines)}"""


def _default_cell(usual: str, row: Row) -> str:
    """Show a default set, and its kind where it is not the usual one."""
    return _with_sides(row) + ("" if row.kind == usual else f" {row.kind}")


def _with_sides(row: Row) -> str:
    return f"{row.coverage:.3f} {sides(row)} {row.mean_size:.2f}"


def _usual(treatment: str) -> str:
    return USUAL_KINDS.get(treatment, "hybrid")


def _like(treatment: str) -> str:
    """Treatments of which the same is said: the mean's, and those of parts of a length."""
    return "mean" if treatment == "mean" else "worst"
