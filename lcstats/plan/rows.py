"""Both engines as functions from trials per cell to a row."""

from lcstats.lengths import Criterion
from lcstats.options import Method
from lcstats.plan.exact import exact_probabilities
from lcstats.plan.row import PlanRow
from lcstats.plan.search import Evaluate
from lcstats.plan.simulation.simulate import Simulation, simulate_plan
from lcstats.plan.truths import PlannedTruth


def exact_rows(planned: PlannedTruth, criterion: Criterion) -> Evaluate:
    """Return the exact engine of observed lengths."""

    def evaluate(number: int) -> PlanRow:
        found = exact_probabilities(planned, number, criterion)
        return PlanRow(number, found.hit, found.within, found.error)

    return evaluate


def simulated_rows(
    planned: PlannedTruth, criterion: Criterion, method: Method, simulation: Simulation
) -> Evaluate:
    """Return the Monte Carlo engine of a method."""

    def evaluate(number: int) -> PlanRow:
        found = simulate_plan(planned, number, criterion, method=method, simulation=simulation)
        shares = found.probabilities()
        return PlanRow(
            trials_per_cell=number,
            hit_probability=shares.hit,
            within_one_doubling=shares.within,
            monte_carlo_error=shares.error,
            mean_set_size=found.mean_set_size,
            set_size_error=found.set_size_error,
            n_simulations=int(found.outcomes.size),
            n_failed_fits=found.n_failed_fits,
        )

    return evaluate
