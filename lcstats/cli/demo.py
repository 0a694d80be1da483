"""The two demonstrations of ``lcstats report``: a real sweep, and trials from a known truth."""

from dataclasses import replace
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lcstats.lengths import Criterion
    from lcstats.trials import Trials

TRUTH = "single-needle"
LENGTHS = tuple(1024 * 2**doubling for doubling in range(8))
DEPTHS = tuple(step / 10 for step in range(11))
TRIALS = 20
SIMULATED_SEED = 1
TREATMENTS = {"mean": "the mean over depths", "worst": "the worst depth", "pooled": "pooled depths"}
COUNTED_AS_KNOWN = 10**9
"""Cases per cell at which a count is an accuracy, for the demonstration's true answers."""


def load_demo() -> tuple["Trials", str]:
    """Return the sweep that ships with lcstats, and what it is in words."""
    from lcstats.datasets import SMOLLM2_SWEEP, smollm2_sweep

    return smollm2_sweep(), SMOLLM2_SWEEP


def simulation_seed(ctx: click.Context, seed: int) -> int:
    """Return the seed that was given, or the simulated demonstration's own."""
    given = ctx.get_parameter_source("seed") is click.core.ParameterSource.COMMANDLINE
    return seed if given else SIMULATED_SEED


def simulate_demo(criterion: "Criterion", seed: int) -> tuple["Trials", str]:
    """Simulate trials, and say from what and what the analysis should find."""
    from lcstats.truths import simulate_trials

    trials = simulate_trials(TRUTH, LENGTHS, DEPTHS, n_trials=TRIALS, seed=seed)
    return trials, _describe(criterion, seed)


def _describe(criterion: "Criterion", seed: int) -> str:
    from lcstats.truths import get_truth

    truth = get_truth(TRUTH)
    other = "mean" if criterion.treatment.is_order else "worst"
    answers = " and ".join(
        f"{true_length(c)} tokens for {_named(c)}"
        for c in (criterion, replace(criterion, depth_treatment=other))
    )
    return (
        f"A demonstration on simulated trials, not on a language model. They were drawn from the "
        f"built-in truth {truth.name} ({truth.title}; illustrative numbers, fitted to no language "
        f"model) at {len(LENGTHS)} lengths and {len(DEPTHS)} depths, {TRIALS} "
        f"trials per cell, seed {seed}. Because the truth is known, so are its effective lengths: "
        f"{answers}."
    )


def _named(criterion: "Criterion") -> str:
    from lcstats.lengths.answer import treatment_words

    treatment = criterion.depth_treatment
    return TREATMENTS.get(treatment, f"the {treatment_words(treatment)}")


def true_length(criterion: "Criterion") -> str:
    """Return the demonstration's true effective length in words.

    The rule is applied to counts so large that they are the accuracies.
    """
    import numpy as np

    from lcstats.cells import Cells
    from lcstats.lengths import outcome_label
    from lcstats.lengths.observed import observe
    from lcstats.truths import get_truth

    accuracy = get_truth(TRUTH).accuracy(LENGTHS, DEPTHS)
    successes = np.rint(accuracy * COUNTED_AS_KNOWN).astype(np.int64)
    cells = Cells.from_counts(LENGTHS, DEPTHS, n_cases=COUNTED_AS_KNOWN, successes=successes)
    return outcome_label(observe(cells.grid, criterion).outcome, cells.grid.lengths)
