"""The page that reads the allocation table: every number on it comes from the lines."""

from collections.abc import Sequence
from math import isnan
from typing import Protocol


class Line(Protocol):
    """What the page reads of a line; :class:`sims.allocation.Line` has more."""

    @property
    def truth(self) -> str: ...
    @property
    def treatment(self) -> str: ...
    @property
    def n_cases(self) -> int: ...
    @property
    def plan(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def hit(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def within(self) -> float: ...
    @property
    def planned_hit(self) -> float: ...
    @property
    def misfit_seen(self) -> float: ...
    @property
    def misfit_error(self) -> float: ...
    @property
    def seed(self) -> int: ...


def make_page(lines: Sequence[Line], csv_name: str) -> str:
    """Return the page as Markdown."""
    budgets = sorted({line.n_cases for line in lines})
    sections = "".join(
        _section(lines, treatment, n) for treatment in _values(lines, "treatment") for n in budgets
    )
    told = " and ".join(f"{n}" for n in budgets)
    return f"""# Unequal trials: what they are worth

    python -m sims.allocation --seed {lines[0].seed}

8 lengths (1K to 128K), 11 depths, threshold .85. All plans of a table cost the same tokens, those
of {told} trials in every cell. *Allocated* plans know the truth whose column they stand in; half
of the budget is spread evenly over all cells first. *allocated for single-needle* is what becomes
of a plan whose truth was wrong. *Two stages* know nothing but their own pilot, which takes half of
the budget. *c-optimal* plans are for the length at which a fitted curve crosses the threshold;
on truths that are no curves they are those for single-needle. Hit rates are simulated, with the
Monte Carlo error behind; what a plan says of itself (exact for raw cells, simulated with another
seed for curves) is in [{csv_name}]({csv_name}).

{sections}## Is a wrong curve seen?

How often `goodness_of_fit` rejects the curve at level .05 on tables of each design. On
single-needle and distractors the curve is right, and that is the size of the test.

{_misfit_table(lines)}

The c-optimal design with one trial in every cell, and all other money on a few of them, has the
smallest variance in theory. It sees less where the curve is wrong, and with so few trials its hit
rate can be lower even where the curve is right: its crossing is more often too short. So it is no
default, and half of the budget is spread.

## Which plan to take

For a truth that is not known, two stages: over the truths and prices here their hit rate of the
mean lies {_gains(lines, "two stages")} from that of uniform, that of an allocation made for another
truth {_gains(lines, "allocated for single-needle")}.
"""


def _gains(lines: Sequence[Line], plan: str) -> str:
    """Say how far a plan's hit rate of the mean is from that of uniform, at least and at most."""
    of_mean = [line for line in lines if (line.treatment, line.method) == ("mean", "observed")]
    uniform = {(line.truth, line.n_cases): line.hit for line in of_mean if line.plan == "uniform"}
    gains = [line.hit - uniform[line.truth, line.n_cases] for line in of_mean if line.plan == plan]
    return f"{min(gains):+.3f} to {max(gains):+.3f}"


def _section(lines: Sequence[Line], treatment: str, n_cases: int) -> str:
    chosen = [line for line in lines if (line.treatment, line.n_cases) == (treatment, n_cases)]
    return f"""## {treatment.capitalize()} over depths, the price of {n_cases} in every cell

{_hit_table(chosen)}

"""


def _hit_table(lines: Sequence[Line]) -> str:
    truths = _values(lines, "truth")
    rows = [["estimate", "plan", *truths], ["---"] * (2 + len(truths))]
    keys = sorted(dict.fromkeys((line.method, line.plan) for line in lines), reverse=True)
    for method, plan in keys:
        found = {
            line.truth: f"{line.hit:.3f} ({line.error:.3f})"
            for line in lines
            if (line.method, line.plan) == (method, plan)
        }
        name = {"observed": "raw cells", "curve": "curve"}[method]
        rows.append([name, plan, *(found.get(truth, "") for truth in truths)])
    return _markdown(rows)


def _misfit_table(lines: Sequence[Line]) -> str:
    asked = [line for line in lines if not isnan(line.misfit_seen)]
    truths = _values(asked, "truth")
    rows = [["price of", "design", *truths], ["---"] * (2 + len(truths))]
    for n_cases, plan in dict.fromkeys((line.n_cases, line.plan) for line in asked):
        found = {
            line.truth: f"{line.misfit_seen:.2f} ({line.misfit_error:.2f})"
            for line in asked
            if (line.n_cases, line.plan) == (n_cases, plan)
        }
        rows.append([f"{n_cases}", plan, *(found.get(truth, "") for truth in truths)])
    return _markdown(rows)


def _values(lines: Sequence[Line], name: str) -> list[str]:
    return list(dict.fromkeys(getattr(line, name) for line in lines))


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
