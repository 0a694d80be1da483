"""The page of the study of graded, unequal and clustered cases: all numbers from its rows."""

from collections.abc import Iterable, Sequence

from sims.coverage_rows import nominal_error
from sims.coverage_simulation import LEVEL
from sims.coverage_table import markdown
from sims.extensions_rows import Row
from sims.extensions_tables import BAR, CONCENTRATION, DATA, JUST_BELOW, N_REPEATS

BASE = "single-needle"
TITLES = {"mean": "Mean over depths", "worst": "Worst depth"}
OF_CLUSTERS = ("default", "certified", "jeffreys", "hybrid", "strict", "posterior", "curve")
IGNORED = ", clusters ignored"


def make_page(rows: Sequence[Row], csv_name: str) -> str:
    """Return the page as Markdown."""
    clustered = [row for row in rows if DATA[row.data].is_clustered]
    surfaces, clustered_surfaces = _of_set(rows, "posterior"), _of_set(clustered, "posterior")
    return f"""# Graded scores, unequal cells, clusters

    python -m sims.extensions --seed {rows[0].seed} --simulations {_tables(rows)}

What the [coverage study](coverage.md) takes for granted does not hold here: cases are graded, cells
hold different numbers of them, or they share clusters. Tables have 8 lengths and 11 depths; the
threshold is {BAR:g}. Each line stands on {_tables(rows)} tables, on which a coverage of {LEVEL:g}
has a Monte Carlo error of {_error(rows)}. Sets that need a surface have the first
{_tables(surfaces)} of them ({_tables(clustered_surfaces)} with clusters, an error of
{_error(clustered_surfaces)}), the curve's the first {_tables(_of_set(rows, "curve"))}: theirs are
for orientation. All numbers with their own Monte Carlo errors:
[{csv_name}]({csv_name}).

| data | cases |
| --- | --- |
{_titles(rows)}

*beta* has scores from Beta({CONCENTRATION:g} p, {CONCENTRATION:g} (1 - p)); *folded* has cases
whose own rates are such numbers, sent {N_REPEATS} times. The accuracies are made to break sets: all
cells at the threshold (*at-bar*), all cells {JUST_BELOW:g} from the fifth length on
(*just-below*), the same with one depth perfect and the failures in all others (*carried*), one cell
of {JUST_BELOW:g} and the rest at .9999 (*one-cell*), lengths from well above to just below
(*mixture*), and the *single-needle* of the coverage study for sizes.

## Which set to trust when

Smallest coverage over the accuracies, then the mean number of outcomes on *{BASE}*.

{_trust(rows)}

`certified` keeps its level on all of these data. It is asked for by name (`--set certified`) where
it is not the default.

## Both ends of `certified`

The largest share of tables whose set lies above the truth (lower end) and below it (upper end),
over the accuracies; in brackets what the set promises there.

{_ends(rows)}

{_broken(rows)}

## What shared clusters do

Smallest coverage over the accuracies and, on *{BASE}*, mean number of outcomes: clusters named, and
when nobody says what cases share. In *fates* a case number is right or wrong at all lengths and
depths: {_n_fates()} independent facts in a table of {DATA["fates"].designs["20"].sum()} cases.
`certified` has to allow for that wherever clusters are named: {_n_fates()} haystacks may be
{_n_fates()} cases, however many depths they serve. `jeffreys` and the surface estimate how much is
shared; ignoring it breaks even what is proved for independent cases.

{_clusters(clustered)}
"""


def _trust(rows: Sequence[Row]) -> str:
    header = [
        "data",
        "cases",
        *(f"{TITLES[t]}: {s}" for t in TITLES for s in ("default", "certified")),
    ]
    lines = []
    for data, cases in dict.fromkeys((row.data, row.cases) for row in rows):
        of_data = [row for row in rows if (row.data, row.cases) == (data, cases)]
        cells = [
            _summary([r for r in of_data if (r.treatment, r.set) == (treatment, name)], name)
            for treatment in TITLES
            for name in ("default", "certified")
        ]
        lines.append([data, cases, *cells])
    return markdown(header, lines)


def _summary(rows: Sequence[Row], name: str) -> str:
    if not rows:
        return ""
    least = min(rows, key=lambda row: row.coverage)
    base = next((row for row in rows if row.truth == BASE), None)
    kind = f"{least.kind} " if name == "default" else ""
    size = "" if base is None else f"{base.mean_size:.2f}"
    return f"{kind}{least.coverage:.3f}, {size}"


def _ends(rows: Sequence[Row]) -> str:
    header = ["data", "cases", *(f"{TITLES[t]}: {e}" for t in TITLES for e in ("lower", "upper"))]
    certified = _of_set(rows, "certified")
    lines = []
    for data, cases in dict.fromkeys((row.data, row.cases) for row in rows):
        cells = []
        for treatment in TITLES:
            here = [
                r for r in certified if (r.data, r.cases, r.treatment) == (data, cases, treatment)
            ]
            if here:
                ends = (
                    max((row.truth_below, row.lower_level or 0.0) for row in here),
                    max((row.truth_above, row.upper_level or 0.0) for row in here),
                )
                cells += [f"{error:.3f} ({level:.4f})" for error, level in ends]
        lines.append([data, cases, *cells])
    return markdown(header, lines)


def _broken(rows: Sequence[Row]) -> str:
    """Name every proved end that errs too often; there should be none."""
    certified = [row for row in rows if row.set == "certified"]
    broken = [row for row in certified if row.breaks_an_end() or row.falls_short(LEVEL)]
    if not broken:
        return "No end errs by more than its level and three Monte Carlo errors."
    return "\n".join(
        f"- **{row.data}**, {row.truth}, {row.cases} cases, {row.treatment}: "
        f"{row.truth_below:.3f} / {row.truth_above:.3f}."
        for row in broken
    )


def _clusters(rows: Sequence[Row]) -> str:
    header = ["data", "depths", "set", "clusters named", "clusters ignored"]
    lines = []
    for data in dict.fromkeys(row.data for row in rows):
        for treatment, title in TITLES.items():
            here = [row for row in rows if (row.data, row.treatment) == (data, treatment)]
            for name in OF_CLUSTERS:
                named = [row for row in here if row.set == name]
                ignored = [row for row in here if row.set == name + IGNORED]
                if named and name != "default":
                    lines.append(
                        [data, title, name, _summary(named, name), _summary(ignored, name)]
                    )
    return markdown(header, lines)


def _n_fates() -> int:
    return int(DATA["fates"].designs["20"][0, 0])


def _titles(rows: Iterable[Row]) -> str:
    return "\n".join(
        f"| {name} | {DATA[name].title} |" for name in dict.fromkeys(row.data for row in rows)
    )


def _of_set(rows: Iterable[Row], name: str) -> list[Row]:
    return [row for row in rows if row.set == name]


def _tables(rows: Iterable[Row]) -> int:
    return max((row.simulations for row in rows), default=0)


def _error(rows: Sequence[Row]) -> str:
    return f"{nominal_error(max(_tables(rows), 1), LEVEL):.3f}"
