"""The Monte Carlo engine: tables drawn from a truth, and what each method makes of them."""

from lcstats.plan.simulation.simulate import Simulated, Simulation, expected_seconds, simulate_plan

__all__ = ["Simulated", "Simulation", "expected_seconds", "simulate_plan"]
