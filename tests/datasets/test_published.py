"""Published tables: their numbers, and the effective lengths that were reported with them."""

from fractions import Fraction

import pytest

from lcstats.datasets import nolima_2025, ruler_2024
from lcstats.lengths import published_lengths

NOT_MEASURED_BY_RULER = {
    "Qwen3-14B (14B)",
    "Qwen2.5-7B-Instruct-1M (7B)",
    "Qwen3-8B (8B)",
    "Qwen3-4B (4B)",
    "EXAONE-4.0-1.2B (1.2B)",
}
"""Rows that others reported, and whose printed length their own accuracies do not give."""


def test_ruler_s_effective_lengths_are_reproduced_but_for_five():
    found = published_lengths(ruler_2024())
    reported = found[found["reported"].notna()]
    disagree = reported[reported["agrees"] == False]  # noqa: E712
    assert (len(found), len(reported)) == (45, 44)
    assert set(disagree["model"]) == NOT_MEASURED_BY_RULER


def test_nolima_s_effective_lengths_are_all_reproduced():
    found = published_lengths(nolima_2025())
    assert (len(found), int(found["agrees"].sum())) == (22, 22)


def test_a_tie_passes():
    """Qwen3-32B has exactly 85.6 at 128K and is reported as longer than that."""
    found = published_lengths(ruler_2024()).set_index("model")
    assert found.loc["Qwen3-32B (32B)", "effective_length"] == ">=131072"


@pytest.mark.parametrize("table", [ruler_2024(), nolima_2025()], ids=["ruler", "nolima"])
def test_accuracies_are_the_printed_ones(table):
    shares = [share for row in table.rows for share in row.accuracies.values()]
    assert all(isinstance(share, Fraction) and 0 <= share <= 1 for share in shares)
    assert all((share * 1000).denominator == 1 for share in shares)
    assert len({row.model for row in table.rows}) == len(table.rows)
    assert table.source
    frame = table.to_frame()
    assert frame.iloc[0]["4096"] == float(table.rows[0].accuracies[4096])


def test_nolima_s_bar_is_the_printed_threshold():
    printed = {"GPT-4.1": "82.5", "GPT-4o": "84.4", "Llama 3.1 8B": "65.2"}
    bars = {row.model: row.bar for row in nolima_2025().rows}
    for model, percent in printed.items():
        assert abs(bars[model] * 100 - Fraction(percent)) <= Fraction(5, 100)
