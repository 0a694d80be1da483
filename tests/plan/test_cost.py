"""Costs: against sums over cells, a cache played through, and the price file."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcstats.errors import FormatError, OptionError
from lcstats.plan.cost import (
    Cost,
    Prices,
    cost_of,
    shared_prefix_fraction,
    trial_seconds,
    trial_tokens,
    trial_usd,
)
from lcstats.plan.price_file import FIELDS, read_price_file

DOUBLINGS = 2 ** np.arange(2, 8)
FULL = Prices(
    input_usd=2.0,
    output_usd=10.0,
    output_tokens=100,
    cached_fraction=0.25,
    cached_discount=0.9,
    input_tokens_per_second=8000,
    output_tokens_per_second=50,
    concurrency=4,
)


@pytest.mark.parametrize(("kilo", "per_trial"), [(1000, 252_000), (1024, 258_048)])
def test_tokens_from_4k_to_128k(kilo, per_trial):
    lengths = kilo * DOUBLINGS
    assert cost_of(np.ones((6, 1), int), lengths, Prices()).tokens == per_trial
    cost = cost_of(np.full((6, 5), 20), lengths, Prices())
    assert cost.tokens == cost.input_tokens == 100 * per_trial
    assert cost.times(5).tokens == 500 * per_trial
    assert cost.requests == 600
    assert cost.dominant == (128 * kilo, pytest.approx(128 / 252))


def test_a_trial_at_128k_costs_32_at_4k():
    usd = trial_usd(1024 * DOUBLINGS, Prices(input_usd=3.0))
    assert usd[-1] == 32 * usd[0]


@given(
    trials=st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=2, max_size=2),
    output_tokens=st.integers(1, 500),
)
def test_a_cost_is_the_sum_over_its_trials(trials, output_tokens):
    prices = dataclasses.replace(FULL, output_tokens=output_tokens)
    lengths = [4096, 10_000]
    cost = cost_of(trials, lengths, prices)
    sent = [
        length
        for length, row in zip(lengths, trials, strict=True)
        for cell in row
        for _ in range(cell)
    ]
    cached = 0.25 * sum(sent)
    received = output_tokens * len(sent)
    assert cost.requests == len(sent)
    assert cost.input_tokens == sum(sent)
    assert cost.output_tokens == received
    assert cost.tokens == sum(sent) + received
    assert cost.cached_tokens == round(cached)
    usd = (2.0 * (sum(sent) - cached) + 0.2 * cached + 10.0 * received) / 1e6
    assert cost.usd == pytest.approx(usd)
    seconds = ((sum(sent) - cached) / 8000 + received / 50) / 4
    assert cost.seconds == pytest.approx(seconds)
    assert (cost.dominant is None) == (not sent)


def test_the_dominant_row_follows_the_money():
    trials, lengths = [[60], [1]], [1000, 64_000]
    by_tokens = cost_of(trials, lengths, Prices()).dominant
    assert by_tokens.length == 64_000
    dear_answers = Prices(input_usd=1.0, output_usd=100.0, output_tokens=200)
    by_money = cost_of(trials, lengths, dear_answers).dominant
    assert by_money.length == 1000
    assert by_money.share == pytest.approx(60 * 0.021 / (60 * 0.021 + 0.084))


def test_without_prices_and_speeds_there_is_neither_money_nor_time():
    cost = cost_of([[20]], [4096], Prices(output_tokens=100))
    assert cost.usd is None
    assert cost.seconds is None
    assert cost.times(3).usd is None
    assert trial_tokens([4096], Prices(output_tokens=100)).tolist() == [4196]
    with pytest.raises(OptionError, match=r"there is no price; .*pass input_usd=2.5"):
        trial_usd([4096], Prices())
    with pytest.raises(OptionError, match=r"there is no speed; .*input_tokens_per_second=5000"):
        trial_seconds([4096], Prices())


def test_the_cost_is_said_in_a_sentence():
    lengths = 1000 * DOUBLINGS
    trials = np.full((6, 5), 20)
    assert cost_of(trials, lengths, Prices()).sentence() == (
        "600 requests, 25.2 million tokens in, output not counted; "
        "length 128000 takes 51% of the tokens."
    )
    assert cost_of(trials, lengths, FULL).sentence() == (
        "600 requests, 25.2 million tokens in (6.3 million of them cached) and 60,000 out: "
        "$39.66, 14.8 minutes; length 128000 takes 50% of the money."
    )
    assert cost_of([[1]], [4096], Prices()).sentence().startswith("1 request, 4,096 tokens in, ")
    nothing = cost_of(np.zeros((6, 5), int), lengths, FULL)
    assert nothing.sentence() == "0 requests, 0 tokens in and 0 out: $0.00, 0 seconds."


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(45.0, "45 seconds"), (119.0, "119 seconds"), (7199.0, "120 minutes"), (7200.0, "2 hours")],
)
def test_times_are_written_in_their_own_unit(seconds, words):
    prices = Prices(input_tokens_per_second=1000)
    cost = cost_of([[1]], [int(1000 * seconds)], prices)
    assert f": {words};" in cost.sentence()


@pytest.mark.parametrize(
    ("usd", "words"), [(0.004, "less than $0.01"), (2_500_000, "$2,500,000.00")]
)
def test_money_is_written_in_cents(usd, words):
    assert f": {words};" in cost_of([[1]], [1_000_000], Prices(input_usd=usd)).sentence()


@pytest.mark.parametrize("prices", [Prices(), FULL])
def test_a_cost_comes_back_from_its_dictionary(prices):
    cost = cost_of([[20, 5], [0, 7]], [4096, 131072], prices)
    document = json.loads(json.dumps(cost.to_dict()))
    assert Cost.from_dict(document) == cost
    assert document["tokens"] == cost.tokens
    with pytest.raises(FormatError, match="make the Cost again"):
        Cost.from_dict({"schema_version": 1})


@given(order=st.permutations([0.0, 0.1, 0.35, 0.5, 0.9, 1.0]))
def test_the_shared_prefix_is_what_a_cache_finds_whatever_the_order(order):
    haystack = list(range(1000))
    seen, found, sent = [], 0, 0
    for depth in order:
        place = round(depth * len(haystack))
        prompt = [*haystack[:place], f"needle at {depth}", *haystack[place:]]
        found += max((common_prefix(prompt, earlier) for earlier in seen), default=0)
        sent += len(prompt)
        seen.append(prompt)
    assert shared_prefix_fraction(order) == pytest.approx(found / sent, abs=2e-3)


def common_prefix(first, second):
    """Length of the common beginning of two prompts that differ."""
    pairs = enumerate(zip(first, second, strict=True))
    return next(place for place, (token, other) in pairs if token != other)


def test_one_depth_shares_nothing():
    assert shared_prefix_fraction([0.5]) == 0.0


@pytest.mark.parametrize("depths", [[], [0.5, float("nan")], [50.0], 0.5])
def test_depths_that_are_none_are_refused(depths):
    with pytest.raises(OptionError, match=r"write \[0, 0.5, 1\]"):
        shared_prefix_fraction(depths)


@pytest.mark.parametrize(
    ("fields", "mend"),
    [
        ({"output_tokens": -1}, "output_tokens is -1; .*or leave it out"),
        ({"output_tokens": 1.5}, "a whole number of at least 0"),
        ({"concurrency": 0}, "pass concurrency=1"),
        ({"cached_fraction": 50}, "percent as 0.85"),
        ({"cached_discount": -0.1}, "percent as 0.85"),
        ({"input_usd": -1.0}, "of at least 0; pass input_usd=2.5"),
        ({"input_usd": "3"}, "input_usd is '3'; .*pass input_usd=2.5"),
        ({"input_usd": float("inf")}, "input_usd is inf; "),
        ({"input_tokens_per_second": 0}, "above 0; .*or leave it out"),
        ({"input_usd": 1.0, "output_tokens": 9}, "output_usd is missing; .*or neither"),
        ({"output_usd": 1.0}, "input_usd is missing; .*pass input_usd"),
        (
            {"input_tokens_per_second": 10, "output_tokens": 9},
            "output_tokens_per_second is missing; ",
        ),
        ({"input_usd": 1.0, "cached_fraction": 0.5}, "cached_discount=0.9 if it costs a tenth"),
    ],
)
def test_prices_that_are_none_are_refused(fields, mend):
    with pytest.raises(OptionError, match=mend):
        Prices(**fields)


@pytest.mark.parametrize("lengths", [[0], [4096.5], [], 4096, ["4K"]])
def test_lengths_that_are_none_are_refused(lengths):
    with pytest.raises(OptionError, match=r"in tokens; write \[4096, 8192\]"):
        trial_tokens(lengths, Prices())


@pytest.mark.parametrize("trials", [20, [20], [[20]], [[1.5], [2.0]], [[-1], [3]]])
def test_trials_that_are_no_table_are_refused(trials):
    with pytest.raises(OptionError, match=r"one row for each of 2 lengths.*pass numpy.full"):
        cost_of(trials, [4096, 8192], Prices())


PRICE_FILE = """
[models."small"]
input_usd_per_million = 0.5

[models."large, by night"]
input_usd_per_million = 2
cached_input_usd_per_million = 0.5
output_usd_per_million = 8.0
output_tokens = 64
cached_fraction = 0.3
input_tokens_per_second = 6000
output_tokens_per_second = 40
concurrency = 8
"""


@pytest.fixture
def price_file(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(PRICE_FILE, encoding="utf-8-sig")
    return path


def test_prices_are_read_from_a_file(price_file):
    assert Prices.from_file(price_file, "small") == Prices(input_usd=0.5)
    large = Prices.from_file(price_file, "large, by night")
    assert large == Prices(
        input_usd=2.0,
        output_usd=8.0,
        output_tokens=64,
        cached_fraction=0.3,
        cached_discount=0.75,
        input_tokens_per_second=6000,
        output_tokens_per_second=40,
        concurrency=8,
    )
    assert set(FIELDS.values()) == {field.name for field in dataclasses.fields(Prices)}


def test_what_a_file_leaves_open_can_be_added(price_file):
    prices = Prices.from_file(price_file, "small", output_tokens=9, output_usd=1.0)
    assert prices == Prices(input_usd=0.5, output_usd=1.0, output_tokens=9)


@pytest.mark.parametrize("name", ['a "quoted" name', "back\\slash", "plain"])
def test_the_table_that_a_message_asks_for_can_be_written(price_file, name):
    with pytest.raises(OptionError, match="'small', 'large, by night'") as caught:
        read_price_file(price_file, name)
    header = str(caught.value).split("or add ")[1].removesuffix(" to the file")
    with price_file.open("a", encoding="utf-8") as file:
        file.write(f"{header}\ninput_usd_per_million = 1\n")
    assert Prices.from_file(price_file, name).input_usd == 1


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("input = ", "cannot be read .*expected a TOML file"),
        ("input = 3", "has no table of models; .*write \\[models"),
        ("[models.m]\ninput_usd = 3", "'input_usd' means nothing here; .*mend the spelling"),
        (
            "[models.m]\ncached_input_usd_per_million = 3",
            "3 per million, another None; .*give input_usd_per_million",
        ),
        (
            "[models.m]\ncached_input_usd_per_million = 3\ninput_usd_per_million = 2",
            "the first no larger than the second",
        ),
    ],
)
def test_a_file_that_is_no_price_file_is_refused(tmp_path, text, mend):
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=mend):
        Prices.from_file(path, "m")


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"gone.toml cannot be read .*write \[models"):
        Prices.from_file(tmp_path / "gone.toml", "m")


def test_a_wrong_price_in_a_file_names_the_file(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text("[models.m]\ninput_usd_per_million = -2", encoding="utf-8")
    with pytest.raises(OptionError, match=r"prices.toml, 'm': input_usd is -2; .*pass input_usd"):
        Prices.from_file(path, "m")
