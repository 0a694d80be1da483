"""The study of graded, unequal and clustered cases: its data, its rows, its page."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sims import extensions
from sims.coverage_rows import rate_distance
from sims.coverage_simulation import LEVEL
from sims.extensions import Setting, draw_table, judge, main, sets_of, simulate
from sims.extensions_page import make_page
from sims.extensions_rows import read_rows, write_rows
from sims.extensions_tables import BAR, DATA, accuracies

EVIDENCE = Path(__file__).parents[2] / extensions.OUT
pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")


@pytest.fixture(scope="module")
def committed():
    return {(Setting(r.data, r.truth, r.cases), r.treatment, r.set): r for r in read_rows(EVIDENCE)}


@pytest.fixture
def without_surfaces(monkeypatch):
    monkeypatch.setattr(extensions, "N_WITH_SURFACE", {False: 0, True: 0})


@pytest.mark.parametrize("name", DATA)
def test_data_have_the_accuracies_they_are_drawn_from(name):
    data, accuracy = DATA[name], accuracies()["single-needle"]
    sizes, rng = next(iter(data.designs.values())), np.random.default_rng(0)
    n_tables = 40
    grids = [data.draw(accuracy, sizes, rng).grid for _ in range(n_tables)]
    np.testing.assert_array_equal(grids[0].n_cases, sizes)
    mean = np.mean([grid.accuracy for grid in grids], axis=0)
    error = np.sqrt(accuracy * (1 - accuracy) / (n_tables * sizes))
    assert np.max(np.abs(mean - accuracy) / error) < 4.5
    assert all(grid.is_clustered == data.is_clustered for grid in grids)


def test_graded_data_are_graded():
    accuracy = accuracies()["at-bar"]
    for name, unit in (("halves", 2), ("beta", 100), ("one-of-ten", 10), ("folded", 3)):
        data, rng = DATA[name], np.random.default_rng(0)
        assert data.draw(accuracy, data.designs["20"], rng).grid.unit == unit


def test_accuracies_are_where_they_are_said_to_be():
    found = accuracies()
    np.testing.assert_allclose(found["carried"][:4].mean(axis=1), BAR, rtol=0, atol=1e-12)
    assert np.all(found["carried"][4:].mean(axis=1) < BAR)
    assert (found["one-cell"] < BAR).sum() == 1
    every = np.stack(list(found.values()))
    assert every.min() >= 0
    assert every.max() <= 1


def test_fates_are_shared_by_all_cells():
    data = DATA["fates"]
    grid = data.draw(accuracies()["at-bar"], data.designs["20"], np.random.default_rng(0)).grid
    assert np.ptp(grid.successes) == 0
    assert np.unique(grid.cases.cluster).size == 20


@pytest.mark.parametrize(
    "setting", [Setting("halves", "at-bar", "20"), Setting("uneven", "mixture", "3-40")]
)
def test_committed_rows_are_made_again(committed, setting, without_surfaces):
    for row in simulate((setting, 2, 60)):
        known = committed[setting, row.treatment, row.set]
        for name in ("coverage", "truth_below", "truth_above"):
            counts = (round(getattr(r, name) * r.simulations) for r in (known, row))
            distance = rate_distance(next(counts), known.simulations, next(counts), row.simulations)
            assert distance <= 3
        error = np.hypot(known.size_error, row.size_error)
        assert abs(known.mean_size - row.mean_size) <= 3 * error


def test_a_set_shortened_by_one_outcome_would_show(committed, without_surfaces):
    setting = Setting("outcomes", "at-bar", "20")
    known, shorter = committed[setting, "mean", "certified"], []
    for number in range(40):
        found = sets_of(draw_table(setting, 2, number), setting, "mean", number)["certified"]
        shorter.append(judge(replace(found, upper=max(found.upper - 1, found.lower)), 8).held)
    assert (
        rate_distance(
            round(known.coverage * known.simulations), known.simulations, sum(shorter), 40
        )
        > 3
    )


def test_no_proved_end_breaks_its_promise(committed):
    certified = [row for (_, _, name), row in committed.items() if name == "certified"]
    assert {row.data for row in certified} == set(DATA)
    assert not [row for row in certified if row.breaks_an_end() or row.falls_short(LEVEL)]
    broken = replace(certified[0], truth_above=certified[0].upper_level + 0.1)
    assert broken.breaks_an_end()


def test_the_committed_page_reads_the_committed_rows():
    page = EVIDENCE.with_suffix(".md").read_text(encoding="utf-8")
    assert make_page(read_rows(EVIDENCE), EVIDENCE.name) == page


def test_the_study_goes_on_where_it_stopped_and_is_the_same(
    tmp_path, monkeypatch, without_surfaces
):
    settings = (Setting("lopsided", "carried", "80/5"), Setting("fates", "at-bar", "20"))
    whole, parts = tmp_path / "whole.csv", tmp_path / "parts.csv"
    monkeypatch.setattr(extensions, "SETTINGS", settings)
    assert main(["--simulations", "4", "--out", str(whole)]) == 0
    monkeypatch.setattr(extensions, "SETTINGS", settings[:1])
    main(["--simulations", "4", "--out", str(parts)])
    monkeypatch.setattr(extensions, "SETTINGS", settings)
    main(["--simulations", "4", "--out", str(parts)])
    assert parts.read_bytes() == whole.read_bytes()
    rows = read_rows(whole)
    write_rows(rows, parts)
    assert parts.read_bytes() == whole.read_bytes()
    with pytest.raises(SystemExit, match="remove the file"):
        main(["--seed", "5", "--simulations", "4", "--out", str(whole)])


def test_clusters_are_also_ignored():
    setting = Setting("questions", "just-below", "20")
    found = extensions.find_sets(draw_table(setting, 1, 0), setting, "mean", 0)
    assert found["default"].fell_back_from.kind == "certified"
    assert found["default, clusters ignored"].kind == "certified"
