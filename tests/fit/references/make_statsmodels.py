"""Make ``statsmodels.json``: plain GLM fits of stored counts, by statsmodels alone.

``python tests/fit/references/make_statsmodels.py``; lcstats is not imported.
"""

import json
from pathlib import Path

import numpy as np
import statsmodels
import statsmodels.api as sm

OUT = Path(__file__).with_name("statsmodels.json")
LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.arange(11) / 10
CASES = (5, 20, 80)


def columns():
    """The law's terms, written down again from its definition."""
    doublings, depth = np.meshgrid(np.log2(LENGTHS / 1024), DEPTHS, indexing="ij")
    middle = -doublings / 7 * 4 * depth * (1 - depth)
    recency = np.exp(-(1 - depth) / 0.1)
    terms = (np.ones_like(depth), -doublings, middle, recency)
    return np.stack([term.ravel() for term in terms], axis=1)


def reference(n_cases):
    design = columns()
    accuracy = 1 / (1 + np.exp(-design @ [4.2, 0.3, 1.9, 0.6]))
    counts = np.random.default_rng(n_cases).binomial(n_cases, accuracy)
    outcome = np.column_stack([counts, n_cases - counts])
    fit = sm.GLM(outcome, design, family=sm.families.Binomial()).fit(tol=1e-14, maxiter=200)
    return {
        "n_cases": n_cases,
        "successes": counts.reshape(LENGTHS.size, DEPTHS.size).tolist(),
        "coefficients": fit.params.tolist(),
        "covariance": fit.cov_params().tolist(),
        "deviance": float(fit.deviance),
    }


if __name__ == "__main__":
    stored = {
        "statsmodels": statsmodels.__version__,
        "lengths": LENGTHS.tolist(),
        "depths": DEPTHS.tolist(),
        "fits": [reference(n_cases) for n_cases in CASES],
    }
    OUT.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
