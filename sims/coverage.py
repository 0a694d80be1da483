"""How often the 95% sets hold the truth: ``python -m sims.coverage --seed 1``.

For every truth and number of cases per cell tables are simulated, every depth treatment is asked
of each, and the library's sets are compared with the true outcome. The rows go to a CSV file, with
a page that reads it beside it. An interrupted study goes on with the truth and number of cases
where it stopped; equal seeds give byte-identical files for any number of processes. ``--check``
simulates anew and compares.
"""

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path
from statistics import NormalDist

import lcstats as lc
from sims.coverage_page import write_page
from sims.coverage_rows import (
    COMPARED_RATES,
    Row,
    disagreements,
    make_rows,
    read_rows,
    write_rows,
)
from sims.coverage_simulation import (
    SIMULATIONS_PER_BLOCK,
    Block,
    Results,
    Setting,
    Tables,
    add_results,
    run_block,
)

TRUTHS = tuple(truth.name for truth in (*lc.truths.COVERAGE, *lc.truths.HARD))
TREATMENTS = ("mean", "worst", "quantile:0.1", "window:3")
CASES = (5, 20, 80)
SIMULATIONS = 1000
SIMULATIONS_WITH_SURFACE = 400
"""Treatments that take an order over depths fit a surface to every table, a third of a second."""
LONG_TRUTHS = TRUTHS[:5]
"""Their surfaces have all SIMULATIONS: the sets were to have bounded sizes on them."""
OUT = Path("docs/evidence/coverage.csv")
FALSE_ALARM_RATE = 0.01
"""Of a whole --check when nothing has changed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    settings = [
        Setting(truth, treatment, n_cases)
        for truth in options.truth
        for n_cases in options.cases
        for treatment in options.treatment
    ]
    try:
        if options.check:
            seed = 2 if options.seed is None else options.seed
            simulations = options.simulations or 200
            return check_study(settings, seed, simulations, options.jobs, options.out)
        seed = 1 if options.seed is None else options.seed
        run_study(settings, seed, options.simulations, options.jobs, options.out)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m sims.coverage", description=__doc__)
    parser.add_argument("--seed", type=int, help="1; with --check 2")
    parser.add_argument(
        "--simulations",
        type=_positive,
        help=f"{SIMULATIONS}, or {SIMULATIONS_WITH_SURFACE} where surfaces are fitted to most "
        "truths; with --check 200",
    )
    parser.add_argument("--truth", type=_words(TRUTHS), default=TRUTHS, metavar="NAME,...")
    parser.add_argument("--treatment", type=_words(TREATMENTS), default=TREATMENTS)
    parser.add_argument("--cases", type=_numbers, default=CASES, metavar="N,...")
    parser.add_argument("--jobs", type=_positive, default=1, help="processes")
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    parser.add_argument(
        "--check", action="store_true", help="simulate anew and compare with the file"
    )
    return parser


def usual_simulations(setting: Setting) -> int:
    """Return how many tables the study simulates for a setting unless told otherwise."""
    is_short = setting.criterion.treatment.is_order and setting.truth not in LONG_TRUTHS
    return SIMULATIONS_WITH_SURFACE if is_short else SIMULATIONS


def run_study(
    settings: Sequence[Setting], seed: int, simulations: int | None, jobs: int, out: Path
) -> None:
    """Simulate what the file lacks, adding rows as a truth and number of cases is finished.

    Without `simulations` every setting has its usual number.

    Raises
    ------
    ValueError
        If the file holds another seed or number of simulations for one of the settings.
    """
    rows = read_rows(out)
    done = {row.setting for row in rows}
    _check_same_study(rows, settings, seed, simulations, out)
    pending = [setting for setting in settings if setting not in done]
    for finished in simulate(pending, seed, simulations, jobs):
        rows = sorted([*rows, *finished], key=_canonical_place)
        write_rows(rows, out)
    write_page(rows, out)


def check_study(
    settings: Sequence[Setting], seed: int, simulations: int, jobs: int, out: Path
) -> int:
    """Compare fresh simulations with the file; return 1 if any row disagrees.

    Raises
    ------
    ValueError
        If the file has no row for a setting, or was made with the same seed.
    """
    committed = {(row.setting, row.set): row for row in read_rows(out)}
    lacking = [s for s in settings if (s, "default") not in committed]
    if lacking:
        raise ValueError(f"{out} has no row for {lacking[0]}; expected one; run without --check")
    if any(row.seed == seed for row in committed.values()):
        raise ValueError(f"{out} has seed {seed} itself; expected another; pass --seed")
    reruns = [row for rows in simulate(settings, seed, simulations, jobs) for row in rows]
    limit = check_limit(len(reruns) * (len(COMPARED_RATES) + 1))
    faults = [
        fault
        for row in reruns
        for fault in disagreements(committed[row.setting, row.set], row, limit=limit)
    ]
    print("\n".join([*faults, f"{len(reruns)} rows compared, {len(faults)} disagreements"]))
    return int(bool(faults))


def check_limit(n_comparisons: int) -> float:
    """Combined Monte Carlo errors at which many comparisons together seldom give a false alarm."""
    return max(3.0, NormalDist().inv_cdf(1 - FALSE_ALARM_RATE / (2 * n_comparisons)))


def simulate(
    settings: Sequence[Setting], seed: int, simulations: int | None, jobs: int
) -> Iterator[list[Row]]:
    """Yield the rows of one truth and number of cases after the other.

    Byte-identical for any number of jobs.
    """
    asked: dict[tuple[Tables, int], list[str]] = {}
    for setting in settings:
        n = simulations or usual_simulations(setting)
        asked.setdefault((setting.tables, n), []).append(setting.treatment)
    blocks = [make_blocks(tables, treatments, seed, n) for (tables, n), treatments in asked.items()]
    flat = [block for of_tables in blocks for block in of_tables]
    if jobs <= 1:
        yield from _gather(blocks, seed, map(run_block, flat))
        return
    # Spawned, because a process that has run numba must not be forked.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as executor:
        try:
            yield from _gather(blocks, seed, executor.map(run_block, flat))
        except BaseException:
            _abandon(executor)
            raise


def make_blocks(
    tables: Tables, treatments: Sequence[str], seed: int, simulations: int
) -> list[Block]:
    """Split the simulations of one truth and number of cases; more continue fewer."""
    starts = range(0, simulations, SIMULATIONS_PER_BLOCK)
    return [
        Block(
            tables,
            tuple(treatments),
            seed,
            number,
            min(SIMULATIONS_PER_BLOCK, simulations - start),
        )
        for number, start in enumerate(starts)
    ]


def _gather(
    blocks: Sequence[Sequence[Block]], seed: int, finished: Iterator[Results]
) -> Iterator[list[Row]]:
    for number, of_tables in enumerate(blocks, start=1):
        results: Results = {}
        for _ in of_tables:
            add_results(results, next(finished))
        _show_progress(number, len(blocks), of_tables[0].tables)
        yield make_rows(seed, results)


def _abandon(executor: Executor) -> None:
    executor.shutdown(wait=False, cancel_futures=True)


def _show_progress(done: int, total: int, tables: Tables) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        text = f"{done}/{total} {tables.truth} n={tables.n_cases}"
        print(f"\r{text:<70}", end=end, file=sys.stderr, flush=True)


def _check_same_study(
    rows: Iterable[Row], settings: Sequence[Setting], seed: int, simulations: int | None, out: Path
) -> None:
    for row in rows:
        if row.setting not in settings or row.set != "default":
            continue
        wanted = simulations or usual_simulations(row.setting)
        if (row.seed, row.simulations) != (seed, wanted):
            raise ValueError(
                f"{out} holds {row.truth} {row.treatment} with seed {row.seed} and "
                f"{row.simulations} simulations; expected seed {seed} and {wanted}; "
                "remove the file or pass another --out"
            )


def _canonical_place(row: Row) -> tuple[int, int, int, bool, str]:
    return (
        TRUTHS.index(row.truth),
        TREATMENTS.index(row.treatment),
        row.n_cases,
        row.set != "default",
        row.set,
    )


def _words(allowed: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    def parse(text: str) -> tuple[str, ...]:
        words = tuple(text.split(","))
        unknown = [word for word in words if word not in allowed]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"found {unknown[0]!r}; expected one of {', '.join(allowed)}; "
                "separate several by commas"
            )
        return words

    return parse


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(_positive, text.split(",")))


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; expected a whole number, 1 or more; write 20, say"
        )
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
