"""The curve: METHOD section 2's law, once, and how likely counts are under it."""

from lcstats.curve.counts import count_likelihood, count_log_shares
from lcstats.curve.law import (
    BASE_LENGTH,
    RECENCY_SCALE,
    SPAN_DOUBLINGS,
    TERMS,
    Curve,
    FloatArray,
    accuracy_from_logit,
    check_depths,
    check_lengths,
    design_matrix,
    logit_accuracy,
    middle_weight,
)
from lcstats.curve.likelihood import (
    Compound,
    TrialLikelihood,
    joint_likelihood,
    joint_penalty,
    trial_likelihood,
)

__all__ = [
    "BASE_LENGTH",
    "RECENCY_SCALE",
    "SPAN_DOUBLINGS",
    "TERMS",
    "Compound",
    "Curve",
    "FloatArray",
    "TrialLikelihood",
    "accuracy_from_logit",
    "check_depths",
    "check_lengths",
    "count_likelihood",
    "count_log_shares",
    "design_matrix",
    "joint_likelihood",
    "joint_penalty",
    "logit_accuracy",
    "middle_weight",
    "trial_likelihood",
]
