"""The sweep that ships: as planned, scored as it is said, and the same as any user's file."""

import gzip
import json
from dataclasses import replace
from importlib.resources import files

import pandas as pd
import pytest

from lcstats.datasets import smollm2_sweep
from lcstats.readers import read_trials
from lcstats.runner.scoring import AnswerKey, score_output

FOLDER = files("lcstats.datasets")
TABLE = FOLDER.joinpath("smollm2_sweep.csv.gz")


@pytest.fixture(scope="module")
def frame():
    return smollm2_sweep().frame


@pytest.fixture(scope="module")
def manifest():
    return json.loads(FOLDER.joinpath("smollm2_sweep.manifest.json").read_text("utf-8"))


@pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")
def test_it_is_read_as_any_file_is(tmp_path):
    place = tmp_path / "sweep.csv.gz"
    place.write_bytes(TABLE.read_bytes())
    ours, theirs = smollm2_sweep(), read_trials(place)
    pd.testing.assert_frame_equal(ours.frame, theirs.frame)
    assert replace(ours.reading, files=()) == replace(theirs.reading, files=())
    assert [notice.message for notice in ours.notices] == [n.message for n in theirs.notices] != []


def test_every_planned_trial_is_there_once(frame, manifest):
    keys = ["task", "case", "length", "depth", "repeat"]
    assert not frame.duplicated(keys).any()
    (fixed, *later) = manifest["stages"]
    planned = pd.DataFrame(fixed["cells"]).set_index(["task", "length", "depth"])["trials"]
    of_stage = frame[frame["stage"] == 0].groupby(["task", "length", "depth"], dropna=False).size()
    pd.testing.assert_series_equal(
        of_stage.sort_index(), planned.sort_index(), check_names=False, check_dtype=False
    )
    n_later = sum(cell["trials"] for stage in later for cell in stage["cells"])
    assert (frame["stage"] > 0).sum() == n_later > 0


def test_the_scores_are_those_of_the_outputs(frame):
    for row in frame.itertuples():
        key = AnswerKey(tuple(json.loads(row.answer)), tuple(json.loads(row.wrong)))
        output = None if pd.isna(row.output) else row.output
        scored = score_output(output, key, finish_reason=row.finish_reason)
        assert scored.status == row.status
        assert scored.score == pytest.approx(row.score)


def test_no_prompt_is_longer_than_was_asked_for(frame):
    short = frame["length"] - frame["tokens_received"]
    assert short.between(0, 32).all()


def test_it_is_small_and_the_same_bytes_again():
    data = TABLE.read_bytes()
    assert len(data) < 1_000_000
    assert gzip.compress(gzip.decompress(data), mtime=0) == data
