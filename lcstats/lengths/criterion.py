"""What "works at this length" means: a threshold, a rule for it, and a treatment of depth."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from lcstats.errors import OptionError, describe
from lcstats.options import ThresholdRule, check_option
from lcstats.records import SCHEMA_VERSION, restoring

TREATMENTS = ("mean", "worst", "pooled")


@dataclass(frozen=True, slots=True)
class Criterion:
    """The bar a length has to reach; made once and passed to every analysis.

    Parameters
    ----------
    threshold : float, str or Fraction
        In (0, 1]. Held as a fraction, exactly as it is written: 0.85 is 17/20.
    rule : {"absolute", "relative", "above_chance"}
        ``absolute``: accuracy at least `threshold`. ``relative``: at least `threshold` times
        the base score of the same language model. ``above_chance``: at least
        ``guess_rate + threshold * (1 - guess_rate)``.
    base_lengths : tuple of int
        For ``relative``: lengths whose mean accuracy is the base; empty for the shortest.
    depth_treatment : str
        ``mean`` of the depths' accuracies, ``worst`` depth, ``quantile:q`` (the
        ceil(q n_depths)-th smallest), ``pooled`` over all cases, or ``window:w`` (the smallest
        mean over w adjacent tested depths; a failure narrower than that is averaged).
    guess_rate : float, str or Fraction
        Accuracy of guessing, in [0, 1); used by ``above_chance``. Held as a fraction too.

    Raises
    ------
    OptionError
        If a value is out of range.

    Examples
    --------
    >>> Criterion(0.85, depth_treatment="worst").exact_threshold
    Fraction(17, 20)
    """

    threshold: float | str | Fraction
    rule: ThresholdRule = "absolute"
    base_lengths: tuple[int, ...] = ()
    depth_treatment: str = "mean"
    guess_rate: float | str | Fraction = 0

    def __post_init__(self) -> None:
        check_option(self.rule, ThresholdRule, "rule")
        object.__setattr__(self, "base_lengths", _whole_lengths(self.base_lengths))
        tau = _exact(self.threshold, "threshold")
        if not 0 < tau <= 1:
            raise OptionError(
                describe(
                    f"threshold is {self.threshold}",
                    "expected a number in (0, 1]",
                    "write 85 percent as 0.85",
                )
            )
        if not 0 <= _exact(self.guess_rate, "guess_rate") < 1:
            raise OptionError(
                describe(
                    f"guess_rate is {self.guess_rate}",
                    "expected a number in [0, 1)",
                    "write one in four as 0.25",
                )
            )
        if self.base_lengths and self.rule != "relative":
            raise OptionError(
                describe(
                    f"base_lengths are given with rule {self.rule!r}",
                    "expected them only with rule 'relative'",
                    "pass rule='relative' or leave base_lengths out",
                )
            )
        parse_treatment(self.depth_treatment)
        object.__setattr__(self, "threshold", tau)
        object.__setattr__(self, "guess_rate", self.exact_guess_rate)

    def __repr__(self) -> str:
        words = [f"{float(self.exact_threshold):.10g}", f"rule={self.rule!r}"]
        words += [f"depth_treatment={self.depth_treatment!r}"]
        words += [f"base_lengths={self.base_lengths}"] * bool(self.base_lengths)
        words += [f"guess_rate={float(self.exact_guess_rate):.10g}"] * bool(self.guess_rate)
        return f"Criterion({', '.join(words)})"

    @property
    def exact_threshold(self) -> Fraction:
        """The threshold as the fraction it was written as."""
        return _exact(self.threshold, "threshold")

    @property
    def exact_guess_rate(self) -> Fraction:
        """The guess rate as the fraction it was written as."""
        return _exact(self.guess_rate, "guess_rate")

    @property
    def fixed_bar(self) -> Fraction | None:
        """The bar in accuracy; None where it is a share of a base that is measured."""
        if self.rule == "relative":
            return None
        if self.rule == "above_chance":
            return self.exact_guess_rate + self.exact_threshold * (1 - self.exact_guess_rate)
        return self.exact_threshold

    @property
    def treatment(self) -> "Treatment":
        """The depth treatment, parsed."""
        return parse_treatment(self.depth_treatment)

    def with_guess_rate(self, guess_rate: float) -> "Criterion":
        """Return the criterion with a guess rate, that of the files, say, unless it has its own.

        Examples
        --------
        >>> Criterion(0.5).with_guess_rate(0.25), Criterion(0.5, guess_rate=0.5).with_guess_rate(0)
        (Criterion(0.5, rule='absolute', depth_treatment='mean', guess_rate=0.25), \
Criterion(0.5, rule='absolute', depth_treatment='mean', guess_rate=0.5))
        """
        is_new = bool(guess_rate) and not self.guess_rate
        return replace(self, guess_rate=guess_rate) if is_new else self

    def to_dict(self) -> dict[str, Any]:
        """Return the criterion as JSON-ready values, its fractions as numbers and as fractions."""
        return {
            "schema_version": SCHEMA_VERSION,
            "threshold": float(self.exact_threshold),
            "exact_threshold": str(self.exact_threshold),
            "rule": self.rule,
            "base_lengths": list(self.base_lengths),
            "depth_treatment": self.depth_treatment,
            "guess_rate": float(self.exact_guess_rate),
            "exact_guess_rate": str(self.exact_guess_rate),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Criterion":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.

        Examples
        --------
        >>> Criterion.from_dict(Criterion("1/3").to_dict()) == Criterion("1/3")
        True
        """
        with restoring("Criterion", document):
            return cls(
                document["exact_threshold"],
                rule=document["rule"],
                base_lengths=tuple(document["base_lengths"]),
                depth_treatment=document["depth_treatment"],
                guess_rate=document["exact_guess_rate"],
            )


@dataclass(frozen=True, slots=True)
class Treatment:
    """A depth treatment: an average of the cells of a length, or a part of them picked by size.

    Attributes
    ----------
    kind : {"mean", "pooled", "order", "window"}
    quantile : Fraction
        For ``order``; 0 is the worst depth.
    width : int
        For ``window``: how many adjacent depths are averaged.
    """

    kind: str
    quantile: Fraction = Fraction(0)
    width: int = 1

    @property
    def is_order(self) -> bool:
        """True where a part of a length counts for its size: worst depth, quantiles, windows."""
        return self.kind in ("order", "window")

    @property
    def is_window(self) -> bool:
        """True where that part is several adjacent depths, not a single cell."""
        return self.kind == "window"

    def rank(self, n_depths: int) -> int:
        """Position, from 1, of the cell that counts among `n_depths` in ascending order.

        Raises
        ------
        OptionError
            For windows: it is no single cell that counts.
        """
        if self.is_window:
            raise OptionError(
                describe(
                    f"depth treatment is window:{self.width}",
                    "expected one of which a single cell counts",
                    "use worst depth or a quantile here",
                )
            )
        return max(1, -(-self.quantile.numerator * n_depths // self.quantile.denominator))


def parse_treatment(text: str) -> Treatment:
    """Parse ``mean``, ``worst``, ``pooled``, ``quantile:q`` with 0 < q < 1, or ``window:w``.

    A window of one depth is the worst depth.

    Examples
    --------
    >>> parse_treatment("quantile:0.1").rank(11), parse_treatment("window:3").width
    (2, 3)
    """
    if text in ("mean", "pooled"):
        return Treatment(text)
    if text == "worst":
        return Treatment("order")
    name, _, value = str(text).partition(":")
    if name == "quantile":
        quantile = _exact(value, "quantile")
        if 0 < quantile < 1:
            return Treatment("order", quantile)
    if name == "window" and value.isdecimal() and int(value) >= 1:
        return Treatment("window", width=int(value)) if int(value) > 1 else Treatment("order")
    raise OptionError(
        describe(
            f"depth treatment is {text!r}",
            f"expected one of {', '.join(TREATMENTS)}, quantile:Q with 0 < Q < 1, window:W with "
            "a whole number W of adjacent depths",
            "write the lower tenth of the depths as quantile:0.1, three adjacent ones as window:3",
        )
    )


def _whole_lengths(lengths: Iterable[int]) -> tuple[int, ...]:
    """Return lengths as a tuple of whole numbers."""
    try:
        return tuple(map(operator.index, lengths))
    except TypeError as error:
        raise OptionError(
            describe(
                f"base_lengths is {lengths!r}",
                "expected whole numbers, one or several",
                "pass base_lengths=(4096,), say",
            )
        ) from error


def _exact(value: float | str | Fraction, name: str) -> Fraction:
    """Return the number exactly as it is written, not as it is stored."""
    try:
        return value if isinstance(value, Fraction) else Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise OptionError(
            describe(f"{name} is {value!r}", "expected a number", "write it as 0.85, say")
        ) from error
