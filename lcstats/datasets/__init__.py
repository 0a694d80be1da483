"""Data that ship with lcstats: tables that others published, and a sweep of our own."""

from lcstats.datasets.published import PublishedRow, PublishedTable, nolima_2025, ruler_2024
from lcstats.datasets.sweeps import SMOLLM2_SWEEP, smollm2_sweep

__all__ = [
    "SMOLLM2_SWEEP",
    "PublishedRow",
    "PublishedTable",
    "nolima_2025",
    "ruler_2024",
    "smollm2_sweep",
]
