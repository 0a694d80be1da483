"""Effective length: criterion, observed rule, exact masses, and sets that hold their level."""

from lcstats.lengths.answer import EffectiveLength, Estimate, FallBack, Interval, outcome_label
from lcstats.lengths.certified import certification_floor
from lcstats.lengths.criterion import Criterion
from lcstats.lengths.effective import effective_length
from lcstats.lengths.masses import outcome_probabilities
from lcstats.lengths.published import published_lengths

__all__ = [
    "Criterion",
    "EffectiveLength",
    "Estimate",
    "FallBack",
    "Interval",
    "certification_floor",
    "effective_length",
    "outcome_label",
    "outcome_probabilities",
    "published_lengths",
]
