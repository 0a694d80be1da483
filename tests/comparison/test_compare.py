"""`compare`: the case that people reported, other software, refusals and notices."""

import json
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from lcstats.cells import Cells, Means, count_cells
from lcstats.comparison import Comparison, compare
from lcstats.errors import DesignWarning, LcstatsWarning, OptionError, TableError
from lcstats.readers import read_trials
from lcstats.report.documents import to_json
from lcstats.trials import Trials


def test_two_language_models_on_the_same_items(cases_dir):
    trials = read_trials(cases_dir / "40-paired-models" / "in.csv")
    answer = compare(trials.select(model="A"), trials.select(model="B"))
    found = answer.group.overall
    assert (found.accuracy_old, found.accuracy_new) == (0.70, 0.62)
    assert found.difference == pytest.approx(-0.08)
    assert found.discordant == (10, 2)
    assert (round(found.exact_p, 4), round(found.mid_p, 4)) == (0.0386, 0.0225)
    assert (answer.group.n_unmatched_old, answer.group.n_unmatched_new) == (0, 0)
    assert answer.group.verdict == "worse"
    assert answer.to_dict()["groups"][0]["discordant"] == [10, 2]


@pytest.mark.parametrize("counts", [(60, 10, 2, 28), (5, 0, 0, 5), (20, 7, 9, 4), (1, 30, 12, 7)])
def test_mcnemars_test_is_that_of_statsmodels(two_sides, counts):
    both, old_only, new_only, neither = counts
    found = compare(*two_sides(*counts)).group.overall
    expected = mcnemar([[both, old_only], [new_only, neither]], exact=True).pvalue
    assert found.exact_p == pytest.approx(expected)


@pytest.mark.parametrize("counts", [(60, 10, 2, 28), (5, 0, 1, 4), (3, 3, 3, 3), (0, 9, 1, 0)])
def test_exchanging_the_sides_mirrors_everything(two_sides, counts):
    old, new = two_sides(*counts)
    there, back = compare(old, new).group, compare(new, old).group
    mirrored = {"better": "worse", "worse": "better"}
    assert there.overall.difference == -back.overall.difference
    assert there.overall.interval.lower == -back.overall.interval.upper
    assert there.overall.discordant == back.overall.discordant[::-1]
    assert there.overall.p_value == back.overall.p_value
    assert there.verdict == mirrored.get(back.verdict, back.verdict)


def graded_sides(trials_of, *, cluster=None):
    rng = np.random.default_rng(4)
    base = rng.choice([0, 0.25, 0.5, 0.75, 1.0], 60)
    other = np.clip(base + rng.choice([-0.5, -0.25, 0, 0.25], 60), 0, 1)
    columns = {"length": [4096, 8192] * 30, "depth": [0.0, 0.5, 0.25] * 20}
    if cluster is not None:
        columns["cluster"] = cluster
    return (trials_of(side.tolist(), model=m, **columns) for m, side in (("a", base), ("b", other)))


def test_the_order_of_rows_changes_no_byte(trials_of):
    old, new = graded_sides(trials_of)
    shuffled = [Trials.from_frame(t.frame.sample(frac=1, random_state=2)) for t in (old, new)]
    first = to_json(compare(old, new, gate="regression").to_dict())
    assert to_json(compare(*shuffled, gate="regression").to_dict()) == first


def test_graded_scores_get_signs_exchanged_and_effective_counts(trials_of):
    old, new = graded_sides(trials_of)
    found = compare(old, new, gate="noninferiority")
    overall = found.group.overall
    assert (overall.test, overall.interval.kind) == ("sign_flip", "tango_effective")
    assert overall.interval.lower < overall.difference < overall.interval.upper
    assert found.gate.tests[0].method == "score test on effective counts"
    differences = new.frame["score"].to_numpy() - old.frame["score"].to_numpy()
    rng = np.random.default_rng(1)
    flipped = rng.choice([-1, 1], (200_000, 60)) @ differences
    seen = abs(differences.sum())
    brute = (np.abs(flipped) >= seen - 1e-9).mean()
    assert overall.exact_p == pytest.approx(brute, abs=4e-3)


def test_clusters_widen_the_interval_and_are_said(trials_of):
    with pytest.warns(DesignWarning, match="60 pairs share 6 clusters"):
        clustered = compare(*graded_sides(trials_of, cluster=np.repeat(list("uvwxyz"), 10)))
    alone = compare(*graded_sides(trials_of))
    widths = [
        answer.group.overall.interval.upper - answer.group.overall.interval.lower
        for answer in (clustered, alone)
    ]
    assert widths[0] > widths[1]


def test_slices_are_differences_of_their_own_cases(trials_of):
    old, new = graded_sides(trials_of)
    answer = compare(old, new)
    frame = answer.to_frame()
    for axis in ("length", "depth"):
        means = [side.frame.groupby(axis)["score"].mean() for side in (old, new)]
        rows = frame[frame[axis].notna()].set_index(axis)
        np.testing.assert_allclose(rows["difference"], (means[1] - means[0])[rows.index])
        assert rows["n_paired"].sum() == 60


def test_tasks_are_corrected_for_their_number_and_pooled(trials_of):
    scores = np.r_[[1] * 40, [0] * 10]
    worse = np.r_[[0] * 9, [1] * 31, [0] * 10]
    tasks, case = ["s"] * 50 + ["t"] * 50, [f"c{i}" for i in range(100)]
    old = trials_of([*scores, *scores], task=tasks, case=case)
    new = trials_of([*worse, *scores], task=tasks, case=case, model="new")
    answer = compare(old, new)
    assert [group.task for group in answer.groups] == ["s", "t"]
    assert answer.groups[0].holm_p == pytest.approx(2 * answer.groups[0].overall.p_value)
    assert answer.pooled.n_paired == 100
    assert answer.pooled.difference == pytest.approx(-9 / 100)
    assert "among 2 tests (Holm)" in answer.sentence()


def test_a_comparison_comes_back_from_its_dictionary(trials_of):
    answer = compare(*graded_sides(trials_of), gate="regression")
    document = json.loads(to_json(answer.to_dict()))
    assert Comparison.from_dict(document).to_dict() == answer.to_dict()


def test_a_sentence_names_task_margin_interval_and_test(two_sides):
    words = compare(*two_sides(60, 10, 2, 28), margin=0.03).sentence()
    for part in ("on default: worse", "100 pairs", "95% interval", "Tango", "mid-p", "margin 0.03"):
        assert part in words


def test_two_runs_of_one_language_model_are_told_apart(trials_of):
    answer = compare(trials_of([1, 0, 1]), trials_of([1, 0, 0]))
    assert (answer.old_model, answer.new_model) == ("old (old)", "old (new)")


def test_partners_that_lack_are_counted_and_said(trials_of):
    old = trials_of([1, 0, 1, 1])
    new = trials_of([1, 0], model="new")
    with pytest.warns(DesignWarning, match="2 pairs; 2 cases of the old table without a partner"):
        answer = compare(old, new)
    assert (answer.group.n_unmatched_old, answer.group.n_unmatched_new) == (2, 0)


def test_trials_without_a_score_are_counted_by_length_and_no_loss(trials_of):
    columns = {"length": [4096, 4096, 8192, 8192]}
    old = trials_of([1, 0, 1, 1], **columns)
    failing = {"score": [1, 0, 1, None], "status": ["ok", "ok", "ok", "timeout"]}
    with pytest.warns(LcstatsWarning):
        new = Trials.from_frame(old.frame.assign(model="new", **failing))
    with pytest.warns(DesignWarning, match="1 of them were sent to both and have a score on one"):
        group = compare(old, new).group
    assert group.overall.difference == 0.0
    assert (group.n_unscored_old, group.n_unscored_new) == ({}, {8192: 1})
    assert group.to_dict()["n_unscored_by_length_new"] == {"8192": 1}


def test_ids_at_other_places_are_hinted_at(trials_of):
    old = trials_of([1, 0, 1], length=[8192, 4096, 4096])
    new = trials_of([1, 0, 1], length=[8192, 4100, 4100], model="new")
    with pytest.warns(DesignWarning, match="'c1' at length 4096 depth 0.5 and at length 4100"):
        compare(old, new)


def test_ids_that_restart_in_every_cell_are_hinted_at_without_pairing_all_their_places(trials_of):
    n_cells = 3000
    columns = {"case": ["c0", "c1"] * n_cells}
    length = np.repeat(np.arange(n_cells) * 100 + 4096, 2)
    scores = [1, 0] * n_cells
    old = trials_of([*scores, 1], length=[*length, 900], case=[*columns["case"], "c"])
    new = trials_of(
        [*scores, 1], length=[*(length + 1), 900], case=[*columns["case"], "c"], model="new"
    )
    tracemalloc.start()
    with pytest.warns(DesignWarning, match="'c0' at length 4096 depth 0.5 and at length 4097"):
        compare(old, new)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * n_cells**2


@pytest.mark.filterwarnings("ignore::lcstats.errors.DesignWarning")
@pytest.mark.parametrize(
    ("repeats", "words"),
    [
        ("fold", "a case's mean counts once"),
        ("independent", "repeats of the same number are paired"),
    ],
)
def test_unequal_numbers_of_repeats_are_said_as_they_are_counted(trials_of, repeats, words):
    old = trials_of([1, 0, 1, 1], case=["a", "b", "a", "b"], repeat=[0, 0, 1, 1])
    new = trials_of([1, 0], case=["a", "b"], model="new")
    (said,) = [
        notice.message
        for notice in compare(old, new, repeats=repeats).notices
        if notice.code == "repeats-differ"
    ]
    assert said.startswith(f"default: 2 trials per case in the old table and 1 in the new; {words}")


def test_where_nothing_is_shared_the_language_models_are_named(trials_of):
    old, new = trials_of([1, 0], task="s"), trials_of([1, 0], task="t", model="new")
    with pytest.raises(OptionError, match=r"old \(old\) has the task s, and new \(new\) t;"):
        compare(old, new)
    bare = trials_of([1, 0], task="s", model="new", depth=None)
    with pytest.raises(TableError, match=r"new \(new\) 8192 at none; expected a length and depth"):
        compare(old, bare)


def test_counts_are_compared_without_pairs(two_sides):
    old, new = map(count_cells, two_sides(60, 10, 2, 28))
    with pytest.warns(DesignWarning, match="without pairs, since the old table has counts"):
        answer = compare(old, new, gate="regression")
    found = answer.group.overall
    assert not answer.group.is_paired
    assert (found.n_paired, found.discordant, found.exact_p, found.mid_p) == (0, None, None, None)
    assert (found.test, found.interval.kind) == ("score", "miettinen_nurminen")
    assert found.difference == pytest.approx(-0.08)
    assert "more cases on each side" in answer.gate.sentence()


def test_tables_without_ids_are_compared_without_pairs():
    frame = pd.DataFrame({"length": [4096] * 40, "score": [1, 0] * 20})
    with pytest.warns(DesignWarning, match="--map case=COLUMN"):
        answer = compare(Trials.from_frame(frame), Trials.from_frame(frame))
    assert answer.group.overall.n_paired == 0


def test_other_cases_are_compared_without_pairs(trials_of):
    new = trials_of([1, 0, 0, 1], case=["w", "x", "y", "z"], model="new")
    with pytest.warns(DesignWarning, match="no case of the one table is in the other"):
        answer = compare(trials_of([1, 0, 1, 1]), new)
    assert answer.group.overall.n_old == 4


def test_means_without_counts_are_refused(two_sides):
    frame = pd.DataFrame({"model": "m", "task": "t", "length": [4096], "depth": 0.5, "mean": 1.0})
    with pytest.raises(TableError, match="--cases-per-cell"):
        compare(Means(frame), count_cells(two_sides(5, 1, 1, 3)[0]))


def test_other_tasks_are_refused(trials_of):
    with pytest.raises(OptionError, match="--map task=COLUMN"):
        compare(trials_of([1, 0], task="s"), trials_of([1, 0], task="t"))


def test_a_task_of_one_side_is_said(trials_of):
    old = trials_of([1, 0, 1, 0], task=["s", "s", "t", "t"])
    with pytest.warns(DesignWarning, match="t: only in the old table"):
        answer = compare(old, trials_of([1, 0], task="s", model="new"))
    assert [group.task for group in answer.groups] == ["s"]


def test_other_lengths_are_refused(trials_of):
    with pytest.raises(TableError, match="run both on one design"):
        compare(trials_of([1, 0], length=[4096] * 2), trials_of([1, 0]))


def test_other_units_are_refused(trials_of):
    trials = trials_of([1, 0])
    with pytest.raises(TableError, match="--length-unit"):
        compare(
            trials,
            Cells.from_counts([8192], [0.5], n_cases=2, successes=[[1]], length_unit="words"),
        )


def test_several_language_models_on_a_side_are_refused(two_sides):
    old, new = two_sides(5, 1, 1, 3)
    mixed = Trials.from_frame(pd.concat([old.frame, new.frame]))
    with pytest.raises(OptionError, match="--new-model"):
        compare(old, mixed)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"guess_rate": 0.25}, "guessing is right 0 of the time in the old table and 0.25"),
        ({"score": [0.5, 0, 1, 0.25]}, "scores of the new table are graded"),
    ],
)
def test_what_differs_in_kind_is_said(trials_of, change, words):
    old = trials_of([1, 0, 1, 0])
    new = Trials.from_frame(old.frame.assign(model="new", **change))
    with pytest.warns(DesignWarning, match=words):
        compare(old, new)


def test_other_numbers_of_repeats_are_said(trials_of):
    old = trials_of([1, 0])
    new = trials_of([1, 1, 0, 0], case=["c0", "c0", "c1", "c1"], repeat=[1, 2] * 2, model="new")
    with pytest.warns(DesignWarning, match="1 trials per case in the old table and 2 in the new"):
        compare(old, new)


def test_other_score_thresholds_are_said(tmp_path):
    frame = pd.DataFrame(
        {"model": "m", "case": range(6), "length": 8192, "score": [1, 9, 7, 10, 3, 5]}
    )
    frame.to_csv(tmp_path / "judge.csv", index=False)
    options = {"score_scale": "1-10", "format": "csv"}
    old, new = (read_trials(tmp_path / "judge.csv", score_threshold=x, **options) for x in (7, 5))
    with pytest.warns(DesignWarning, match="from score 7 in the old table and from 5 in the new"):
        compare(old, new)


def test_one_cluster_says_nothing_about_an_interval(trials_of):
    sides = (trials_of([1, 0, 1, 0], model=m, cluster="h") for m in ("a", "b"))
    with pytest.warns(DesignWarning, match="4 pairs share 1 cluster"):
        interval = compare(*sides).group.overall.interval
    assert (interval.lower, interval.upper) == (-1.0, 1.0)


@pytest.mark.filterwarnings("ignore:no file has lengths")
def test_kimi_against_claude_on_shared_cases(real_data):
    folder = real_data / "infinitebench" / "results"
    old, new = (
        read_trials(folder / model / "preds_kv_retrieval.jsonl") for model in ("claude2", "kimi")
    )
    found = compare(old, new).group.overall
    assert (found.n_paired, found.discordant) == (500, (149, 90))
    assert found.difference == pytest.approx(-0.118)
    table = old.frame.merge(new.frame, on="case")
    assert (table["score_x"] > table["score_y"]).sum() == 149
