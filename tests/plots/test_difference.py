"""The difference figure: its table is the comparison's, and it copes with what there is."""

import numpy as np
import pandas as pd
import pytest

from lcstats.cells import Cells
from lcstats.comparison import compare
from lcstats.errors import OptionError
from lcstats.plots import difference_data, plot_difference
from lcstats.trials import Trials
from tests.plots.drawings import NAME, clipped_and_overlapping

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

LENGTHS = 1024 * 2 ** np.arange(8)


def table(scores, *, lengths=LENGTHS, depths=(0.0, 0.5, 1.0), model="old", task="kv"):
    """Ten cases per cell, the first so many of them right at every length."""
    index = pd.MultiIndex.from_product(
        [lengths, depths, range(10)], names=["length", "depth", "case"]
    )
    frame = index.to_frame(index=False)
    right = dict(zip(lengths, scores, strict=True))
    score = frame["case"] < frame["length"].map(right)
    return frame.assign(score=score.astype(int), model=model, task=task)


def compared(new_name="new"):
    old = table([10, 10, 10, 10, 9, 9, 8, 8])
    new = table([10, 10, 10, 9, 9, 7, 5, 4], model=new_name)
    return compare(Trials.from_frame(old), Trials.from_frame(new))


def test_the_table_is_the_comparisons():
    answer = compared()
    frame = difference_data(answer)
    assert frame["by"].value_counts().to_dict() == {"length": 8, "depth": 3, "all": 1}
    by_length = frame[frame["by"] == "length"]
    assert by_length["place"].tolist() == LENGTHS.tolist()
    np.testing.assert_allclose(
        by_length["difference"], [0, 0, 0, -0.1, 0, -0.2, -0.3, -0.4], atol=1e-12
    )
    overall = frame[frame["by"] == "all"].iloc[0]
    assert overall["difference"] == pytest.approx(-0.125)
    assert (overall["lower"], overall["upper"]) == (
        answer.group.overall.interval.lower,
        answer.group.overall.interval.upper,
    )


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("by", ["length", "depth"])
def test_points_lie_where_the_table_says_and_nothing_collides(width, by):
    answer = compared(NAME)
    ax = plot_difference(answer, by=by, width=width)
    frame = difference_data(answer)
    shown = frame[frame["by"] == by]
    (bars,) = ax.containers
    points = bars.lines[0]
    np.testing.assert_allclose(points.get_xdata().astype(float), shown["place"])
    np.testing.assert_allclose(points.get_ydata().astype(float), shown["difference"])
    assert clipped_and_overlapping(ax) == ([], [])
    low, high = ax.get_ylim()
    assert low < shown["lower"].min()
    assert high > shown["upper"].max()


def test_the_margin_is_a_band_unless_it_is_nothing():
    words = [text.get_text() for text in plot_difference(compared()).get_legend().get_texts()]
    assert words[0] == "within the margin, 0.02: too small to matter"
    frames = [table([9] * 8), table([8] * 8, model="new")]
    none = compare(*map(Trials.from_frame, frames), margin=0.0)
    words = [text.get_text() for text in plot_difference(none).get_legend().get_texts()]
    assert not any("margin" in line for line in words)


def test_unpaired_samples_say_so():
    cells = [
        Cells.from_counts(LENGTHS, [0.5], n_cases=40, successes=np.full((8, 1), k), model=m)
        for m, k in (("old", 36), ("new", 30))
    ]
    ax = plot_difference(compare(*cells))
    assert ax.texts[0].get_text() == "default: no pairs: two samples of different cases"
    assert "unpaired" in ax.get_legend().get_texts()[1].get_text()


def test_of_several_tasks_one_has_to_be_named():
    frames = [
        pd.concat([table([9] * 8, model=m), table([8] * 8, model=m, task="hop")])
        for m in ("old", "new")
    ]
    answer = compare(*map(Trials.from_frame, frames))
    with pytest.raises(OptionError, match="pass task='hop'"):
        plot_difference(answer)
    with pytest.raises(OptionError, match="task is 'qa'; expected one of hop, kv"):
        difference_data(answer, task="qa")
    assert plot_difference(answer, task="kv").texts[0].get_text().startswith("kv: 240 pairs")


def test_without_depths_there_is_nothing_to_draw_by():
    frames = [table([9] * 8, depths=[np.nan], model=m) for m in ("old", "new")]
    answer = compare(*map(Trials.from_frame, frames))
    with pytest.raises(OptionError, match="draw by length"):
        plot_difference(answer, by="depth")
    with pytest.raises(OptionError, match="pass by='length'"):
        plot_difference(answer, by="task")
