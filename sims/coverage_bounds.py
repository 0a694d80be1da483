"""Sizes that the sets were to reach, against which the coverage study puts what it measures."""

COUNTS = (5, 20, 80)
"""Cases per cell that the sizes below are for."""

BASE_BOUNDS = {
    ("mean", "default"): (4.7, 2.6, 1.8),
    ("worst", "default"): (6.8, 3.8, 2.7),
    ("worst", "certified"): (7.9, 7.1, 4.1),
}
"""Largest mean sizes on the single needle, by depth treatment and set."""

PROTOTYPE_SIZES = {
    ("single-needle", "worst"): (6.62, 3.69, 2.56),
    ("cells-deviate", "worst"): (6.65, 4.17, 2.94),
    ("cliff", "worst"): (7.35, 4.98, 1.11),
    ("one-bad-depth", "worst"): (8.18, 6.45, 2.84),
    ("ceiling", "worst"): (7.59, 5.17, 2.80),
    ("shared-haystack", "worst"): (6.58, 3.74, 2.34),
    ("early-loss", "worst"): (8.56, 5.30, 3.08),
    ("recency-cliff", "worst"): (5.00, 4.99, 1.58),
    ("one-bad-cell", "worst"): (8.16, 5.88, 1.46),
    ("rises-again", "worst"): (8.46, 4.53, 1.13),
    ("all-99", "worst"): (8.34, 1.74, 1.00),
    ("all-below", "worst"): (1.25, 1.01, 1.00),
    ("single-needle", "mean"): (4.62, 2.52, 1.70),
    ("cells-deviate", "mean"): (4.66, 2.61, 1.78),
    ("cliff", "mean"): (4.69, 1.02, 1.00),
    ("one-bad-depth", "mean"): (3.79, 1.00, 1.00),
    ("ceiling", "mean"): (6.26, 2.87, 1.87),
    ("shared-haystack", "mean"): (5.07, 2.75, 1.84),
    ("early-loss", "mean"): (5.16, 2.14, 1.25),
    ("recency-cliff", "mean"): (1.64, 1.00, 1.00),
    ("one-bad-cell", "mean"): (4.30, 1.03, 1.00),
    ("rises-again", "mean"): (6.37, 3.28, 1.02),
    ("all-99", "mean"): (1.11, 1.00, 1.00),
    ("all-below", "mean"): (1.20, 1.00, 1.00),
}
"""Mean sizes of the prototype's default sets, by truth and depth treatment, 300 tables each."""

ALLOWANCE = 0.15
"""By which a mean size may be above the prototype's."""
