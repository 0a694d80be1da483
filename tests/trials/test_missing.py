"""Whether trials without a score depend on length."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from lcstats.trials.missing import trend_p_value, unscored_notices


def table(missing, model="a"):
    lengths = np.repeat([1024, 8192, 65536], len(missing) // 3)
    return pd.DataFrame(
        {
            "model": model,
            "task": "t",
            "length": lengths,
            "score": np.where(missing, np.nan, 1.0),
            "status": np.where(missing, "timeout", "ok"),
        }
    )


def test_the_trend_is_that_of_all_ways_to_miss_as_many():
    lengths = np.repeat([1024.0, 4096.0, 65536.0], 4)
    missing = np.isin(np.arange(12), (5, 9, 10))
    doublings = np.log2(lengths)
    sums = np.array([doublings[list(rows)].sum() for rows in combinations(range(12), 3)])
    distance = abs(doublings[missing].sum() - sums.mean()) / sums.std()
    assert trend_p_value(lengths, missing) == pytest.approx(2 * norm.sf(distance), rel=1e-12)


@pytest.mark.parametrize("missing", [np.zeros(6, bool), np.ones(6, bool)])
def test_without_anything_to_compare_there_is_no_p_value(missing):
    assert np.isnan(trend_p_value(np.repeat([1.0, 2.0], 3), missing))
    assert np.isnan(trend_p_value(np.full(6, 8.0), np.arange(6) < 2))


def test_under_chance_few_tables_are_called_surprising():
    rng = np.random.default_rng(1)
    lengths = np.repeat(1024.0 * 2 ** np.arange(6), 20)
    p_values = [trend_p_value(lengths, rng.permutation(120) < 15) for _ in range(2000)]
    rejected = np.mean(np.array(p_values) < 0.05)
    assert abs(rejected - 0.05) < 3 * np.sqrt(0.05 * 0.95 / 2000) + 0.005


def test_the_notice_says_that_longer_contexts_lost_more():
    (notice,) = unscored_notices(table([0] * 50 + [1] * 10))
    assert "10 of 60 trials have no score (timeout 10)" in notice.message
    assert "; longer contexts lost more of them (p = " in notice.message
    (notice,) = unscored_notices(table([1] * 10 + [0] * 50))
    assert "; shorter contexts lost more of them" in notice.message


def test_the_notice_is_silent_where_chance_may_have_picked_them():
    (notice,) = unscored_notices(table([1, 0, 0] * 20))
    assert notice.message.endswith("never taken as wrong")
    assert unscored_notices(table([0] * 6)) == ()


def test_of_several_groups_the_one_concerned_is_named():
    both = pd.concat([table([0] * 50 + [1] * 10), table([1, 0, 0] * 20, model="b")])
    (notice,) = unscored_notices(both)
    assert "longer contexts lost more of them for a on t (p = " in notice.message
