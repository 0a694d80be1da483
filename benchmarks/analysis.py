"""Everything lcstats says of one table, against the same in plain scipy and numpy."""

import os
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import lcstats as lc
from benchmarks import plain
from benchmarks.measure import Measurement, show_seconds
from lcstats.errors import LcstatsWarning
from lcstats.fit import goodness_of_fit
from lcstats.flexible import draw_accuracies
from lcstats.kernels.scan import ratio_tables, rectangle_sizes, scan_rectangles
from lcstats.lengths.curve_estimate import draw_curves

BAR = 0.85
TREATMENTS = ("mean", "pooled", "worst", "quantile:0.1", "window:3")
SETS = ("default", "certified", "jeffreys", "hybrid", "strict", "posterior")
N_REFITS = 2000 + 999
"""Of the bootstrap and of the goodness-of-fit test."""
N_POSTERIOR, N_PROPOSALS = 4000, 16000
N_TABLES = 65536
"""Simulated for the null law of the scan."""
N_TABLES_TIMED = 2048
UNSEEN_CASES = 17
"""Cases per cell of a design that nothing else here uses, so that its laws are not known yet."""

Seconds = dict[str, float]


@dataclass(frozen=True, slots=True)
class Design:
    """A table to analyse, what the target is, and how much of the plain way is timed."""

    n_lengths: int
    n_depths: int
    n_cases: int
    target: float
    repeats: int
    n_refits: int
    settings: slice

    @property
    def name(self) -> str:
        """The design in words."""
        return f"{self.n_lengths} x {self.n_depths}, n = {self.n_cases}"

    @property
    def depths(self) -> NDArray[np.float64]:
        """Equally spaced."""
        return np.linspace(0.0, 1.0, self.n_depths)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """From 1K to 128K."""
        return np.geomspace(1024, 131072, self.n_lengths).astype(np.int64)


DESIGNS = (
    Design(8, 11, 20, target=1.0, repeats=3, n_refits=20, settings=slice(None)),
    Design(35, 35, 5, target=20.0, repeats=1, n_refits=5, settings=slice(2, None, 24)),
)


def measure_analysis() -> list[Measurement]:
    """Time whole analyses of a small and a large table, and a certified law made afresh."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        lines = [line for design in DESIGNS for line in _measure(design)]
        return [*lines, _measure_law(DESIGNS[0])]


def analyse(make_cells: Callable[[], lc.Cells]) -> tuple[Seconds, NDArray[np.float64]]:
    """Run every method with every set on a table; return times by part and mean accuracies."""
    cells = make_cells()
    times: Seconds = {}
    with _timing(times, "curve: fit, test, bootstrap"):
        fit = lc.fit_curve(cells)
        goodness_of_fit(fit, n_threads=os.cpu_count() or 1)
        draws = draw_curves(fit, seed=0)
    with _timing(times, "posterior of the curve"):
        posterior = lc.sample_posterior(fit, n_draws=N_POSTERIOR)
    with _timing(times, "flexible surface"):
        flexible = lc.fit_flexible(cells)
    with _timing(times, "masses and sets of five depth treatments"):
        for treatment in TREATMENTS:
            lc.effective_length(
                cells,
                lc.Criterion(BAR, depth_treatment=treatment),
                fit=fit,
                flexible=flexible,
                draws=(draws, posterior),
                sets=SETS,
            )
    means = [posterior.accuracies.mean(axis=0), draw_accuracies(flexible).mean(axis=0)]
    return times, np.stack([fit.accuracy, *means])


def analyse_plainly(design: Design, table: plain.Table) -> tuple[Seconds, NDArray[np.float64]]:
    """Do the same in scipy and numpy; what is many times the same is timed in part."""
    rng = np.random.default_rng(2)
    times: Seconds = {}
    start = lc.truths.WORKED_CURVE.coefficients
    with _timing(times, "one fit"):
        fitted = plain.fit_curve(table, table.successes, start)
    with _timing(times, "refits"):
        plain.refit_curve(table, fitted, design.n_refits, rng)
    curve = times.pop("one fit") + times.pop("refits") * N_REFITS / design.n_refits
    seconds = {"curve: fit, test, bootstrap": curve}
    with _timing(seconds, "posterior of the curve"):
        posterior = plain.sample_curve(table, fitted, N_PROPOSALS, N_POSTERIOR, rng)
    every = plain.all_settings()
    with _timing(times, "modes"):
        modes = [plain.fit_surface(table, setting) for setting in every[design.settings]]
    with _timing(times, "draws"):
        cells = plain.sample_surface(table, modes, N_POSTERIOR, rng)
    seconds["flexible surface"] = times["modes"] * len(every) / len(modes) + times["draws"]
    with _timing(seconds, "masses and sets of five depth treatments"):
        for accuracies in (plain.bootstrap(table, 2000, rng), posterior, posterior[:2000], cells):
            plain.outcomes(accuracies, BAR)
    accuracy = plain.expit(table.design @ fitted).reshape(table.n_cases.shape)
    return seconds, np.stack([accuracy, posterior.mean(axis=0), cells.mean(axis=0)])


def _measure(design: Design) -> list[Measurement]:
    lengths, depths = design.lengths, design.depths
    rng = np.random.default_rng(1)
    grid = lc.truths.simulate_cells(
        "single-needle", lengths, depths, n_cases=design.n_cases, rng=rng
    ).grid

    def make_cells() -> lc.Cells:
        return lc.Cells.from_counts(
            lengths, depths, n_cases=design.n_cases, successes=grid.numerators
        )

    runs = [analyse(make_cells) for _ in range(design.repeats + 1)][1:]
    ours = min((times for times, _ in runs), key=lambda times: sum(times.values()))
    table = plain.Table(lengths, depths, grid.n_cases.astype(float), grid.successes)
    theirs, accuracies = analyse_plainly(design, table)
    _check_agreement(runs[0][1], accuracies, whole=design.settings == slice(None))
    total, plain_total = sum(ours.values()), sum(theirs.values())
    whole = Measurement(
        f"full analysis, {design.name}",
        f"{show_seconds(total)}, **{plain_total / total:,.0f} times** faster",
        f"the four parts in scipy and numpy: {show_seconds(plain_total)}",
        f"under {design.target:g} s",
        total < design.target,
    )
    return [whole, *(_part(name, seconds, theirs[name]) for name, seconds in ours.items())]


def _part(name: str, ours: float, theirs: float) -> Measurement:
    ratio = theirs / ours
    words = f"{ratio:,.0f} times faster" if ratio >= 1 else f"{1 / ratio:.1f} times as long"
    return Measurement(
        f"- {name}", f"{show_seconds(ours)}, {words}", f"{show_seconds(theirs)}{BESIDE[name]}"
    )


BESIDE = {
    "curve: fit, test, bootstrap": ", scipy's BFGS for every refit (from a few)",
    "posterior of the curve": ", importance draws with scipy.stats",
    "flexible surface": ", L-BFGS-B for each of the 72 settings",
    "masses and sets of five depth treatments": ", masses only, counted from drawn cells",
}


def _measure_law(design: Design) -> Measurement:
    """Time a certified set whose law nobody simulated yet, against the plain simulation alone."""
    cells = lc.Cells.from_counts(
        design.lengths, design.depths, n_cases=UNSEEN_CASES, successes=[[UNSEEN_CASES] * 11] * 8
    )
    criterion = lc.Criterion(BAR, depth_treatment="worst")
    times: Seconds = {}
    with _empty_cache(), _timing(times, "ours"):
        lc.effective_length(cells, criterion, sets="certified")
    shape = (N_TABLES_TIMED, 2, design.n_depths)
    tables = np.random.default_rng(1).binomial(UNSEEN_CASES, BAR, shape)
    with _timing(times, "numpy"):
        sums = plain.scan(tables, UNSEEN_CASES, BAR)
    _check_scan(tables, sums)
    seconds = times["numpy"] * N_TABLES / N_TABLES_TIMED
    return Measurement(
        f"certified set for worst depth, n = {UNSEEN_CASES}, its laws simulated anew",
        f"{show_seconds(times['ours'])}, {seconds / times['ours']:,.1f} times faster",
        f"{N_TABLES:,} tables of one law in numpy: {show_seconds(seconds)} "
        f"(from {N_TABLES_TIMED:,}); laws are kept on disk and used again",
    )


def _check_agreement(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], *, whole: bool
) -> None:
    """Fail if the two ways do not find the same accuracies, by curve, posterior and surface.

    The surface of a few settings is not that of all, and is not compared.
    """
    limits = (0.002, 0.02, 0.04)
    for mine, other, limit in list(zip(ours, theirs, limits, strict=True))[: 3 if whole else 2]:
        distance = float(np.abs(mine - other).max())
        if distance > limit:
            raise AssertionError(f"accuracies are {distance:.3f} apart; expected at most {limit}")


def _check_scan(tables: NDArray[np.int64], sums: NDArray[np.float64]) -> None:
    """Fail if numpy's sums of likelihood ratios are not those of the kernel."""
    p = plain.expit(plain.logit(BAR) - np.array(plain.SHORTFALLS))
    sizes = rectangle_sizes(np.full(tables.shape[1:], UNSEEN_CASES, dtype=np.int64))
    values, first = ratio_tables(sizes, np.log(p / BAR), np.log((1 - p) / (1 - BAR)), 600.0)
    np.testing.assert_allclose(scan_rectangles(tables, values, first), sums, rtol=1e-9)


@contextmanager
def _timing(times: Seconds, name: str) -> Iterator[None]:
    """Note the processor time of a block."""
    start = time.process_time()
    yield
    times[name] = time.process_time() - start


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Keep laws in an empty folder for a while."""
    before = os.environ.get("LCSTATS_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LCSTATS_CACHE_DIR"] = folder
        try:
            yield
        finally:
            os.environ.pop("LCSTATS_CACHE_DIR")
            if before is not None:
                os.environ["LCSTATS_CACHE_DIR"] = before
