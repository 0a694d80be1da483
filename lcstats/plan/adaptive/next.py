"""``plan_next``: which cells to run next, why, and when to stop."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.cells import CellGrid, Cells, set_aside_depthless
from lcstats.errors import OptionError, describe
from lcstats.lengths.answer import Interval, outcome_of
from lcstats.lengths.anytime import anytime_gap
from lcstats.lengths.criterion import Criterion
from lcstats.options import check_level, check_type, check_whole, percent
from lcstats.plan.adaptive.batch import Purse, Rows, Step, fill_batch
from lcstats.plan.adaptive.sequential import Bid, Standing
from lcstats.plan.budget import Budget
from lcstats.plan.cost import Cost, Prices, cost_of
from lcstats.records import SCHEMA_VERSION, restoring
from lcstats.trials.wording import counted


@dataclass(frozen=True, slots=True)
class NextCell:
    """Trials to run in one cell.

    Attributes
    ----------
    task : str
    length : int
    depth : float or None
        None for a task that places nothing.
    trials : int
        To add to those that there are.
    why : str
        What they are for.
    """

    task: str
    length: int
    depth: float | None
    trials: int
    why: str


@dataclass(frozen=True, slots=True, eq=False)
class NextPlan:
    """What to run next, or that it is time to stop.

    Attributes
    ----------
    model : str
    criterion : Criterion
    sets : mapping of str to Interval
        The anytime-valid set of every task, as it stands.
    cells : tuple of NextCell
        Empty where `stop` is true.
    cost : Cost or None
        Of the cells; None where there are none.
    stop : bool
    stop_reason : str or None
    """

    model: str
    criterion: Criterion
    sets: Mapping[str, Interval]
    cells: tuple[NextCell, ...]
    cost: Cost | None
    stop: bool
    stop_reason: str | None

    @property
    def total_tokens(self) -> int:
        """Tokens that the cells take, sent and received."""
        return 0 if self.cost is None else self.cost.tokens

    @property
    def cost_usd(self) -> float | None:
        """Dollars that the cells cost; None without prices."""
        return None if self.cost is None else self.cost.usd

    def __repr__(self) -> str:
        what = f"stop: {self.stop_reason}" if self.stop else f"{len(self.cells)} cells"
        return f"NextPlan({self.model}: {what})"

    def sentence(self) -> str:
        """Say what to do next."""
        if self.stop:
            return f"Stop: {self.stop_reason}."
        n_trials = sum(cell.trials for cell in self.cells)
        spent = "" if self.cost is None else f" {self.cost.sentence()}"
        where = counted(len(self.cells), "cell")
        return f"Run {counted(n_trials, 'trial')} in {where}.{spent}"

    def reasons(self) -> dict[tuple[str, int], str]:
        """Return why each length gets trials, by task and length."""
        return {(cell.task, cell.length): cell.why for cell in self.cells}

    def to_frame(self) -> pd.DataFrame:
        """Return one row per cell."""
        columns = list(NextCell.__dataclass_fields__)
        return pd.DataFrame([asdict(cell) for cell in self.cells], columns=columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the ``next`` object of the JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "model": self.model,
            "criterion": self.criterion.to_dict(),
            "cells": [asdict(cell) for cell in self.cells],
            "total_tokens": self.total_tokens,
            "cost_usd": self.cost_usd,
            "cost": None if self.cost is None else self.cost.to_dict(),
            "stop": self.stop,
            "stop_reason": self.stop_reason,
            "sets": {
                task: {**interval.to_dict(), "tested_lengths": interval.lengths.tolist()}
                for task, interval in self.sets.items()
            },
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "NextPlan":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.
        """
        with restoring("NextPlan", document):
            cost = document["cost"]
            return cls(
                model=document["model"],
                criterion=Criterion.from_dict(document["criterion"]),
                sets={task: _interval_of(found) for task, found in document["sets"].items()},
                cells=tuple(NextCell(**cell) for cell in document["cells"]),
                cost=None if cost is None else Cost.from_dict(cost),
                stop=document["stop"],
                stop_reason=document["stop_reason"],
            )

    def to_toml(self) -> str:
        """Return the cells as TOML, one table ``[[cells]]`` each; a cell without depth has none."""
        tables = (
            "\n".join(
                [
                    "[[cells]]",
                    f"task = {_toml_text(cell.task)}",
                    f"length = {cell.length}",
                    *([] if cell.depth is None else [f"depth = {float(cell.depth)!r}"]),
                    f"trials = {cell.trials}",
                    f"why = {_toml_text(cell.why)}",
                ]
            )
            for cell in self.cells
        )
        return "\n\n".join([_toml_head(self), *tables]) + "\n"

    def write_toml(self, path: str | Path) -> Path:
        """Write the cells for the runner; returns the path."""
        target = Path(path)
        target.write_text(self.to_toml(), encoding="utf-8")
        return target


def plan_next(
    cells: Cells,
    criterion: Criterion,
    budget: Budget,
    *,
    batch: float = 0.25,
    pursuit: "Pursuit | None" = None,
) -> NextPlan:
    """Say which cells to run next, why, and when to stop.

    It may be asked after every batch, as often as one likes: stopping and choosing rest on
    evidence that holds however one looks.

    Parameters
    ----------
    cells : Cells
        Results so far of one language model, on one or several tasks.
    criterion : Criterion
    budget : Budget
        All that is left to spend, in tokens, dollars or seconds.
    batch : float
        Share of what is left to run before the next look, in (0, 1]; at least one round of a
        length, where there is money for one.
    pursuit : Pursuit, optional
        How narrow a set is enough, and at what level.

    Returns
    -------
    NextPlan

    Raises
    ------
    OptionError
        If there are several language models, or no anytime-valid set exists: a relative
        threshold, or clustered cases.

    Notes
    -----
    Lengths inside the set are taken up from both ends: the next outcome to show, and the last to
    exclude. Of all runs of lengths, the one is chosen whose outcomes removed, times the chance of
    it, per token (or dollar) is largest. The rest of the batch goes on as if that had come out as
    expected.

    Examples
    --------
    >>> cells = Cells.from_counts(
    ...     [4096, 8192, 16384],
    ...     [0.0, 0.5],
    ...     n_cases=20,
    ...     successes=[[20, 20], [17, 18], [9, 11]],
    ... )
    >>> plan = plan_next(cells, Criterion(0.85), Budget(4_000_000))
    >>> plan.sets["default"].display, sorted({cell.length for cell in plan.cells})
    ('4096 to 8192', [8192])
    >>> print(plan.cells[0].why)
    8192: 0.87 +- 0.05 against 0.85: to show that it passes; chance 17% within 122 trials
    """
    check_type(cells, Cells, "cells")
    check_type(criterion, Criterion, "criterion")
    wanted = Pursuit() if pursuit is None else pursuit
    purse = Purse.of(budget, batch)
    tasks = tuple(_task(grid, criterion, wanted.level) for grid in _one_model(cells))
    sets = {task.grid.task: task.interval for task in tasks}
    reason = _decided(sets, wanted.set_size)
    rows = [Rows(task.standing, task.grid.lengths) for task in tasks]
    steps = () if reason else tuple(fill_batch(rows, purse, wanted.set_size))
    if not (reason or steps):
        reason = f"{budget.amount:,.12g} {budget.currency} cannot be expected to narrow a set"
    return NextPlan(
        model=cells.grids[0].model,
        criterion=criterion,
        sets=sets,
        cells=tuple(cell for i, task in enumerate(tasks) for cell in _cells_of(task, i, steps)),
        cost=_cost(tasks, steps, budget.prices) if steps else None,
        stop=not steps,
        stop_reason=reason,
    )


@dataclass(frozen=True, slots=True)
class Pursuit:
    """How far results are pursued.

    Attributes
    ----------
    set_size : int
        Number of outcomes in the anytime-valid set that is narrow enough to stop.
    level : float
        Of that set.

    Examples
    --------
    >>> Pursuit.parse("set-size=2")
    Pursuit(set_size=2, level=0.95)
    """

    set_size: int = 1
    level: float = 0.95

    def __post_init__(self) -> None:
        check_whole(self.set_size, "set_size", least=1)
        check_level(self.level)

    @classmethod
    def parse(cls, text: str, *, level: float = 0.95) -> "Pursuit":
        """Return the pursuit written as ``set-size=2``.

        Raises
        ------
        OptionError
            If it is written otherwise.
        """
        name, _, number = text.partition("=")
        if name.strip() != "set-size" or not number.strip().isdecimal():
            raise OptionError(
                describe(
                    f"until is {text!r}", "expected set-size=N", "write set-size=1 for one outcome"
                )
            )
        return cls(int(number), level)


@dataclass(frozen=True, slots=True, eq=False)
class _Task:
    """One task and where it stands."""

    grid: CellGrid
    standing: Standing

    @property
    def interval(self) -> Interval:
        level = self.standing.level
        return Interval("anytime", level, *self.standing.ends, self.grid.lengths, is_default=True)


def _one_model(cells: Cells) -> Sequence[CellGrid]:
    models = sorted({grid.model for grid in cells.grids})
    if len(models) > 1:
        raise OptionError(
            describe(
                f"found results of {', '.join(models[:5])}",
                "expected one language model",
                f"take one with cells.select(model={models[0]!r}), or from the command line give "
                "the files of one",
            )
        )
    return cells.grids


def _task(grid: CellGrid, criterion: Criterion, level: float) -> _Task:
    whole = grid if criterion.treatment.kind == "pooled" else set_aside_depthless(grid)[0]
    criterion = criterion.with_guess_rate(grid.guess_rate)
    gap = anytime_gap(whole, criterion)
    if gap:
        raise OptionError(
            describe(
                f"{grid.model} on {grid.task}: {gap}",
                "expected independent cases and a bar that is not measured, so that looking again "
                "keeps the level",
                "use an absolute threshold, the mean over depths and one case per cluster, or plan "
                "a fixed number of trials with lcstats plan",
            )
        )
    counts = (whole.successes, whole.n_cases, whole.member_codes)
    return _Task(whole, Standing.of(*counts, criterion, level))


def _decided(sets: Mapping[str, Interval], set_size: int) -> str | None:
    """Say that every set is narrow enough, or None."""
    if any(interval.size > set_size for interval in sets.values()):
        return None
    return "; ".join(
        f"{task}: the {percent(interval.level)} anytime set is {interval.display}"
        for task, interval in sets.items()
    )


def _cells_of(task: _Task, number: int, steps: Sequence[Step]) -> Iterator[NextCell]:
    """Yield the cells of a task that get trials, by length and depth."""
    trials = _trials(task, number, steps)
    for row in np.flatnonzero(trials.any(axis=1)).tolist():
        first = next(step for step in steps if (step.task, step.bid.row) == (number, row))
        why = _why(task, first.bid)
        for column in np.flatnonzero(trials[row]).tolist():
            depth = float(task.grid.depths[column])
            yield NextCell(
                task=task.grid.members[task.grid.member_codes[column]]
                if task.grid.members
                else task.grid.task,
                length=int(task.grid.lengths[row]),
                depth=None if np.isnan(depth) else depth,
                trials=int(trials[row, column]),
                why=why,
            )


def _trials(task: _Task, number: int, steps: Sequence[Step]) -> NDArray[np.int64]:
    trials = np.zeros(task.grid.n_cases.shape, dtype=np.int64)
    for step in steps:
        if step.task == number:
            trials[step.bid.row] += step.bid.trials
    return trials


def _why(task: _Task, bid: Bid) -> str:
    """Say what a length's trials are for."""
    standing = task.standing
    run = bid.trials > 0
    n_cases = int(standing.n_cases[bid.row][run].sum())
    rate = (float(standing.successes[bid.row][run].sum()) + 0.5) / (n_cases + 1.0)
    error = float(np.sqrt(rate * (1.0 - rate) / (n_cases + 2.0)))
    found = f"{rate:.2f} +- {error:.2f}" if n_cases else "not run yet"
    end = "passes" if bid.passes else "does not"
    where = "" if run.all() else f", {run.sum()} of {run.size} depths"
    return (
        f"{task.grid.lengths[bid.row]}{where}: {found} against {standing.bar:.4g}: to show that it "
        f"{end}; chance {bid.chance:.0%} within {counted(int(bid.trials.sum()), 'trial')}"
    )


def _cost(tasks: Sequence[_Task], steps: Sequence[Step], prices: Prices) -> Cost:
    lengths = np.concatenate([task.grid.lengths for task in tasks])
    totals = [_trials(task, i, steps).sum(axis=1) for i, task in enumerate(tasks)]
    return cost_of(np.concatenate(totals)[:, None], lengths, prices)


def _interval_of(document: Mapping[str, Any]) -> Interval:
    lengths = np.array(document["tested_lengths"], dtype=np.int64)
    lower, upper = (outcome_of(document[end], lengths) for end in ("lower", "upper"))
    return Interval(document["kind"], document["level"], lower, upper, lengths, is_default=True)


def _toml_head(plan: NextPlan) -> str:
    """Return what goes before the cells: when to stop, and what the cells cost."""
    lines = [f"schema_version = {SCHEMA_VERSION}", f"model = {_toml_text(plan.model)}"]
    lines += [f"stop = {str(plan.stop).lower()}"]
    if plan.stop_reason:
        lines += [f"stop_reason = {_toml_text(plan.stop_reason)}"]
    lines += [f"total_tokens = {plan.total_tokens}"]
    return "\n".join(lines)


def _toml_text(text: str) -> str:
    """Write a basic TOML string: JSON's escapes are TOML's, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
