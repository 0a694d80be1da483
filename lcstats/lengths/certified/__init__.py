"""Sets whose level is guaranteed whatever the accuracies are, for independent cases.

Both ends invert tests. ``H_j`` says that the first j lengths all reach the bar; the upper end is
the largest j that is not rejected, so it falls short of the truth only if the one true
hypothesis is rejected: no multiplicity over lengths. The lower end counts leading lengths that
are accepted, each against "this length is bad"; it overshoots only if the first bad length is
accepted. docs/explanation/certified.md derives every step.
"""

from lcstats.lengths.certified.bounds import Bounds, certification_floor
from lcstats.lengths.certified.door import certification_gap, certified_upper, certify

__all__ = ["Bounds", "certification_floor", "certification_gap", "certified_upper", "certify"]
