"""The page that reads the coverage table: every number on it comes from the rows."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from sims.coverage_rows import Row, nominal_error
from sims.coverage_simulation import DEPTHS, LENGTHS, LEVEL

TREATMENT_TITLES = {
    "mean": "Mean over depths",
    "worst": "Worst depth",
    "quantile:0.1": "Lower tenth of the depths (the second worst of eleven)",
}
MEAN_SETS = ("jeffreys", "bootstrap-quantiles", "jeffreys-quantiles")

Table = dict[tuple[str, str, int, str], Row]
"""Rows by truth, depth treatment, cases per cell and name of the set."""


def write_page(rows: Iterable[Row], csv_path: Path) -> None:
    """Write the page beside the CSV file, with the suffix ``.md``."""
    table = {(r.truth, r.treatment, r.n_cases, r.set): r for r in rows}
    if table:
        csv_path.with_suffix(".md").write_text(make_page(table, csv_path.name), encoding="utf-8")


def make_page(table: Table, csv_name: str) -> str:
    """Return the page as Markdown."""
    treatments = [t for t in TREATMENT_TITLES if any(key[1] == t for key in table)]
    parts = [_heading(table, csv_name), _exceptions(table), _reading(table, treatments)]
    parts += [_plateau(table)] if _has_plateau(table) else []
    parts += [_default_section(table, treatment) for treatment in treatments]
    parts += [_other_sets(table)] if "mean" in treatments else []
    parts += [_masses_elsewhere(table, [t for t in treatments if t != "mean"])]
    parts += [_curve(table, treatments), _haystack(table), _hits(table, treatments)]
    return "\n\n".join(part for part in parts if part) + "\n"


def exceptions(table: Table) -> list[Row]:
    """Return default sets that cover less than the level by over three Monte Carlo errors."""
    return [
        row
        for row in table.values()
        if row.set == "default" and row.coverage < LEVEL - 3 * nominal_error(row.simulations, LEVEL)
    ]


def _heading(table: Table, csv_name: str) -> str:
    row = max(table.values(), key=lambda r: r.simulations)
    lowest = min(
        (r for r in table.values() if r.set == "default" and r.kind == "certified"),
        key=lambda r: r.coverage,
        default=row,
    )
    return f"""# How often the sets hold the truth

    python -m sims.coverage --seed {row.seed} --simulations {row.simulations}

Accuracies are known, tables are simulated from them, and the {LEVEL:.0%} sets of the observed
effective length are compared with the true one: {row.simulations} tables per line,
{LENGTHS.size} lengths from 1K to 128K, {DEPTHS.size} depths, 5, 20 or 80 cases per cell. With
{row.simulations} tables the Monte Carlo error of a coverage of {LEVEL:g} is
{nominal_error(row.simulations, LEVEL):.4f}; of one near 1 it is about {1 / row.simulations:.4f}.
All numbers, with their own Monte Carlo errors, are in [{csv_name}]({csv_name}).

The truths are those of `lcstats.truths.COVERAGE`; the threshold is .85, for *ceiling* .80. The
true outcome is the library's own rule applied to the accuracies themselves. For *cells-deviate* it
is that of the accuracies drawn in each simulation, for *shared-haystack* that of the accuracies
over all haystacks. Sizes count outcomes: there are {LENGTHS.size + 1}, from "not even 1K" to
"128K or more". The smallest coverage of a certified set here is {lowest.coverage:.3f}
({lowest.truth}, {lowest.treatment}, {lowest.n_cases} cases per cell)."""


def _exceptions(table: Table) -> str:
    found = exceptions(table)
    if not found:
        text = (
            f"None: no default set covers less than {LEVEL:g} minus three Monte Carlo errors, for "
            "any truth, depth treatment or number of cases."
        )
    else:
        text = "\n".join(
            f"- **{r.truth}, {r.treatment}, {r.n_cases} cases per cell**: the default "
            f"(`{r.kind}`) set covers {r.coverage:.3f} (Monte Carlo error {r.coverage_error:.3f}), "
            f"truth below the set {r.truth_below:.3f}, above it {r.truth_above:.3f}."
            for r in found
        )
    return f"## Exceptions\n\n{text}"


def _reading(table: Table, treatments: Sequence[str]) -> str:
    """Say in a sentence each what the tables below show."""
    lines = [
        f"- **{TREATMENT_TITLES[t]}**: the default set covers at least "
        f"{_least(table, t, 'default')}. {_base_sizes(table, t)}The quantiles of the `bootstrap` "
        f"masses go down to {_least(table, t, 'bootstrap-quantiles')}."
        for t in treatments
    ]
    if "mean" in treatments:
        lines.append(
            "- The `jeffreys` set, to which the mean falls back, is not proved; here it "
            f"covers at least {_least(table, 'mean', 'jeffreys')}."
        )
    lines.append(
        "- Coverage near 1 is what a guarantee for every truth costs: the level is used up where "
        "it is hardest to hold, by accuracies at the threshold itself. The sets for single cells "
        "are the simplest that could be proved, and wide: with 5 cases per cell no cell can be "
        "shown to reach .85, so they rule out hardly anything."
    )
    return "## In short\n\n" + "\n".join(lines)


def _least(table: Table, treatment: str, name: str) -> str:
    rows = [row for key, row in table.items() if (key[1], key[3]) == (treatment, name)]
    lowest = min(rows, key=lambda row: row.coverage)
    return f"{lowest.coverage:.3f} ({lowest.truth}, {lowest.n_cases} cases per cell)"


def _base_sizes(table: Table, treatment: str) -> str:
    counts = [n for n in _cases(table) if ("single-needle", treatment, n, "default") in table]
    if not counts:
        return ""
    sizes = [table["single-needle", treatment, n, "default"].mean_size for n in counts]
    return (
        f"On *single-needle* it has {' / '.join(f'{size:.1f}' for size in sizes)} of "
        f"{LENGTHS.size + 1} outcomes with {' / '.join(map(str, counts))} cases per cell. "
    )


def _has_plateau(table: Table) -> bool:
    return ("plateau", "mean", 5, "default") in table


def _plateau(table: Table) -> str:
    counts = [n for n in _cases(table) if ("plateau", "mean", n, "default") in table]
    listed = {
        name: " / ".join(f"{table['plateau', 'mean', n, name].coverage:.3f}" for n in counts)
        for name in ("default", *MEAN_SETS[1:])
    }
    cases = " / ".join(map(str, counts))
    return f"""## Masses are not a set

On the *plateau* seven lengths have accuracy .86 and the threshold is .85. With {cases} cases per
cell the default set holds the true length in {listed["default"]} of the tables; the equal-tailed
quantiles of the `bootstrap` masses in {listed["bootstrap-quantiles"]}, those of the `jeffreys`
masses in {listed["jeffreys-quantiles"]}.

Masses say how often each outcome would come up if the same cells were drawn again. An outcome as
long as 64K needs seven lengths to pass together. Each of them passes little more than half the
time when it is so close to the threshold, so all seven seldom do, in the data as in what is drawn
from the data: both stop short, in the same direction, and the quantiles of a quantity that is
biased low do not reach up to the truth. More cases help only once .86 and .85 can be told apart.
The default set asks another question of each outcome: would these data be surprising if it were
the truth? If all seven lengths work at .85 or just above, one of them falling a little short is
no surprise, so 64K stays in. The price is honest: on a plateau this near to the threshold the set
is nearly everything."""


def _default_section(table: Table, treatment: str) -> str:
    legend = (
        "Coverage of the default set, in brackets the share of tables with the truth below / "
        "above the set, then the mean number of outcomes in it."
    )
    body = _grid(table, treatment, "default", _default_cell)
    return f"## {TREATMENT_TITLES[treatment]}: the default set\n\n{legend}\n\n{body}"


def _default_cell(row: Row) -> str:
    sides = f"({row.truth_below:.3f} / {row.truth_above:.3f})"
    fallen = "" if row.kind == "certified" else f" {row.kind}"
    return f"{row.coverage:.3f} {sides} {row.mean_size:.2f}{fallen}"


def _other_sets(table: Table) -> str:
    text = (
        "Coverage, then the mean number of outcomes. The `jeffreys` set is what the default falls "
        "back to; the quantiles of masses are what one would quote who took masses for a set."
    ) + _fewer_simulations(table)
    columns = [(name, "mean", name) for name in MEAN_SETS]
    return f"## Mean over depths: other sets\n\n{text}\n\n{_wide(table, columns, _short_cell)}"


def _masses_elsewhere(table: Table, treatments: Sequence[str]) -> str:
    if not treatments:
        return ""
    text = (
        "Coverage of the equal-tailed quantiles of the `bootstrap` masses, then the mean number "
        "of outcomes: the usual interval for the worst depth. The lowest of noisy cells is biased "
        "low, and drawn again from themselves the cells are biased twice."
    ) + _fewer_simulations(table)
    columns = [(treatment, treatment, "bootstrap-quantiles") for treatment in treatments]
    body = _wide(table, columns, _short_cell)
    return f"## Single cells: what a bootstrap would say\n\n{text}\n\n{body}"


def _fewer_simulations(table: Table) -> str:
    """Name the rows that stand on fewer tables: bootstrap masses that have to be drawn."""
    full = max(row.simulations for row in table.values())
    fewer = {
        (key[0], row.simulations)
        for key, row in table.items()
        if row.simulations < full and row.set.endswith("quantiles")
    }
    return "".join(
        f" On *{truth}* the columns of `bootstrap` masses stand on {n} tables only: there the "
        "masses have to be drawn."
        for truth, n in sorted(fewer)
    )


def _curve(table: Table, treatments: Sequence[str]) -> str:
    """Show what becomes of the curve's set where the truth is a curve, and where it is not."""
    rows = [row for row in table.values() if row.set == "curve"]
    if not rows:
        return ""
    n = min(row.simulations for row in rows)
    text = (
        "Coverage of the curve's set (bootstrap from the fitted curve; haystacks drawn whole), "
        "then the share of tables in which the curve's effective length is the true one. These "
        f"stand on {n} tables each: the Monte Carlo error of a coverage of {LEVEL:g} is "
        f"{nominal_error(n, LEVEL):.3f}. *single-needle* is a curve of this form, and there the "
        "set is small and right. Where the truth is no such curve the set can be confidently wrong "
        "at any number of cases, which is why it is never the headline and why a fit comes with "
        "its [test](curve.md)."
    )
    columns = [(treatment, treatment, "curve") for treatment in treatments]
    body = _wide(table, columns, lambda row: f"{row.coverage:.2f} {row.hit_rate:.2f}")
    return f"## The curve's set\n\n{text}\n\n{body}"


def _haystack(table: Table) -> str:
    keys = [key for key in table if key[3] == "clusters-ignored"]
    if not keys:
        return ""
    lines = [
        [
            f"{key[1]}, n = {key[2]}",
            _show(table.get((*key[:3], "default")), _default_cell),
            _show(table[key], _default_cell),
        ]
        for key in keys
    ]
    header = ["", "clusters named", "clusters left out"]
    text = (
        "In *shared-haystack* the trials of one number at one length share a haystack at all "
        "depths. With the haystack in the `cluster` column the depth mean falls back to the "
        "`jeffreys` set with a design effect. Left out of the table, nothing shows that cases "
        "depend on each other, and the certified set rests on an independence that is not there. "
        "A single cell holds each haystack once, so sets for single cells need no correction."
    )
    return f"## Shared haystacks\n\n{text}\n\n{_markdown(header, lines)}"


def _hits(table: Table, treatments: Sequence[str]) -> str:
    text = "Share of tables in which the observed effective length is the true one."
    columns = [(treatment, treatment, "default") for treatment in treatments]
    body = _wide(table, columns, lambda row: f"{row.hit_rate:.3f}")
    return f"## The point alone\n\n{text}\n\n{body}"


def _wide(table: Table, columns: Sequence[tuple[str, str, str]], cell: Callable[[Row], str]) -> str:
    """One line per truth; for each (label, depth treatment, set) a column per number of cases."""
    counts = _cases(table)
    header = ["truth", *(f"{label}, n = {n}" for label, _, _ in columns for n in counts)]
    lines = [
        [truth, *(_show(table.get((truth, t, n, s)), cell) for _, t, s in columns for n in counts)]
        for truth in _truths(table, columns[0][1])
    ]
    return _markdown(header, lines)


def _grid(table: Table, treatment: str, name: str, cell: Callable[[Row], str]) -> str:
    counts = _cases(table)
    header = ["truth", "true length", *(f"n = {n}" for n in counts)]
    lines = []
    for truth in _truths(table, treatment):
        rows = [table.get((truth, treatment, n, name)) for n in counts]
        lines.append([truth, _true_length(rows), *(_show(row, cell) for row in rows)])
    return _markdown(header, lines)


def _true_length(rows: Sequence[Row | None]) -> str:
    outcomes = {row.true_outcome for row in rows if row is not None}
    if len(outcomes) != 1 or not next(iter(outcomes)).is_integer():
        return "drawn"
    outcome = int(outcomes.pop())
    if outcome == 0:
        return "< 1K"
    return f"{LENGTHS[outcome - 1] // 1024}K" + (" or more" if outcome == LENGTHS.size else "")


def _short_cell(row: Row) -> str:
    return f"{row.coverage:.3f} {row.mean_size:.2f}"


def _show(row: Row | None, cell: Callable[[Row], str]) -> str:
    return "" if row is None else cell(row)


def _cases(table: Table) -> list[int]:
    return sorted({key[2] for key in table})


def _truths(table: Table, treatment: str) -> list[str]:
    return list(dict.fromkeys(key[0] for key in table if key[1] == treatment))


def _markdown(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rule, *lines))
