"""Which estimate and set to quote, and why: plain sentences about methods side by side."""

from collections.abc import Collection, Iterator, Sequence
from math import log2

from lcstats.lengths.criterion import Treatment
from lcstats.lengths.estimate import Estimate, Interval
from lcstats.options import percent

CURVE_FAILS, CURVE_UNTESTED = "curve-does-not-fit", "no-goodness-of-fit"
"""Codes of the notices that a curve's test speaks against it, and that there is none."""

NAMES = {
    "observed": "the raw cells",
    "curve": "the curve",
    "flexible": "the flexible surface",
}


def quote_sentence(
    quoted: Estimate,
    beside: Sequence[Estimate],
    *,
    has_headline: bool,
    treatment: Treatment,
    codes: Collection[str],
    unit: str,
) -> str:
    """Say which estimate and set to quote and why, and whether the other methods agree.

    Parameters
    ----------
    quoted : Estimate
        The one to show first.
    beside : sequence of Estimate
        By the other methods.
    has_headline : bool
        False where no point is to be quoted, only the set.
    treatment : Treatment
    codes : collection of str
        Codes of the notices on the answer.
    unit : str
        Of the lengths.

    Examples
    --------
    >>> import numpy as np
    >>> lengths = np.array([4096, 8192])
    >>> interval = Interval("certified", 0.95, 1, 1, lengths, is_default=True)
    >>> observed = Estimate("observed", 1, lengths, 4096, {}, (interval,))
    >>> print(
    ...     quote_sentence(
    ...         observed,
    ...         (),
    ...         has_headline=True,
    ...         treatment=Treatment("mean"),
    ...         codes=(),
    ...         unit="tokens",
    ...     )
    ... )
    Quote the raw cells' 4096 tokens with the 95% certified set, 4096: it is proved whatever the \
accuracies are, if cases are independent.
    """
    observed = next(e for e in (quoted, *beside) if e.method == "observed")
    bias = _bias_words(treatment) if "worst-depth-biased" in codes else ""
    if not has_headline:
        has_surface = any(estimate.method == "flexible" for estimate in beside)
        first = _set_alone(quoted, bias, unit, has_surface=has_surface)
    elif quoted is observed:
        first = f"{_quote_point(quoted, unit)}: {_set_reason(quoted.default_set)}."
    else:
        first = f"{_quote_point(quoted, unit)}: {_surface_reason(quoted, observed, bias)}."
    floor = _floor_words(observed) if "below-certification-floor" in codes else ""
    others = [e for e in beside if e is not observed]
    said = _said_beside(quoted, others, codes, has_headline=has_headline)
    return " ".join(sentence for sentence in (first, floor, *said) if sentence)


def _quote_point(quoted: Estimate, unit: str) -> str:
    owner = NAMES[quoted.method]
    owner += "'" if owner.endswith("s") else "'s"
    return f"Quote {owner} {quoted.display} {unit} with the {_set_name(quoted.default_set)}"


def _set_name(interval: Interval) -> str:
    return f"{percent(interval.level)} {interval.kind.replace('_', ' ')} set, {interval.display}"


def _rules_nothing_out(interval: Interval) -> bool:
    return interval.size == interval.lengths.size + 1


def _set_reason(interval: Interval) -> str:
    """Say what makes the set of the raw cells the one to quote."""
    if interval.kind == "certified":
        if _rules_nothing_out(interval):
            return "it is proved, but rules nothing out"
        return "it is proved whatever the accuracies are, if cases are independent"
    if interval.kind == "anytime":
        if _rules_nothing_out(interval):
            return "it holds however one looked, but rules nothing out"
        return "it holds however one looked and wherever cases were added, if they are independent"
    because = f", because {interval.fell_back_from.reason}" if interval.fell_back_from else ""
    nothing = "; it rules nothing out" if _rules_nothing_out(interval) else ""
    return f"it is built to hold the true length that often, which is not proved{because}{nothing}"


def _surface_reason(quoted: Estimate, observed: Estimate, bias: str) -> str:
    """Say why the surface is to be quoted and not the raw cells."""
    if not bias:
        reason = "at a single depth it smooths the noise of the cells"
        if observed.outcome != quoted.outcome:
            reason += f"; the raw cells alone say {observed.display}"
    elif observed.outcome == quoted.outcome:
        reason = f"{bias}, though the raw cells say the same here"
    elif observed.outcome > quoted.outcome:
        reason = f"the raw cells' {observed.display} is luck as much as measurement"
    else:
        reason = f"{bias}, so the raw cells' {observed.display} is not to be quoted"
    if _rules_nothing_out(quoted.default_set):
        reason += "; the set rules nothing out"
    asked = quoted.default_set.fell_back_from
    return f"{reason}; the set is no {asked.kind} one, because {asked.reason}" if asked else reason


def _set_alone(observed: Estimate, bias: str, unit: str, *, has_surface: bool) -> str:
    """Say that a set is all there is to quote."""
    interval = observed.default_set
    nothing = ", which rules nothing out" if _rules_nothing_out(interval) else ""
    why = f"{bias}, so the raw cells' {observed.display} is not to be quoted" if bias else ""
    why = why or "the raw cells are no headline for this depth treatment"
    surface = (
        "the flexible surface has no set that holds where cases were added by what was seen"
        if has_surface
        else "no flexible surface was fitted"
    )
    return (
        f"Quote the {_set_name(interval)} {unit}{nothing}, and no single length: {why}, and "
        f"{surface}."
    )


def _bias_words(treatment: Treatment) -> str:
    if treatment.is_window:
        return "the lowest of noisy windows is biased low"
    if treatment.quantile == 0:
        return "the lowest of noisy cells is biased low"
    return "a quantile of noisy cells is biased"


def _floor_words(observed: Estimate) -> str:
    """Say what it would take to certify a length, where none is."""
    proved = next((s for s in observed.sets if s.kind == "certified" and s.floor), None)
    if proved is None or proved.lower > 0:
        return ""
    what = proved.diagnostics.get("floor_counts", "perfect cases per cell")
    return f"No length is certified to pass: that takes at least {proved.floor} {what}."


def _said_beside(
    quoted: Estimate, others: Sequence[Estimate], codes: Collection[str], *, has_headline: bool
) -> Iterator[str]:
    """Yield a sentence for the methods that agree, and one for each that does not."""
    failing = [e for e in others if e.method == "curve" and CURVE_FAILS in codes]
    sound = [e for e in others if e not in failing]
    agreeing = [e for e in sound if has_headline and e.outcome == quoted.outcome]
    if agreeing:
        names = " and ".join(_name(e, codes) for e in agreeing)
        yield f"{names.capitalize()} agree{'s' * (len(agreeing) == 1)}."
    for other in (e for e in others if e not in agreeing):
        fails = ", but does not fit: do not quote it" if other in failing else ""
        name = _name(other, codes).capitalize()
        yield f"{name} says {_difference(quoted, other, has_headline=has_headline)}{fails}."


def _name(estimate: Estimate, codes: Collection[str]) -> str:
    untested = estimate.method == "curve" and CURVE_UNTESTED in codes
    return NAMES[estimate.method] + ", whose fit is not tested," * untested


def _difference(quoted: Estimate, other: Estimate, *, has_headline: bool) -> str:
    if has_headline and other.outcome == quoted.outcome:
        return "the same"
    apart = _apart(quoted, other) if has_headline else ""
    place = "inside" if other.outcome in quoted.default_set else "outside"
    return f"{other.display}{apart}, {place} the set"


def _apart(quoted: Estimate, other: Estimate) -> str:
    """Say by how many doublings two estimates differ, where both are lengths."""
    if quoted.length is None or other.length is None:
        return ""
    doublings = log2(other.length / quoted.length)
    number = f"{abs(doublings):.2g}"
    longer = other if doublings > 0 else quoted
    least = "at least " if longer.status == "beyond_tested" else ""
    words = "a doubling" if number == "1" else f"{number} doublings"
    return f", {least}{words} {'longer' if doublings > 0 else 'shorter'}"
