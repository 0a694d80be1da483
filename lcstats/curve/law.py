"""The curve: accuracy by length and depth, as METHOD section 2 writes the law, once.

The logit of accuracy is linear in four coefficients, so the law is a design matrix
(:func:`design_matrix`) times coefficients, and a link with a guess and a lapse rate
(:func:`accuracy_from_logit`). A :class:`Curve` holds the coefficients and constants of one law.
"""

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, fields
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from lcstats.errors import OptionError, describe
from lcstats.records import SCHEMA_VERSION, restoring

FloatArray = NDArray[np.float64]

RECENCY_SCALE = 0.1
"""Fraction of the context over which the recency bonus falls by a factor e."""

SPAN_DOUBLINGS = 7.0
"""Doublings from the base length at which the middle term reaches its full size (128K)."""

BASE_LENGTH = 1024.0
"""Length in tokens at which the length and middle terms vanish."""

TERMS = ("intercept", "length", "middle", "recency")
"""Names of the coefficients, in the order of the design matrix's columns."""


def design_matrix(
    lengths: ArrayLike,
    depths: ArrayLike,
    *,
    recency_scale: float = RECENCY_SCALE,
    base_length: float = BASE_LENGTH,
    span_doublings: float = SPAN_DOUBLINGS,
) -> FloatArray:
    """Return the terms of the law, so that the logit is ``design_matrix(...) @ coefficients``.

    Parameters
    ----------
    lengths : array_like, shape (...)
        Lengths, above 0, in the unit of `base_length`.
    depths : array_like, shape (...)
        Depths in [0, 1]; NaN where a trial has none. Broadcast against `lengths`, element by
        element: for a grid pass ``lengths[:, None]``.
    recency_scale : float
        s, above 0: fraction of the context.
    base_length : float
        L0, above 0.
    span_doublings : float
        Doublings over which the middle term grows to its full size, above 0.

    Returns
    -------
    ndarray of float64, shape (..., 4)
        Columns in the order of :data:`TERMS`. The signs are in the columns: a positive length or
        middle coefficient means decay. A missing depth has 0 in the middle and recency columns.

    Notes
    -----
    With l = log2(L / L0), METHOD section 2's
    ``a - b l - c max(l, 0) / span * 4 d (1 - d) + r exp(-(1 - d) / s)`` gives the columns
    ``1, -l, -max(l, 0) / span * 4 d (1 - d), exp(-(1 - d) / s)``.

    Examples
    --------
    >>> design_matrix([1024, 131072], 0.5, recency_scale=0.5).round(4).tolist()
    [[1.0, 0.0, 0.0, 0.3679], [1.0, -7.0, -1.0, 0.3679]]
    """
    length, depth = np.asarray(lengths, dtype=np.float64), np.asarray(depths, dtype=np.float64)
    doublings = np.log2(length / base_length)
    middle = np.maximum(doublings, 0.0) / span_doublings * middle_weight(depth)
    recency = np.where(np.isnan(depth), 0.0, np.exp((depth - 1.0) / recency_scale))
    # Subtracting from 0 rather than negating keeps -0.0 out of printed designs.
    columns = (1.0, 0.0 - doublings, 0.0 - middle, recency)
    design = np.empty((*np.broadcast_shapes(length.shape, depth.shape), len(columns)))
    for place, column in enumerate(columns):
        design[..., place] = column
    return design


def middle_weight(depths: ArrayLike) -> FloatArray:
    """Return 4 d (1 - d): 1 in the middle of the context, 0 at both ends and without a depth.

    Parameters
    ----------
    depths : array_like, shape (...)
        Depths in [0, 1] or NaN.

    Returns
    -------
    ndarray of float64, shape (...)

    Examples
    --------
    >>> middle_weight([0.0, 0.5, 1.0, float("nan")]).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    depth = np.asarray(depths, dtype=np.float64)
    return np.where(np.isnan(depth), 0.0, 4.0 * depth * (1.0 - depth))


def logit_accuracy(design: FloatArray, coefficients: ArrayLike) -> FloatArray:
    """Return the logit of accuracy before guesses and lapses: the law's eta.

    Parameters
    ----------
    design : ndarray of float64, shape (..., 4)
        From :func:`design_matrix`.
    coefficients : array_like, shape (4,)
        In the order of :data:`TERMS`.

    Returns
    -------
    ndarray of float64, shape (...)

    Examples
    --------
    >>> design = design_matrix([1024, 131072], 0.0)
    >>> logit_accuracy(design, [4.2, 0.3, 1.9, 0.6]).round(3).tolist()
    [4.2, 2.1]
    """
    # Not `@`: BLAS may add in another order for another shape, and equal cells must be equal.
    return np.asarray((design * np.asarray(coefficients, dtype=np.float64)).sum(axis=-1))


def accuracy_from_logit(
    logits: ArrayLike, *, guess_rate: float = 0.0, lapse_rate: float = 0.0
) -> FloatArray:
    """Return guess + (1 - guess - lapse) * sigma(logit).

    Parameters
    ----------
    logits : array_like, shape (...)
        The law's eta.
    guess_rate, lapse_rate : float
        Probabilities: the floor, and the ceiling's distance from 1; their sum is below 1.

    Returns
    -------
    ndarray of float64, shape (...)
        Within [guess_rate, 1 - lapse_rate].

    Examples
    --------
    >>> accuracy_from_logit([-800.0, 0.0, 800.0], guess_rate=0.25, lapse_rate=0.05).tolist()
    [0.25, 0.6, 0.95]
    """
    share = 1.0 - guess_rate - lapse_rate
    return np.asarray(guess_rate + share * expit(np.asarray(logits, dtype=np.float64)))


@dataclass(frozen=True, slots=True)
class Curve:
    """The logistic law of length, depth and recency with all its numbers.

    Attributes
    ----------
    intercept : float
        a: logit of accuracy at the base length.
    length : float
        b: cost of each doubling of the length; positive means decay.
    middle : float
        c: penalty of the middle of the context at `span_doublings`; positive means a dip.
    recency : float
        r: bonus at the very end of the context.
    guess_rate : float
        Accuracy of a guess, in [0, 1).
    lapse_rate : float
        The ceiling's distance from 1, in [0, 1); guess and lapse rates sum to less than 1.
    recency_scale : float
        s: fraction of the context over which the recency bonus falls by a factor e.
    base_length : float
        L0, in the unit of the lengths (tokens unless said).
    span_doublings : float
        Doublings above the base length at which the middle term has its full size.

    Raises
    ------
    OptionError
        If a number is not finite or lies outside its range.

    Notes
    -----
    METHOD section 2, with l = log2(L / L0)::

        eta(L, d) = a - b l - c max(l, 0) / span * 4 d (1 - d) + r exp(-(1 - d) / s)
        p(L, d)   = guess + (1 - guess - lapse) * sigma(eta)

    Examples
    --------
    >>> curve = Curve(intercept=4.2, length=0.3, middle=1.9, recency=0.6)
    >>> curve.accuracy(131072, [0.0, 0.5, 1.0]).round(2).tolist()
    [[0.89, 0.55, 0.94]]
    """

    intercept: float
    length: float
    middle: float
    recency: float
    _: KW_ONLY
    guess_rate: float = 0.0
    lapse_rate: float = 0.0
    recency_scale: float = RECENCY_SCALE
    base_length: float = BASE_LENGTH
    span_doublings: float = SPAN_DOUBLINGS

    def __post_init__(self) -> None:
        """Refuse numbers with which the law has no meaning."""
        for field in fields(self):
            _check_finite(field.name, getattr(self, field.name))
        for name in ("recency_scale", "base_length", "span_doublings"):
            _check_positive(name, getattr(self, name))
        _check_rates(self.guess_rate, self.lapse_rate)

    @property
    def coefficients(self) -> FloatArray:
        """The four coefficients, shape (4,), in the order of :data:`TERMS`."""
        return np.array([getattr(self, term) for term in TERMS], dtype=np.float64)

    def to_dict(self) -> dict[str, Any]:
        """Return every number by its name, JSON-ready."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Curve":
        """Restore what :meth:`to_dict` returned.

        Raises
        ------
        FormatError
            If it is of an unknown schema version or not whole.

        Examples
        --------
        >>> curve = Curve(4.2, 0.3, 1.9, 0.6)
        >>> Curve.from_dict(curve.to_dict()) == curve
        True
        """
        with restoring("Curve", document):
            return cls(**{field.name: document[field.name] for field in fields(cls)})

    def logit_accuracy(self, lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
        """Return the law's eta on the grid of all lengths and depths.

        Parameters
        ----------
        lengths : array_like, shape (n_lengths,) or a number
            Above 0.
        depths : array_like, shape (n_depths,) or a number
            In [0, 1]; NaN = no depth, which drops the middle and recency terms.

        Returns
        -------
        ndarray of float64, shape (n_lengths, n_depths)

        Raises
        ------
        OptionError
            If a length is not above 0 or a depth is outside [0, 1].

        Examples
        --------
        >>> curve = Curve(4.2, 0.3, 1.9, 0.6)
        >>> curve.logit_accuracy([1024, 131072], [0.0, float("nan")]).round(3).tolist()
        [[4.2, 4.2], [2.1, 2.1]]
        """
        design = design_matrix(
            check_lengths(lengths)[:, None],
            check_depths(depths)[None, :],
            recency_scale=self.recency_scale,
            base_length=self.base_length,
            span_doublings=self.span_doublings,
        )
        return logit_accuracy(design, self.coefficients)

    def accuracy(self, lengths: ArrayLike, depths: ArrayLike) -> FloatArray:
        """Return the probability of a right answer on the grid of all lengths and depths.

        Parameters
        ----------
        lengths : array_like, shape (n_lengths,) or a number
            Above 0.
        depths : array_like, shape (n_depths,) or a number
            In [0, 1]; NaN = no depth, which drops the middle and recency terms.

        Returns
        -------
        ndarray of float64, shape (n_lengths, n_depths)
            Within [guess_rate, 1 - lapse_rate].

        Raises
        ------
        OptionError
            If a length is not above 0 or a depth is outside [0, 1].

        Examples
        --------
        >>> curve = Curve(4.2, 0.3, 1.9, 0.6)
        >>> curve.accuracy([1024, 32768], [0.0, 0.5]).round(4).tolist()
        [[0.9852, 0.9853], [0.937, 0.7936]]
        """
        return accuracy_from_logit(
            self.logit_accuracy(lengths, depths),
            guess_rate=self.guess_rate,
            lapse_rate=self.lapse_rate,
        )


def check_lengths(lengths: ArrayLike) -> FloatArray:
    """Return `lengths` as float64, shape (n_lengths,), if all are finite and above 0.

    Raises
    ------
    OptionError
        If one is not.

    Examples
    --------
    >>> check_lengths(4096).tolist()
    [4096.0]
    """
    values = np.atleast_1d(np.asarray(lengths, dtype=np.float64))
    wrong = values[~(np.isfinite(values) & (values > 0))]
    if wrong.size or values.ndim > 1:
        raise OptionError(
            describe(
                f"length is {wrong[0]:g}" if wrong.size else f"lengths have shape {values.shape}",
                "expected one row of lengths above 0",
                "pass lengths such as [4096, 8192]",
            )
        )
    return values


def check_depths(depths: ArrayLike) -> FloatArray:
    """Return `depths` as float64, shape (n_depths,), if all are in [0, 1] or NaN (no depth).

    Raises
    ------
    OptionError
        If one is not.

    Examples
    --------
    >>> check_depths([0.0, 0.5, 1.0]).tolist()
    [0.0, 0.5, 1.0]
    """
    values = np.atleast_1d(np.asarray(depths, dtype=np.float64))
    wrong = values[(values < 0) | (values > 1)]
    if wrong.size or values.ndim > 1:
        raise OptionError(
            describe(
                f"depth is {wrong[0]:g}" if wrong.size else f"depths have shape {values.shape}",
                "expected one row of fractions in [0, 1], 0 being the start of the context",
                "divide percentages by 100, and write NaN where there is no depth",
            )
        )
    return values


def _check_finite(name: str, value: float) -> None:
    if not isinstance(value, Real) or not math.isfinite(value):
        raise OptionError(
            describe(
                f"{name} is {value!r}",
                "expected a finite number",
                f"give the curve a number for {name}",
            )
        )


def _check_positive(name: str, value: float) -> None:
    if value <= 0:
        raise OptionError(
            describe(
                f"{name} is {value:g}",
                "expected a number above 0",
                f"leave {name} out for the method's own value",
            )
        )


def _check_rates(guess_rate: float, lapse_rate: float) -> None:
    if guess_rate < 0 or lapse_rate < 0 or guess_rate + lapse_rate >= 1:
        raise OptionError(
            describe(
                f"guess_rate is {guess_rate:g} and lapse_rate is {lapse_rate:g}",
                "expected two probabilities whose sum is below 1",
                "pass guess_rate=0.25 for a question with four choices, say",
            )
        )
