"""One figure of every kind, as hard to lay out as its kind gets in earnest."""

from functools import lru_cache

import numpy as np
import pandas as pd

from lcstats import plots
from lcstats.cells import Cells
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.lengths import Criterion
from lcstats.needles import analyze_needles
from lcstats.plan import Budget, Prices, allocate, plan_trials, planned_truth
from lcstats.posterior import sample_posterior
from lcstats.trials import Trials
from lcstats.truths import simulate_needles
from tests.plots.drawings import LENGTHS, NAME, answer_of, simulated, with_unscored
from tests.plots.test_difference import compared
from tests.plots.test_shift import three

LIFTS = {"strong": 0.2, "middling": 0.0, NAME.removeprefix("モデル七_"): -0.06, "weak": -0.5}


@lru_cache(maxsize=1)
def cells():
    """One group with prompts that were too long at the end."""
    too_long = {131072: {"context_exceeded": 9}, 262144: {"context_exceeded": 220}}
    return with_unscored(simulated(model=NAME), too_long)


@lru_cache(maxsize=1)
def fit():
    return fit_curve(cells())


@lru_cache(maxsize=1)
def several():
    """Four language models, one of them with a long name."""
    grids = [simulated(lift=lift, model=name).grids[0] for name, lift in LIFTS.items()]
    return Cells(tuple(grids))


@lru_cache(maxsize=1)
def answers():
    return [answer_of(group, guess_rate=0.25) for group in several()]


@lru_cache(maxsize=1)
def needles():
    found = simulate_needles((1024, 8192, 65536), (0.0, 0.5, 1.0), n_trials=15, seed=1)
    return analyze_needles(found)


@lru_cache(maxsize=1)
def timed(names=("first", NAME)):
    """Trials whose times grow with length, with an outlier and one without a time."""
    rng = np.random.default_rng(5)
    lengths = np.repeat(LENGTHS, 20)
    frames = [
        pd.DataFrame(
            {
                "model": name,
                "length": lengths,
                "score": 1.0,
                "ttft_s": lengths / 9000 * rng.lognormal(0.0, 0.4, lengths.size),
            }
        )
        for name in names
    ]
    frames[0].loc[0, "ttft_s"] = np.nan
    return Trials.from_frame(pd.concat(frames, ignore_index=True))


@lru_cache(maxsize=1)
def plan():
    return plan_trials("two-hop", [1024, 4096, 16384], [0.0, 0.5, 1.0], Criterion(0.85), "hit=0.8")


@lru_cache(maxsize=1)
def allocation():
    planned = planned_truth("single-needle", [4096, 16384, 65536], [0.0, 0.5, 1.0])
    return allocate(planned, Criterion(0.85), Budget(8_000_000))


def residuals(width):
    goodness = goodness_of_fit(fit(), n_simulations=99)
    return plots.plot_residuals(fit(), goodness=goodness, width=width)


def posterior():
    return sample_posterior(fit(), n_draws=200)


KINDS = {
    "heatmap": lambda width: plots.plot_heatmap(
        cells(), effective_length=answer_of(cells()), width=width
    ),
    "heatmap, half-widths": lambda width: plots.plot_heatmap(
        cells(), words="half-width", width=width
    ),
    "heatmaps": lambda width: plots.plot_heatmaps(
        several(), effective_lengths=answers(), width=width
    )[0],
    "decay": lambda width: plots.plot_decay(
        cells(),
        effective_length=answer_of(cells(), guess_rate=0.25, depth_treatment="worst"),
        fit=fit(),
        width=width,
    ),
    "decays": lambda width: plots.plot_decays(
        several(),
        effective_lengths=answers(),
        fits=[fit_curve(group) for group in several()],
        width=width,
    ),
    "depth": lambda width: plots.plot_depth(cells(), fit=fit(), width=width),
    "masses": lambda width: plots.plot_masses(answer_of(cells()), width=width),
    "methods": lambda width: plots.plot_methods(
        answer_of(cells(), depth_treatment="worst"), width=width
    ),
    "forest": lambda width: plots.plot_length_forest(answers(), all_methods=True, width=width),
    "residuals": residuals,
    "posterior predictive": lambda width: plots.plot_posterior_predictive(
        fit(), posterior=posterior(), width=width
    ),
    "posterior predictive by depth": lambda width: plots.plot_posterior_predictive(
        fit(), by="depth", posterior=posterior(), width=width
    ),
    "prior predictive": lambda width: plots.plot_prior_predictive(
        fit(), posterior=posterior(), width=width
    ),
    "needles": lambda width: plots.plot_needles(needles(), width=width),
    "dependence": lambda width: plots.plot_dependence(needles(), width=width),
    "required": lambda width: plots.plot_required(needles(), width=width),
    "needle depths": lambda width: plots.plot_needle_depths(needles(), width=width),
    "plan": lambda width: plots.plot_plan(plan(), width=width),
    "allocation": lambda width: plots.plot_allocation(allocation(), width=width),
    "difference": lambda width: plots.plot_difference(compared(NAME), width=width),
    "shift": lambda width: plots.plot_shift(three(model=NAME), width=width),
    "latency": lambda width: plots.plot_latency(timed(), width=width),
    "cost": lambda width: plots.plot_cost(timed(), prices=Prices(input_usd=2.0), width=width),
}
