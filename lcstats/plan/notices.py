"""What has to be known beside a plan."""

from collections.abc import Iterator

from lcstats.errors import DesignWarning, Notice, SmallSampleWarning
from lcstats.plan.result import Plan
from lcstats.plan.search import Evaluate
from lcstats.plan.wording import share_words
from lcstats.trials.wording import counted

NOTABLE_FALL = 0.01
"""A loss of hit probability by more trials that is worth a word."""

MOST_WITH_TIES = 500
"""Trials per cell beyond which one success more or less hardly matters."""

LOOK_BACK = 10
"""How many smaller numbers are looked at for one that does better."""


def notices_on(plan: Plan, exactly: Evaluate | None = None) -> tuple[Notice, ...]:
    """Return what has to be known beside a plan.

    Parameters
    ----------
    plan : Plan
    exactly : callable, optional
        The exact engine, if that was used.
    """
    falls = () if exactly is None else _on_falls(plan, exactly)
    return (*falls, *_on_target(plan), *_on_method(plan), *_on_truth(plan))


def _on_falls(plan: Plan, exactly: Evaluate) -> Iterator[Notice]:
    """Name a smaller number that does better than one that was asked about: a tie at the bar."""
    for number in (n for n in plan.asked if n <= MOST_WITH_TIES):
        smaller = [exactly(n) for n in range(max(1, number - LOOK_BACK), number)]
        best = max(smaller, key=lambda row: row.hit_probability, default=exactly(number))
        asked = exactly(number)
        if best.hit_probability - asked.hit_probability > NOTABLE_FALL:
            hits = [share_words(row.hit_probability) for row in (best, asked)]
            yield Notice(
                "more-is-worse",
                "the true length is found more often with "
                f"{counted(best.trials_per_cell, 'trial')} per cell than with {number} ({hits[0]} "
                f"against {hits[1]}): whole numbers of successes reach the bar more easily at some "
                "numbers of trials than at others",
                DesignWarning,
            )


def _on_target(plan: Plan) -> Iterator[Notice]:
    if plan.target is None or plan.recommended is not None:
        return
    last = plan.rows[-1]
    yield Notice(
        "target-not-reached",
        f"no number of trials up to {last.trials_per_cell} reaches {plan.target.words()}; more "
        "trials do not help where accuracies lie at the bar, or where the method does not fit",
        SmallSampleWarning,
    )


def _on_method(plan: Plan) -> Iterator[Notice]:
    if plan.method == "curve":
        yield Notice(
            "curve-assumed",
            "this is what the curve finds if the truth is as planned; where accuracy falls off a "
            "cliff, or one depth fails, a curve can miss the length however many trials there are: "
            "plan for the truths 'cliff' and 'one-bad-depth' too",
            DesignWarning,
        )
    failed = sum(row.n_failed_fits for row in plan.rows)
    if failed:
        total = sum(row.n_simulations for row in plan.rows)
        yield Notice(
            "failed-fits",
            f"{failed} of {total} simulated fits did not converge; they count as they came out",
            SmallSampleWarning,
        )


def _on_truth(plan: Plan) -> Iterator[Notice]:
    if len(plan.true_lengths) > 1:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in plan.true_lengths.items())
        yield Notice(
            "open-truth",
            f"the true length is left open ({shares}); probabilities are averaged over that, and "
            "no number of trials brings them to 1 where accuracies at the bar are likely",
            DesignWarning,
        )
