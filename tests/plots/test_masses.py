"""The masses figure: shares as bars, and the set apart from them."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from lcstats.cells import Cells
from lcstats.errors import OptionError
from lcstats.lengths import Criterion, effective_length
from lcstats.options import DrawKind, MassKind
from lcstats.plots import masses_data, plot_masses
from lcstats.plots.masses import MEANINGS, shown_outcomes
from lcstats.plots.palette import LIGHT
from tests.plots.drawings import (
    DESIGNS,
    DESIGNS_AND_WIDTHS,
    answer_of,
    clipped_and_overlapping,
    simulated,
)


def small_answer(**options):
    """Two lengths of one depth with two cases each, 2 of 2 and 1 of 2 right, threshold 1."""
    cells = Cells.from_counts([4096, 8192], [0.5], n_cases=2, successes=[[2], [1]])
    return answer_of(cells, threshold=1, **options)


def bars_of(ax):
    return [[bar.get_height() for bar in bars] for bars in ax.containers]


def test_masses_of_a_table_small_enough_to_do_by_hand():
    table = masses_data(small_answer())
    bootstrap = table[table["kind"] == "bootstrap"]
    assert bootstrap["label"].tolist() == ["<4096", "4096", ">=8192"]
    assert bootstrap["mass"].tolist() == pytest.approx([0.0, 0.75, 0.25])
    assert bootstrap["length"].isna().tolist() == [True, False, False]
    assert bootstrap["length"].tolist()[1:] == [4096, 8192]


def test_the_set_is_marked_and_is_not_the_masses():
    answer = small_answer()
    interval = answer.observed.default_set
    table = masses_data(answer)
    held = table[table["in_set"] & (table["kind"] == "bootstrap")]
    assert held["outcome"].tolist() == list(range(interval.lower, interval.upper + 1))


@pytest.mark.parametrize("design", DESIGNS)
def test_masses_sum_to_one_for_every_kind(design):
    table = masses_data(answer_of(DESIGNS[design]))
    assert table.groupby("kind")["mass"].sum().tolist() == pytest.approx([1.0, 1.0])


def test_bars_are_the_tables_side_by_side():
    answer = answer_of(simulated())
    table = masses_data(answer)
    ax = plot_masses(answer)
    assert np.allclose(bars_of(ax)[0], table.loc[table["kind"] == "bootstrap", "mass"])
    assert np.allclose(bars_of(ax)[1], table.loc[table["kind"] == "jeffreys", "mass"])
    first, second = ax.containers[0][6], ax.containers[1][6]
    assert first.get_x() + first.get_width() == pytest.approx(second.get_x())
    assert first.get_x() + first.get_width() == pytest.approx(6)
    assert ax.get_ylim() == (0.0, 1.0)


def color_of(bars):
    (color,) = {bar.get_facecolor() for bar in bars}
    return color


@pytest.mark.parametrize("masses", [["jeffreys"], ["bootstrap"], ["jeffreys", "bootstrap"]])
def test_a_kind_of_masses_has_its_colour_whatever_stands_beside_it(masses):
    answer = effective_length(simulated(), Criterion(0.85), masses=masses)
    ax = plot_masses(answer)
    kinds = masses_data(answer)["kind"].unique()
    assert [color_of(bars) for bars in ax.containers] == [to_rgba(LIGHT.masses[k]) for k in kinds]


@pytest.mark.parametrize("kind", ["parametric_bootstrap", "cluster_bootstrap"])
def test_masses_of_a_curve_have_their_own_colour_and_words(kind):
    answer = answer_of(simulated())
    observed = replace(answer.observed, masses={kind: answer.observed.masses["bootstrap"]})
    ax = plot_masses(replace(answer, estimates=(observed,)))
    assert color_of(ax.containers[0]) == to_rgba(LIGHT.masses[kind])
    assert f"({kind})" in " ".join(ax.get_legend().get_texts()[0].get_text().split())


def test_every_kind_of_masses_has_one_colour_and_a_meaning():
    kinds = {*get_args(MassKind), *get_args(DrawKind)}
    assert LIGHT.masses.keys() == MEANINGS.keys() == kinds
    assert len(set(LIGHT.masses.values())) == len(kinds)


def test_one_kind_of_masses_is_drawn_alone():
    answer = answer_of(simulated(), depth_treatment="worst")
    ax = plot_masses(answer)
    assert len(ax.containers) == 1
    assert len(ax.get_legend().get_texts()) == 2


def test_the_set_is_a_bracket_below_the_bars_and_named_as_another_thing():
    answer = answer_of(simulated())
    interval = answer.observed.default_set
    ax = plot_masses(answer)
    bracket = ax.lines[-1]
    assert list(bracket.get_xdata()) == [interval.lower - 0.45, interval.upper + 0.45]
    assert bracket.get_transform().transform((1, 0))[1] < ax.get_window_extent().y0
    words = [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]
    assert words[0] == "share of repeats of this sweep (bootstrap)"
    assert words[1] == "posterior probability (jeffreys)"
    assert words[2].startswith("95% set, certified: ")
    assert words[2].endswith("(for the true length; not a share)")


def test_of_many_outcomes_the_empty_ends_are_left_out():
    table = masses_data(answer_of(DESIGNS["many"]))
    shown = shown_outcomes(table)
    left_out = table[~table["outcome"].isin(shown["outcome"])]
    assert 0 < len(left_out) < len(table)
    assert not left_out["in_set"].any()
    assert left_out["mass"].max() < 0.001
    outcomes = shown["outcome"].unique()
    assert outcomes.tolist() == list(range(outcomes[0], outcomes[-1] + 1))


def test_few_outcomes_are_all_shown():
    table = masses_data(answer_of(simulated()))
    assert shown_outcomes(table) is table


def test_outcomes_are_labelled_with_their_sign_and_unit():
    ax = plot_masses(answer_of(DESIGNS["no depth, documents"]), width="double")
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels[0] == "<10"
    assert labels[-1] == ">=500"
    assert ax.get_xlabel() == "Effective context length (documents)"


def test_an_answer_without_masses_says_how_to_get_them():
    answer = effective_length(simulated(), Criterion(0.85), masses=())
    with pytest.raises(OptionError, match="masses=\\['bootstrap'\\]"):
        masses_data(answer)


@pytest.mark.parametrize(("design", "width"), DESIGNS_AND_WIDTHS)
def test_words_neither_leave_the_figure_nor_overlap(design, width):
    ax = plot_masses(answer_of(DESIGNS[design]), width=width)
    assert clipped_and_overlapping(ax) == ([], [])
    assert len(ax.get_xticklabels()) <= 12
