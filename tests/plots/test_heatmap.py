"""The heat map: its table against hand counts, its artists against the rules."""

from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from lcstats.cells import Cells, count_cells
from lcstats.errors import OptionError
from lcstats.plots import heatmap_data, plot_heatmap
from lcstats.plots.style import accuracy_colors
from lcstats.readers import read_trials
from tests.plots.drawings import (
    DESIGNS,
    DESIGNS_AND_WIDTHS,
    answer_of,
    clipped_and_overlapping,
    ragged,
    simulated,
    with_unscored,
)


def mesh_of(ax) -> QuadMesh:
    return next(c for c in ax.collections if isinstance(c, QuadMesh))


def holes_of(ax) -> PolyCollection:
    return next(c for c in ax.collections if isinstance(c, PolyCollection))


def key_of(ax) -> list[str]:
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()] if legend else []


def counts_of(ax) -> list[str]:
    return [
        text.get_text() for text in ax.texts if "/" in text.get_text() or "n=" in text.get_text()
    ]


def test_table_holds_every_cell_and_hole():
    table = heatmap_data(ragged())
    square = NormalDist().inv_cdf(0.975) ** 2
    half = square / (2 + square) / 2  # Wilson's interval where all of 2 or none are right
    expected = pd.DataFrame(
        {
            "model": "model",
            "task": "default",
            "length": np.repeat([4096, 8192, 16384, 32768], 3),
            "depth": [0.0, 0.5, 1.0] * 4,
            "n_trials": [2, 2, 2, 2, 0, 2, 2, 2, 2, 0, 0, 0],
            "n_cases": [2, 2, 2, 2, 0, 2, 2, 2, 2, 0, 0, 0],
            "successes": [2, 2, 2, 2, np.nan, 2, 0, 0, 0, np.nan, np.nan, np.nan],
            "accuracy": [1, 1, 1, 1, np.nan, 1, 0, 0, 0, np.nan, np.nan, np.nan],
            "half_width": [*[half] * 4, np.nan, *[half] * 4, *[np.nan] * 3],
            "n_unscored_at_length": np.repeat([0, 2, 0, 6], 3),
            "n_too_long_at_length": 0,
        }
    )
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)


def test_colours_run_from_zero_to_one_whatever_the_data():
    flat = Cells.from_counts([4096, 8192], [0.0, 1.0], n_cases=2, successes=[[2, 2], [2, 2]])
    ax = plot_heatmap(flat)
    assert mesh_of(ax).get_clim() == (0.0, 1.0)
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (0.0, 1.0)
    mesh = mesh_of(ax)
    colors = mesh.to_rgba(mesh.get_array())
    assert np.all(colors == to_rgba(mesh.cmap(1.0)))


def test_depth_zero_is_on_top():
    ax = plot_heatmap(simulated())
    bottom, top = ax.get_ylim()
    assert bottom > top
    assert ax.get_yticklabels()[0].get_text() == "0"
    assert ax.get_yticks()[0] == 0
    np.testing.assert_array_equal(mesh_of(ax).get_array()[0], simulated().grid.accuracy[:, 0])


def test_cells_are_evenly_spaced_and_labelled_in_k():
    ax = plot_heatmap(simulated())
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == ["1K", "2K", "4K", "8K", "16K", "32K", "64K", "128K"]
    assert ax.get_xticks().tolist() == list(range(8))


def test_holes_are_hatched_and_named_outside_the_colour_bar():
    ax = plot_heatmap(ragged(), width="double")
    holes = holes_of(ax)
    assert holes.get_hatch()
    centers = sorted(tuple(path.vertices[:4].mean(axis=0)) for path in holes.get_paths())
    assert centers == [(1.0, 1.0), (3.0, 0.0), (3.0, 1.0), (3.0, 2.0)]
    assert mesh_of(ax).get_array().mask.sum() == 4
    assert key_of(ax) == ["no scored trial"]
    assert ax.get_legend().legend_handles[0].get_hatch() == holes.get_hatch()
    assert "8 of 24 trials unscored" in ax.texts[0].get_text()


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_a_file_with_a_cell_that_failed(cases_dir):
    cells = count_cells(read_trials(cases_dir / "17-ragged-grid" / "in.csv"))
    accuracy = heatmap_data(cells)["accuracy"]
    assert ((accuracy == 1).sum(), (accuracy == 0).sum(), accuracy.isna().sum()) == (5, 3, 1)
    ax = plot_heatmap(cells)
    assert key_of(ax) == ["no scored trial"]
    assert "2 of 18 trials unscored" in ax.texts[0].get_text()


def test_a_hole_nobody_asked_for_is_the_same():
    cells = Cells.from_counts([4096], [0.0, 1.0], n_cases=[[2, 0]], successes=[[1, 0]])
    assert key_of(plot_heatmap(cells)) == ["no scored trial"]


def test_no_holes_no_key():
    ax = plot_heatmap(simulated())
    assert ax.get_legend() is None
    assert holes_of(ax).get_paths() == []


def test_counts_stand_in_the_cells():
    ax = plot_heatmap(ragged())
    assert sorted(counts_of(ax)) == ["0/2"] * 3 + ["2/2"] * 5
    places = {text.get_position(): text.get_text() for text in ax.texts if "/2" in text.get_text()}
    assert places[(2, 0)] == "0/2"
    assert places[(0, 2)] == "2/2"


def test_graded_scores_get_the_number_of_cases_only():
    cells = Cells.from_counts([4096], [0.0, 1.0], n_cases=[[4, 5]], successes=[[2.5, 4]])
    ax = plot_heatmap(cells)
    assert counts_of(ax) == ["n=4", "n=5"]
    assert ax.child_axes[0].get_ylabel() == "Mean score"


def test_one_number_of_cases_for_all_is_left_to_the_caption():
    cells = Cells.from_counts([4096], [0.0, 1.0], n_cases=4, successes=[[2.5, 4]])
    ax = plot_heatmap(cells)
    assert counts_of(ax) == []
    assert "4 cases per cell" in ax.texts[0].get_text()


def graded(n_lengths, n_cases):
    """Scores of three quarters, in 15 depths."""
    lengths, depths = np.arange(1, n_lengths + 1) * 1000, np.linspace(0, 1, 15)
    n_cases = np.resize(n_cases, (n_lengths, 15))
    return Cells.from_counts(lengths, depths, n_cases=n_cases, successes=0.75 * n_cases)


def drawn_and_overrunning(ax):
    """Number of counts in cells, and those wider or higher than theirs."""
    ax.figure.draw_without_rendering()
    (left, top), (right, bottom) = ax.transData.transform([(0, 0), (1, 1)])
    counts = [text for text in ax.texts if text.get_text() in counts_of(ax)]
    boxes = [(text.get_text(), text.get_window_extent()) for text in counts]
    out = [w for w, box in boxes if box.width > right - left or box.height > top - bottom]
    return len(counts), out


@pytest.mark.parametrize("n_cases", [(1, 2), (1, 20), (1, 200)])
@pytest.mark.parametrize("n_lengths", range(2, 18, 3))
def test_counts_stay_within_their_cells(n_lengths, n_cases):
    assert drawn_and_overrunning(plot_heatmap(graded(n_lengths, n_cases)))[1] == []


def test_counts_that_fit_are_drawn_in_every_cell():
    assert drawn_and_overrunning(plot_heatmap(graded(5, (1, 20)))) == (75, [])


@pytest.mark.parametrize("n_columns", [1, 2, 3])
def test_counts_stay_within_cells_that_a_layout_narrows(n_columns):
    axes = np.ravel(Figure(layout="constrained").subplots(1, n_columns))
    for ax in axes:
        plot_heatmap(graded(5, (1, 20)), ax=ax)
    assert [drawn_and_overrunning(ax)[1] for ax in axes] == [[]] * n_columns


@pytest.mark.parametrize(
    ("depths", "labels"),
    [
        ([0.0, 0.25, 0.5, 1.0], ["0", "0.25", "0.5", "1"]),
        (np.arange(15) / 14, ["0", "0.14", "0.29", "0.43", "0.57", "0.71", "0.86", "1"]),
    ],
)
def test_depths_are_labelled_as_they_are(depths, labels):
    ax = plot_heatmap(simulated(depths=np.array(depths)))
    assert [label.get_text() for label in ax.get_yticklabels()] == labels


def test_labels_are_decided_from_all_depths():
    depths = np.append(np.arange(31) / 32, 0.9376)
    ax = plot_heatmap(simulated(depths=np.sort(depths)))
    labels = {
        int(tick): label.get_text()
        for tick, label in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)
    }
    assert len(labels) < depths.size
    assert labels[3] == "0.0938"


def test_illegible_counts_are_left_out_and_ticks_thinned():
    ax = plot_heatmap(DESIGNS["many"])
    assert counts_of(ax) == []
    assert "1 case per cell" in ax.texts[0].get_text()
    assert len(ax.get_xticklabels()) <= 12
    assert len(ax.get_yticklabels()) <= 12


def test_counts_stand_out_against_their_cell():
    cells = Cells.from_counts([4096], [0.0, 1.0], n_cases=2, successes=[[0, 2]])
    colors = {text.get_text(): text.get_color() for text in plot_heatmap(cells).texts}
    assert colors["0/2"] == "white"
    assert colors["2/2"] == "black"


@pytest.mark.parametrize(
    ("design", "edge", "words"),
    [
        ("doublings", 5.5, "effective length 32K (observed)"),
        ("below", -0.5, "effective length <1K (observed)"),
        ("beyond", 7.5, "effective length >=128K (observed)"),
        ("hole", 1.5, "effective length 8K (observed)"),
    ],
)
def test_the_effective_length_is_a_line_after_its_column(design, edge, words):
    cells = DESIGNS[design]
    answer = answer_of(cells)
    ax = plot_heatmap(cells, effective_length=answer)
    assert ax.lines[0].get_xdata() == [edge, edge]
    assert key_of(ax)[0].replace("\n", " ").startswith(words)
    assert f"% set, {answer.observed.default_set.kind}" in key_of(ax)[0]
    assert "accuracy 0.85, mean over depths, observed" in ax.texts[0].get_text().replace("\n", " ")


def test_the_line_stands_by_length_where_the_first_lengths_have_no_scores():
    cells = Cells.from_counts([8192, 16384], [0.0, 1.0], n_cases=40, successes=[[40, 40], [0, 0]])
    cells = with_unscored(cells, {4096: {"error": 3}})
    ax = plot_heatmap(cells, effective_length=answer_of(cells))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["4K", "8K", "16K"]
    assert ax.lines[0].get_xdata() == [1.5, 1.5]


def test_without_depths_there_is_no_depth_axis():
    ax = plot_heatmap(DESIGNS["no depth, documents"])
    assert ax.get_ylabel() == ""
    assert ax.get_yticklabels() == []
    assert ax.get_xlabel() == "Context length (documents)"


def test_the_default_colours_grow_lighter_all_the_way():
    luminance = accuracy_colors("default")(np.linspace(0, 1, 64))[:, :3] @ [0.2126, 0.7152, 0.0722]
    assert np.all(np.diff(luminance) > 0)


def test_the_classic_colours_are_the_well_known_ones():
    colors = accuracy_colors("classic")
    assert colors(0.0) == to_rgba("#F0496E")
    assert colors(1.0) == to_rgba("#0CD79F")
    ax = plot_heatmap(simulated(), style="classic")
    assert mesh_of(ax).cmap.name == "lcstats_classic"


def test_an_unknown_style_or_width_says_which_there_are():
    with pytest.raises(OptionError, match="pass style='default'"):
        plot_heatmap(simulated(), style="rainbow")
    with pytest.raises(OptionError, match="pass width='single'"):
        plot_heatmap(simulated(), width="triple")


def test_an_answer_to_other_cells_is_refused():
    with pytest.raises(OptionError, match="of the same cells"):
        plot_heatmap(simulated(), effective_length=answer_of(DESIGNS["one length"]))


@pytest.mark.parametrize(("design", "width"), DESIGNS_AND_WIDTHS)
def test_words_neither_leave_the_figure_nor_overlap(design, width):
    cells = DESIGNS[design]
    ax = plot_heatmap(cells, effective_length=answer_of(cells), width=width)
    assert clipped_and_overlapping(ax) == ([], [])
    assert ax.figure.get_figwidth() == {"single": 3.3, "double": 6.9}[width]
