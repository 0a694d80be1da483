"""Gates: whether a change may go in, given how much worse it could be."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import ceil
from typing import Any, Literal

from scipy.special import ndtri

from lcstats.comparison.evidence import Evidence, MarginTest
from lcstats.comparison.verdict import correct_for_number
from lcstats.errors import OptionError, describe
from lcstats.options import GateKind, percent

GateOutcome = Literal["passed", "failed", "undecided"]

POWER = 0.8
"""Probability with which the further pairs that are named decide a gate."""


@dataclass(frozen=True, slots=True)
class GateTest:
    """What a gate finds on one task.

    Attributes
    ----------
    task : str
    outcome : {"passed", "failed", "undecided"}
        ``failed`` where a loss beyond the margin is shown, ``passed`` where it is excluded.
    loss_p, excluded_p : float
        One-sided; the first corrected for the number of tasks by Holm's method. A gate passes only
        if every task does, which needs no correction.
    lower, upper : float
        One-sided bounds of the difference, each at the gate's level.
    method : str
        The test.
    is_paired : bool
    pairs_to_decide : int or None
        Further pairs (cases on each side, where there are no pairs) that would decide it four times
        in five if the difference is what was seen, and a loss the first of all tasks to be shown;
        None where it is decided, or lies on the margin.
    """

    task: str
    outcome: GateOutcome
    loss_p: float
    excluded_p: float
    lower: float
    upper: float
    method: str
    is_paired: bool
    pairs_to_decide: int | None

    @property
    def largest_loss(self) -> float:
        """How large the loss could be."""
        return max(-self.lower, 0.0)


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a change may go in.

    Attributes
    ----------
    kind : {"regression", "noninferiority"}
        ``regression`` stops a change only if a loss beyond the margin is shown; ``noninferiority``
        lets one in only if such a loss is excluded.
    margin : float
        Largest loss that is put up with.
    level : float
        One-sided, of each decision.
    tests : tuple of GateTest
        One per task.
    """

    kind: GateKind
    margin: float
    level: float
    tests: tuple[GateTest, ...]

    @property
    def outcome(self) -> GateOutcome:
        """``failed`` if a task is, ``passed`` if all are, else ``undecided``."""
        outcomes = {test.outcome for test in self.tests}
        if "failed" in outcomes:
            return "failed"
        return "undecided" if "undecided" in outcomes else "passed"

    @property
    def stops(self) -> bool:
        """True if the change must not go in."""
        return self.outcome in self.stopping

    @property
    def stopping(self) -> tuple[GateOutcome, ...]:
        """Outcomes at which this kind of gate stops a change."""
        return ("failed",) if self.kind == "regression" else ("failed", "undecided")

    @property
    def pairs_to_decide(self) -> int | None:
        """Further pairs per task that would decide all tasks; None where none are needed."""
        wanted = [test.pairs_to_decide for test in self.tests if test.pairs_to_decide is not None]
        return max(wanted, default=None)

    def sentence(self) -> str:
        """Say what was decided, about which loss, and how sure that is.

        Examples
        --------
        >>> test = GateTest("qa1", "undecided", 0.06, 0.9, -0.15, 0.004, "exact test", True, 300)
        >>> print(Gate("regression", 0.02, 0.95, (test,)).sentence())
        Gate regression, margin 0.02, one-sided level 95%: undecided, which lets the change in. \
qa1: undecided, the loss could be as large as 0.15; about 300 more pairs would decide it.
        """
        effect = "stops the change" if self.stops else "lets the change in"
        words = [self.words_on(test) for test in self.tests]
        return (
            f"Gate {self.kind}, margin {self.margin:g}, one-sided level {percent(self.level)}: "
            f"{self.outcome}, which {effect}. {' '.join(words)}"
        )

    def words_on(self, test: GateTest) -> str:
        """Say what was decided on one task."""
        if test.outcome == "failed":
            return f"{test.task}: failed, the loss is at least {max(-test.upper, 0.0):.3g}."
        loss = f"the loss could be as large as {test.largest_loss:.3g}"
        if test.pairs_to_decide is None:
            return f"{test.task}: {test.outcome}, {loss}."
        what = "pairs" if test.is_paired else "cases on each side"
        return (
            f"{test.task}: {test.outcome}, {loss}; about {test.pairs_to_decide} more {what} would "
            "decide it."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values."""
        return {
            "kind": self.kind,
            "margin": self.margin,
            "level": self.level,
            "tests": [asdict(test) for test in self.tests],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Gate":
        """Restore what :meth:`to_dict` returned."""
        tests = tuple(GateTest(**test) for test in document["tests"])
        return cls(document["kind"], document["margin"], document["level"], tests)


def run_gate(
    evidence: Mapping[str, Evidence], kind: GateKind, *, margin: float, level: float
) -> Gate:
    """Test the loss on every task against the margin.

    Parameters
    ----------
    evidence : mapping of str to Evidence
        By task.
    kind : {"regression", "noninferiority"}
    margin : float
    level : float
        One-sided.

    Raises
    ------
    OptionError
        If the level is below 0.5, where a loss could be shown and excluded at once.
    """
    if level < 0.5:
        raise OptionError(
            describe(
                f"level is {level:g} with a gate",
                "expected at least 0.5: below, one table could show a loss and exclude it",
                "write 0.95 for an error of 5% in each decision",
            )
        )
    found = [each.test_margin(margin, level) for each in evidence.values()]
    corrected = correct_for_number([test.loss_p for test in found])
    return Gate(kind, margin, level, _gate_tests(evidence, found, corrected, level))


def _gate_tests(
    evidence: Mapping[str, Evidence],
    found: Sequence[MarginTest],
    corrected: Sequence[float],
    level: float,
) -> tuple[GateTest, ...]:
    tests = []
    for (task, each), test, loss_p in zip(evidence.items(), found, corrected, strict=True):
        outcome = _outcome(loss_p, test.excluded_p, level)
        is_paired = each.counts.n_paired > 0
        n = each.counts.n_paired or min(each.counts.n_old, each.counts.n_new)
        # A loss has to be shown among all tasks; that it is excluded, on each alone.
        error = (1.0 - level) / (len(found) if test.statistic < 0.0 else 1)
        further = further_pairs(test.statistic, n, 1.0 - error) if outcome == "undecided" else None
        numbers = (loss_p, test.excluded_p, test.lower, test.upper)
        tests.append(GateTest(task, outcome, *numbers, test.method, is_paired, further))
    return tuple(tests)


def _outcome(loss_p: float, excluded_p: float, level: float) -> GateOutcome:
    if loss_p <= 1.0 - level:
        return "failed"
    return "passed" if excluded_p <= 1.0 - level else "undecided"


def further_pairs(statistic: float, n_pairs: int, level: float, power: float = POWER) -> int | None:
    """Return the pairs that are still needed to decide, if the difference is what was seen.

    Parameters
    ----------
    statistic : float
        Standard errors between the difference and the margin on `n_pairs`; it grows with their
        square root.
    n_pairs : int
    level, power : float
        One-sided level, and the probability to decide.

    Returns
    -------
    int or None
        At least 1; None where the difference lies on the margin, which no number of pairs decides.

    Examples
    --------
    >>> further_pairs(-1.2433, 100, 0.95)
    300
    """
    if statistic == 0.0:
        return None
    needed = n_pairs * ((float(ndtri(level)) + float(ndtri(power))) / statistic) ** 2
    return max(ceil(needed) - n_pairs, 1)
