"""What a reader of needle results has to know: one prompt, repeats, dependence, a misfit."""

from collections.abc import Iterator

import numpy as np

from lcstats.errors import DesignWarning, Notice, SmallSampleWarning, UnscoredWarning
from lcstats.lengths import EffectiveLength
from lcstats.lengths.estimate import Estimate
from lcstats.needles.data import ROUNDING, NeedleTable
from lcstats.needles.dependence import Dependence
from lcstats.needles.profile import DepthStep
from lcstats.needles.single import SingleNeedle
from lcstats.needles.task_length import TaskLength
from lcstats.trials import Trials
from lcstats.trials.wording import counted

FEW_UNITS = 10
"""Units of a length below which its interval is wide whatever it says."""

SMALL = 0.05


def notices_on_trials(trials: Trials, table: NeedleTable) -> Iterator[Notice]:
    """Yield which columns were left aside or contradict each other.

    Parameters
    ----------
    trials : Trials
        That `table` was made of.
    table : NeedleTable
    """
    scored = trials.frame[trials.frame["score"].notna()]
    for name, what in NOT_USED.items():
        n_empty = int(scored[name].isna().sum()) if name in scored else 0
        is_used = name == "n_found" and table.kind == "needles"
        if 0 < n_empty < table.n_trials and not is_used:
            yield Notice(
                "partly-empty-column",
                f"{name} is empty in {n_empty} of {counted(table.n_trials, 'trial')}: {what} is "
                "taken for unknown in all of them; fill it in, or leave these trials out",
                DesignWarning,
            )
    if table.kind == "all_or_nothing":
        return
    score = scored["score"].to_numpy(dtype=np.float64)
    share = table.found.mean(axis=1)
    apart = (np.abs(score - share) > ROUNDING) & (score != table.all_found)
    if apart.any():
        yield Notice(
            "scores-disagree",
            f"{counted(int(apart.sum()), 'trial')} whose score is neither the share of needles "
            "found nor 1 for all of them and 0 otherwise: the needles were used, not the score",
            DesignWarning,
        )


NOT_USED = {
    "needle_found": "which needles were found",
    "needle_depths": "where needles lay",
    "n_found": "how many needles were found, but for the score,",
}
"""Columns that are used where every trial has them, and what they say."""


def notices_on_table(table: NeedleTable) -> Iterator[Notice]:
    """Yield what the design of the table keeps from being said."""
    n_placements = np.unique(table.placement).size
    per_length = np.bincount(
        np.searchsorted(table.lengths, table.length_of_unit), minlength=table.lengths.size
    )
    n_repeated = table.n_trials - table.n_units
    if table.repeats == "fold" and n_repeated and per_length.max() == 1:
        yield Notice(
            "one-case-per-length",
            f"every length has a single case, sent {_times(table)}: repeats of one prompt say "
            "nothing of other prompts, so rates have no intervals and dependence is not tested; "
            f"what else is said rests on {counted(table.n_units, 'case')}, one a length; pass "
            "repeats='independent' (--repeats independent) for what holds of these very prompts",
            SmallSampleWarning,
        )
    elif table.repeats == "fold" and n_repeated:
        yield Notice(
            "repeats-folded",
            f"{counted(table.n_trials, 'trial')} of {counted(table.n_units, 'case')}: repeats are "
            "folded and are no further evidence",
            DesignWarning,
        )
    elif (
        table.repeats == "independent"
        and (table.has_depths or table.has_asked_depths)
        and n_placements == table.lengths.size < table.n_units
    ):
        yield Notice(
            "one-placement-per-length",
            f"the trials of every length share one placement of {_their_needles(table)}: "
            "what is said is of these prompts, not of needles elsewhere or of other texts",
            DesignWarning,
        )
    if per_length.max() > 1 and per_length.min() < FEW_UNITS:
        yield Notice(
            "few-units",
            f"as few as {counted(int(per_length.min()), 'unit')} at a length: intervals are wide",
            SmallSampleWarning,
        )
    if table.kind != "needles" and table.n_needles > 1:
        yield _on_kind(table)
    elif table.n_needles > 1 and not table.has_depths:
        yield Notice(
            "needle-places-unknown",
            "where needles lay is not known for every trial: what their places do to them counts "
            "as dependence, and the curve has no depths",
            DesignWarning,
        )
    if table.n_unscored:
        yield Notice(
            "unscored-needles",
            f"{counted(table.n_unscored, 'trial')} not scored: left out, never counted as missed",
            UnscoredWarning,
        )


def _their_needles(table: NeedleTable) -> str:
    return "their needle" if table.n_needles == 1 else f"their {table.n_needles} needles"


def _times(table: NeedleTable) -> str:
    each = np.unique(np.bincount(table.unit))
    if each.size == 1:
        return f"{each[0]} times"
    return f"{each[0]} to {each[-1]} times"


def _on_kind(table: NeedleTable) -> Notice:
    if table.kind == "counts":
        return Notice(
            "needle-counts-only",
            "nobody knows which needles were found, only how many: what differs between places "
            "counts as scatter, and neighbours cannot be compared",
            DesignWarning,
        )
    return Notice(
        "all-or-nothing",
        "scores only say whether all needles were found: rates of single needles follow from a "
        "curve if needles are independent, and nothing can be said about dependence",
        DesignWarning,
    )


def notices_on_dependence(table: NeedleTable, dependence: Dependence | None) -> Iterator[Notice]:
    """Yield how far the needles are from independence, and which way lengths then err."""
    if dependence is None or not np.isfinite(dependence.independence_p):
        return
    if dependence.independence_p < SMALL:
        yield _on_rejection(table, dependence)
    apart = dependence.n_trials < table.n_trials
    if apart:
        yield Notice(
            "needles-not-compared",
            f"{counted(table.n_trials - dependence.n_trials, 'trial')} left out of the comparison: "
            f"no other unit shares {dependence.strata}",
            DesignWarning,
        )


def _on_rejection(table: NeedleTable, dependence: Dependence) -> Notice:
    more = dependence.intraclass_correlation.value > 0
    p_value = f"p = {dependence.independence_p:.2g}, given {dependence.strata}"
    if table.kind == "counts" and not more:
        return Notice(
            "unequal-needles",
            f"numbers of found needles scatter less than needles of one rate would ({p_value}): "
            "some places are found more often than others, which hides dependence; neither the "
            "ratio nor the correlation says whether needles are independent",
            DesignWarning,
        )
    return Notice(
        "dependent-needles",
        f"needles of a trial are not found independently ({p_value}): products of rates are too "
        f"{'low' if more else 'high'}, and needles are no separate evidence",
        DesignWarning,
    )


def notices_on_single(single: SingleNeedle | None, step: DepthStep | None) -> Iterator[Notice]:
    """Yield what the curve's test says, with the step in depth that the curve cannot follow."""
    if single is None:
        return
    test = single.goodness
    if test is not None and not test.passes:
        whose = " these very prompts" * single.is_of_prompts
        where = "" if np.isnan(test.worst_depth) else f", depth {test.worst_depth:.2g}"
        yield Notice(
            "curve-misfit",
            f"the curve of a single needle does not fit{whose} "
            f"(p = {test.p_value:.2g}, needles taken as independent; largest residual "
            f"{test.worst_residual:.1f} at length {test.worst_length:.0f}{where}): "
            f"{_misfit_words(step)}, so do not quote what it implies",
            DesignWarning,
        )


def _misfit_words(step: DepthStep | None) -> str:
    law = "a smooth dip and a bonus at the end"
    if step is None:
        return f"{law} are not what these needles show"
    return f"the rate has a step in depth, {step.words()}, which {law} cannot follow"


def notices_on_disagreement(
    observed: EffectiveLength,
    implied: TaskLength | None,
    single: SingleNeedle | None,
    dependence: Dependence | None,
) -> Iterator[Notice]:
    """Yield why the curve's length of a task is not the observed one, where they are far apart.

    Parameters
    ----------
    observed : EffectiveLength
        Of trials that found all their needles.
    implied : TaskLength or None
        By the curve, for as many needles.
    single : SingleNeedle or None
        That curve.
    dependence : Dependence or None
    """
    if implied is None or single is None:
        return
    seen, said = observed.observed, implied.estimate
    if abs(_doublings(seen) - _doublings(said)) <= 1.0:
        return
    first = min(seen.outcome, said.outcome)
    rates = float(observed.accuracy[first]), float(implied.joint[first])
    unit = observed.length_unit
    yield Notice(
        "curve-disagrees",
        f"the curve says {said.display} {unit} for {counted(implied.n_needles, 'needle')}, "
        f"{seen.display} {unit} was observed: at {seen.lengths[first]} all were found in "
        f"{rates[0]:.0%} of trials, and in {rates[1]:.0%} by the curve; "
        f"{'; '.join(_reasons(rates, single, dependence))}",
        DesignWarning,
    )


def _doublings(estimate: Estimate) -> float:
    """Log2 of a length; below the tested ones, of half the shortest."""
    lengths = estimate.lengths.astype(np.float64)
    return float(np.log2(lengths[estimate.outcome - 1] if estimate.outcome else lengths[0] / 2.0))


def _reasons(
    rates: tuple[float, float], single: SingleNeedle, dependence: Dependence | None
) -> list[str]:
    """Say what can make a curve say another rate of finding all than was observed."""
    per_length = single.n_units / single.lengths.size
    is_drawn_in = abs(rates[1] - 0.5) < abs(rates[0] - 0.5)
    reasons = {
        "the curve does not fit": single.fails,
        "needles are not found independently, as the curve takes them to be": dependence is not None
        and dependence.independence_p < SMALL,
        f"Jeffreys' penalty draws the curve of as few as {counted(single.n_units, 'unit')} at "
        f"{counted(single.lengths.size, 'length')} towards one half": per_length < FEW_UNITS
        and is_drawn_in,
    }
    found = [words for words, holds in reasons.items() if holds]
    return found or ["the curve smooths over all lengths, and either rate may be off by chance"]
