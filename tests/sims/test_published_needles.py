"""The published needle sweeps by every method: a page that the files give again, word for word."""

from pathlib import Path

import numpy as np
import pytest

import lcstats as lc
from sims import published_needles

ROOT = Path(__file__).parents[2]
PAGE = ROOT / published_needles.OUT

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.mark.slow
def test_the_committed_page_is_what_the_files_give(real_data, tmp_path):
    out = tmp_path / "page.md"
    assert published_needles.main([str(real_data / "kamradt_v1"), "--out", str(out)]) == 0
    made = out.read_text("utf-8").replace("](page-", "](published-needles-")
    assert made == PAGE.read_text("utf-8")
    for figure in tmp_path.glob("*.svg"):
        drawn = figure.read_text("utf-8")
        assert all(f"{name}: " in drawn for name in ("Raw cells", "Curve", "Flexible surface"))


def test_one_case_per_cell_certifies_no_worst_depth(real_data):
    folder = real_data / "kamradt_v1" / "claude_2_1"
    cells = lc.count_cells(lc.read_trials(folder, score_threshold=published_needles.MARK))
    criterion = lc.Criterion(published_needles.THRESHOLD, depth_treatment="worst")
    answer = lc.effective_length(cells, criterion, sets="certified")
    assert any(notice.code == "below-certification-floor" for notice in answer.notices)
    (interval,) = answer.observed.sets
    assert interval.floor == published_needles.floor(published_needles.THRESHOLD) == 19
    assert (interval.lower_length, interval.upper_length) == (None, 24412)


@pytest.mark.parametrize("bar", published_needles.FLOORS)
def test_the_floor_is_the_fewest_perfect_cases(bar):
    least = published_needles.floor(bar)
    assert bar**least <= 0.05 < bar ** (least - 1)


def test_a_row_for_every_point_and_set():
    cells = lc.Cells.from_counts(
        [4096, 8192, 16384], [0.0, 0.5], n_cases=20, successes=[[20, 20], [19, 18], [9, 4]]
    )
    answers = []
    for treatment in ("mean", "worst"):
        criterion = lc.Criterion(0.85, depth_treatment=treatment)
        fit = lc.fit_curve(cells, terms=("intercept", "length"))
        answers.append(
            lc.effective_length(cells, criterion, fit=fit, flexible=lc.fit_flexible(cells))
        )
    rows = published_needles.method_rows(answers)
    points = [row for row in rows if row[0].startswith("**")]
    assert [row[0] for row in points] == ["**raw cells**", "**curve**", "**flexible surface**"]
    assert points[0][1:] == [f"**{answer.observed.display}**" for answer in answers]
    quoted = np.array([["(quote this)" in cell for cell in row[1:]] for row in rows])
    assert quoted.sum(axis=0).tolist() == [1, 1]
    assert ["-", "-"] not in [row[1:] for row in rows]
