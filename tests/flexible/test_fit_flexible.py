"""``fit_flexible`` on any grid: finite, in range, repeatable, and as sure as the data make it."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcstats as lc
from lcstats.cells import Cells, average_tasks, count_cells
from lcstats.errors import DesignWarning, FitError, OptionError
from lcstats.flexible import FlexibleFit, fit_flexible
from lcstats.flexible.latent import importance_weights
from lcstats.trials import Trials
from lcstats.truths import get_truth, simulate_cells, simulate_trials

LENGTHS = 1024 * 2 ** np.arange(8)
DEPTHS = np.linspace(0, 1, 11)


def simulated(n, name="single-needle", seed=1, lengths=LENGTHS, depths=DEPTHS):
    rng = np.random.default_rng(seed)
    return simulate_cells(get_truth(name), lengths, depths, n_cases=n, rng=rng)


def check_sane(fit):
    shape = fit.grid.n_cases.shape
    assert fit.accuracy.shape == fit.hole_probability.shape == shape
    assert fit.accuracies.shape == fit.latents.shape == (fit.n_draws, *shape)
    for values in (fit.accuracy, fit.accuracies):
        assert np.all((values > 0) & (values < 1))
    assert np.all((fit.hole_probability >= 0) & (fit.hole_probability <= 1))
    assert np.all(np.isfinite(fit.latents))
    assert fit.draw_weights.sum() == pytest.approx(1)
    assert fit.effective_draws >= 0.19 * fit.n_draws
    assert fit.setting_weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("n", [5, 80])
def test_accuracies_close_in_on_the_truth(n):
    truth = get_truth("single-needle").accuracy(LENGTHS, DEPTHS)
    fit = fit_flexible(simulated(n))
    assert np.sqrt(np.mean((fit.accuracy - truth) ** 2)) < {5: 0.06, 80: 0.02}[n]
    assert fit.converged
    assert fit.importance_power == 1.0
    frame = fit.to_frame()
    inside = (frame["lower"] <= truth.ravel()) & (truth.ravel() <= frame["upper"])
    assert inside.mean() > 0.85


def test_more_successes_never_lower_the_surface():
    few = Cells.from_counts(LENGTHS, DEPTHS, n_cases=20, successes=np.full((8, 11), 12))
    many = Cells.from_counts(LENGTHS, DEPTHS, n_cases=20, successes=np.full((8, 11), 17))
    assert np.all(fit_flexible(few).accuracy < fit_flexible(many).accuracy)


def test_a_hole_is_found_and_does_not_pull_its_neighbours():
    successes = np.full((8, 11), 20)
    successes[3, 7] = 6
    fit = fit_flexible(Cells.from_counts(LENGTHS, DEPTHS, n_cases=20, successes=successes))
    assert fit.hole_probability[3, 7] > 0.95
    assert fit.accuracy[3, 7] < 0.5
    assert fit.accuracy[3, 6] > 0.95
    check_sane(fit)


@pytest.mark.parametrize(
    ("lengths", "depths"),
    [
        ([1000, 1500, 9000, 128000], [0.0, 0.13, 0.9]),
        ([4096], [0.0, 0.5, 1.0]),
        ([4096, 8192], [0.5]),
        ([4096, 8192], [float("nan")]),
        ([4096, 8192], [0.0, 1.0, float("nan")]),
        ([4096], [0.5]),
        ([1, 2], [0.5]),
        ([10**6, 10**6 + 1], [0.5, 0.500001]),
    ],
)
@pytest.mark.parametrize("share", [0.0, 0.7, 1.0])
def test_any_grid(lengths, depths, share):
    shape = (len(lengths), len(depths))
    n = 1 + np.arange(shape[0] * shape[1]).reshape(shape)
    cells = Cells.from_counts(lengths, depths, n_cases=n, successes=np.floor(share * n))
    check_sane(fit_flexible(cells, n_draws=200))


def test_cells_without_cases_are_predicted():
    frame = simulate_trials("single-needle", LENGTHS[:5], DEPTHS, n_trials=10, seed=2).to_frame()
    kept = frame[(frame["length"] != 4096) | (frame["depth"] < 0.25)]
    cells = count_cells(Trials.from_frame(kept))
    with pytest.warns(DesignWarning, match="predicts 8 of 55 cells"):
        fit = fit_flexible(cells)
    check_sane(fit)
    empty = fit.grid.n_cases == 0
    spread = fit.accuracies.std(axis=0)
    assert spread[2, 3:].min() > spread[1, 3:].min()
    assert np.all(np.abs(fit.accuracy[empty] - 0.95) < 0.1)


def test_graded_scores_lie_between_their_whole_neighbours():
    shape = (3, 2)
    accuracies = [
        fit_flexible(
            Cells.from_counts([1024, 4096, 16384], [0, 1], n_cases=10, successes=np.full(shape, k))
        ).accuracy
        for k in (7, 7.5, 8)
    ]
    assert np.all(accuracies[0] < accuracies[1])
    assert np.all(accuracies[1] < accuracies[2])


def test_guess_rate_is_a_floor_of_the_surface():
    cells = Cells.from_counts([1024, 4096, 16384], [0.5], n_cases=50, successes=[[45], [12], [11]])
    fit = fit_flexible(cells, guess_rate=0.25)
    check_sane(fit)
    plain = fit_flexible(cells)
    assert plain.accuracy[2, 0] < 0.25 <= fit.accuracy[2, 0] < 0.3


def test_a_surer_prior_of_holes_lowers_the_worst_cell():
    cells = simulated(5, "all-99")
    rare, frequent = (fit_flexible(cells, hole_rate=rate) for rate in (0.001, 0.02))
    assert frequent.hole_probability.mean() > 3 * rare.hole_probability.mean()


def test_seeds_and_order_of_rows():
    trials = simulate_trials("single-needle", LENGTHS[:4], DEPTHS[::2], n_trials=6, seed=2)
    shuffled = trials.to_frame().sample(frac=1.0, random_state=1)
    fits = [fit_flexible(count_cells(t), seed=3) for t in (trials, Trials.from_frame(shuffled))]
    for name in ("accuracy", "latents", "draw_weights", "accuracies"):
        assert getattr(fits[0], name).tobytes() == getattr(fits[1], name).tobytes()
    other = fit_flexible(count_cells(trials), seed=4)
    assert other.latents.tobytes() != fits[0].latents.tobytes()
    np.testing.assert_allclose(other.accuracy, fits[0].accuracy, atol=0.01)


SCRIPT = """
import hashlib, numpy as np, lcstats as lc
cells = lc.Cells.from_counts(
    1024 * 2 ** np.arange(9), np.linspace(0, 1, 15), n_cases=9,
    successes=np.arange(135).reshape(9, 15) % 5 + 5)
fit = lc.fit_flexible(cells, n_draws=200)
text = b"".join(a.tobytes() for a in (fit.accuracy, fit.latents, fit.accuracies))
print(hashlib.sha256(text).hexdigest())
"""


def test_bytes_do_not_depend_on_threads(monkeypatch):
    found = set()
    for number in ("1", "8"):
        for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
            monkeypatch.setenv(name, number)
        run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        found.add(run.stdout)
    assert len(found) == 1


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_never_nan(data):
    m, n_depths = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    lengths = data.draw(st.lists(st.integers(1, 2 * 10**6), min_size=m, max_size=m, unique=True))
    depths = data.draw(st.lists(st.floats(0, 1), min_size=n_depths, max_size=n_depths, unique=True))
    n = np.array(
        data.draw(st.lists(st.integers(1, 3000), min_size=m * n_depths, max_size=m * n_depths))
    )
    share = np.array(
        data.draw(
            st.lists(st.sampled_from([0, 0.1, 0.5, 0.99, 1]), min_size=n.size, max_size=n.size)
        )
    )
    cells = Cells.from_counts(
        sorted(lengths),
        sorted(depths),
        n_cases=n.reshape(m, n_depths),
        successes=np.round(n * share, 2).reshape(m, n_depths),
    )
    guess = data.draw(st.sampled_from([0.0, 0.25, 0.9]))
    check_sane(fit_flexible(cells, guess_rate=guess, n_draws=100))


def test_reading_it():
    fit = lc.fit_flexible(simulated(5), n_draws=100)
    assert isinstance(fit, FlexibleFit)
    assert repr(fit).startswith("FlexibleFit(simulated on single-needle: 8x11, accuracy 0.")
    document = json.loads(json.dumps(fit.to_dict()))
    assert document["n_draws"] == 100
    assert sum(setting["weight"] for setting in document["settings"]) == pytest.approx(1)
    assert fit.is_of(fit.grid)
    assert not fit.is_of(simulated(6).grid)
    with pytest.raises(ValueError, match="read-only"):
        fit.accuracy[0, 0] = 1


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        ({"guess_rate": 1.0}, "write one in four as 0.25"),
        ({"hole_rate": 0.0}, "leave it out for 0.005"),
        ({"n_draws": 1}, "pass n_draws=2"),
        ({"seed": -1}, "pass seed=1"),
    ],
)
def test_options_out_of_range(options, mend):
    with pytest.raises(OptionError, match=mend):
        fit_flexible(simulated(5), **options)


def test_what_has_no_surface():
    one, two = (simulated(3, name) for name in ("single-needle", "cliff"))
    averaged = average_tasks(Cells(grids=(one.grid, two.grid)))
    with pytest.raises(OptionError, match="fit the tasks before averaging"):
        fit_flexible(averaged)
    with pytest.raises(OptionError, match="count trials"):
        fit_flexible("results.csv")
    big = Cells.from_counts(
        np.arange(1, 62), np.linspace(0, 1, 42), n_cases=1, successes=np.ones((61, 42))
    )
    with pytest.raises(FitError, match="round lengths and depths"):
        fit_flexible(big)


def test_shared_clusters_are_named():
    trials = simulate_trials("shared-haystack", LENGTHS[:3], DEPTHS[:4], n_trials=4, seed=1)
    with pytest.warns(DesignWarning, match="counts n cases as n / 1.[0-9]*"):
        fit_flexible(count_cells(trials), n_draws=50)


def copied(n_copies, *, clustered):
    """Return cells of a table whose every case is there several times, named so or not."""
    frame = simulate_trials("single-needle", LENGTHS[:4], DEPTHS[:3], n_trials=8, seed=2).frame
    frame = frame.assign(cluster=np.arange(len(frame)).astype(str))
    frame = pd.concat([frame.assign(case=frame["case"] + f"-{i}") for i in range(n_copies)])
    return count_cells(Trials.from_frame(frame if clustered else frame.drop(columns="cluster")))


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_copies_that_say_so_add_nothing():
    once, copies = copied(1, clustered=False), copied(5, clustered=True)
    plain, fit = fit_flexible(once), fit_flexible(copies)
    assert plain.design_effect == 1.0
    assert fit.design_effect == pytest.approx(5.0)
    np.testing.assert_allclose(fit.accuracy, plain.accuracy, rtol=1e-6)
    np.testing.assert_allclose(fit.accuracies.std(axis=0), plain.accuracies.std(axis=0), rtol=1e-6)
    unaware = fit_flexible(copied(5, clustered=False))
    assert unaware.accuracies.std(axis=0).mean() < 0.8 * plain.accuracies.std(axis=0).mean()


def test_weights_that_rest_on_few_draws_are_flattened():
    logs = np.random.default_rng(0).standard_normal(1000)
    plain, power = importance_weights(0.5 * logs)
    assert power == 1.0
    np.testing.assert_allclose(plain, np.exp(0.5 * logs) / np.exp(0.5 * logs).sum())
    flat, power = importance_weights(8 * logs)
    assert 0.1 < power < 0.5
    assert 1 / (flat**2).sum() == pytest.approx(200, rel=0.01)


def test_weighing_is_a_small_change_on_ordinary_data():
    cells = simulated(20)
    plain, exact = (fit_flexible(cells, exact=exact) for exact in (False, True))
    assert plain.importance_power == 0.0
    assert np.ptp(plain.draw_weights) == 0.0
    np.testing.assert_allclose(plain.accuracy, exact.accuracy, atol=0.02)
