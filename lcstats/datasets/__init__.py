"""Data that ship with lcstats: tables that others published.

The simulated demonstration is no file: it is :func:`lcstats.truths.simulate_trials` on the
single-needle truth with a fixed seed.
"""

from lcstats.datasets.published import PublishedRow, PublishedTable, nolima_2025, ruler_2024

__all__ = ["PublishedRow", "PublishedTable", "nolima_2025", "ruler_2024"]
