"""``sample_posterior`` and ``sample_prior``: the doors of this room; numbers happen elsewhere."""

from dataclasses import replace
from typing import Literal

import numpy as np

from lcstats.curve import FloatArray
from lcstats.draws import Draws, accuracies_of
from lcstats.errors import announce
from lcstats.fit import CurveFit
from lcstats.options import DrawKind, Sampler, check_option, check_type, check_whole
from lcstats.posterior.density import PosteriorDensity, density_of, find_mode
from lcstats.posterior.importance import (
    FEWEST_PROPOSALS,
    PROPOSALS_PER_DRAW,
    draw_weighted,
    equal_weights,
    make_proposal,
)
from lcstats.posterior.judging import (
    BAD_SHAPE,
    notices_on_data,
    notices_on_sampling,
    variance_ratio,
)
from lcstats.posterior.nuts import run_chains
from lcstats.posterior.priors import Priors
from lcstats.posterior.sample import Sample

N_DRAWS = 4000

LapseRate = Literal["estimate"] | None


def sample_posterior(
    fit: CurveFit,
    *,
    n_draws: int = N_DRAWS,
    sampler: Sampler = "auto",
    priors: Priors | None = None,
    lapse_rate: LapseRate = None,
    seed: int = 0,
) -> Draws:
    """Draw curves from their posterior, given a fit's counts, law and stated priors.

    Parameters
    ----------
    fit : CurveFit
        Brings the counts and the law. Its coefficients are only where the search for the mode
        begins, and its penalty plays no part: the priors take its place.
    n_draws : int
        At least 1; with ``nuts`` rounded up to a multiple of four chains.
    sampler : {"auto", "importance", "nuts"}
        ``importance`` draws from a multivariate t around the mode and weights; ``nuts`` is
        Hamiltonian Monte Carlo by nutpie (the extra ``nuts``); ``auto`` is ``importance``, and
        ``nuts`` where the weights' k-hat is above .7.
    priors : Priors, optional
        The method's own without it.
    lapse_rate : "estimate", optional
        Estimate the lapse rate; without it, that is done where `fit` estimated one above 0, and
        else it stays what it is in `fit`.
    seed : int
        Equal seeds give the same bytes.

    Returns
    -------
    Draws
        Of kind ``posterior``, all of equal weight. ``diagnostics`` has the ``sampler``,
        ``n_chains`` and ``variance_ratio``. Of importance draws it has
        ``pareto_shape`` (k-hat), ``effective_size`` (1 over the sum of squared weights) and
        ``n_proposals``; of chains ``largest_rhat``, ``smallest_bulk_size``,
        ``smallest_tail_size`` and ``n_divergences``.

    Raises
    ------
    OptionError
        If `fit` is no fit or an option is out of range.
    MissingExtraError
        If NUTS is asked for, or needed, and nutpie is not installed.

    Notes
    -----
    The density is ``prior(coefficients) * prod p**k (1 - p)**(n - k)`` over the cells, p as in
    METHOD section 2 and the priors as in :class:`Priors`. Importance draws: the mode by BFGS, a
    multivariate t with 5 degrees of freedom around it, at least four proposals for a draw, Pareto
    smoothed weights; while k-hat is above .5, up to three more proposals with the weighted mean
    and covariance of the one before; then systematic resampling, so that nothing downstream
    needs weights.

    Graded scores and folded repeats have no binomial likelihood, and cases that share clusters
    are not independent. There the log-likelihood is divided by how many times more the data
    scatter (``variance_ratio``): the dispersion of the scores, and the mean over the parameters
    of robust over model-based variance, at least 1. This is a quasi-posterior: its width is that
    of the data's own scatter, to first order, and a notice says so.

    References
    ----------
    Vehtari, Simpson, Gelman, Yao and Gabry (2024), Pareto smoothed importance sampling, Journal of
    Machine Learning Research 25 (72).
    Pauli, Racugno and Ventura (2011), Bayesian composite marginal likelihoods, Statistica Sinica
    21, 149-164 (the division).

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts(
    ...     [4096, 16384, 65536],
    ...     [0.0, 0.5, 1.0],
    ...     n_cases=20,
    ...     successes=[[20, 19, 20], [19, 17, 19], [15, 9, 17]],
    ... )
    >>> draws = sample_posterior(fit_curve(cells), n_draws=500, seed=1)
    >>> draws.accuracies.shape, draws.diagnostics["pareto_shape"] < 0.7
    ((500, 3, 3), True)
    """
    _check(fit, n_draws, lapse_rate, seed)
    check_option(sampler, Sampler, "sampler")
    ratio = variance_ratio(fit)
    density = _density(fit, priors, lapse_rate, ratio)
    sampled = _sample(density, fit, n_draws=n_draws, sampler=sampler, seed=seed)
    notices = (*notices_on_data(fit, ratio), *notices_on_sampling(sampled.diagnostics))
    announce(notices)
    draws = _draws(fit, density, "posterior", sampled.points)
    return replace(
        draws,
        statistics=sampled.statistics,
        diagnostics={**sampled.diagnostics, "variance_ratio": ratio},
        notices=notices,
    )


def _sample(
    density: PosteriorDensity, fit: CurveFit, *, n_draws: int, sampler: Sampler, seed: int
) -> Sample:
    """Draw points of equal weight by the sampler that was asked for, or is needed."""
    shape = None
    if sampler != "nuts":
        rng = np.random.default_rng(seed)
        n_proposals = max(PROPOSALS_PER_DRAW * n_draws, FEWEST_PROPOSALS)
        proposal = make_proposal(density, density.start(fit))
        weighted = draw_weighted(density, proposal, n_proposals, rng)
        shape = weighted.weights.pareto_shape
        if sampler == "importance" or shape <= BAD_SHAPE:
            return equal_weights(weighted, n_draws, rng)
    mode = find_mode(density, density.start(fit))
    return run_chains(density, mode, n_draws=n_draws, seed=seed, pareto_shape=shape)


def sample_prior(
    fit: CurveFit,
    *,
    n_draws: int = N_DRAWS,
    priors: Priors | None = None,
    lapse_rate: LapseRate = None,
    seed: int = 0,
) -> Draws:
    """Draw curves from the priors alone: what is believed before any count is seen.

    Parameters
    ----------
    fit : CurveFit
        Brings the law and the grid; its counts and coefficients play no part.
    n_draws, priors, lapse_rate, seed
        As in :func:`sample_posterior`.

    Returns
    -------
    Draws
        Of kind ``prior``.

    Raises
    ------
    OptionError
        If `fit` is no fit or an option is out of range.

    Examples
    --------
    >>> from lcstats.cells import Cells
    >>> from lcstats.fit import fit_curve
    >>> cells = Cells.from_counts([4096, 65536], [0.5], n_cases=9, successes=[[8], [5]])
    >>> fit = fit_curve(cells, terms=("intercept", "length"))
    >>> sample_prior(fit, n_draws=100).accuracies.shape
    (100, 2, 1)
    """
    _check(fit, n_draws, lapse_rate, seed)
    density = _density(fit, priors, lapse_rate)
    rng = np.random.default_rng(seed)
    points = density.priors.draw(fit.terms, n_draws, rng)
    if density.estimates_lapse:
        points = np.column_stack([points, rng.standard_normal(n_draws)])
    return _draws(fit, density, "prior", points)


def _density(
    fit: CurveFit, priors: Priors | None, lapse_rate: LapseRate, ratio: float = 1.0
) -> PosteriorDensity:
    return density_of(
        fit,
        priors or Priors(),
        estimates_lapse=lapse_rate == "estimate" or "lapse_rate" in fit.parameters,
        variance_ratio=ratio,
    )


def _draws(fit: CurveFit, density: PosteriorDensity, kind: DrawKind, points: FloatArray) -> Draws:
    coefficients = density.coefficients(points)
    lapse = density.lapse_rates(points) if density.estimates_lapse else None
    return Draws(
        kind=kind,
        lengths=fit.grid.lengths,
        depths=fit.grid.depths,
        accuracies=accuracies_of(fit, coefficients, lapse),
        coefficients=coefficients,
        terms=fit.terms,
        lapse_rates=lapse,
    )


def _check(fit: CurveFit, n_draws: int, lapse_rate: LapseRate, seed: int) -> None:
    check_type(fit, CurveFit, "fit")
    check_whole(n_draws, "n_draws", least=1)
    check_whole(seed, "seed")
    if lapse_rate is not None:
        check_option(lapse_rate, Literal["estimate"], "lapse_rate")
