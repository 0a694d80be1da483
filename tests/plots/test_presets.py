"""Every kind of figure at every preset and in both themes: sizes, words, colours."""

import re
from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from lcstats import plots
from lcstats.errors import OptionError
from lcstats.plots.fonts import quiet_about_fonts
from lcstats.plots.palette import PALETTES
from lcstats.plots.style import PRESETS, figure_style, palette
from tests.plots.drawings import DESIGNS, answer_of, clipped_and_overlapping, drawn_texts
from tests.plots.kinds import KINDS

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@cache
def drawn(kind, width):
    """The light figure, drawn once for all tests, which leave it as it is."""
    return KINDS[kind](width)


def test_every_figure_of_the_room_is_tried():
    source = "\n".join(map(str, (kind.__code__.co_names for kind in KINDS.values())))
    drawn = {name for name in plots.__all__ if name.startswith("plot_")}
    assert {name for name in drawn if name not in source} == set()


@pytest.mark.parametrize("width", PRESETS)
@pytest.mark.parametrize("kind", KINDS)
def test_words_neither_leave_the_figure_nor_overlap(kind, width):
    ax = drawn(kind, width)
    assert ax.figure.get_figwidth() == PRESETS[width].width
    for dpi in (300, PRESETS[width].dpi):
        ax.figure.set_dpi(dpi)
        assert clipped_and_overlapping(ax) == ([], [])


@pytest.mark.parametrize("kind", KINDS)
def test_a_slide_is_filled(kind):
    figure = drawn(kind, "slide").figure
    assert figure.get_figheight() >= PRESETS["slide"].height or kind in ("methods", "forest")
    assert min(text.get_fontsize() for text in words_of(figure)) >= 5.0


def words_of(figure):
    return [text for text in figure.findobj(Text) if text.get_text().strip()]


@pytest.mark.parametrize("kind", KINDS)
def test_legends_stand_outside_the_data(kind):
    ax = drawn(kind, "single")
    with quiet_about_fonts():
        ax.figure.draw_without_rendering()
        keys = [one.get_legend() for one in ax.figure.axes if one.get_legend()]
        boxes = [key.get_window_extent() for key in [*keys, *ax.figure.legends]]
    for box in boxes:
        assert not any(box.overlaps(one.get_window_extent()) for one in ax.figure.axes)


def test_a_length_is_not_said_to_be_tokens_unless_it_is():
    documents = DESIGNS["no depth, documents"]
    axes = [
        plots.plot_decay(documents),
        plots.plot_decays(documents, effective_lengths=[answer_of(documents)]),
        plots.plot_heatmap(documents),
        plots.plot_heatmaps(documents)[0],
        plots.plot_methods(answer_of(documents)),
        plots.plot_length_forest([answer_of(documents)]),
    ]
    for ax in axes:
        words = " ".join(text for text, _ in drawn_texts(ax))
        assert "(documents)" in words
        assert "token" not in words
        assert not re.search(r"\d+K", words)


@pytest.mark.parametrize("kind", KINDS)
def test_the_dark_theme_leaves_no_light_paper_and_no_dark_words(kind):
    with figure_style("dark"):
        figure = KINDS[kind]("single").figure
        dark = PALETTES["dark"]
    assert figure.get_facecolor()[:3] == to_rgb(dark.paper)
    in_tiles = {"white", "black"}
    for text in words_of(figure):
        if text.get_color() not in in_tiles:
            assert contrast(text.get_color(), dark.paper) > 4.5, text.get_text()


def test_the_theme_ends_with_its_block():
    assert palette() == PALETTES["light"]
    with figure_style("dark"), figure_style():
        assert palette() == PALETTES["dark"]
    assert palette() == PALETTES["light"]


def test_unknown_presets_and_themes_name_the_known():
    with pytest.raises(OptionError, match="slide"):
        KINDS["masses"]("poster")
    with pytest.raises(OptionError, match="dark"), figure_style("grey"):
        pass


@pytest.mark.parametrize("theme", PALETTES)
def test_equal_figures_are_equal_files_in_every_theme(theme):
    def draw():
        with figure_style(theme):
            return plots.render_figure(KINDS["decays"]("single").figure, "svg")

    assert draw() == draw()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_written_without_a_date_and_with_text_as_text(kind):
    figure = drawn(kind, "single").figure
    svg = plots.render_figure(figure, "svg").decode()
    assert svg == plots.render_figure(figure, "svg").decode()
    assert "<dc:date>" not in svg
    words = re.findall(r"<text[^>]*>([^<]+)</text>", svg)
    assert len(words) >= 5


@pytest.mark.parametrize("theme", PALETTES)
def test_styles_and_palettes_agree(theme):
    colors = PALETTES[theme]
    with figure_style(theme):
        assert to_rgb(mpl.rcParams["figure.facecolor"]) == to_rgb(colors.paper)
        assert to_rgb(mpl.rcParams["text.color"]) == to_rgb(colors.ink)
        cycle = mpl.rcParams["axes.prop_cycle"].by_key()["color"]
    assert [to_rgb(color) for color in cycle] == [to_rgb(color) for color in colors.cycle]


# Machado, Oliveira, Fernandes (2009), severity 1: what is left of linear red, green and blue.
VISIONS = {
    "usual": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(color):
    channels = np.array(to_rgb(color))
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """WCAG 2 contrast of two colours."""
    low, high = sorted(float(TO_XYZ[1] @ linear(color)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(color, vision):
    """CIELAB coordinates (D65) of a colour as it is seen."""
    xyz = TO_XYZ @ np.clip(VISIONS[vision] @ linear(color), 0, 1) / TO_XYZ.sum(axis=1)
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def closest(colors, vision):
    places = [lab(color, vision) for color in colors]
    return min(
        float(np.linalg.norm(places[i] - places[j])) for i in range(len(places)) for j in range(i)
    )


def test_the_measures_are_right():
    assert contrast("white", "black") == pytest.approx(21.0)
    np.testing.assert_allclose(lab("white", "usual"), [100, 0, 0], atol=1e-6)
    np.testing.assert_allclose(lab("red", "usual"), [53.24, 80.09, 67.20], atol=0.02)
    assert closest(["red", "green"], "usual") > 100 > closest(["#B00000", "#556000"], "protanopia")


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", PALETTES)
def test_colours_are_told_apart_by_everyone(theme, vision):
    colors = PALETTES[theme]
    assert closest(colors.cycle, vision) >= 20
    assert closest(colors.profiles, vision) >= 20
    assert closest([colors.point, colors.bar, colors.ink], vision) >= 20


def test_a_cycle_that_not_everyone_tells_apart_is_seen():
    tableau = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b"]
    assert closest(tableau, "usual") > 20 > closest(tableau, "deuteranopia")


@pytest.mark.parametrize("theme", PALETTES)
def test_lines_and_words_stand_out_from_the_paper(theme):
    colors = PALETTES[theme]
    lines = [*colors.cycle, *colors.masses.values(), *colors.sets.values()]
    lines += [colors.point, colors.curve, colors.bar, colors.cell, colors.set]
    assert min(contrast(color, colors.paper) for color in lines) >= 3.0
    assert contrast(colors.ink, colors.paper) >= 7.0


@pytest.mark.parametrize("theme", PALETTES)
def test_curves_of_needles_stand_out_too(theme):
    with figure_style(theme):
        ax = KINDS["needles"]("single")
    for line in ax.lines:
        assert contrast(line.get_color(), PALETTES[theme].paper) >= 3.0, line.get_label()
