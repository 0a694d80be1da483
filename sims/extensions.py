"""Sets for graded scores, unequal cells and clusters: ``python -m sims.extensions --seed 1``.

Tables are simulated from accuracies at the bar, just below it and elsewhere, and the sets of the
mean and the worst depth are compared with the true outcome. Rows go to a CSV file, with a page
that reads it beside it. An interrupted study goes on where it stopped; equal seeds give
byte-identical files for any number of processes.
"""

import argparse
import multiprocessing
import sys
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from numpy.random import Generator, Philox, SeedSequence

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.options import SetKind
from sims.coverage_rows import summarize
from sims.coverage_simulation import LEVEL, Tally, true_outcome, without_clusters
from sims.extensions_page import make_page
from sims.extensions_rows import Row, read_rows, write_rows
from sims.extensions_tables import BAR, DATA, accuracies

OUT = Path("docs/evidence/extensions.csv")
TREATMENTS = ("mean", "worst")
SIMULATIONS = 200
N_WITH_SURFACE = {False: 30, True: 20}
"""Surfaces take long: only the first tables of a setting have them, clustered ones fewer."""
N_WITH_CURVE = 5
"""The bootstrap of a curve takes longer still."""
SURFACE_TRUTHS = {True: ("at-bar", "single-needle"), False: ("single-needle",)}
"""Where tables have a surface, by whether cases share clusters."""
NOT_CLUSTERED = ("carried", "mixture")
"""Truths about unequal cells, of which clusters say nothing new."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What tables are simulated from: data, accuracies and the design's name."""

    data: str
    truth: str
    cases: str


Found = dict[str, lc.Interval]
"""Sets of one table, by their name in the study."""

SETTINGS = tuple(
    Setting(name, truth, cases)
    for name, data in DATA.items()
    for truth in accuracies()
    for cases in data.designs
    if not (data.is_clustered and truth in NOT_CLUSTERED)
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.extensions", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help="tables per setting")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    options = parser.parse_args(arguments)
    run_study(SETTINGS, options.seed, options.simulations, options.jobs, options.out)
    return 0


def run_study(
    settings: Sequence[Setting], seed: int, simulations: int, jobs: int, out: Path
) -> None:
    """Run what `out` does not hold yet, and write table and page after every setting."""
    rows = read_rows(out)
    _check_same_study(rows, seed, out)
    done = {Setting(row.data, row.truth, row.cases) for row in rows}
    work = [(setting, seed, simulations) for setting in settings if setting not in done]
    for more in _run_all(work, jobs):
        rows += more
        write_rows(rows, out)
        out.with_suffix(".md").write_text(make_page(rows, out.name), encoding="utf-8")


def _run_all(work: Sequence[tuple[Setting, int, int]], jobs: int) -> Iterator[list[Row]]:
    if jobs == 1:
        yield from map(simulate, work)
        return
    # Spawned, because a process that has run numba must not be forked.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as executor:
        yield from executor.map(simulate, work)


def simulate(work: tuple[Setting, int, int]) -> list[Row]:
    """Simulate one setting; return its rows."""
    setting, seed, simulations = work
    tallies: dict[tuple[str, str], Tally] = {}
    found: dict[tuple[str, str], list[lc.Interval]] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        truths = {treatment: _true_outcome(setting, treatment) for treatment in TREATMENTS}
        for number in range(simulations):
            cells = draw_table(setting, seed, number)
            for treatment, true in truths.items():
                for name, interval in find_sets(cells, setting, treatment, number).items():
                    key = treatment, name
                    tally = judge(interval, true)
                    tallies[key] = tallies[key] + tally if key in tallies else tally
                    found.setdefault(key, []).append(interval)
    return [make_row(setting, *key, seed, tallies[key], found[key]) for key in sorted(tallies)]


def draw_table(setting: Setting, seed: int, number: int) -> lc.Cells:
    """Draw a table; its stream depends on nothing but the seed, the setting and its number."""
    name = zlib.crc32(f"{setting.data} {setting.truth} {setting.cases}".encode())
    rng = Generator(Philox(SeedSequence([seed, name, number])))
    data = DATA[setting.data]
    return data.draw(accuracies()[setting.truth], data.designs[setting.cases], rng)


def find_sets(cells: lc.Cells, setting: Setting, treatment: str, number: int) -> Found:
    """Return the sets of one table, and where cases share clusters those of who ignores it."""
    found = sets_of(cells, setting, treatment, number)
    if DATA[setting.data].is_clustered:
        ignoring = sets_of(without_clusters(cells), setting, treatment, number)
        found |= {f"{name}, clusters ignored": interval for name, interval in ignoring.items()}
    return found


def sets_of(cells: lc.Cells, setting: Setting, treatment: str, number: int) -> Found:
    """Return every set that this table can afford, by kind, and the one to quote."""
    criterion = lc.Criterion(BAR, depth_treatment=treatment)
    is_clustered = DATA[setting.data].is_clustered
    on_surface = (
        setting.truth in SURFACE_TRUTHS[is_clustered] and number < N_WITH_SURFACE[is_clustered]
    )
    has_curve = on_surface and is_clustered and number < N_WITH_CURVE
    is_mean = treatment == "mean"
    kinds: tuple[SetKind, ...] = ("certified",)
    if is_mean or on_surface:
        kinds = ("default", "certified", "jeffreys")
    answer = lc.effective_length(
        cells,
        criterion,
        fit=lc.fit_curve(cells) if has_curve else None,
        flexible=lc.fit_flexible(cells, seed=number) if on_surface else None,
        level=LEVEL,
        sets=(*kinds, "posterior", "strict") if on_surface else kinds,
        masses=(),
        seed=number,
    )
    found = {
        interval.kind if estimate.method != "curve" else "curve": interval
        for estimate in answer.estimates
        for interval in estimate.sets[: 1 if estimate.method == "curve" else None]
    }
    return {**found, "default": answer.quoted.default_set} if "default" in kinds else found


def judge(interval: lc.Interval, true: int) -> Tally:
    """Tally one set against the true outcome."""
    size = interval.upper - interval.lower + 1
    return Tally(
        simulations=1,
        held=int(interval.lower <= true <= interval.upper),
        truth_below=int(true < interval.lower),
        truth_above=int(true > interval.upper),
        size=size,
        squared_size=size**2,
        extended=int(interval.extended),
        hit=0,
        true_outcome=true,
    )


def make_row(
    setting: Setting,
    treatment: str,
    name: str,
    seed: int,
    tally: Tally,
    intervals: Sequence[lc.Interval],
) -> Row:
    numbers = summarize(tally)
    return Row(
        **asdict(setting),
        treatment=treatment,
        set=name,
        kind="+".join(sorted({interval.kind for interval in intervals})),
        seed=seed,
        lower_level=_largest(intervals, "lower_error"),
        upper_level=_largest(intervals, "upper_error"),
        **{name: value for name, value in numbers.items() if name not in ("extended", "hit_rate")},
    )


def _largest(intervals: Sequence[lc.Interval], name: str) -> float | None:
    """Return the largest level promised; None where one set promises none."""
    levels = [interval.diagnostics.get(name) for interval in intervals]
    if None in levels:
        return None
    return round(max(map(float, levels)), 4)  # type: ignore[arg-type]


def _true_outcome(setting: Setting, treatment: str) -> int:
    criterion = lc.Criterion(BAR, depth_treatment=treatment)
    return true_outcome(accuracies()[setting.truth], criterion)


def _check_same_study(rows: Iterable[Row], seed: int, out: Path) -> None:
    for row in rows:
        if row.seed != seed:
            raise SystemExit(
                f"{out} holds seed {row.seed}; expected seed {seed}; "
                "remove the file or pass another --out"
            )


if __name__ == "__main__":
    sys.exit(main())
