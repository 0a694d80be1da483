"""Ready designs of sweeps: which lengths and depths, and how many trials in each cell."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

KILO = 1024


@dataclass(frozen=True, slots=True)
class ReadyDesign:
    """A design under a name.

    Attributes
    ----------
    name : str
    title : str
        What it is for.
    lengths : tuple of int
        Tokens.
    depths : tuple of float
    n_trials : int
        Per cell.
    """

    name: str
    title: str
    lengths: tuple[int, ...]
    depths: tuple[float, ...]
    n_trials: int


QUICK = ReadyDesign(
    "quick",
    "a first look: three lengths, three depths, five trials",
    (4 * KILO, 16 * KILO, 64 * KILO),
    (0.0, 0.5, 1.0),
    5,
)
STANDARD = ReadyDesign(
    "standard",
    "an effective length with its set: 4K to 128K, five depths, twenty trials",
    tuple(KILO * 2**i for i in range(2, 8)),
    (0.0, 0.25, 0.5, 0.75, 1.0),
    20,
)
REGRESSION = ReadyDesign(
    "regression",
    "a slice to compare two versions on: 32K and 64K, three depths, forty trials",
    (32 * KILO, 64 * KILO),
    (0.0, 0.5, 1.0),
    40,
)

READY: Mapping[str, ReadyDesign] = MappingProxyType(
    {design.name: design for design in (QUICK, STANDARD, REGRESSION)}
)
"""Name to design."""
