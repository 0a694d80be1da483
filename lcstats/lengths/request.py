"""What is asked of every method alike."""

from dataclasses import dataclass
from fractions import Fraction

from lcstats.lengths.criterion import Criterion


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of every method alike.

    Attributes
    ----------
    criterion : Criterion
    bar : Fraction
        In accuracy, after the threshold rule.
    level : float
        Of the sets.
    kinds : tuple of str
        Kinds of sets beside the default one; each method makes those that it has.
    masses : tuple of str
        Kinds of masses of raw cells.
    seed : int
    """

    criterion: Criterion
    bar: Fraction
    level: float
    kinds: tuple[str, ...] = ()
    masses: tuple[str, ...] = ()
    seed: int = 0
