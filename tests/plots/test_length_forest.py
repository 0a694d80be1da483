"""The forest of effective lengths: a row per language model and method, arrows for open ends."""

import numpy as np
import pytest

from lcstats.errors import OptionError
from lcstats.plots import length_forest_data, plot_length_forest
from tests.plots.drawings import DEPTHS, LENGTHS, NAME, answer_of, simulated

LIFTS = {"strong": 0.2, "middling": 0.0, NAME: -0.06, "weak": -0.5}


def answers(**options):
    return [answer_of(simulated(lift=lift, model=name), **options) for name, lift in LIFTS.items()]


def test_the_table_is_that_of_the_answers():
    found = answers()
    table = length_forest_data(found)
    assert table["model"].tolist() == list(LIFTS)
    assert table["label"].tolist() == [one.quoted.display for one in found]
    assert table["set_label"].tolist() == [one.quoted.default_set.display for one in found]
    assert table["status"].tolist()[0] == "beyond_tested"
    assert table["status"].tolist()[-1] == "below_tested"
    assert np.isnan(table["length"].iloc[-1])


def test_all_methods_are_there_on_request():
    found = answers(depth_treatment="worst")
    alone, every = (length_forest_data(found, all_methods=flag) for flag in (False, True))
    assert set(alone["method"]) == {"flexible"}
    assert every["method"].tolist() == ["flexible", "observed"] * 4
    assert every["quoted"].tolist() == [True, False] * 4


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("treatment", ["mean", "worst"])
def test_every_row_has_its_set_and_point_and_names_stay_inside(width, treatment):
    found = answers(depth_treatment=treatment)
    ax = plot_length_forest(found, all_methods=True, width=width)
    table = length_forest_data(found, all_methods=True)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert len(labels) == len(table)
    heights = ax.get_yticks()
    for height, row in zip(heights, table.itertuples(), strict=True):
        markers = {line.get_marker() for line in ax.lines if np.allclose(line.get_ydata(), height)}
        assert markers & {"D", "<", ">"}
        assert (">" in markers) == (row.upper == LENGTHS[-1])
        assert ("<" in markers) == bool(np.isnan(row.lower))
    box = ax.get_window_extent()
    names = [text for text in ax.texts if text.get_fontweight() == "bold"]
    assert [text.get_text() for text in names][:2] == ["strong", "middling"]
    assert all(text.get_window_extent().x1 <= box.x1 for text in names)


def test_each_language_model_has_its_own_tested_lengths():
    short = answer_of(simulated(LENGTHS[:4], DEPTHS, model="short", lift=0.2))
    ax = plot_length_forest([short, answer_of(simulated(model="long"))])
    arrows = [line for line in ax.lines if line.get_marker() == ">"]
    assert LENGTHS[3] in [line.get_xdata()[0] for line in arrows]
    assert ax.get_xlim()[1] > LENGTHS[-1]


def test_several_tasks_are_named():
    found = [answer_of(simulated(model="a", task=task)) for task in ("kv", "hop")]
    ax = plot_length_forest(found)
    assert [t.get_text() for t in ax.texts if t.get_fontweight() == "bold"] == [
        "a on kv",
        "a on hop",
    ]


def test_only_answers_alike_go_together():
    mixed = [answer_of(simulated()), answer_of(simulated(), threshold=0.9)]
    with pytest.raises(OptionError, match="by the same criterion"):
        plot_length_forest(mixed)
    with pytest.raises(OptionError, match="pass some"):
        plot_length_forest([])


def test_guess_rates_part_answers_only_where_they_move_the_bar():
    for rule, is_alike in (("absolute", True), ("above_chance", False)):
        found = [answer_of(simulated(), rule=rule, guess_rate=guess) for guess in (0, 0.25)]
        if is_alike:
            assert len(length_forest_data(found)) == 2
        else:
            with pytest.raises(OptionError, match="by the same criterion"):
                length_forest_data(found)
