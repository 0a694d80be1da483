"""What a reading call asked for, and what reading did: two immutable records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf

from lcstats.errors import OptionError, describe
from lcstats.options import Axis, DepthUnit, LengthUnit, ScoreScale, check_option


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a call asked for when it turned a table into trials.

    Attributes
    ----------
    columns : mapping of str to str
        Canonical column name to the table's own name; wins over every alias.
    model_name : str, optional
        Name of the language model, where the table has none or a wrong one.
    depth_unit : {"fraction", "percent", "hundredths", "tokens", "index0", "index1"}, optional
        Unit of the depths; left out, it is inferred only where the column leaves no doubt.
    score_scale : {"0-1", "0-100", "1-10", "0-10"}, optional
        Scale of the scores; left out, it is inferred only where the column leaves no doubt.
    score_threshold : float, optional
        In the table's own scale: a score at or above it counts as right (1), else wrong (0).
    length_unit : str, optional
        One of tokens, k1000, k1024, characters, words, documents, pairs and lines.
        Unit of the lengths; ``k1000`` and ``k1024`` are turned into tokens. Left out, it is what a
        column or the format says, and tokens where neither does.
    axis : {"asked", "received"}
        ``"received"`` lets a table without asked-for lengths use the tokens received.
    filter_name : str, optional
        Keep only the rows whose ``filter`` column says this.
    keep_truncated : bool
        Count trials that received well below the tokens asked for, too.

    Examples
    --------
    >>> TableOptions(depth_unit="percent").depth_unit
    'percent'
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    model_name: str | None = None
    depth_unit: DepthUnit | None = None
    score_scale: ScoreScale | None = None
    score_threshold: float | None = None
    length_unit: LengthUnit | None = None
    axis: Axis = "asked"
    filter_name: str | None = None
    keep_truncated: bool = False

    def __post_init__(self) -> None:
        """Refuse words that no option knows.

        Raises
        ------
        OptionError
            If an option holds a word it does not have, the threshold is not a number, or the
            language model's name is blank.
        """
        if self.model_name is not None and not self.model_name.strip():
            raise OptionError(
                describe(
                    f"model_name is {self.model_name!r}",
                    "expected the name of the language model",
                    "pass model_name='NAME' (--model-name NAME), or leave it out",
                )
            )
        if self.depth_unit is not None:
            check_option(self.depth_unit, DepthUnit, "depth_unit")
        if self.score_scale is not None:
            check_option(self.score_scale, ScoreScale, "score_scale")
        if self.length_unit is not None:
            check_option(self.length_unit, LengthUnit, "length_unit")
        check_option(self.axis, Axis, "axis")
        if self.score_threshold is not None and not 0 < self.score_threshold < inf:
            raise OptionError(
                describe(
                    f"score_threshold is {self.score_threshold}",
                    "expected a number above 0, in the scale of the file",
                    "pass score_threshold=7 (--score-threshold 7), say, for a 1-10 judge",
                )
            )


@dataclass(frozen=True, slots=True)
class Reading:
    """Where a table came from and what was done to it.

    Attributes
    ----------
    format : str
        Name of the format the files were read as.
    files : tuple of str
        The files, as they were named by the caller.
    mapping : mapping of str to str
        Canonical column name to the table's own.
    n_duplicates : int
        Exact copies of rows that were dropped.
    depth_unit : str, optional
        Unit in which depths were read; None where the table has no depth.
    score_scale : str, optional
        Scale in which scores were read; None for tables of counts.
    score_threshold : float, optional
        Score, in the table's own scale, from which a trial counted as right.
    """

    format: str
    files: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    n_duplicates: int = 0
    depth_unit: str | None = None
    score_scale: str | None = None
    score_threshold: float | None = None
