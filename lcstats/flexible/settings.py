"""The settings that the surface is averaged over: three standard deviations and a precision."""

from dataclasses import dataclass
from itertools import product
from math import log

WALK_SDS = ((0.3, 0.5), (1.0, 0.5))
SMOOTH_SDS = ((0.1, 0.5), (0.7, 0.3), (2.0, 0.2))
ROUGH_SDS = ((0.03, 0.5), (0.4, 0.35), (1.2, 0.15))
PRECISIONS = ((3000.0, 0.45), (400.0, 0.30), (60.0, 0.20), (15.0, 0.05))
"""Values with their prior probabilities; a precision M spreads cells as M + 1 cases would."""

FIRST_PRECISION = 60.0
"""Where every surface is fitted first: the middle of the road."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of the grid of hyperparameters.

    Attributes
    ----------
    walk, smooth, rough : float
        Standard deviations, in logits: of the level's steps from octave to octave, of deviations
        that neighbouring depths share, and of those that every depth has of its own.
    precision : float
        M of the cells' beta distributions.
    prior : float
        Prior probability; those of all settings add up to 1.
    """

    walk: float
    smooth: float
    rough: float
    precision: float
    prior: float

    @property
    def sds(self) -> tuple[float, float, float]:
        """Walk, smooth and rough."""
        return self.walk, self.smooth, self.rough

    @property
    def log_prior(self) -> float:
        """Logarithm of the prior probability."""
        return log(self.prior)


SETTINGS = tuple(
    Setting(walk, smooth, rough, precision, p_walk * p_smooth * p_rough * p_precision)
    for (walk, p_walk), (smooth, p_smooth), (rough, p_rough), (precision, p_precision) in product(
        WALK_SDS, SMOOTH_SDS, ROUGH_SDS, PRECISIONS
    )
)
"""All 72 settings."""
