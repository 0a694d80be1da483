"""Make ``psignifit.json``: a Bayesian psychometric function on six lengths, without the library.

``python tests/fit/references/make_psignifit.py`` in an environment of its own with psignifit 4.3
(GPL-3: used as a program, never imported by the library or its tests).

Lapse and guess rates are held at 0, as in the library's fit; psignifit keeps its own priors on
threshold and width and, in the first fit, its overdispersion. In the second that is 0, too.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import psignifit

OUT = Path(__file__).with_name("psignifit.json")
LENGTHS = 4096 * 2 ** np.arange(6)
RIGHT = (211, 207, 199, 193, 181, 158)
N_CASES = 220
THRESHOLD = 0.85
GRID_STEPS = {"threshold": 100, "width": 100, "lambda": 1, "gamma": 1}
FIXED = {"lambda": 0.0, "gamma": 0.0}


def reference(fixed, eta_steps):
    result = psignifit.psignifit(
        np.column_stack([np.log2(LENGTHS), RIGHT, np.full(LENGTHS.size, N_CASES)]),
        sigmoid="neg_logistic",
        experiment_type="yes/no",
        thresh_PC=THRESHOLD,
        confP=(0.95,),
        fixed_parameters=fixed,
        grid_steps={**GRID_STEPS, "eta": eta_steps},
        verbose=False,
    )
    lower, upper = result.confidence_intervals["threshold"]["0.95"]
    return {
        "mode": float(result.get_parameter_estimate("MAP")["threshold"]),
        "mean": float(result.get_parameter_estimate("mean")["threshold"]),
        "lower": float(lower),
        "upper": float(upper),
    }


if __name__ == "__main__":
    stored = {
        "psignifit": version("psignifit"),
        "lengths": LENGTHS.tolist(),
        "right": RIGHT,
        "n_cases": N_CASES,
        "threshold": THRESHOLD,
        "log2_crossing": {
            "overdispersed": reference(FIXED, 20),
            "binomial": reference({**FIXED, "eta": 1e-4}, 1),
        },
    }
    OUT.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
