"""Run the benchmarks: ``python -m benchmarks [SUBJECT ...] [--write FILE]``."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.analysis import measure_analysis
from benchmarks.masses import measure_masses
from benchmarks.measure import Measurement, describe_load, describe_machine, make_table
from benchmarks.needles import measure_needles
from benchmarks.planner import measure_planner
from benchmarks.reading import measure_reading
from benchmarks.refits import measure_refits
from benchmarks.runner import measure_runner
from benchmarks.startup import measure_startup

SUBJECTS = ("masses", "refits", "analysis", "planner", "needles", "reading", "runner", "startup")
PAGE = """# Speed

    python -m benchmarks

Smallest of several repeats in one run, warm, on {machine}.
Ratios carry over to other machines better than times. For masses, refits and analyses the times are
processor times, for two threads and for the rest times on the clock.
Masses and refits are of {design}. {load}

{tables}
"""
DESIGN = "8 lengths and 11 depths with n cases per cell, simulated from *single-needle*"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; return 1 if a target is missed."""
    parser = argparse.ArgumentParser("python -m benchmarks", description=__doc__)
    parser.add_argument("subject", nargs="*", help=f"{' or '.join(SUBJECTS)}; all by default")
    parser.add_argument("--kamradt", type=Path, help="a folder of results; made where not given")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write a page, too")
    options = parser.parse_args(arguments)
    unknown = [subject for subject in options.subject if subject not in SUBJECTS]
    if unknown:
        parser.error(f"found {unknown[0]!r}; expected {' or '.join(SUBJECTS)}; name one of these")
    tables = {}
    for subject in options.subject or SUBJECTS:
        tables[subject] = _measure(subject, options.kamradt)
        print(f"{make_table(tables[subject])}\n", flush=True)
    print(describe_machine())
    if options.write is not None:
        options.write.write_text(_page(list(tables.values())), encoding="utf-8")
    return int(not all(m.is_met for lines in tables.values() for m in lines))


def _measure(subject: str, kamradt: Path | None) -> list[Measurement]:
    if subject == "startup":
        return measure_startup(kamradt)
    measure = {
        "masses": measure_masses,
        "refits": measure_refits,
        "analysis": measure_analysis,
        "planner": measure_planner,
        "needles": measure_needles,
        "reading": measure_reading,
        "runner": measure_runner,
    }
    return measure[subject]()


def _page(tables: list[list[Measurement]]) -> str:
    text = "\n\n".join(make_table(lines) for lines in tables)
    return PAGE.format(machine=describe_machine(), design=DESIGN, load=describe_load(), tables=text)


if __name__ == "__main__":
    sys.exit(main())
