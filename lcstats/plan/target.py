"""What a plan is to reach: its kind, its number, its words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

from lcstats.errors import OptionError, describe
from lcstats.options import TargetKind, check_option, check_share, percent
from lcstats.records import SCHEMA_VERSION, restoring


@dataclass(frozen=True, slots=True)
class Target:
    """What a plan is to reach.

    Parameters
    ----------
    kind : {"hit", "within", "set-size", "certify", "half-width", "power"}
        ``hit``: probability that the estimate is the true tested length. ``within``: probability
        that it is within one doubling of it. ``set-size``: mean number of outcomes in the set.
        ``certify``: the smallest number with which anything can be certified. ``half-width``: of
        Wilson's interval of an accuracy. ``power``: probability that the difference between two
        language models comes out significant.
    value : float or None
        hit, within, power: between 0 and 1. set-size: above 1. half-width: between 0 and 0.5.
        None for certify.
    difference : float or None
        For power, between 0 and 1: how far the accuracy of the one language model is below
        that of the other.
    correlation : float or None
        For power: within pairs of the same case; None for two independent arms.
    accuracy : float or None
        For half-width, the accuracy expected; for power, that of the better language model. None
        for what the truth of the plan says.

    Raises
    ------
    OptionError
        If no plan could reach it.

    Examples
    --------
    >>> Target("hit", 0.9)
    Target(hit=0.9)
    """

    kind: TargetKind
    value: float | None = None
    difference: float | None = None
    correlation: float | None = None
    accuracy: float | None = None

    def __post_init__(self) -> None:
        check_option(self.kind, TargetKind, "target")
        _check_value(self.kind, self.value)
        _check_belonging(self)
        if self.accuracy is not None:
            check_share(self.accuracy, "accuracy")
        if self.kind == "power":
            _check_difference(self.difference, self.accuracy)
            _check_correlation(self.correlation)

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        difference: float | None = None,
        correlation: float | None = None,
        accuracy: float | None = None,
    ) -> "Target":
        """Return a target written as ``hit=0.9``, or ``certify``, which takes no number.

        Raises
        ------
        OptionError
            If it cannot be read, or no plan could reach it.

        Examples
        --------
        >>> Target.parse("certify")
        Target(certify)
        >>> Target.parse("power=0.8", difference=0.05, correlation=0.5).words()
        '80% power for a difference of 0.05, pairs correlated 0.5'
        """
        kind, equals, number = (part.strip() for part in text.partition("="))
        check_option(kind, TargetKind, "target")
        value = _parse_number(number, text) if equals else None
        return cls(kind, value, difference, correlation, accuracy)  # type: ignore[arg-type]

    @property
    def text(self) -> str:
        """The target as :meth:`parse` reads it."""
        return self.kind if self.value is None else f"{self.kind}={self.value:.10g}"

    def __repr__(self) -> str:
        beside = [f"{name}={getattr(self, name):.10g}" for name in _given(self)]
        return f"Target({', '.join([self.text, *beside])})"

    def words(self) -> str:
        """Return the target as part of a sentence.

        Examples
        --------
        >>> Target("hit", 0.9).words(), Target("set-size", 2).words()
        ('90% on the true length', 'a set of 2 outcomes on average')
        """
        if self.kind == "certify":
            return "something that can be certified"
        if self.kind == "power":
            return self._power_words()
        number = f"{self.value:.10g}"
        share = percent(self.value or 0.0)
        at = "" if self.accuracy is None else f" at accuracy {self.accuracy:.10g}"
        words: dict[str, str] = {
            **{kind: f"{share} {found}" for kind, found in FOUND_WORDS.items()},
            "set-size": f"a set of {number} outcomes on average",
            "half-width": f"a half-width of {number}{at}",
        }
        return words[self.kind]

    def _power_words(self) -> str:
        share, difference = percent(self.value or 0.0), f"{self.difference:.10g}"
        start = "" if self.accuracy is None else f" below {self.accuracy:.10g}"
        arms = "two independent arms"
        if self.correlation is not None:
            arms = f"pairs correlated {self.correlation:.10g}"
        return f"{share} power for a difference of {difference}{start}, {arms}"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; what does not belong to the kind is None."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Target":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.

        Examples
        --------
        >>> Target.from_dict(Target("within", 0.99).to_dict()) == Target("within", 0.99)
        True
        """
        with restoring("Target", document):
            return cls(*(document[name] for name in ("kind", "value", *_BESIDE)))


FOUND_WORDS = {"hit": "on the true length", "within": "within one doubling"}
"""What an effective length is that counts as right, by kind of target."""

_BESIDE = ("difference", "correlation", "accuracy")
_BELONGS_TO = {
    "difference": ("power",),
    "correlation": ("power",),
    "accuracy": ("half-width", "power"),
}
_EXAMPLES = {
    "hit": "hit=0.9",
    "within": "within=0.99",
    "set-size": "set-size=2",
    "half-width": "half-width=0.1",
    "power": "power=0.8",
}
_RANGES = {
    "hit": (0.0, 1.0, "certainty takes infinitely many trials"),
    "within": (0.0, 1.0, "certainty takes infinitely many trials"),
    "set-size": (1.0, float("inf"), "every set holds one outcome, and seldom no more"),
    "half-width": (0.0, 0.5, "an interval of half-width 0.5 says nothing"),
    "power": (0.0, 1.0, "certainty takes infinitely many trials"),
}


def _given(target: Target) -> list[str]:
    return [name for name in _BESIDE if getattr(target, name) is not None]


def _parse_number(number: str, text: str) -> float:
    try:
        return float(number)
    except ValueError as error:
        raise OptionError(
            describe(
                f"target is {text!r}",
                "expected a kind and a number, with a point and without %",
                f"write one of {', '.join(_EXAMPLES.values())}, or certify",
            )
        ) from error


def _check_value(kind: TargetKind, value: float | None) -> None:
    if kind == "certify":
        if value is not None:
            raise OptionError(
                describe(
                    f"target is certify={value}",
                    "expected certify alone: what is certified is the criterion's threshold",
                    "write certify, and the threshold in the criterion",
                )
            )
        return
    low, high, reason = _RANGES[kind]
    if not isinstance(value, Real) or not low < value < high:
        between = f"between {low:g} and {high:g}" if high < float("inf") else f"above {low:g}"
        raise OptionError(
            describe(
                f"target is {kind}" if value is None else f"target is {kind}={value}",
                f"expected a number {between}, since {reason}",
                f"write {_EXAMPLES[kind]}, say",
            )
        )


def _check_belonging(target: Target) -> None:
    for name in _given(target):
        kinds = _BELONGS_TO[name]
        if target.kind not in kinds:
            raise OptionError(
                describe(
                    f"{name} is {getattr(target, name)!r} with target {target.text}",
                    f"expected it only with {' or '.join(kinds)}",
                    f"leave it out, or write {_EXAMPLES[kinds[-1]]}",
                )
            )


def _check_difference(difference: float | None, accuracy: float | None) -> None:
    if difference is None or difference == 0:
        raise OptionError(
            describe(
                "no difference is given" if difference is None else "the wanted difference is 0",
                "expected a size, since no number of trials shows a difference of 0",
                "name the smallest difference that matters to you, 0.05, say",
            )
        )
    if not 0 < difference <= (1.0 if accuracy is None else accuracy):
        above = "1" if accuracy is None else f"the better accuracy, {accuracy:.10g}"
        raise OptionError(
            describe(
                f"difference is {difference!r}",
                f"expected a number above 0 and no more than {above}",
                "write how far the one accuracy is below the other, 0.05, say",
            )
        )


def _check_correlation(correlation: float | None) -> None:
    if correlation is not None and not -1 < correlation < 1:
        raise OptionError(
            describe(
                f"correlation is {correlation!r}",
                "expected a number between -1 and 1",
                "write 0.3, say, or leave it out for two independent arms",
            )
        )
