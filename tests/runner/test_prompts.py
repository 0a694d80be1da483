"""Prompts keep to their length, say where the evidence stands, and are the same again."""

import time

import numpy as np
import pytest

from lcstats.errors import OptionError
from lcstats.runner import NeutralFiller, TextFiller, parse_task
from lcstats.runner.answers import read_numbers
from lcstats.runner.filler import ListFiller, choose_rows, count_pieces
from lcstats.runner.keys import make_rng
from lcstats.runner.prompts import Press, check_places, find_gap
from lcstats.runner.tasks import TASKS
from lcstats.runner.tokens import _TOKEN, BuiltinTokenizer

LENGTHS = [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072]
PRESS = Press(BuiltinTokenizer(), NeutralFiller())


def build(name, length, depth=0.5, seed=1, press=PRESS):
    puzzle = parse_task(name).make(make_rng(seed, "puzzle"), length)
    return press.build(puzzle, length, depth, rng=make_rng(seed, "filler"))


def text_of(prompt):
    return "\n".join(message["content"] for message in prompt.messages)


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("length", LENGTHS)
def test_prompts_are_as_long_as_asked_and_never_longer(name, length):
    counted = PRESS.tokenizer.count_messages(build(name, length).messages)
    assert length - max(32, length // 100) <= counted <= length


@pytest.mark.parametrize("name", TASKS)
def test_equal_seeds_give_equal_prompts(name):
    assert build(name, 1024).messages == build(name, 1024).messages
    assert build(name, 1024).messages != build(name, 1024, seed=2).messages


@pytest.mark.parametrize("name", TASKS)
def test_all_evidence_is_in_the_prompt_once(name):
    prompt = build(name, 2048)
    for placed in prompt.puzzle.placed:
        sentence = placed.piece if isinstance(placed.piece, str) else placed.piece.answered
        assert text_of(prompt).count(sentence) == 1


@pytest.mark.parametrize("name", [name for name, kind in TASKS.items() if kind.takes_depth])
@pytest.mark.parametrize("depth", [0.0, 0.1, 0.5, 1.0])
def test_the_evidence_stands_where_it_was_asked_for(name, depth):
    prompt = build(name, 8192, depth)
    assert prompt.depth == pytest.approx(depth, abs=0.002)
    asked = next(p.piece for p in prompt.puzzle.placed if p.place is None)
    content = prompt.messages[-1]["content"]
    assert content.index(asked) / len(content) == pytest.approx(depth, abs=0.04)


def test_a_longer_prompt_begins_as_the_shorter_one_does():
    shorter, longer = (build("single-needle", n, 1.0).messages[0]["content"] for n in (1024, 4096))
    same = next(i for i, (a, b) in enumerate(zip(shorter, longer, strict=False)) if a != b)
    assert same > 0.9 * len(shorter) - 200


def test_numbers_like_values_are_in_every_text():
    numbers = [word for word in text_of(build("single-needle", 512)).split() if word[0].isdigit()]
    assert len(numbers) >= 2


def test_the_answer_can_be_begun():
    press = Press(BuiltinTokenizer(), NeutralFiller(), "begun")
    prompt = build("single-needle", 512, press=press)
    assert prompt.messages[-1]["role"] == "assistant"
    assert prompt.messages[-1]["content"].startswith("The access code for ")
    assert prompt.n_tokens <= 512


def test_overlap_is_low_only_where_it_is_meant_to_be():
    assert build("single-needle", 512).overlap == 1.0
    assert build("associative", 512).overlap == 0.0


def test_a_text_of_ones_own_is_used_in_order():
    text = " ".join(f"This is sentence number {'ab' * (i % 7)} of them." for i in range(400))
    press = Press(BuiltinTokenizer(), TextFiller(text))
    prompt = build("single-needle", 1024, press=press)
    assert 1024 - 32 <= prompt.n_tokens <= 1024


def test_what_cannot_be_built_is_refused():
    with pytest.raises(OptionError, match="ask for lengths from") as refused:
        build("distractors", 64)
    smallest = int(str(refused.value).rpartition("from ")[2].split()[0])
    assert build("distractors", smallest).n_tokens <= smallest
    with pytest.raises(OptionError, match="ask for lengths from"):
        build("distractors", smallest - 1)
    with pytest.raises(OptionError, match="add text, or ask for shorter lengths"):
        build("single-needle", 10**6, press=Press(BuiltinTokenizer(), TextFiller("Short. Text.")))
    with pytest.raises(OptionError, match="name another file"):
        TextFiller("  \n ")


def test_a_tokenizer_that_counts_nothing_is_refused():
    class Nothing(BuiltinTokenizer):
        def count_messages(self, messages):
            return 0

    with pytest.raises(OptionError, match="own tokenizer"):
        build("single-needle", 512, press=Press(Nothing(), NeutralFiller()))


def test_a_tokenizer_whose_counts_do_not_add_up_ends():
    class Growing(BuiltinTokenizer):
        calls = 0

        def count_messages(self, messages):
            self.calls += 1
            return super().count_messages(messages) + 100 * self.calls

    started = time.monotonic()
    with pytest.raises(OptionError, match="another --tokenizer"):
        build("single-needle", 2048, press=Press(Growing(), NeutralFiller()))
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "text", ["", " ", "  a  b\n\nc ", "Room 4829173, (12)_x!  ", "na\u00efve \t word"]
)
def test_words_are_counted_as_the_whole_text_is(text):
    assert BuiltinTokenizer().count_texts([text]) == [len(_TOKEN.findall(text))]


@pytest.mark.parametrize("room", [0, 5, 640, 5000, 39_000])
def test_a_list_is_counted_as_far_as_it_is_needed(room):
    pieces = tuple("word " * (1 + i * i % 7) for i in range(10_000))
    drawn = ListFiller(pieces).draw(make_rng(1), room, BuiltinTokenizer())
    counts = count_pieces(pieces, BuiltinTokenizer())
    chosen = choose_rows(counts, room)
    assert drawn.pieces == tuple(pieces[i] for i in chosen)
    assert drawn.counts.sum() <= room


def test_the_decoys_of_a_prompt_are_its_numbers():
    prompt = build("single-needle", 2048)
    numbers = set(read_numbers(text_of(prompt))) - set(prompt.puzzle.answers)
    assert set(prompt.decoys) == set(prompt.wrong) == numbers
    assert build("associative", 2048).wrong == build("associative", 2048).puzzle.wrong


def test_depths_that_fall_together_are_refused():
    counts = np.array([20, 20, 20])
    check_places(counts, [0.0, 0.5, 1.0], 512)
    with pytest.raises(OptionError, match="fewer depths, or for longer texts"):
        check_places(counts, [i / 10 for i in range(11)], 512)
    assert [find_gap(counts, depth) for depth in (0.0, 0.4, 1.0)] == [0, 1, 3]


class RememberingTokenizer(BuiltinTokenizer):
    def __init__(self):
        self.counted = []

    def count_texts(self, texts):
        self.counted += texts
        return super().count_texts(texts)


def test_equal_pieces_are_counted_once():
    tokenizer = RememberingTokenizer()
    counts = count_pieces(("amber", "heron", "amber"), tokenizer)
    assert (
        counts.tolist() == BuiltinTokenizer().count_texts([" amber", " heron", " amber"]).tolist()
    )
    assert tokenizer.counted == [" amber", " heron"]


@pytest.mark.parametrize("length", [600, 1000, 1040])
def test_no_whole_prompt_is_counted_twice(length):
    tokenizer = RememberingTokenizer()
    long_sentences = TextFiller(f"{'This goes on and on ' * 10}. " * 100, "long")
    build("single-needle", length, press=Press(tokenizer, long_sentences))
    prompts = [text for text in tokenizer.counted if len(text) > length]
    assert prompts
    assert len(set(prompts)) == len(prompts)
