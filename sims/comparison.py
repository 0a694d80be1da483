"""Intervals, tests and gates of comparisons: ``python -m sims.comparison --seed 1``.

What can be enumerated is exact: coverage of the paired interval, size and power of McNemar's test,
false alarms of the regression gate. Graded scores and clusters are simulated. A row per design goes
to a CSV file, with a page that reads it beside it; an interrupted study goes on with the row where
it stopped, and equal seeds give equal files.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from zlib import crc32

from numpy.random import Generator, Philox

from sims.comparison_page import make_page
from sims.comparison_rows import POPULATIONS, SIMULATED, Row, Setting, exact_studies, simulate
from sims.csv_rows import read_csv, write_csv

SIMULATIONS = 2000
OUT = Path("docs/evidence/comparison.csv")
MEASURED = ("coverage", "rejections", "gate false alarms")
"""What a simulated design gives, in this order; rejections are the test's."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.comparison", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS, help=f"{SIMULATIONS}")
    parser.add_argument("--out", type=Path, default=OUT, help=f"CSV file ({OUT})")
    options = parser.parse_args(arguments)
    try:
        run_study(options.seed, options.simulations, options.out)
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return 130
    return 0


def run_study(seed: int, simulations: int, out: Path) -> None:
    """Measure the rows that the file lacks, and write the page.

    Raises
    ------
    ValueError
        If the file was made with another seed or number of simulations.
    """
    rows = read_csv(Row, out)
    made = {(row.seed, row.simulations or simulations) for row in rows}
    if made - {(seed, simulations)}:
        raise ValueError(
            f"{out} was made with (seed, simulations) {sorted(made)}; expected {seed} and "
            f"{simulations}; remove the file or pass another --out"
        )
    done = {row.key for row in rows}
    for setting, measure in exact_studies():
        if setting.key not in done:
            rows.append(setting.row(measure(setting), seed))
            write_csv(rows, Row, out)
    for settings in simulated_designs():
        if settings[0].key not in done:
            rng = Generator(Philox([seed, crc32(repr(settings[0].key).encode())]))
            found = simulate(settings[0], simulations, rng)
            pairs = zip(settings, found, strict=True)
            rows += [setting.row(value, seed, simulations) for setting, value in pairs]
            write_csv(rows, Row, out)
    out.with_suffix(".md").write_text(make_page(rows), encoding="utf-8")


def simulated_designs() -> Iterator[tuple[Setting, ...]]:
    """Yield the settings that one simulation measures together."""
    for design in POPULATIONS:
        n = POPULATIONS[design].n_clusters * POPULATIONS[design].size
        for old, new in SIMULATED:
            yield tuple(
                Setting(f"simulated {measure}", design, n, old, new, 0.0) for measure in MEASURED
            )


if __name__ == "__main__":
    sys.exit(main())
