"""Colours of figures: one palette for light paper, one for dark screens."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a theme, safe for colour-blind readers.

    Lines and points stand out from `paper` with a contrast of at least 3, words with at least 7.

    Attributes
    ----------
    name : str
        Of the theme.
    paper, ink : str
        Background, and words and marks of the first rank.
    point, curve, bar, cell, set : str
        Observed points, the fitted curve, the threshold, single cells, and sets.
    hole_face, hole_edge : str
        Cells without a score.
    cycle : tuple of str
        Several language models or tasks in one figure.
    profiles : tuple of str
        From short to long contexts.
    masses, sets : mapping of str to str
        By kind; a set that is cut from masses has their colour.
    """

    name: str
    paper: str
    ink: str
    point: str
    curve: str
    bar: str
    cell: str
    set: str
    hole_face: str
    hole_edge: str
    cycle: tuple[str, ...]

    @property
    def profiles(self) -> tuple[str, ...]:
        """From short to long contexts."""
        blue, orange, green, vermilion, _, _ = self.cycle
        return blue, green, orange, vermilion

    @property
    def masses(self) -> Mapping[str, str]:
        """By kind of masses."""
        blue, orange, green, _, pink, sky = self.cycle
        return {
            "bootstrap": blue,
            "jeffreys": orange,
            "parametric_bootstrap": green,
            "cluster_bootstrap": pink,
            "posterior": sky,
            "prior": self.cell,
        }

    @property
    def sets(self) -> Mapping[str, str]:
        """By kind of set."""
        vermilion = self.cycle[3]
        kinds = ("jeffreys", "posterior", "parametric_bootstrap", "cluster_bootstrap")
        return {
            "certified": self.ink,
            "anytime": self.cycle[0],
            "hybrid": vermilion,
            "strict": self.set,
            **{kind: self.masses[kind] for kind in kinds},
        }


LIGHT = Palette(
    name="light",
    paper="#FFFFFF",
    ink="#222222",
    point="#0072B2",
    curve="#019D71",
    bar="#D55E00",
    cell="#8C8C8C",
    set="#6B6B6B",
    hole_face="#E6E6E6",
    hole_edge="#8A8A8A",
    cycle=("#095F9B", "#C98200", "#019D71", "#AB3D00", "#C279AB", "#0699E3"),
)
DARK = Palette(
    name="dark",
    paper="#16181C",
    ink="#ECECEC",
    point="#4FA8E8",
    curve="#2FB88A",
    bar="#FF8A3D",
    cell="#8F8F8F",
    set="#B0B0B0",
    hole_face="#33363C",
    hole_edge="#7A7E86",
    cycle=("#046CAC", "#F0A608", "#139562", "#CB5600", "#D485B2", "#2DB6FC"),
)
PALETTES: Mapping[str, Palette] = {one.name: one for one in (LIGHT, DARK)}
