"""Files: whole, undated, equal for equal figures, with text as text."""

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

from lcstats.errors import OptionError
from lcstats.plots import plot_decay, plot_heatmap, plot_masses, save_figure
from tests.plots.drawings import DESIGNS, NAME, answer_of, ragged, simulated


def draw(kind):
    cells = ragged()
    answer = answer_of(cells)
    if kind == "masses":
        return plot_masses(answer).figure
    plot = {"heatmap": plot_heatmap, "decay": plot_decay}[kind]
    return plot(cells, effective_length=answer).figure


def words_of(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize(
    ("kind", "suffix"),
    [("heatmap", "svg"), ("heatmap", "pdf"), ("decay", "svg"), ("decay", "png"), ("masses", "svg")],
)
def test_equal_figures_are_equal_files(tmp_path, kind, suffix):
    first = save_figure(draw(kind), tmp_path / f"first.{suffix}")
    second = save_figure(draw(kind), tmp_path / f"second.{suffix}")
    assert first.read_bytes() == second.read_bytes()


def test_a_figure_saved_in_another_format_first_is_the_same(tmp_path):
    figure = draw("heatmap")
    alone = save_figure(draw("heatmap"), tmp_path / "alone.png").read_bytes()
    save_figure(figure, tmp_path / "a.svg")
    save_figure(figure, tmp_path / "a.pdf")
    assert save_figure(figure, tmp_path / "a.png").read_bytes() == alone


def test_files_are_what_their_names_say_and_carry_no_date(tmp_path):
    figure = draw("decay")
    svg = save_figure(figure, tmp_path / "a.svg").read_bytes()
    pdf = save_figure(figure, tmp_path / "a.PDF").read_bytes()
    png = save_figure(figure, tmp_path / "a.png").read_bytes()
    assert svg.startswith(b"<?xml")
    assert b"<dc:date>" not in svg
    assert pdf.startswith(b"%PDF")
    assert b"CreationDate" not in pdf
    assert b"/FontFile2" in pdf or b"/CIDFontType2" in pdf or b"/TrueType" in pdf
    assert png.startswith(b"\x89PNG")
    assert b"tIME" not in png


def test_svg_text_is_text(tmp_path):
    svg = save_figure(draw("heatmap"), tmp_path / "a.svg").read_text(encoding="utf-8")
    words = words_of(svg)
    assert {"4K", "8K", "16K", "32K", "Context length (tokens)", "2/2"} <= set(words)
    assert "sans-serif" in svg


def test_names_are_no_mathematics_and_stay_text(tmp_path):
    cells = DESIGNS["names"]
    ax = plot_heatmap(cells, width="double")
    words = words_of(save_figure(ax.figure, tmp_path / "a.svg").read_text(encoding="utf-8"))
    assert "".join(ax.get_title(loc="left").split()) == NAME
    assert "".join(word for word in words if word in NAME and len(word) > 2) == NAME
    assert any(word.startswith("重_$task$ of two lines: 20 cases") for word in words)


@pytest.mark.parametrize("suffix", ["pdf", "png"])
def test_what_no_font_can_draw_is_spelled_out_where_fonts_are_embedded(tmp_path, suffix):
    figure = plot_decay(simulated(model="old \U000103a0")).figure
    plain = plot_decay(simulated(model="old \\U000103a0")).figure
    drawn = save_figure(figure, tmp_path / f"a.{suffix}").read_bytes()
    assert drawn == save_figure(plain, tmp_path / f"b.{suffix}").read_bytes()


def test_the_figure_is_as_it_was_after_saving(tmp_path):
    ax = plot_decay(simulated(model="モデル七"))
    save_figure(ax.figure, tmp_path / "a.png")
    assert ax.get_title(loc="left") == "モデル七"


def test_the_users_settings_stay(tmp_path):
    before = dict(mpl.rcParams)
    save_figure(draw("masses"), tmp_path / "a.svg")
    assert dict(mpl.rcParams) == before


def test_our_own_figures_do_not_depend_on_the_users_settings(tmp_path):
    plain = save_figure(draw("heatmap"), tmp_path / "a.svg").read_bytes()
    with mpl.rc_context({"font.size": 20, "axes.facecolor": "black", "lines.linewidth": 9}):
        assert save_figure(draw("heatmap"), tmp_path / "b.svg").read_bytes() == plain


def test_nothing_is_left_open():
    draw("heatmap")
    assert plt.get_fignums() == []


def test_axes_of_the_user_are_drawn_on_and_returned(tmp_path):
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    cells = simulated()
    answer = answer_of(cells)
    assert plot_heatmap(cells, effective_length=answer, ax=left) is left
    assert plot_decay(cells, effective_length=answer, ax=middle) is middle
    assert plot_masses(answer, ax=right) is right
    assert figure.get_size_inches().tolist() == [10, 4]
    assert save_figure(figure, tmp_path / "a.svg").stat().st_size > 1000


@pytest.mark.parametrize("name", ["figure", "figure.jpg", "figure.html"])
def test_other_suffixes_are_refused(tmp_path, name):
    with pytest.raises(OptionError, match=r"write figure\.svg, say"):
        save_figure(Figure(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(OptionError, match="make the folder first"):
        save_figure(Figure(), tmp_path / "nowhere" / "figure.svg")


def test_a_figure_that_cannot_be_drawn_leaves_no_file(tmp_path):
    figure = Figure()
    figure.add_subplot().set_title(r"$\frac{$")
    target = tmp_path / "figure.svg"
    target.write_text("before")
    with pytest.raises(ValueError, match="frac"):
        save_figure(figure, target)
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["figure.svg"]
