"""Hamiltonian Monte Carlo by nutpie's public API, where importance weights are no good."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lcstats.curve import FloatArray
from lcstats.extras import load_extra
from lcstats.posterior.density import Mode, PosteriorDensity
from lcstats.posterior.sample import Sample

N_CHAINS = 4
N_TUNING = 500
TARGET_ACCEPTANCE = 0.9
STATISTICS = {
    "diverging": ("diverging",),
    "energy": ("energy",),
    "lp": ("logp", "lp"),
    "n_steps": ("n_steps",),
    "tree_depth": ("depth", "tree_depth"),
}
"""ArviZ's names of sampler statistics, and those that nutpie has used."""


def run_chains(
    density: PosteriorDensity,
    mode: Mode,
    *,
    n_draws: int,
    seed: int,
    pareto_shape: float | None = None,
) -> Sample:
    """Run four chains, in coordinates in which the posterior is round.

    Parameters
    ----------
    n_draws : int
        Over all chains; rounded up to a multiple of them.
    pareto_shape : float, optional
        k-hat of the importance weights that made this necessary, for the message.

    Raises
    ------
    MissingExtraError
        If nutpie is not installed.
    """
    why = "sampling by NUTS"
    if pareto_shape is not None:
        why = f"the importance weights' k-hat is {pareto_shape:.2g}, above .7: {why}"
    nutpie = load_extra("nutpie", extra="nuts", purpose=why)
    from_pyfunc = load_extra("nutpie.compiled_pyfunc", extra="nuts", purpose=why).from_pyfunc
    factor = np.linalg.cholesky(mode.covariance)
    n_dimensions = mode.point.size

    def make_density() -> Any:
        def evaluate(place: FloatArray) -> tuple[float, FloatArray]:
            point = mode.point + factor @ place
            value = float(density.log_density(point[None])[0])
            return value, np.asarray(factor.T @ density.gradient(point))

        return evaluate

    def make_expansion(*_: Any) -> Any:
        return lambda place: {"place": np.asarray(place, dtype=np.float64)}

    compiled = from_pyfunc(
        n_dimensions,
        make_density,
        make_expansion,
        [np.dtype(np.float64)],
        [(n_dimensions,)],
        ["place"],
    )
    trace = nutpie.sample(
        compiled,
        draws=-(-n_draws // N_CHAINS),
        tune=N_TUNING,
        chains=N_CHAINS,
        cores=1,
        seed=seed,
        save_warmup=False,
        progress_bar=False,
        target_accept=TARGET_ACCEPTANCE,
    )
    places = np.asarray(trace["posterior"]["place"].values)
    points = mode.point + places @ factor.T
    statistics = _statistics(trace["sample_stats"])
    return Sample(
        points=_in_turn(points),
        statistics={name: _in_turn(values) for name, values in statistics.items()},
        diagnostics={
            "sampler": "nuts",
            "n_chains": N_CHAINS,
            **judge_chains(points),
            "n_divergences": int(statistics["diverging"].sum()),
        },
    )


def judge_chains(points: FloatArray) -> dict[str, float]:
    """Return the worst R-hat and the smallest bulk and tail sizes over all coordinates.

    Parameters
    ----------
    points : ndarray of float64, shape (n_chains, n_draws, n_dimensions)

    References
    ----------
    Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), Rank-normalization, folding, and
    localization: an improved R-hat, Bayesian Analysis 16, 667-718.
    """
    arviz = load_extra("arviz", extra="nuts", purpose="judging chains")
    columns = [np.ascontiguousarray(column) for column in np.moveaxis(points, -1, 0)]
    return {
        "largest_rhat": max(float(arviz.rhat(column)) for column in columns),
        "smallest_bulk_size": min(float(arviz.ess(column, method="bulk")) for column in columns),
        "smallest_tail_size": min(
            float(arviz.ess(column, method="tail", prob=(0.05, 0.95))) for column in columns
        ),
    }


def _statistics(found: Any) -> dict[str, NDArray[Any]]:
    """Pick what ArviZ has names for, shape (n_chains, n_draws) each."""
    names = {
        ours: theirs
        for ours, candidates in STATISTICS.items()
        for theirs in candidates
        if theirs in found
    }
    return {ours: np.asarray(found[theirs].values) for ours, theirs in names.items()}


def _in_turn(by_chain: NDArray[Any]) -> NDArray[Any]:
    """(n_chains, n_draws, ...) to (n_draws * n_chains, ...): the chains take turns."""
    turned = np.moveaxis(by_chain, 0, 1)
    return np.ascontiguousarray(turned.reshape(-1, *turned.shape[2:]))
