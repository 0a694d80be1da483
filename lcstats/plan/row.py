"""What one number of trials per cell leads to."""

from dataclasses import dataclass

from lcstats.plan.target import Target


@dataclass(frozen=True, slots=True)
class PlanRow:
    """What one number of trials per cell leads to.

    Attributes
    ----------
    trials_per_cell : int
    hit_probability : float
        That the effective length is the true tested length.
    within_one_doubling : float
        That it is within one doubling of it.
    monte_carlo_error : float
        Standard error of the hit probability; 0 where it is exact.
    mean_set_size : float or None
        Mean number of outcomes in the method's default set; None where it was not asked for.
    set_size_error : float or None
        Its standard error.
    n_simulations : int
        0 where the probabilities are exact.
    n_failed_fits : int
        Simulated tables whose fit did not converge; they count as they came out.
    """

    trials_per_cell: int
    hit_probability: float
    within_one_doubling: float
    monte_carlo_error: float = 0.0
    mean_set_size: float | None = None
    set_size_error: float | None = None
    n_simulations: int = 0
    n_failed_fits: int = 0

    def reaches(self, target: Target) -> bool:
        """Tell whether this reaches a target: a hit, one doubling, or the size of a set."""
        assert target.value is not None
        if target.kind == "set-size":
            return self.mean_set_size is not None and self.mean_set_size <= target.value
        share = self.hit_probability if target.kind == "hit" else self.within_one_doubling
        return share >= target.value
