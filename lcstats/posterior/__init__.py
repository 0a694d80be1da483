"""The posterior of the curve: stated priors, importance draws, NUTS, and the way to ArviZ."""

from lcstats.posterior.arviz_export import to_arviz
from lcstats.posterior.door import sample_posterior, sample_prior
from lcstats.posterior.priors import Priors
from lcstats.posterior.smoothing import SmoothedWeights, smooth_weights

__all__ = [
    "Priors",
    "SmoothedWeights",
    "sample_posterior",
    "sample_prior",
    "smooth_weights",
    "to_arviz",
]
