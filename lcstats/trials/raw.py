"""A table as a file gave it, before any column is understood."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from lcstats.errors import Notice
from lcstats.options import DepthUnit, LengthUnit, ScoreScale
from lcstats.trials.origin import Origin


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a file format knows about its columns beyond their names.

    Attributes
    ----------
    columns : mapping of str to str
        Canonical name to the format's own name.
    aliases : bool
        Whether further columns may be found by their aliases.
    depth_unit : {"fraction", "percent"}, optional
        Unit in which the format writes depths.
    score_scale : {"0-1", "0-100", "1-10", "0-10"}, optional
        Scale in which the format writes scores.
    length_unit : str, optional
        Unit in which the format writes lengths, where it is not tokens. It holds for the format's
        own column of lengths alone.
    other_units : mapping of str to str
        Units of further columns that a call may take for the length, where they are not tokens.
    model_name : str, optional
        Name of the language model where the format keeps it outside its rows.
    decimal : {".", ","}
        Sign before the decimals in the file; the rows have points.
    has_zero_lengths : bool
        Whether the format writes a length of 0 for a prompt without filler.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    aliases: bool = True
    depth_unit: DepthUnit | None = None
    score_scale: ScoreScale | None = None
    length_unit: LengthUnit | None = None
    other_units: Mapping[str, LengthUnit] = field(default_factory=dict)
    model_name: str | None = None
    decimal: str = "."
    has_zero_lengths: bool = False

    def length_unit_of(self, columns: Mapping[str, str]) -> LengthUnit | None:
        """Return the unit of the column that a call takes for the length; None if it has no other.

        Examples
        --------
        >>> lines = Knowledge({"length": "lines"}, length_unit="lines")
        >>> lines.length_unit_of({}), lines.length_unit_of({"length": "prompt length"})
        ('lines', None)
        """
        own = self.columns.get("length")
        theirs = columns.get("length", own)
        return self.length_unit if theirs == own else self.other_units.get(str(theirs))

    def takes_other(self, canonical: str, columns: Mapping[str, str]) -> bool:
        """Tell whether a call takes another column than the format's own.

        Examples
        --------
        >>> Knowledge({"length": "lines"}).takes_other("length", {"length": "prompt length"})
        True
        """
        own = self.columns.get(canonical)
        return own is not None and columns.get(canonical, own) != own


@dataclass(frozen=True, slots=True, eq=False)
class RawTable:
    """Rows as a file gave them, with their origin.

    Attributes
    ----------
    frame : DataFrame, shape (n_rows, n_columns)
        Columns under the file's own names, values as the file has them.
    origin : Origin
        Where each row came from.
    knowledge : Knowledge
        What the format knows about the columns.
    notices : tuple of Notice
        What happened while reading the file.
    """

    frame: pd.DataFrame
    origin: Origin
    knowledge: Knowledge = field(default_factory=Knowledge)
    notices: tuple[Notice, ...] = ()
