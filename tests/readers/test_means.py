"""Wide tables of means without numbers of cases: read and drawn, and never counted."""

import numpy as np
import pytest
from matplotlib.text import Text

import lcstats as lc
from lcstats.cells import Means
from lcstats.errors import OptionError, TableError
from lcstats.plots.means import mean_table
from lcstats.readers import read_trials, write_trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

WIDE = "depth,4096,8192\n0,1.0,0.9\n50,0.8,\n100,0.6,0.35\n"
SEVERAL = ",2048,4096\nLlama-2-7b,1.0,0.35\nYarn,0.9,0.8\n"


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "wide.csv"

    def write(text=WIDE):
        path.write_text(text)
        return path

    return write


def codes(result):
    return {notice.code for notice in result.notices}


def test_every_mean_keeps_its_place_and_an_empty_cell_is_no_mean(wide):
    means = read_trials(wide())
    assert isinstance(means, Means)
    rows = means.frame[["length", "depth", "mean"]].to_numpy().tolist()
    assert rows == [
        [4096, 0.0, 1.0],
        [4096, 0.5, 0.8],
        [4096, 1.0, 0.6],
        [8192, 0.0, 0.9],
        [8192, 1.0, 0.35],
    ]
    assert {"means-without-counts", "ragged-grid", "model-unnamed"} <= codes(means)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("depth;4096;131072\n0;99,9;66,7\n100;100;50\n", {"decimal": ","}, [0.999, 1, 0.667, 0.5]),
        ("depth,4096,131072\n0,10,5.5\n100,1,7\n", {"score_scale": "1-10"}, [1, 0, 0.5, 2 / 3]),
        ("depth,4096,8192\n0%,100%,66.7%\n50%,50%,33.3%\n", {}, [1, 0.5, 0.667, 0.333]),
    ],
    ids=["percent with commas", "marks", "percent signs"],
)  # fmt: skip
def test_means_are_put_on_the_scale_from_0_to_1(wide, text, options, expected):
    assert read_trials(wide(text), **options).frame["mean"].tolist() == pytest.approx(expected)


def test_rows_may_be_language_models(wide):
    means = read_trials(wide(SEVERAL))
    assert means.models == ("Llama-2-7b", "Yarn")
    assert [group.frame["mean"].tolist() for group in means] == [[1.0, 0.35], [0.9, 0.8]]
    assert means.select(model="Yarn").frame["length"].tolist() == [2048, 4096]
    with pytest.raises(OptionError, match="expected one of Llama-2-7b, Yarn"):
        means.select(model="Qwen")


@pytest.mark.parametrize(
    "ask",
    [
        lc.count_cells,
        lambda means: lc.write_report(means, "unused", criterion=lc.Criterion(0.85)),
    ],
    ids=["count", "report"],
)
def test_whatever_needs_numbers_of_cases_is_refused_with_how_to_give_them(wide, ask, tmp_path):
    with pytest.raises(
        TableError,
        match=r"wide\.csv: 5 mean scores .* how many cases.*expected single trials.*no interval"
        r".*--cases-per-cell N.*length,depth,n,k",
    ):
        ask(read_trials(wide()))


def test_sets_and_fits_take_cells_alone(wide):
    means = read_trials(wide())
    with pytest.raises(OptionError, match="Means; expected Cells"):
        lc.effective_length(means, lc.Criterion(0.85))
    with pytest.raises(OptionError, match="Means; expected Cells"):
        lc.fit_curve(means)
    with pytest.raises(OptionError, match=r"means, not trials.*keep the file"):
        write_trials(means, "x.csv")


def test_a_threshold_says_nothing_about_means(wide):
    with pytest.raises(OptionError, match="leave out --score-threshold"):
        read_trials(wide(), score_threshold=0.5)


def test_two_means_of_one_cell_are_refused(wide):
    with pytest.raises(TableError, match=r"first model at .* depth 0.*leave out all"):
        read_trials(wide("depth,4096,8192\n0,1.0,0.9\n0,0.9,0.9\n100,1,1\n"))


@pytest.mark.parametrize("cell", ["1.5", "-0.1"])
def test_a_mean_off_its_scale_is_refused_with_its_line(wide, cell):
    with pytest.raises(TableError, match=r"line 3.*(scale|score from 0)"):
        read_trials(wide(f"depth,4096,8192\n0,1.0,0.9\n100,{cell},1\n"), score_scale="0-1")


def test_the_figures_show_every_mean_and_no_interval(wide):
    means = read_trials(wide())
    table = mean_table(means)
    assert np.isnan(table["mean"]).sum() == 1
    tiles = lc.plots.plot_heatmap(means).collections[0].get_array()
    assert tiles.compressed().tolist() == [1.0, 0.9, 0.8, 0.6, 0.35]
    axes = lc.plots.plot_decay(means)
    by_length = axes.lines[0].get_ydata().tolist()
    assert by_length == pytest.approx([0.8, (0.9 + 0.35) / 2])
    assert not axes.containers
    said = [" ".join(text.get_text().split()) for text in axes.findobj(Text)]
    assert any("number of cases unknown" in words for words in said)


def test_figures_of_several_language_models_are_refused(wide):
    with pytest.raises(OptionError, match=r"found 2 groups.*means\.select\(model="):
        lc.plots.plot_heatmap(read_trials(wide(SEVERAL)))
