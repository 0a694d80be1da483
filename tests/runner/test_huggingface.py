"""Real language models: a tiny one in this process, and behind ``transformers serve``."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from lcstats.errors import OptionError
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
from lcstats.runner.prompts import Press
from lcstats.runner.tokens import ChatTokenizer, open_tokenizer
from tests.runner.sweeps import rows_of
from tests.runner.tiny_llama import TEMPLATE, WINDOW, make_tiny_llama

transformers = pytest.importorskip("transformers", reason="needs the extra hf")
torch = pytest.importorskip("torch", reason="needs the extra hf")

pytestmark = [
    pytest.mark.slow,
    # torch and transformers warn of their own affairs.
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_llama(tmp_path_factory.mktemp("tiny"))


def design(lengths, n_trials=2, task="single-needle"):
    return Design.grid([parse_task(task)], lengths, [0.0, 1.0], n_trials=n_trials)


def test_prompts_are_counted_as_they_are_sent(folder, output):
    settings = Settings(max_output_tokens=8)
    result = run_sweep(open_backend(f"hf:{folder}"), design([512, 1024]), output, settings=settings)
    rows = rows_of(output)
    assert {row["status"] for row in rows} <= {"ok", "empty"}
    assert all(row["tokens_received"] == row["tokens_asked"] for row in rows)
    assert all(row["length"] - 32 <= row["tokens_received"] <= row["length"] for row in rows)
    assert all(row["latency_s"] > 0 and row["output_tokens"] <= 8 for row in rows)
    assert result.n_done == 8
    manifest = json.loads(output.with_name("trials.manifest.json").read_text())
    assert manifest["backend"]["positions"]["max_position_embeddings"] == WINDOW
    assert len(manifest["tokenizer"]["template_sha256"]) == 64


def test_greedy_answers_are_the_same_again(folder, output):
    again = output.with_name("again.jsonl")
    for path in (output, again):
        settings = Settings(max_output_tokens=8)
        run_sweep(open_backend(f"hf:{folder}"), design([512]), path, settings=settings)
    first, second = ([row["output"] for row in rows_of(path)] for path in (output, again))
    assert first == second


def test_a_prompt_that_does_not_fit_is_not_cut(folder, output):
    settings = Settings(max_output_tokens=64)
    run_sweep(open_backend(f"hf:{folder}"), design([1024, WINDOW]), output, settings=settings)
    by_length = {row["length"]: row["status"] for row in rows_of(output)}
    assert by_length[WINDOW] == "context_exceeded"
    assert by_length[1024] in ("ok", "empty")


def test_prompts_can_be_built_to_fit_the_window(folder, output):
    settings = Settings(max_output_tokens=8, context_window=WINDOW)
    run_sweep(open_backend(f"hf:{folder}"), design([WINDOW], 1), output, settings=settings)
    assert {row["status"] for row in rows_of(output)} <= {"ok", "empty"}


def test_running_out_of_memory_is_a_status(folder, output, monkeypatch):
    def refuse(self, *args, **kwargs):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB")

    monkeypatch.setattr(transformers.LlamaForCausalLM, "generate", refuse)
    run_sweep(open_backend(f"hf:{folder}"), design([512], 1), output)
    assert {(row["status"], row["error"]) for row in rows_of(output)} == {
        ("error", "out of memory")
    }


def test_answers_can_be_begun(folder):
    tokenizer = open_tokenizer(f"hf:{folder}")
    press = Press(tokenizer, NeutralFiller(), "begun")
    puzzle = parse_task("single-needle").make(make_rng(1), 512)
    prompt = press.build(puzzle, 512, 0.5, rng=make_rng(2))
    assert isinstance(tokenizer, ChatTokenizer)
    assert tokenizer.render(prompt.messages).endswith(puzzle.begun)
    assert 512 - 32 <= prompt.n_tokens <= 512


@pytest.mark.parametrize("length", [512, 2048, 16384, 131072])
@pytest.mark.parametrize("task", ["distractors", "coreference", "aggregation"])
def test_lengths_hold_by_a_real_tokenizer(folder, length, task):
    press = Press(open_tokenizer(f"hf:{folder}"), NeutralFiller())
    puzzle = parse_task(task).make(make_rng(1), length)
    n_tokens = press.build(puzzle, length, 0.5, rng=make_rng(2)).n_tokens
    assert length - max(32, length // 100) <= n_tokens <= length


def test_two_starts_and_no_template_are_refused(folder):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = "{{ bos_token }}" + TEMPLATE
    with pytest.raises(OptionError, match="take the BOS token out of the chat template"):
        ChatTokenizer(tokenizer, "tiny")
    tokenizer.chat_template = None
    with pytest.raises(OptionError, match="use the instruction-tuned variant"):
        ChatTokenizer(tokenizer, "tiny")


def test_what_cannot_be_loaded_is_refused(tmp_path, folder):
    with pytest.raises(OptionError, match="correct --model hf"):
        open_backend(f"hf:{tmp_path}")
    with pytest.raises(OptionError, match="pass --dtype float32"):
        open_backend(f"hf:{folder}", connection=Connection(dtype="float99"))


@pytest.fixture(scope="module")
def server(folder):
    program = shutil.which("transformers", path=os.path.dirname(sys.executable))
    pytest.importorskip("uvicorn", reason="needs transformers[serving]")
    if program is None:
        pytest.skip("needs the command transformers")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [program, "serve", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(words, env={**os.environ, "HF_HUB_OFFLINE": "1"}, **quiet)
    try:
        _wait_until_up(process, port)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_up(process, port):
    for _ in range(240):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=5).close()
        except OSError:
            assert process.poll() is None, "transformers serve ended by itself"
            time.sleep(0.5)
        else:
            return
    raise AssertionError("transformers serve is not up after two minutes")


def test_a_real_server_counts_as_we_do(server, folder, output):
    pytest.importorskip("openai", reason="needs the extra openai")
    connection = Connection(base_url=server, tokenizer=f"hf:{folder}")
    backend = open_backend(f"openai:{folder}", connection=connection)
    settings = Settings(max_output_tokens=8, concurrency=2)
    result = run_sweep(backend, design([512, 1024]), output, settings=settings)
    rows = rows_of(output)
    assert result.n_done == 8
    assert {row["status"] for row in rows} <= {"ok", "empty", "budget_exhausted"}
    received = {row["tokens_received"] - row["tokens_asked"] for row in rows}
    assert received == {0}
    assert all(row["ttft_s"] is None or 0 < row["ttft_s"] <= row["latency_s"] for row in rows)
