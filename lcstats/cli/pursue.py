"""The adaptive loop: run a fixed design, look, run what narrows the answer, look again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from lcstats.cli.progress import show_progress
from lcstats.errors import OptionError, describe

if TYPE_CHECKING:
    from lcstats.lengths import Criterion
    from lcstats.plan import Budget, Pursuit
    from lcstats.plan.adaptive import NextPlan
    from lcstats.runner import Design, Settings, SweepResult
    from lcstats.runner.replies import Backend

LEAST = 1e-9
"""Of a budget that is spent: a plan is asked all the same, and says to stop."""


@dataclass(frozen=True, slots=True, eq=False)
class Sending:
    """Where designs are sent, and where their trials go."""

    backend: "Backend"
    settings: "Settings"
    output: str

    def __call__(self, design: "Design", *, resume: bool) -> "SweepResult":
        """Send a design, with a bar on a terminal, and advice if it is interrupted."""
        from lcstats.runner import run_sweep

        currency = self.settings.ceiling.currency if self.settings.ceiling else "tokens"
        with _advice_on_interruption(self.output), show_progress(currency) as watch:
            return run_sweep(
                self.backend,
                design,
                self.output,
                settings=self.settings,
                resume=resume,
                watch=watch,
            )


@contextmanager
def _advice_on_interruption(output: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"Interrupted. What was answered is in {output}; go on with --resume.", err=True)
        raise


@dataclass(frozen=True, slots=True, eq=False)
class Pursued:
    """What an adaptive run is after.

    Attributes
    ----------
    criterion : Criterion
    budget : Budget or None
        For all of it, the fixed design included.
    batch : float
        Share of what is left to run before the next look.
    pursuit : Pursuit
        What is narrow enough.
    """

    criterion: "Criterion"
    budget: "Budget | None"
    batch: float
    pursuit: "Pursuit"

    def __post_init__(self) -> None:
        """Refuse what makes no plan, before anything is sent."""
        if not 0 < self.batch <= 1:
            raise OptionError(
                describe(
                    f"--batch is {self.batch}",
                    "expected a share of what is left, above 0 and at most 1",
                    "pass --batch 0.25, say",
                )
            )


def run_adaptively(
    send: Sending, design: "Design", pursued: Pursued, *, resume: bool
) -> "SweepResult":
    """Run a design, then batch after batch where the evidence is not enough, as far as it pays.

    Raises
    ------
    OptionError
        If there is no budget.
    """
    if pursued.budget is None:
        raise OptionError(
            describe(
                "--adaptive is given without a budget",
                "expected --budget-tokens or --budget-usd",
                "pass --budget-tokens 20M, say",
            )
        )
    results = [send(design, resume=resume)]
    while results[-1].stop_reason is None:
        left = max(float(pursued.budget.amount) - results[-1].spent, LEAST)
        plan = _look(send.output, pursued, replace(pursued.budget, amount=left))
        click.echo(plan.sentence(), err=True)
        if plan.stop:
            break
        results.append(send(_design_of(plan, design), resume=True))
    return _together(results)


def _together(results: "Sequence[SweepResult]") -> "SweepResult":
    """Return what all stages came to; tokens are those of the whole file in each."""
    unscored = sum((Counter(result.n_unscored_by_status) for result in results), Counter[str]())
    return replace(
        results[-1],
        n_planned=sum(result.n_planned for result in results),
        n_done=sum(result.n_done for result in results),
        n_unscored_by_status=dict(unscored),
        seconds=round(sum(result.seconds for result in results), 3),
    )


def _look(output: str, pursued: Pursued, left: "Budget") -> "NextPlan":
    from lcstats.cells import count_cells
    from lcstats.plan import plan_next
    from lcstats.readers import read_trials

    cells = count_cells(read_trials(output))
    return plan_next(cells, pursued.criterion, left, batch=pursued.batch, pursuit=pursued.pursuit)


def _design_of(plan: "NextPlan", first: "Design") -> "Design":
    from lcstats.runner import DesignCell, parse_task

    cells = tuple(
        DesignCell(parse_task(cell.task), cell.length, cell.depth, cell.trials)
        for cell in plan.cells
    )
    return replace(first, cells=cells, stage=1)
