"""Several language models or tasks in one figure: decay curves with their rug, small heat maps."""

from dataclasses import replace

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.errors import OptionError
from lcstats.fit import fit_curve
from lcstats.plots import decay_data, decays_data, plot_decays, plot_heatmap, plot_heatmaps
from lcstats.plots.groups import MOST_SERIES
from lcstats.plots.palette import LIGHT
from tests.plots.drawings import DEPTHS, DESIGNS, LENGTHS, answer_of, simulated, with_unscored

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LIFTS = {"strong": 0.2, "middling": 0.0, "weak": -0.5}


def together(*parts: Cells) -> Cells:
    return Cells(tuple(part.grid for part in parts))


@pytest.fixture(scope="module")
def cells():
    return together(*(simulated(lift=lift, model=name) for name, lift in LIFTS.items()))


@pytest.fixture(scope="module")
def answers(cells):
    return [answer_of(group, guess_rate=0.25) for group in cells]


def words_of(ax):
    return [" ".join(text.get_text().split()) for text in ax.get_legend().get_texts()]


def test_the_table_is_that_of_every_group_alone(cells, answers):
    table = decays_data(cells, answers)
    for number, (group, answer) in enumerate(zip(cells, answers, strict=True)):
        own = table[table["number"] == number]
        alone = decay_data(group, answer)
        alone = alone[alone["series"] == "length"]
        assert set(own["model"]) == {group.grid.model}
        for name in ("length", "accuracy", "lower", "upper"):
            np.testing.assert_array_equal(own[name], alone[name])


def test_the_order_of_answers_does_not_matter(cells, answers):
    forwards, backwards = (decays_data(cells, given) for given in (answers, answers[::-1]))
    assert forwards.equals(backwards)
    assert words_of(plot_decays(cells, effective_lengths=answers)) == words_of(
        plot_decays(cells, effective_lengths=answers[::-1])
    )


def test_every_group_has_its_colour_its_length_and_its_set(cells, answers):
    ax = plot_decays(cells, effective_lengths=answers)
    said = words_of(ax)
    assert said[0].startswith("strong: >=128K (set ")
    assert said[2].startswith("weak: <1K (set <1K")
    assert said[3:] == ["threshold: accuracy 0.85", "accuracy of guessing: 0.25"]
    for index, group in enumerate(cells):
        curve = [
            line
            for line in ax.lines
            if line.get_color() == LIGHT.cycle[index] and len(line.get_xdata()) == LENGTHS.size
        ]
        accuracy = group.grid.accuracy.mean(axis=1)
        assert len(curve) == 2
        for line in curve:
            np.testing.assert_allclose(line.get_ydata(), accuracy)


def test_the_rug_lies_below_the_accuracies_with_arrows_at_open_ends(cells, answers):
    ax = plot_decays(cells, effective_lengths=answers)
    assert ax.get_ylim()[0] < 0
    assert min(ax.get_yticks()) == 0.0
    rows = {
        line.get_ydata()[0]
        for line in ax.lines
        if line.get_marker() == "None" and line.get_ydata()[0] < 0
    }
    assert len(rows) == len(answers)
    arrows = {line.get_marker() for line in ax.lines if np.all(np.array(line.get_ydata()) < 0)}
    assert {"<", ">"} <= arrows


def test_without_effective_lengths_there_is_no_rug_and_no_bar(cells):
    ax = plot_decays(cells)
    assert ax.get_ylim()[0] == 0.0
    assert words_of(ax) == list(LIFTS)


def test_bands_are_those_of_the_fitted_curves_where_there_are_some():
    both = together(simulated(model="a"), simulated(model="b", lift=-0.05))
    first = next(iter(both))
    table = decays_data(both, fits=[fit_curve(first)])
    assert table.groupby("number")["series"].agg(set).tolist() == [{"length", "curve"}, {"length"}]
    ax = plot_decays(both, fits=[fit_curve(first)])
    assert len(ax.collections) == 2


def test_more_curves_than_can_be_told_apart_are_refused():
    many = together(*(simulated(model=f"m{i}") for i in range(MOST_SERIES + 1)))
    with pytest.raises(OptionError, match="draw heat maps together"):
        plot_decays(many)
    assert len(plot_heatmaps(many)) == MOST_SERIES + 1


def test_documents_and_tokens_are_not_put_on_one_axis():
    mixed = together(simulated(model="a"), DESIGNS["no depth, documents"])
    for plot in (plot_decays, plot_heatmaps):
        with pytest.raises(OptionError, match="draw each on its own"):
            plot(mixed)


def test_results_of_other_cells_are_refused(cells):
    foreign = answer_of(simulated(model="another"))
    for plot in (plot_decays, plot_heatmaps):
        with pytest.raises(OptionError, match="pass those of the same cells"):
            plot(cells, effective_lengths=[foreign])


def test_maps_show_the_accuracies_on_one_scale(cells, answers):
    axes = plot_heatmaps(cells, effective_lengths=answers)
    assert len(axes) == len(cells.grids)
    for ax, group in zip(axes, cells, strict=True):
        mesh = ax.collections[0]
        assert mesh.get_clim() == (0.0, 1.0)
        np.testing.assert_array_equal(mesh.get_array(), group.grid.accuracy.T)
    figure = axes[0].figure
    assert len(figure.axes) == len(axes) + 1
    assert [ax.get_title(loc="left") for ax in axes] == [
        "strong\n>=128K",
        "middling\n32K",
        "weak\n<1K",
    ]


def test_tasks_of_a_language_model_stand_in_a_row_of_their_own():
    pairs = [(model, task) for model in ("a", "b") for task in ("kv", "hop", "sum")]
    axes = plot_heatmaps(together(*(simulated(model=m, task=t) for m, t in pairs)))
    bottoms = [round(ax.get_position().y0, 3) for ax in axes]
    assert len(set(bottoms[:3])) == len(set(bottoms[3:])) == 1
    assert bottoms[0] > bottoms[3]
    assert [ax.get_title(loc="left") for ax in axes][:2] == ["a on kv", "a on hop"]


def test_what_is_marked_in_any_map_is_in_the_key():
    holes = with_unscored(simulated(model="a"), {262144: {"context_exceeded": 5}})
    figure = plot_heatmaps(together(holes, simulated(model="b")))[0].figure
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert set(said) == {"no scored trial", "prompts too long"}


def test_prompts_that_did_not_fit_are_crosses_above_their_lengths():
    cells = with_unscored(
        simulated(), {131072: {"context_exceeded": 3, "error": 1}, 262144: {"context_exceeded": 4}}
    )
    ax = plot_heatmap(cells)
    (crosses,) = [line for line in ax.lines if line.get_marker() == "x"]
    assert crosses.get_xdata().tolist() == [LENGTHS.size - 1, LENGTHS.size]
    assert "7 prompts too long for the context window" in words_of(ax)


def test_half_widths_are_those_of_the_cells_and_shrink_with_cases():
    few, many = simulated(n_cases=5), simulated(n_cases=500)
    for cells, most in ((few, 0.4), (many, 0.05)):
        ax = plot_heatmap(cells, words="half-width", width="double")
        written = [float(text.get_text()[1:]) for text in ax.texts if text.get_text()[0] == "±"]
        assert len(written) == LENGTHS.size * DEPTHS.size
        assert max(written) < most


def test_words_in_cells_can_be_left_out_and_unknown_ones_are_refused():
    shown = [text for text in plot_heatmap(simulated(), words="none").texts if "/" in str(text)]
    assert shown == []
    with pytest.raises(OptionError, match="half-width"):
        plot_heatmap(simulated(), words="stars")


def test_groups_with_other_lengths_keep_their_own():
    short = simulated(LENGTHS[:4], model="short")
    axes = plot_heatmaps(together(short, simulated(model="long")))
    assert [ax.get_xlim()[1] for ax in axes] == [3.5, 7.5]
    table = decays_data(replace(together(short, simulated(model="long"))))
    assert table.groupby("model")["length"].max().to_dict() == {"short": 8192, "long": 131072}
