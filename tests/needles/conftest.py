"""Needle tables made by hand."""

import numpy as np
import pandas as pd
import pytest

from lcstats.needles import tabulate_needles
from lcstats.trials import TableOptions, Trials

OPTIONS = TableOptions(depth_unit="fraction", score_scale="0-1")


@pytest.fixture
def trials_of():
    """Make trials of lists of found needles, at one length and depth unless columns say more."""

    def make(found, **columns):
        found = [list(map(int, own)) for own in found]
        frame = {
            "length": 4096,
            "depth": 0.5,
            "n_needles": len(found[0]),
            "n_found": [sum(own) for own in found],
            "needle_found": found,
            "score": [float(np.mean(own)) for own in found],
            **columns,
        }
        return Trials.from_frame(pd.DataFrame(frame), OPTIONS)

    return make


@pytest.fixture
def table_of(trials_of):
    """Make a table of needles."""

    def make(found, repeats="fold", **columns):
        return tabulate_needles(trials_of(found, **columns), repeats=repeats)

    return make
