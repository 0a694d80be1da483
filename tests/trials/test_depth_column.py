"""Depths: one unit per column, declared or beyond doubt, and never mixed."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.errors import TableError
from lcstats.trials.depth_column import read_depths
from lcstats.trials.faults import Faults
from lcstats.trials.origin import Origin, Part

ASK = r"--depth-unit fraction\) if 1 is .*--depth-unit percent\) if 100 is"


def read(cells, unit=None, name="depth", sizes=None):
    column = pd.Series(cells)
    sizes = sizes or [len(column)]
    parts = [Part(f"{number}.csv", size) for number, size in enumerate(sizes)]
    faults = Faults(Origin(tuple(parts)))
    depths = read_depths(column, unit=unit, name=name, faults=faults)
    faults.raise_any()
    return depths


@pytest.mark.parametrize(
    "cells",
    [
        [0, 0.25, 0.5, 0.75, 1],
        [0, 25, 50, 75, 100],
        ["0%", "25 %", "50%", "75%", "100%"],
        ["0", "25", "50.0", "75", "100"],
        [0, "25%", "50%", "75%", "100%"],
    ],
)
def test_one_sweep_in_every_unit(cells):
    assert read(cells).values.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


def test_only_zero_and_one_is_asked_about():
    with pytest.raises(TableError, match=f"only 0 and 1; .*{ASK}"):
        read([0, 1])


def test_only_zero_leaves_no_doubt():
    assert read([0, 0]).values.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("unit", "value"), [("percent", 0.01), ("fraction", 1.0)])
def test_a_declared_unit_settles_it(unit, value):
    assert read([0, 1], unit).values.tolist() == [0.0, value]


def test_a_name_that_says_percent_settles_it():
    assert read([0, 1], name="depth_percent").values.tolist() == [0.0, 0.01]
    assert read([0.896, 50], name="Depth Percent").values.tolist() == [0.00896, 0.5]


def test_a_name_that_says_percent_over_fractions_is_asked_about():
    with pytest.raises(TableError, match=f"from 0.25 to 1; .*{ASK}"):
        read([0, 0.25, 1], name="depth_percent")


def test_a_name_that_says_fraction_refuses_percentages():
    with pytest.raises(TableError, match=r"expected a fraction.*--depth-unit percent"):
        read([0, 43], name="depth_fraction")


def test_mixed_units_are_refused_and_never_averaged():
    with pytest.raises(TableError, match=rf"depth is 0.5; expected one unit .*{ASK}"):
        read([50, 0.5])
    with pytest.raises(TableError, match=rf"depth is '0.5'; .*percentages; .*{ASK}"):
        read(["50%", "0.5"])


def test_depths_out_of_range_name_row_and_value():
    with pytest.raises(TableError, match=r"(?s)row 1: depth is -1; .*row 2: depth is 120; "):
        read([-1, 120, 50])
    with pytest.raises(
        TableError, match=r"depth is 43; expected a fraction .*--depth-unit percent"
    ):
        read([0.5, 43], "fraction")


def test_missing_depths_stay_missing():
    assert np.isnan(read([None, 50]).values[0])
    assert np.isnan(read([None, None]).values).all()


def test_unreadable_depths_point_to_the_decimal_comma():
    with pytest.raises(TableError, match=r"depth is '25,5'; .*--decimal ,"):
        read(["25,5", "50,0"])


def test_float_noise_shares_a_cell_and_neighbours_do_not():
    values = read([49.999999999999986, 50, 14, 14.29]).values
    assert values[0] == values[1]
    assert values[2] != values[3]


def test_a_file_of_zeros_and_ones_beside_files_in_percent_is_asked_about():
    with pytest.raises(TableError, match=f"only 0 and 1 in 1.csv.*{ASK}"):
        read([0, 50, 0, 1], sizes=[2, 2])


@given(st.lists(st.integers(min_value=0, max_value=100), min_size=1))
def test_percent_and_percent_text_agree(cells):
    declared = read(cells, "percent").values
    assert declared.tolist() == read([f"{cell}%" for cell in cells]).values.tolist()
    assert ((declared >= 0) & (declared <= 1)).all()


@pytest.mark.parametrize("cells", [list(range(10)), [0, 5, 10], [1, 2, 3], ["0", "9"]])
def test_whole_numbers_up_to_ten_may_number_depths(cells):
    with pytest.raises(
        TableError, match=r"only whole numbers up to .*--depth-unit percent.*index0"
    ):
        read(cells)
    assert read(cells, unit="percent").values.max() == max(map(float, cells)) / 100


@pytest.mark.parametrize("cells", [[0, 5, 11], [0, 2.5, 5], ["0%", "5%"]])
def test_other_small_percentages_are_percentages(cells):
    assert read(cells).unit == "percent"


def test_a_decimal_comma_groups_no_thousands():
    with pytest.raises(TableError, match=r"depth is '0,050'.*pass decimal=','"):
        read(["0,000", "0,050", "0,100"])


def test_models_of_two_units_in_one_table_are_asked_about():
    column, groups = pd.Series([0, 1, 0, 100]), np.array([0, 0, 1, 1])
    faults = Faults(Origin.of_frame(4))
    read_depths(column, groups=lambda: groups, faults=faults)
    with pytest.raises(TableError, match=r"only 0 and 1 in 1 group .*--depth-unit fraction"):
        faults.raise_any()
    faults = Faults(Origin.of_frame(4))
    read_depths(pd.Series([0, 50, 0, 100]), groups=lambda: groups, faults=faults)
    faults.raise_any()
