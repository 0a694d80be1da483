"""Runs that were appended to a file: in order, killed early, out of order, and prompts alike."""

import pandas as pd
import pytest

from lcstats.readers.appended import appended_notices, name_cases, starts_of_runs

PROMPTS = [f"p{number}" for number in range(40)]


@pytest.mark.parametrize(
    ("digests", "starts"),
    [
        (PROMPTS, [0]),
        (PROMPTS * 2, [0, 40]),
        (PROMPTS + PROMPTS[:3], [0, 40]),
        (PROMPTS[:3] + PROMPTS, [0, 3]),
        (PROMPTS + PROMPTS[:3] + PROMPTS, [0, 40, 43]),
        (PROMPTS[:3] + PROMPTS[:9] + PROMPTS, [0, 3, 12]),
        ([*PROMPTS, "p0"], [0]),
        ([*PROMPTS, "p7", "p9"], [0]),
        ([*PROMPTS, "p7", "p9", "p3"], [0, 40]),
        ([*PROMPTS[:20], "p0", *PROMPTS[20:], *PROMPTS[:4]], [0, 41]),
        (["same"] * 40, [0]),
    ],
)
def test_where_runs_begin(digests, starts):
    assert starts_of_runs(digests) == starts


def test_a_run_in_another_order_is_one_where_it_has_many_rows():
    mixed = PROMPTS[:20] + PROMPTS[30:10:-1] + PROMPTS[20:]
    assert name_cases(pd.Series(mixed)).tolist() == mixed


def test_prompts_that_nothing_tells_apart_are_numbered():
    cases = name_cases(pd.Series(["same"] * 40))
    assert cases.nunique() == 40


@pytest.mark.parametrize("order", [1, -1])
def test_details_tell_runs_from_prompts_of_one_name(order):
    names = pd.Series(["same"] * 80)
    details = pd.Series(PROMPTS + PROMPTS[::order])
    cases = name_cases(names, details)
    assert cases.nunique() == 40
    assert cases.groupby(details).nunique().eq(1).all()


def test_runs_and_prompts_that_look_alike_are_said():
    digests = pd.Series([*PROMPTS, "p7", *PROMPTS[:5]])
    again, alike = appended_notices("a.jsonl", digests, name_cases(digests))
    assert "5 rows of 46 ask again what a.jsonl asked before" in again.message
    assert "1 row of a.jsonl cannot be told from an earlier prompt" in alike.message
