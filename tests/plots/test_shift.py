"""The shift figure: all mass is drawn, pale where it is known on one side, with its intervals."""

import numpy as np
import pytest

from lcstats.comparison.shift_interval import ShiftInterval
from lcstats.comparison.shift_result import LengthShift
from lcstats.errors import OptionError
from lcstats.lengths import Criterion
from lcstats.plots import plot_shift, shift_data
from tests.plots.drawings import NAME, clipped_and_overlapping

LENGTHS = 1024 * 2 ** np.arange(8)
UNEVEN = np.array([10, 20, 30, 50, 75, 100, 200, 500])


def shift_of(method="observed", *, lengths=LENGTHS, ends=(-2.0, 1.0), spread=1.0, model="new"):
    """Masses that fall off around outcome 6 for the old and 5 for the new language model."""
    outcomes = np.arange(lengths.size + 1)
    old, new = (np.exp(-((outcomes - center) ** 2) / spread) for center in (6, 5))
    joint = np.outer(old, new)
    return LengthShift(
        method,
        "old",
        model,
        "kv",
        Criterion(0.85),
        "tokens",
        lengths,
        (6, 5),
        joint / joint.sum(),
        "bootstrap",
        is_paired=True,
        intervals=(ShiftInterval("both_sets", 0.95, *ends),),
    )


def three(**options):
    methods = ("observed", "curve", "flexible")
    return {method: shift_of(method, **options) for method in methods}


def test_the_table_has_all_masses():
    table = shift_data(three(spread=8.0))
    assert table.groupby("method")["mass"].sum().tolist() == pytest.approx([1.0] * 3)
    assert set(table["known"]) == {"exact", "at most", "at least", "nothing"}
    unknown = table[table["known"] == "nothing"]
    assert set(unknown["label"]) == {"both_below", "both_beyond"}
    assert unknown["doublings"].isna().all()
    assert table.loc[table["label"] == ">=2", "doublings"].tolist() == [2.0] * 3


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize(
    "shifts",
    [
        three(),
        three(spread=8.0, ends=(-np.inf, np.inf), model=NAME),
        {"observed": shift_of(lengths=UNEVEN, ends=(np.log2(30 / 100), 1.0), spread=0.5)},
    ],
    ids=["three methods", "wide", "uneven"],
)
def test_bars_hold_the_masses_and_nothing_collides(width, shifts):
    ax = plot_shift(shifts, width=width)
    drawn = sum(bar.get_height() for bars in ax.containers for bar in bars)
    assert drawn == pytest.approx(len(shifts), abs=0.06)
    assert clipped_and_overlapping(ax) == ([], [])


def test_pale_bars_are_what_lies_outside_the_tested_lengths():
    shift = shift_of(spread=4.0)
    exact, pale = plot_shift({"observed": shift}).containers
    doublings = shift.doublings
    sided = sum(mass for label, mass in doublings.items() if label[0] in "<>")
    known = sum(mass for label, mass in doublings.items() if label[0] not in "<>")
    assert sum(bar.get_height() for bar in exact) == pytest.approx(known, abs=0.03)
    assert sum(bar.get_height() for bar in pale) == pytest.approx(sided, abs=0.03)
    assert len(plot_shift({"observed": shift_of(spread=0.2)}).containers) == 1


def test_intervals_stand_above_their_own_shifts():
    ax = plot_shift({"observed": shift_of(spread=0.3, ends=(-2.0, 1.0))})
    words = [text.get_text() for text in ax.get_xticklabels()]
    assert words == ["\u22122", "\u22121", "0", "+1"]
    (line,) = [line for line in ax.lines if line.get_linestyle() == "-"]
    assert line.get_xdata() == pytest.approx([-0.45, 3.45])
    arrows = plot_shift({"observed": shift_of(ends=(-np.inf, np.inf))}).lines
    assert {line.get_marker() for line in arrows} >= {"<", ">"}


def test_uneven_shifts_are_written_as_they_are():
    ax = plot_shift({"observed": shift_of(lengths=UNEVEN, spread=0.2, ends=(-0.4150, 0.0))})
    assert "\u22120.415" in [text.get_text() for text in ax.get_xticklabels()]


def test_without_shifts_there_is_nothing_to_draw():
    with pytest.raises(OptionError, match=r"criterion=Criterion\(0\.85\)"):
        plot_shift({})
