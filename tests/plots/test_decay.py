"""The decay figure: its table against hand-computed intervals, its artists against the rules."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells
from lcstats.draws import resample
from lcstats.errors import OptionError
from lcstats.fit import fit_curve, goodness_of_fit
from lcstats.lengths import Criterion, Interval, effective_length
from lcstats.plots import decay_data, plot_decay
from lcstats.plots.decay import set_ends
from lcstats.plots.palette import LIGHT
from lcstats.plots.panel import log_limits
from tests.plots.drawings import (
    DESIGNS,
    DESIGNS_AND_WIDTHS,
    LENGTHS,
    answer_of,
    clipped_and_overlapping,
    ragged,
    simulated,
)

NORMAL_975 = 1.959963984540054


def wilson(share, n):
    """Wilson's interval as it is printed in textbooks."""
    square = NORMAL_975**2 / n
    center = (share + square / 2) / (1 + square)
    half = NORMAL_975 / (1 + square) * np.sqrt(share * (1 - share) / n + square / (4 * n))
    return center - half, center + half


def rows(table, series):
    return table[table["series"] == series].reset_index(drop=True)


def line_with(ax, **properties):
    """The only line that has all the properties."""
    found = [
        line
        for line in ax.lines
        if all(getattr(line, f"get_{name}")() == value for name, value in properties.items())
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("right", "n", "lower", "upper"),
    [(10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775), (0, 25, 0.0, 0.1332), (1, 1, 0.2065, 1.0)],
)
def test_intervals_at_the_edges(right, n, lower, upper):
    cells = Cells.from_counts([4096], [0.5], n_cases=n, successes=[[right]])
    row = decay_data(cells).iloc[0]
    assert (round(row["lower"], 4), round(row["upper"], 4)) == (lower, upper)


def test_the_mean_rests_on_effective_cases():
    cells = Cells.from_counts([4096], [0.0, 1.0], n_cases=[[20, 5]], successes=[[18, 3]])
    row = rows(decay_data(cells), "length").iloc[0]
    assert row["accuracy"] == pytest.approx((0.9 + 0.6) / 2)
    assert row["n_cases"] == 25
    assert row["n_effective"] == pytest.approx(4 / (1 / 20 + 1 / 5))
    assert (row["lower"], row["upper"]) == pytest.approx(wilson(0.75, 16.0))


def test_pooled_rests_on_all_cases():
    cells = Cells.from_counts([4096], [0.0, 1.0], n_cases=[[20, 5]], successes=[[18, 3]])
    row = decay_data(cells, answer_of(cells, depth_treatment="pooled")).iloc[0]
    assert row["accuracy"] == pytest.approx(21 / 25)
    assert (row["lower"], row["upper"]) == pytest.approx(wilson(21 / 25, 25))


def test_worst_depth_has_its_own_cells_interval():
    cells = Cells.from_counts(
        [4096, 8192], [0.0, 0.5, 1.0], n_cases=20, successes=[[20, 17, 19], [12, 15, 18]]
    )
    table = rows(decay_data(cells, answer_of(cells, depth_treatment="worst")), "length")
    assert table["depth"].tolist() == [0.5, 0.0]
    assert table["accuracy"].tolist() == [0.85, 0.6]
    assert table["lower"].tolist() == pytest.approx([wilson(0.85, 20)[0], wilson(0.6, 20)[0]])


def test_a_quantile_is_the_cell_of_its_rank():
    cells = Cells.from_counts([4096], [0.0, 0.5, 1.0], n_cases=20, successes=[[20, 12, 17]])
    answer = answer_of(cells, depth_treatment="quantile:0.5")
    row = decay_data(cells, answer).iloc[0]
    assert (row["depth"], row["accuracy"]) == (1.0, 0.85)


def windowed(cells, width):
    """An answer with windows as its depth treatment."""
    answer = answer_of(cells, depth_treatment="worst")
    return replace(answer, criterion=Criterion(0.85, depth_treatment=f"window:{width}"))


def test_a_window_has_the_interval_of_its_own_mean():
    cells = Cells.from_counts(
        [4096, 8192],
        [0.0, 0.25, 0.5, 1.0],
        n_cases=[[20, 20, 20, 20], [20, 5, 20, 20]],
        successes=[[20, 17, 19, 20], [20, 4, 10, 18]],
    )
    table = rows(decay_data(cells, windowed(cells, 2)), "length")
    assert table["depth"].tolist() == [0.375, 0.375]
    assert table["accuracy"].tolist() == pytest.approx([0.9, 0.65])
    assert table["n_cases"].tolist() == [40, 25]
    assert table["n_effective"].tolist() == pytest.approx([40, 16])
    assert table["lower"].tolist() == pytest.approx([wilson(0.9, 40)[0], wilson(0.65, 16)[0]])


def test_windows_are_drawn_with_single_cells():
    cells = simulated(n_cases=40)
    ax = plot_decay(cells, effective_length=windowed(cells, 3), fit=fit_curve(cells))
    words = [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]
    assert "observed window, 95% Wilson interval" in words
    assert "all cells" in words
    assert any("(biased low: worst window of noisy draws)" in word for word in words)
    assert ax.get_ylabel() == "Accuracy, worst window of 3 depths"
    assert clipped_and_overlapping(ax) == ([], [])


def test_holes_count_for_nothing():
    table = decay_data(ragged())
    lengths = rows(table, "length")
    assert lengths["length"].tolist() == [4096, 8192, 16384]
    assert lengths["accuracy"].tolist() == [1.0, 1.0, 0.0]
    assert lengths["n_effective"].tolist() == [6.0, 4.0, 6.0]
    assert len(rows(table, "cell")) == 8


def test_the_level_widens_the_interval():
    cells = simulated()
    narrow, wide = decay_data(cells, level=0.8), decay_data(cells, level=0.99)
    assert np.all(wide["lower"] < narrow["lower"])
    assert np.all((wide["upper"] > narrow["upper"]) | (narrow["upper"] == 1.0))


def test_accuracies_agree_with_the_answer():
    cells = simulated()
    answer = answer_of(cells, depth_treatment="worst")
    drawn = rows(decay_data(cells, answer), "length")
    np.testing.assert_array_equal(drawn["accuracy"], answer.accuracy)


def test_intervals_are_never_empty_and_hold_the_accuracy():
    for cells in DESIGNS.values():
        table = decay_data(cells)
        assert np.all(table["lower"] < table["upper"])
        assert np.all((table["lower"] <= table["accuracy"]) & (table["accuracy"] <= table["upper"]))
        assert table[["lower", "upper"]].stack().between(0, 1).all()


def test_points_and_bars_are_the_tables():
    cells = simulated()
    table = rows(decay_data(cells), "length")
    ax = plot_decay(cells)
    points, _, (bars,) = ax.containers[0].lines
    np.testing.assert_array_equal(points.get_xdata(), table["length"])
    np.testing.assert_allclose(points.get_ydata().astype(float), table["accuracy"])
    ends = np.array([segment[:, 1] for segment in bars.get_segments()], dtype=float)
    np.testing.assert_allclose(ends, table[["lower", "upper"]])


def test_axes_are_log2_in_length_and_0_to_1():
    ax = plot_decay(simulated())
    assert ax.get_xscale() == "log"
    assert ax.xaxis.get_transform().base == 2
    assert ax.get_ylim() == (0.0, 1.0)
    assert ax.get_ylabel() == "Accuracy, mean over depths"
    ax.figure.draw_without_rendering()
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == ["1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K"]


def test_the_threshold_line_is_the_applied_one():
    cells = simulated(lift=-0.05)
    answer = answer_of(cells, rule="relative", threshold=0.9)
    ax = plot_decay(cells, effective_length=answer)
    bar = float(answer.applied_threshold)
    assert bar != 0.9
    flat = [line for line in ax.lines if list(line.get_ydata()) == [bar, bar]]
    assert [list(line.get_xdata()) for line in flat] == [[0, 1]]
    assert f"{bar:.4g}" in [text.get_text() for text in ax.texts]
    said = " ".join(ax.get_legend().get_texts()[1].get_text().split())
    assert said == f"threshold: 0.9 of the base score (accuracy {bar:.4g})"


@pytest.mark.parametrize(
    ("lower", "upper", "ends", "is_open"),
    [
        (1, 2, (4096, 8192), (False, False)),
        (2, 2, (8192, 8192), (False, False)),
        (0, 1, (None, 4096), (True, False)),
        (0, 0, (None, 4096), (True, False)),
        (2, 3, (8192, None), (False, True)),
        (3, 3, (16384, None), (False, True)),
        (0, 3, (None, None), (True, True)),
    ],
)
def test_sets_end_at_lengths_or_at_the_edge(lower, upper, ends, is_open):
    lengths = np.array([4096, 8192, 16384])
    first, last = log_limits(lengths)
    expected = (ends[0] or first, ends[1] or last)
    assert set_ends(Interval("certified", 0.95, lower, upper, lengths)) == (expected, is_open)


@pytest.mark.parametrize(
    ("design", "markers", "point"),
    [
        ("doublings", ("|", "|"), "D"),
        ("below", ("<", "|"), "<"),
        ("beyond", ("|", ">"), ">"),
        ("no depth, documents", ("|", ">"), ">"),
    ],
)
def test_the_set_is_a_bar_over_its_lengths_with_arrows_at_open_ends(design, markers, point):
    cells = DESIGNS[design]
    answer = answer_of(cells)
    interval = answer.observed.default_set
    ax = plot_decay(cells, effective_length=answer)
    marker, left, right, bar = ax.lines[-4:]
    ends, _ = set_ends(interval)
    assert tuple(bar.get_xdata()) == ends
    assert (left.get_marker(), right.get_marker()) == markers
    assert marker.get_marker() == point
    place = answer.observed.length or int(answer.lengths[0])
    assert marker.get_xdata() == [place]
    height = bar.get_transform().transform((bar.get_xdata()[0], 0))[1]
    assert height > ax.get_window_extent().y1


def test_a_crossed_length_has_a_line_down_to_the_axis():
    cells = simulated()
    ax = plot_decay(cells, effective_length=answer_of(cells))
    down = [line for line in ax.lines if list(line.get_xdata()) == [32768, 32768]]
    assert [list(line.get_ydata()) for line in down] == [[0, 1]]
    cells = DESIGNS["below"]
    ax = plot_decay(cells, effective_length=answer_of(cells))
    assert not [line for line in ax.lines if list(line.get_xdata()) == [1024, 1024]]


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
@pytest.mark.parametrize(
    ("sets", "said"), [("default", "(flexible)"), ("certified", "(observed; quote the set)")]
)
def test_worst_depth_shows_all_cells(sets, said):
    cells = simulated()
    criterion = Criterion(0.85, depth_treatment="worst")
    ax = plot_decay(cells, effective_length=effective_length(cells, criterion, sets=sets))
    dots = line_with(ax, marker=".")
    assert len(dots.get_xdata()) == 88
    words = [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]
    assert words[0] == "observed cell, 95% Wilson interval"
    assert words[3].endswith(said)
    assert ax.get_ylabel() == "Accuracy, worst depth"


def test_the_caption_says_what_a_number_needs():
    cells = ragged()
    ax = plot_decay(cells, effective_length=answer_of(cells))
    caption = next(text for text in ax.texts if text.get_text().startswith("default:"))
    assert " ".join(caption.get_text().split()) == (
        "default: accuracy 0.85, mean over depths, observed; some lengths lack depths; "
        "8 of 24 trials unscored"
    )
    assert ax.get_title(loc="left") == "model"


def test_without_an_answer_there_is_neither_threshold_nor_set():
    ax = plot_decay(simulated())
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "observed, 95% Wilson interval"
    ]
    assert len(ax.lines) == 1


def test_an_answer_to_other_cells_is_refused():
    with pytest.raises(OptionError, match=r"pass effective_length\(cells, criterion\)"):
        plot_decay(simulated(), effective_length=answer_of(simulated(model="other")))


def test_several_groups_are_refused():
    both = Cells(grids=(simulated().grid, simulated(model="other").grid))
    with pytest.raises(OptionError, match=r"cells\.select"):
        decay_data(both)


def test_tables_keep_to_their_columns():
    table = decay_data(simulated(LENGTHS[:2]))
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == [
        "series", "length", "depth", "accuracy", "lower", "upper", "n_cases", "n_effective",
    ]  # fmt: skip


@pytest.mark.parametrize(("design", "width"), DESIGNS_AND_WIDTHS)
def test_words_neither_leave_the_figure_nor_overlap(design, width):
    cells = DESIGNS[design]
    ax = plot_decay(cells, effective_length=answer_of(cells), width=width)
    assert clipped_and_overlapping(ax) == ([], [])
    assert ax.figure.get_figwidth() == {"single": 3.3, "double": 6.9}[width]
    assert len(ax.get_xticklabels()) <= 12


def cliff():
    """A fall that no law of length makes."""
    right = [[k] * 3 for k in (38, 38, 38, 38, 38, 5, 5, 5)]
    return Cells.from_counts(LENGTHS, [0.0, 0.5, 1.0], n_cases=40, successes=right)


@pytest.mark.parametrize("treatment", ["mean", "worst", "quantile:0.5", "pooled"])
def test_the_curve_is_the_fit_under_the_answer_s_treatment(treatment):
    cells = simulated(n_cases=40)
    fit = fit_curve(cells)
    answer = answer_of(cells, depth_treatment=treatment)
    curve = rows(decay_data(cells, answer, fit=fit), "curve")
    assert curve["length"].is_monotonic_increasing
    ends = curve.iloc[[0, -1]]
    assert ends["length"].tolist() == pytest.approx([1024, 131072])
    by_depth = fit.accuracy[[0, -1]]
    ascending = np.sort(by_depth, axis=1)
    expected = {
        "mean": by_depth.mean(axis=1),
        "pooled": by_depth.mean(axis=1),
        "worst": ascending[:, 0],
        "quantile:0.5": ascending[:, 5],
    }[treatment]
    assert ends["accuracy"].tolist() == pytest.approx(expected.tolist())


def test_the_band_is_the_quantiles_of_the_draws_at_each_length():
    cells = simulated(n_cases=40)
    fit = fit_curve(cells)
    draws = resample(fit, seed=1, n_draws=500)
    curve = rows(decay_data(cells, fit=fit, draws=draws), "curve")
    drawn = draws.accuracies.mean(axis=2)
    lower, upper = np.quantile(drawn, [0.025, 0.975], axis=0)
    ends = curve.iloc[[0, -1]]
    assert ends["lower"].tolist() == pytest.approx(lower[[0, -1]].tolist())
    assert ends["upper"].tolist() == pytest.approx(upper[[0, -1]].tolist())
    narrow = rows(decay_data(cells, fit=fit, draws=draws, level=0.5), "curve")
    assert np.all(narrow["upper"] - narrow["lower"] < curve["upper"] - curve["lower"])
    assert np.all(curve["lower"] <= curve["accuracy"])
    assert np.all(curve["accuracy"] <= curve["upper"])


def test_a_curve_does_not_change_the_observed_rows():
    cells = simulated()
    table = decay_data(cells, fit=fit_curve(cells))
    observed = table[table["series"] != "curve"]
    pd.testing.assert_frame_equal(observed, decay_data(cells), check_dtype=False)


@pytest.mark.parametrize(
    ("cells", "style", "words"),
    [
        (simulated(), "-", "fitted curve, 95% band at each length"),
        (cliff(), "--", "curve that does not fit, 95% band at each length"),
    ],
)
def test_a_curve_that_fails_its_test_is_dashed(cells, style, words):
    fit = fit_curve(cells)
    ax = plot_decay(cells, fit=fit, goodness=goodness_of_fit(fit))
    line = line_with(ax, color=LIGHT.curve)
    assert line.get_linestyle() == style
    curve = rows(decay_data(cells, fit=fit), "curve")
    np.testing.assert_allclose(line.get_ydata(), curve["accuracy"])
    assert len(ax.collections) == 2
    assert words in [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize(
    ("treatment", "said"),
    [
        ("mean", ""),
        ("worst", " (biased low: worst depth of noisy draws)"),
        ("quantile:0.1", " (biased low: quantile of depths of noisy draws)"),
    ],
)
def test_the_key_says_that_the_band_of_a_minimum_lies_low(treatment, said):
    cells = simulated(n_cases=40)
    answer = answer_of(cells, depth_treatment=treatment)
    ax = plot_decay(cells, effective_length=answer, fit=fit_curve(cells))
    words = [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]
    assert f"fitted curve, not tested, 95% band at each length{said}" in words


def test_lengths_are_written_in_one_way_in_ticks_and_key():
    cells = simulated(np.array([4096, 32768, 64000]))
    ax = plot_decay(cells, effective_length=answer_of(cells))
    ax.figure.draw_without_rendering()
    ticks = [label.get_text() for label in ax.get_xticklabels()]
    key = " ".join(text.get_text() for text in ax.get_legend().get_texts())
    assert ticks == ["4096", "32\u2009768", "64\u2009000"]
    assert "effective length 32\u2009768" in key
    assert not re.search(r"\dK", key)


def test_a_fit_to_other_cells_is_refused():
    with pytest.raises(OptionError, match=r"pass fit=fit_curve\(cells\)"):
        plot_decay(simulated(), fit=fit_curve(simulated(lift=-0.05)))


@pytest.mark.parametrize("design", ["doublings", "hole", "one depth", "no depth, documents"])
@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_words_of_a_fitted_figure_neither_leave_it_nor_overlap(design):
    cells = DESIGNS[design]
    ax = plot_decay(cells, effective_length=answer_of(cells), fit=fit_curve(cells))
    assert clipped_and_overlapping(ax) == ([], [])
