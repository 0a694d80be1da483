"""The same simulations here, on threads, in processes and on a cluster; and what a file keeps."""

import io
import multiprocessing
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from lcstats import Criterion
from lcstats.errors import DesignWarning, FormatError, OptionError
from lcstats.kernels.draws import SLICE
from lcstats.kernels.streams import BLOCK
from lcstats.plan.simulation import blocks
from lcstats.plan.simulation.blocks import Part, Run, progress_line, seconds_per_simulation
from lcstats.plan.simulation.checkpoint import Checkpoint
from lcstats.plan.simulation.estimates import Design, quiet
from lcstats.plan.simulation.simulate import Simulation, simulate_plan
from lcstats.plan.truths import planned_truth

PLANNED = planned_truth("single-needle", 1024 * 2 ** np.arange(8), np.linspace(0, 1, 5))
CLUSTERED = planned_truth("shared-haystack", PLANNED.lengths, PLANNED.depths)
OPEN = planned_truth("cells-deviate", PLANNED.lengths, PLANNED.depths)
CRITERION = Criterion(0.85)
N_SIMULATIONS = 2 * SLICE + 300
CASES = [(PLANNED, "observed"), (PLANNED, "curve"), (CLUSTERED, "observed"), (OPEN, "observed")]


@pytest.fixture
def _small_parts(monkeypatch):
    """Cut parts as small as they get, so that every run has several."""
    monkeypatch.setattr(blocks, "SHORTEST_TASK", 1e-9)
    monkeypatch.setattr(blocks, "SHORTEST_THREAD_TASK", 1e-9)


def outcomes_of(planned, method, **options):
    simulation = Simulation(N_SIMULATIONS, seed=3, **options)
    return simulate_plan(planned, 10, CRITERION, method=method, simulation=simulation).outcomes


def check_same(executor):
    """Compare all cases with those that nobody else works on."""
    for planned, method in CASES:
        alone = outcomes_of(planned, method)
        assert len(np.unique(alone)) > 1
        assert outcomes_of(planned, method, executor=executor).tobytes() == alone.tobytes()


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("n_threads", [2, 8])
def test_threads_of_our_own_do_not_change_an_outcome(n_threads):
    for planned, method in CASES:
        one, many = (outcomes_of(planned, method, n_threads=n) for n in (1, n_threads))
        assert one.tobytes() == many.tobytes()


@pytest.mark.usefixtures("_small_parts")
def test_an_executor_of_threads_gives_the_same():
    with ThreadPoolExecutor(2) as executor:
        check_same(executor)


@pytest.mark.usefixtures("_small_parts")
def test_processes_give_the_same():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        check_same(executor)


@pytest.mark.usefixtures("_small_parts")
def test_a_dask_cluster_gives_the_same():
    distributed = pytest.importorskip("distributed", reason="needs dask's distributed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, processes=False
    )
    with cluster, distributed.Client(cluster) as client:
        check_same(client.get_executor(pure=False))


@pytest.mark.usefixtures("_small_parts")
def test_tables_by_the_surface_are_the_same_on_threads():
    few = [planned_truth("cliff", PLANNED.lengths[3:7], PLANNED.depths), 10, CRITERION]
    one = simulate_plan(*few, method="flexible", simulation=Simulation(4))
    with ThreadPoolExecutor(2) as executor:
        many = simulate_plan(*few, method="flexible", simulation=Simulation(4, executor=executor))
    np.testing.assert_array_equal(one.outcomes, many.outcomes)


@pytest.mark.parametrize("method", ["observed", "curve", "flexible"])
@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(1)])
def test_parts_are_worth_sending_and_cover_everything_once(method, executor):
    design = Design(PLANNED, np.full((8, 5), 10), CRITERION, method, 0)
    run = Run("outcomes", 10**6 if method == "observed" else 30_000, executor=executor)
    parts = list(blocks._parts(design, run))
    shortest = blocks.SHORTEST_TASK if executor else blocks.SHORTEST_THREAD_TASK
    assert [p.first for p in parts] == [0, *(p.stop for p in parts[:-1])]
    assert parts[-1].stop == run.n_simulations
    each = seconds_per_simulation(design, "outcomes")
    assert all((p.stop - p.first) * each >= shortest for p in parts[:-1])
    assert method == "flexible" or all(p.first % BLOCK == 0 for p in parts)


class Interrupted(KeyboardInterrupt):
    pass


def interrupt_after(n_parts):
    calls = []

    def progress(n_done, n_all):
        calls.append(n_done)
        if len(calls) == n_parts:
            raise Interrupted

    return progress


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("method", ["observed", "curve"])
def test_an_interrupted_plan_goes_on_where_it_stopped(method, tmp_path):
    file = tmp_path / "plan.npz"
    with pytest.raises(Interrupted):
        outcomes_of(PLANNED, method, checkpoint=file, progress=interrupt_after(2))
    told = []
    outcomes = outcomes_of(
        PLANNED, method, checkpoint=file, progress=lambda done, of: told.append((done, of))
    )
    assert told == [(N_SIMULATIONS, N_SIMULATIONS)]
    assert outcomes.tobytes() == outcomes_of(PLANNED, method).tobytes()
    assert [path.name for path in tmp_path.iterdir()] == ["plan.npz"]


@pytest.mark.usefixtures("_small_parts")
def test_an_interrupted_executor_keeps_what_was_finished(tmp_path):
    file = tmp_path / "plan.npz"
    with ThreadPoolExecutor(2) as executor:
        how = {"checkpoint": file, "progress": interrupt_after(1), "executor": executor}
        with pytest.raises(Interrupted):
            outcomes_of(PLANNED, "curve", **how)
    design = Design(PLANNED, np.full((8, 5), 10), CRITERION, "curve", 3)
    (kept,) = Checkpoint.open(file, design).results.values()
    finished = kept[0] >= 0
    assert 0 < finished.sum() < N_SIMULATIONS
    np.testing.assert_array_equal(kept[0, finished], outcomes_of(PLANNED, "curve")[finished])


def test_one_file_keeps_other_numbers_of_cases_and_more_simulations(tmp_path, monkeypatch):
    file = tmp_path / "plan.npz"
    many = Simulation(SLICE, checkpoint=file, n_set_tables=2)
    for n_cases in (10, 20):
        simulate_plan(PLANNED, n_cases, CRITERION, simulation=many)
    more = Simulation(SLICE + 10, checkpoint=file)
    simulate_plan(PLANNED, 10, CRITERION, simulation=more)

    def never(*arguments):
        raise AssertionError("nothing was left to do")

    monkeypatch.setattr(blocks, "work_on", never)
    for n_cases in (10, 20):
        known = simulate_plan(PLANNED, n_cases, CRITERION, simulation=many)
        assert (known.outcomes.size, known.set_sizes.size) == (SLICE, 2)
    assert simulate_plan(PLANNED, 10, CRITERION, simulation=more).outcomes.size == SLICE + 10


@pytest.mark.parametrize(
    ("planned", "criterion", "method", "seed", "named"),
    [
        (PLANNED, CRITERION, "curve", 0, "another method"),
        (PLANNED, CRITERION, "observed", 1, "another seed"),
        (PLANNED, Criterion(0.8), "observed", 0, "another criterion"),
        (CLUSTERED, CRITERION, "observed", 0, "another truth and accuracies"),
    ],
)
def test_a_file_of_another_plan_is_refused(planned, criterion, method, seed, named, tmp_path):
    file = tmp_path / "plan.npz"
    simulate_plan(PLANNED, 5, CRITERION, simulation=Simulation(100, checkpoint=file))
    before = file.read_bytes()
    other = Simulation(100, seed=seed, checkpoint=file)
    with pytest.raises(OptionError, match=f"{named}; .*; name a new file"):
        simulate_plan(planned, 5, criterion, method=method, simulation=other)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "damaged",
    [
        {"settings": np.array("[]")},
        {"outcomes": np.zeros((1, 5), np.int32)},
        {"outcomes": np.zeros((2, 5))},
    ],
)
def test_a_file_that_is_laid_out_otherwise_is_refused(damaged, tmp_path):
    file = tmp_path / "plan.npz"
    simulate_plan(PLANNED, 5, CRITERION, simulation=Simulation(100, checkpoint=file))
    with np.load(file) as stored:
        content = {**stored, **damaged}
    np.savez(file, **content)
    with pytest.raises(FormatError, match="name another file"):
        simulate_plan(PLANNED, 5, CRITERION, simulation=Simulation(100, checkpoint=file))


@pytest.mark.parametrize("content", [b"", b"model,score\n", b"PK\x03\x04 cut off"])
def test_what_is_no_checkpoint_is_refused(content, tmp_path):
    file = tmp_path / "table.csv"
    file.write_bytes(content)
    with pytest.raises(FormatError, match="name another file"):
        simulate_plan(PLANNED, 5, CRITERION, simulation=Simulation(10, checkpoint=file))
    assert file.read_bytes() == content


def test_writes_are_no_more_often_than_they_help(tmp_path):
    design = Design(PLANNED, np.full((8, 5), 10), CRITERION, "observed", 0)
    checkpoint = Checkpoint.open(tmp_path / "plan.npz", design)
    checkpoint.reserve("outcomes", 10)
    checkpoint.write()
    assert not (tmp_path / "plan.npz").exists()
    checkpoint.written -= 2.0
    checkpoint.write()
    assert (tmp_path / "plan.npz").exists()


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals_only():
    assert progress_line("plan", io.StringIO()) is None
    stream = Terminal()
    show = progress_line("plan", stream)
    show(10, 20)
    show(20, 20)
    assert stream.getvalue() == ("\rplan: 10 of 20 simulations\rplan: 20 of 20 simulations\n")


def test_silence_ends_with_the_last_who_asked_for_it():
    before = list(warnings.filters)
    with quiet(), quiet():
        warnings.warn("dropped", DesignWarning, stacklevel=1)
    assert warnings.filters == before
    with pytest.warns(DesignWarning):
        warnings.warn("heard", DesignWarning, stacklevel=1)


def test_a_part_is_the_same_wherever_it_is_cut():
    design = Design(PLANNED, np.full((8, 5), 10), CRITERION, "observed", 0)
    whole = blocks.work_on(design, "outcomes", Part(0, 700))
    cut = [blocks.work_on(design, "outcomes", Part(*ends)) for ends in ((0, 300), (300, 700))]
    np.testing.assert_array_equal(whole, np.concatenate(cut, axis=1))
