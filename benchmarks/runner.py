"""The runner: how long prompts take to build, and what a sweep adds to its server's own time."""

import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Measurement, best_seconds, show_seconds
from lcstats.runner import (
    Connection,
    Design,
    NeutralFiller,
    Settings,
    open_backend,
    parse_task,
    run_sweep,
)
from lcstats.runner.keys import make_rng
from lcstats.runner.neutral import WHAT, WHEN, WHERE, WHO
from lcstats.runner.prompts import Press
from lcstats.runner.tasks import TASKS
from lcstats.runner.tokens import BuiltinTokenizer, ChatTokenizer, Tokenizer

LONGEST = 128 * 1024
BUILD_TARGET_S = 0.5

VOCABULARY = 32_000
N_WORDS = 60_000
"""Made-up words that the tokenizer learns from, beside those of the filler."""

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}</s>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)

N_TRIALS, CONCURRENCY, LATENCY_S = 2000, 32, 0.05
OVERHEAD_TARGET = 1.5
"""Times the seconds that the server alone takes."""


def measure_runner() -> list[Measurement]:
    """Time prompts of every kind at 128K, and a sweep against a server on loopback."""
    tokenizers: list[Tokenizer] = [BuiltinTokenizer()]
    if importlib.util.find_spec("transformers") is not None:
        tokenizers.append(_learn_tokenizer())
    return [
        *(_measure_prompt(name, tokenizer) for tokenizer in tokenizers for name in TASKS),
        *_measure_server(),
    ]


def _learn_tokenizer() -> ChatTokenizer:
    """Return a byte-pair tokenizer of a usual size, learned from filler and made-up words."""
    from tokenizers import Tokenizer as Pairs
    from tokenizers import decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    pairs = Pairs(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    pairs.decoder = decoders.ByteLevel()
    letters = make_rng("words").integers(97, 123, size=(N_WORDS, 6), dtype="uint8")
    words = [f" {row.tobytes().decode()}" for row in letters]
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["</s>", "<|user|>", "<|assistant|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    pairs.train_from_iterator([*WHO, *WHAT, *WHERE, *WHEN, *words], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pairs, eos_token="</s>")
    tokenizer.chat_template = TEMPLATE
    return ChatTokenizer(tokenizer, f"byte pairs, {len(tokenizer)} tokens")


def _measure_prompt(name: str, tokenizer: Tokenizer) -> Measurement:
    press, task = Press(tokenizer, NeutralFiller()), parse_task(name)

    def build() -> None:
        puzzle = task.make(make_rng(1, name), LONGEST)
        press.build(puzzle, LONGEST, 0.5, rng=make_rng(2, name))

    seconds = best_seconds(build)
    return Measurement(
        f"a prompt of 128K tokens, {name}",
        show_seconds(seconds),
        f"counted by the tokenizer {tokenizer.name}",
        f"below {BUILD_TARGET_S} s",
        seconds < BUILD_TARGET_S,
    )


def _measure_server() -> Iterator[Measurement]:
    if importlib.util.find_spec("openai") is None:
        return
    ideal = N_TRIALS / CONCURRENCY * LATENCY_S
    design = Design.grid(
        [parse_task("single-needle")], [512], [0.0, 0.25, 0.5, 0.75, 1.0], n_trials=N_TRIALS // 5
    )
    with _server() as url, tempfile.TemporaryDirectory() as folder:
        connection = Connection(base_url=url, tokenizer="builtin", key_variable="NO_SUCH_KEY")
        backend = open_backend("openai:none", connection=connection)
        settings = Settings(concurrency=CONCURRENCY)
        begun = time.process_time()
        result = run_sweep(backend, design, Path(folder) / "trials.jsonl", settings=settings)
        busy_ms = (time.process_time() - begun) / N_TRIALS * 1e3
    ratio = result.seconds / ideal
    yield Measurement(
        f"{N_TRIALS} trials, {CONCURRENCY} at a time, a server that takes {LATENCY_S * 1e3:.0f} ms",
        f"{result.seconds:.3g} s: {ratio:.2f} times the server's own",
        f"client, prompts, scores and disk included: {busy_ms:.2f} ms of a processor per trial",
        f"at most {OVERHEAD_TARGET} times",
        ratio <= OVERHEAD_TARGET,
    )


@contextmanager
def _server() -> Iterator[str]:
    """Run the server in a process of its own, so that it takes nothing from the sweep."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.loopback", str(LATENCY_S)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(30)
        process.stdout.close()
