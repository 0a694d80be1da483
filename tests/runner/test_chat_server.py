"""Servers that fail, one way after the other, through the real ``openai`` client on loopback."""

import asyncio
import json
import logging
import subprocess
import sys
import time
import traceback

import pytest

import lcstats as lc
from lcstats.errors import DesignWarning, OptionError, RunError
from lcstats.runner import Connection, Settings, open_backend, run_sweep
from lcstats.runner.backends.chat_server import MOST_ATTEMPTS, ChatServerBackend, public_address
from lcstats.runner.received import PROBE_LENGTHS
from lcstats.runner.tokens import BuiltinTokenizer
from tests.runner.fault_server import Answer, HangUp, Raw, Refusal, find_code, serving
from tests.runner.sweeps import rows_of

pytest.importorskip("openai", reason="needs the extra openai")

KEY = "sk-planted-7f3a9c"


@pytest.fixture(autouse=True)
def _planted_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def connect(server, *, sleep=asyncio.sleep, **others):
    connection = Connection(base_url=server.url, tokenizer="builtin", **others)
    return ChatServerBackend.connect("m", connection, sleep=sleep)


class Sleeps(list):
    """Notes how long it was to wait, and waits not at all."""

    async def __call__(self, seconds):
        self.append(seconds)


def after_probes(script):
    """Answer the probes, then as a script says; it counts from 0 again."""

    def step(number, body):
        if number < len(PROBE_LENGTHS):
            return Answer()
        return script(number - len(PROBE_LENGTHS), body)

    return step


def read_prompt(number, body):
    return Answer(find_code(body["messages"]))


def test_answers_are_streamed_counted_and_scored(output, small):
    with serving(read_prompt) as server:
        result = run_sweep(connect(server), small("distractors"), output)
    rows = rows_of(output)
    assert {row["score"] for row in rows} == {1.0}
    assert all(row["tokens_received"] == row["tokens_asked"] for row in rows)
    assert all(0 < row["ttft_s"] <= row["latency_s"] for row in rows)
    assert result.tokens_received == sum(row["tokens_received"] for row in rows)
    assert {body["temperature"] for body in server.requests} == {0}
    assert "depth" not in json.dumps(server.requests)


def test_parameters_go_over_ours(output, small):
    given = {"temperature": None, "max_tokens": 7, "reasoning_effort": "low"}
    with serving(read_prompt) as server:
        run_sweep(connect(server, parameters=given), small(), output)
    for body in server.requests:
        assert "temperature" not in body
        assert (body["max_tokens"], body["reasoning_effort"]) == (7, "low")
        assert body["stream_options"] == {"include_usage": True}


def test_an_answer_that_is_begun_goes_on(output, small):
    with serving(read_prompt) as server:
        settings = Settings(style="begun")
        run_sweep(connect(server), small(n_trials=1), output, settings=settings)
    for body in server.requests:
        assert body["messages"][-1]["role"] == "assistant"
        assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)


def test_a_busy_server_is_asked_again_when_it_says(output, small):
    sleeps = Sleeps()

    def script(number, body):
        if number % 3 == 0:
            return Refusal(429, {"error": {"message": "slow down"}}, {"Retry-After": "7"})
        if number % 3 == 1:
            return Refusal(500, {"error": {"message": "oops"}})
        return read_prompt(number, body)

    with serving(after_probes(script)) as server:
        backend = connect(server, sleep=sleeps)
        run_sweep(backend, small(), output, settings=Settings(concurrency=1))
    rows = rows_of(output)
    assert {(row["score"], row["n_attempts"]) for row in rows} == {(1.0, 3)}
    assert sleeps.count(7.0) == len(rows)
    assert all(1.0 <= seconds <= 3.0 for seconds in sleeps if seconds != 7.0)


def test_a_server_that_stays_busy_is_given_up_after_more_than_a_minute(output, small):
    sleeps = Sleeps()
    busy = Refusal(429, {"error": {"message": "slow down"}})
    with serving(after_probes(lambda n, body: busy)) as server:
        backend = connect(server, sleep=sleeps)
        run_sweep(backend, small(lengths=[512], depths=[0.5], n_trials=1), output)
    (row,) = rows_of(output)
    assert (row["status"], row["score"], row["n_attempts"]) == ("rate_limited", None, MOST_ATTEMPTS)
    assert sum(sleeps) > 60


def test_a_wait_beyond_the_bound_is_not_begun(output, small):
    sleeps = Sleeps()
    busy = Refusal(429, {"error": {"message": "come tomorrow"}}, {"Retry-After": "86400"})
    with serving(after_probes(lambda n, body: busy)) as server:
        backend = connect(server, sleep=sleeps, max_wait_s=120.0)
        run_sweep(backend, small(lengths=[512], depths=[0.5], n_trials=1), output)
    assert [row["status"] for row in rows_of(output)] == ["rate_limited"]
    assert sleeps == []


def test_timeouts_are_a_status(output, small):
    slow = Answer(delay_s=1.0)
    with serving(after_probes(lambda n, body: slow)) as server:
        backend = connect(server, sleep=Sleeps(), timeout_s=0.2, max_wait_s=0.3)
        design = small(lengths=[512], depths=[0.5], n_trials=1)
        run_sweep(backend, design, output)
    (row,) = rows_of(output)
    assert (row["status"], row["score"]) == ("timeout", None)


def test_cut_streams_are_asked_for_again(output, small):
    def script(number, body):
        code = find_code(body["messages"])
        return Answer(
            code, is_cut=number % 3 == 0, finish_reason=None if number % 3 == 1 else "stop"
        )

    with serving(after_probes(script)) as server:
        backend = connect(server, sleep=Sleeps())
        run_sweep(backend, small(), output, settings=Settings(concurrency=1))
    assert {(row["score"], row["n_attempts"]) for row in rows_of(output)} == {(1.0, 3)}


def test_missing_usage_is_unknown_and_never_0(output, small):
    with serving(lambda n, body: Answer(find_code(body["messages"]), has_usage=False)) as server:
        run_sweep(connect(server), small(), output)
    rows = rows_of(output)
    assert {(row["tokens_received"], row["status"]) for row in rows} == {(None, "ok")}
    assert lc.read_trials(output).n_scored == 12


def test_a_server_that_cuts_prompts_is_found_out(output, small):
    def script(number, body):
        return Answer(find_code(body["messages"]), most_tokens=1100)

    with serving(script) as server:
        run_sweep(connect(server), small(lengths=[512, 1024, 2048, 4096]), output)
    by_length = {
        n: {row["status"] for row in rows_of(output) if row["length"] == n}
        for n in (512, 1024, 2048, 4096)
    }
    assert by_length == {512: {"ok"}, 1024: {"ok"}, 2048: {"truncated"}, 4096: {"truncated"}}


def test_what_a_template_adds_is_learned_and_left_room_for(output, small):
    with serving(lambda n, body: Answer(find_code(body["messages"]), offset=11)) as server:
        result = run_sweep(connect(server), small(), output)
    assert {row["status"] for row in rows_of(output)} == {"ok"}
    assert all(row["tokens_received"] <= row["length"] for row in rows_of(output))
    manifest = json.loads(output.with_name("trials.manifest.json").read_text())
    assert manifest["calibration"]["offset"] == 11
    assert result.notices == ()


def test_a_second_bos_and_another_tokenizer_are_said(output, small):
    with (
        serving(lambda n, body: Answer(find_code(body["messages"]), offset=1)) as server,
        pytest.warns(DesignWarning, match="look at its template"),
    ):
        result = run_sweep(connect(server), small(), output)
    assert [notice.code for notice in result.notices] == ["double-bos"]
    other = output.with_name("other.jsonl")
    with (
        serving(lambda n, body: Answer(find_code(body["messages"]), ratio=1.4)) as server,
        pytest.warns(DesignWarning, match="pass --tokenizer with its own"),
    ):
        result = run_sweep(connect(server), small(), other)
    assert [notice.code for notice in result.notices] == ["token-ratio"]
    received = [row["tokens_received"] / row["length"] for row in rows_of(other)]
    assert 0.93 < min(received) <= max(received) <= 1.005


def statuses(output):
    return {row["status"] for row in rows_of(output)}


def test_what_was_cached_is_added_where_the_server_says_it(output, small):
    def script(number, body):
        return Answer(find_code(body["messages"]), cached=number % 3 / 4, tells_cached=True)

    with serving(after_probes(script)) as server:
        result = run_sweep(connect(server), small("distractors"), output)
    rows = rows_of(output)
    assert statuses(output) == {"ok"}
    assert all(row["tokens_received"] == row["tokens_asked"] for row in rows)
    assert {row["tokens_cached"] > 0 for row in rows} == {True, False}
    assert result.notices == ()


def test_tokens_that_are_cached_and_counted_are_not_added(output, small):
    usage = {"prompt_tokens_details": {"cached_tokens": 500}, "completion_tokens": 1}
    counted = {}

    def script(number, body):
        n_tokens = BuiltinTokenizer().count_messages(body["messages"])
        counted[n_tokens] = True
        return stream(piece({"content": "5"}, usage={**usage, "prompt_tokens": n_tokens}))

    with serving(after_probes(script)) as server:
        run_sweep(connect(server), small(), output)
    assert statuses(output) == {"ok"}
    assert all(row["tokens_received"] in counted for row in rows_of(output))


def test_a_prompt_that_was_cut_is_found_out_though_some_of_it_was_cached(output, small):
    def script(number, body):
        return Answer(find_code(body["messages"]), most_tokens=400, cached=0.5, tells_cached=True)

    with serving(after_probes(script)) as server:
        run_sweep(connect(server), small(lengths=[2048]), output)
    assert statuses(output) == {"truncated"}


def test_where_cached_tokens_are_left_out_unsaid_nothing_is_called_cut(output, small):
    def script(number, body):
        is_known = number >= len(PROBE_LENGTHS) - 1
        return Answer(find_code(body["messages"]), cached=0.5 if is_known else 0.0)

    with (
        serving(script) as server,
        pytest.warns(DesignWarning, match="switch its prompt cache off"),
    ):
        result = run_sweep(connect(server), small(), output)
    assert statuses(output) == {"ok"}
    assert {row["tokens_received"] for row in rows_of(output)} == {None}
    assert [notice.code for notice in result.notices] == ["cached-tokens-left-out"]


def test_the_name_of_the_limit_is_that_of_the_server_that_is_asked(monkeypatch, output, small):
    with serving(read_prompt) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        backend = open_backend("openai:m", connection=Connection(tokenizer="builtin"))
        run_sweep(backend, small(), output, settings=Settings(max_output_tokens=9))
    assert {body["max_tokens"] for body in server.requests} >= {9}
    assert not any("max_completion_tokens" in body for body in server.requests)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (None, "max_completion_tokens"),
        ("https://eu.api.openai.com/v1", "max_completion_tokens"),
        ("https://api.openai.com.example.org/v1", "max_tokens"),
        ("https://notopenai.com/v1", "max_tokens"),
    ],
)
def test_the_public_server_gets_the_newer_name_of_the_limit(url, name, monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    connection = Connection(base_url=url, tokenizer="builtin")
    assert open_backend("openai:m", connection=connection).decoding(5) == {
        "temperature": 0,
        name: 5,
    }


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({}, {"temperature": 0, "max_tokens": 256}),
        ({"temperature": 0.7, "top_p": 0.9}, {"temperature": 0.7, "top_p": 0.9, "max_tokens": 256}),
        ({"temperature": None, "max_tokens": 7}, {"max_tokens": 7}),
    ],
)
def test_the_record_holds_the_decoding_that_was_sent(given, sent, output, small):
    with serving(read_prompt) as server:
        run_sweep(connect(server, parameters=given), small(**ONE), output)
        (body,) = server.requests[len(PROBE_LENGTHS) :]
    manifest = json.loads(output.with_name("trials.manifest.json").read_text())
    assert manifest["decoding"]["sent"] == sent
    assert "temperature" not in manifest["decoding"]
    assert {name: body[name] for name in body if name in {*sent, "temperature"}} == sent


def test_a_lost_connection_is_no_timeout(output, small):
    row = run_one(HangUp(), output, small)
    assert (row["status"], row["score"]) == ("error", None)


def bodies(cases_dir):
    lines = (cases_dir / "50-context-too-long" / "bodies.jsonl").read_text().splitlines()
    for body in map(json.loads, lines):
        yield body.pop("http"), body


@pytest.mark.parametrize("number", range(6))
def test_errors_about_the_context_are_never_tried_again(number, cases_dir, output, small):
    code, body = list(bodies(cases_dir))[number]
    with serving(after_probes(lambda n, b: Refusal(code, body))) as server:
        backend = connect(server, sleep=Sleeps())
        design = small(lengths=[512], depths=[0.5], n_trials=1)
        if number == 5:
            with pytest.raises(RunError, match="correct --model, --base-url or the key"):
                run_sweep(backend, design, output)
            assert rows_of(output) == []
        else:
            run_sweep(backend, design, output)
            (row,) = rows_of(output)
            status = "error" if code == 413 else "context_exceeded"
            assert (row["status"], row["score"]) == (status, None)
        assert len(server.requests) == len(PROBE_LENGTHS) + 1


def test_a_context_error_in_a_server_error_is_known_as_well(output, small):
    body = {"error": {"message": "This model's maximum context length is 4096 tokens"}}
    with serving(after_probes(lambda n, b: Refusal(500, body))) as server:
        run_sweep(connect(server), small(lengths=[512], depths=[0.5], n_trials=1), output)
    assert [row["status"] for row in rows_of(output)] == ["context_exceeded"]


def test_a_filtered_answer_is_refused(output, small):
    with serving(lambda n, body: Answer("", finish_reason="content_filter")) as server:
        run_sweep(connect(server), small(lengths=[512], depths=[0.5], n_trials=1), output)
    assert [row["status"] for row in rows_of(output)] == ["refused"]


@pytest.mark.parametrize(
    ("code", "body"),
    [
        (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}),
        (404, {"error": {"message": "no such model"}}),
        (429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}),
    ],
)
def test_what_no_request_can_mend_stops_the_run_and_keeps_rows(code, body, output, small):
    def script(number, request):
        return read_prompt(number, request) if number < 5 else Refusal(code, body)

    with serving(after_probes(script)) as server:
        backend = connect(server, sleep=Sleeps())
        with pytest.raises(RunError, match="--resume"):
            run_sweep(backend, small(), output, settings=Settings(concurrency=1))
    assert len(rows_of(output)) == 5
    with serving(read_prompt) as server:
        changed = connect(server)
        with pytest.raises(OptionError, match="base_url was"):
            run_sweep(changed, small(), output, resume=True)


def test_a_run_that_never_began_can_be_begun_again(output, small):
    with serving(lambda n, body: Refusal(401, {"error": {"message": "no"}})) as server:
        with pytest.raises(RunError, match="or the key"):
            run_sweep(connect(server), small(), output)
        server.script = read_prompt
        assert run_sweep(connect(server), small(), output).n_done == 12


def test_the_key_is_nowhere(output, small, caplog, capsys):
    caplog.set_level(logging.DEBUG)
    body = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    with serving(after_probes(lambda n, b: Refusal(400 if n else 500, body))) as server:
        backend = connect(server, sleep=Sleeps())
        with pytest.raises(RunError) as refused:
            run_sweep(backend, small(), output, settings=Settings(concurrency=1))
        assert any(KEY in value for seen in server.headers_seen for value in seen.values())
    trace = "".join(traceback.format_exception(refused.value))
    written = "".join(path.read_text() for path in output.parent.iterdir())
    captured = capsys.readouterr()
    assert "Incorrect API key" in trace
    for text in (trace, written, caplog.text, captured.out, captured.err, repr(backend)):
        assert KEY not in text


def test_the_key_is_in_no_traceback_of_the_command(tmp_path, small):
    body = {"error": {"message": f"Incorrect API key provided: {KEY}"}}
    with serving(lambda n, b: Refusal(401, body)) as server:
        words = ["run", "--model", "openai:m", "--base-url", server.url, "--tokenizer", "builtin"]
        words += ["--lengths", "512", "--depths", "0.5", "--trials", "1", "--debug"]
        done = subprocess.run(
            [sys.executable, "-m", "lcstats", *words, "-o", str(tmp_path / "t.jsonl")],
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert done.returncode == 2
    assert "Traceback" in done.stderr
    assert KEY not in done.stderr + done.stdout
    assert all(KEY not in path.read_text() for path in tmp_path.iterdir())


def piece(delta, finish_reason="stop", **others):
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"choices": [choice], **others}


def stream(*events):
    lines = (e if isinstance(e, bytes) else json.dumps(e, ensure_ascii=False) for e in events)
    data = b"".join(
        b"data: " + (x if isinstance(x, bytes) else x.encode()) + b"\n\n" for x in lines
    )
    return Raw(data + b"data: [DONE]\n\n")


ONE = {"lengths": [512], "depths": [0.5], "n_trials": 1}


def run_one(step, output, small, **others):
    """Run one trial whose answer, after the probes, is a step; return its row."""
    with serving(after_probes(lambda n, body: step)) as server:
        run_sweep(connect(server, sleep=Sleeps(), max_wait_s=1.0, **others), small(**ONE), output)
    (row,) = rows_of(output)
    return row


@pytest.mark.parametrize(
    "step",
    [
        stream(b"{no json"),
        stream(b"[1, 2]"),
        stream(b"null"),
        stream(b"\xff"),
        stream({"id": "a"}),
        stream({"choices": None}),
        stream({"error": "boom"}),
        stream(piece({"content": "5"}, finish_reason=None)),
        Raw(b""),
        Raw(b"<html>log in</html>", "text/html"),
        Raw(b'{"choices": [{"message": {"content": "5"}}]}', "application/json"),
    ],
)
def test_an_answer_that_is_none_is_an_error_of_its_trial(step, output, small):
    row = run_one(step, output, small)
    assert (row["status"], row["score"]) == ("error", None)


@pytest.mark.parametrize(
    ("delta", "status", "answered"),
    [
        ({"content": None}, "empty", ""),
        ({"content": 5}, "empty", ""),
        (None, "empty", ""),
        ({"content": "a\u2028b"}, "ok", "a\u2028b"),
        ({"content": [{"type": "text", "text": "5"}, {"type": "x"}]}, "ok", "5"),
        ({"refusal": "No."}, "refused", ""),
    ],
)
def test_odd_pieces_of_an_answer(delta, status, answered, output, small):
    row = run_one(stream({"choices": []}, piece(delta)), output, small)
    assert (row["status"], row["output"]) == (status, answered)


@pytest.mark.parametrize(
    "count", ["12", -5, 12.5, 0, None, [], True, 10**30, float("nan"), {"a": 1}]
)
def test_counts_that_are_none_are_unknown(count, output, small):
    usage = {"prompt_tokens": count, "completion_tokens": count}
    row = run_one(stream(piece({"content": "5"}, usage=usage)), output, small)
    assert (row["status"], row["tokens_counted"]) == ("ok", None)
    assert row["output_tokens"] in (0, None)


@pytest.mark.parametrize("usage", ["many", [1], {}, None])
def test_usage_that_is_none_is_unknown(usage, output, small):
    row = run_one(stream(piece({"content": "5"}, usage=usage)), output, small)
    assert (row["status"], row["tokens_counted"]) == ("ok", None)


def test_a_count_that_does_not_follow_the_prompt_builds_no_longer_ones(output, small):
    with serving(lambda n, body: Answer(find_code(body["messages"]), ratio=0.05)) as server:
        run_sweep(connect(server), small(**ONE), output)
        longest = max(len(body["messages"][-1]["content"]) for body in server.requests)
    assert [row["status"] for row in rows_of(output)] == ["truncated"]
    assert longest < 8 * 1024


def test_a_key_that_is_repeated_is_not_written(output, small):
    row = run_one(stream(piece({"content": f"Bearer {KEY}"})), output, small)
    assert row["output"] == "Bearer ***"
    assert all(KEY not in path.read_text() for path in output.parent.iterdir())


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY} "])
def test_white_space_around_a_key_does_not_matter(key, monkeypatch, output, small):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with serving(read_prompt) as server:
        run_sweep(connect(server), small(**ONE), output)
        assert {seen["authorization"] for seen in map(_lower, server.headers_seen)} == {
            f"Bearer {KEY}"
        }


def _lower(headers):
    return {name.lower(): value for name, value in headers.items()}


@pytest.mark.parametrize("key", [f"{KEY}\u00e9", f"{KEY}\r\nX-A: b"])
def test_a_key_that_no_header_holds_is_refused_and_not_shown(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(OptionError, match="set it anew") as refused:
        open_backend("openai:m", connection=Connection(tokenizer="builtin"))
    assert KEY not in str(refused.value)


@pytest.mark.parametrize("url", ["127.0.0.1:8000/v1", "::::", " ", "ftp://h/v1", "http://[/v1"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(OptionError, match="correct --base-url"):
        open_backend("openai:m", connection=Connection(base_url=url, tokenizer="builtin"))


@pytest.mark.parametrize(
    "given",
    [{"parameters": {name: 2}} for name in ("model", "messages", "stream", "n")]
    + [{"parameters": {"x": float("nan")}}],
)
def test_parameters_that_a_sweep_decides_on_are_refused(given):
    with pytest.raises(OptionError, match="leave it out"):
        Connection(**given)


@pytest.mark.parametrize("given", [{"timeout_s": float("nan")}, {"max_wait_s": -1.0}])
def test_seconds_that_are_none_are_refused(given):
    with pytest.raises(OptionError, match="300, say"):
        Connection(**given)


def test_an_address_where_nobody_answers_stops_the_run_at_once(output, small):
    with serving(read_prompt) as server:
        gone = connect(server, sleep=(sleeps := Sleeps()))
    with pytest.raises(RunError, match="start it, or correct --base-url"):
        run_sweep(gone, small(), output)
    assert sleeps == []
    assert not list(output.parent.iterdir())


def test_a_server_that_fails_from_the_first_is_not_sent_a_sweep(output, small):
    with serving(lambda n, body: Refusal(500, {"error": {"message": "oops"}})) as server:
        with pytest.raises(RunError, match="look at the server, and run again"):
            run_sweep(connect(server, sleep=Sleeps()), small(), output)
        assert len(server.requests) == MOST_ATTEMPTS
    assert not list(output.parent.iterdir())


def test_a_prompt_that_the_server_filters_is_refused(output, small):
    error = {"error": {"code": "content_filter", "message": "filtered by the management policy"}}
    assert run_one(Refusal(400, error), output, small)["status"] == "refused"


def test_the_page_about_billing_is_no_lack_of_credit(output, small):
    words = "Rate limit reached. Visit https://example.org/account/billing to raise it"
    busy = Refusal(429, {"error": {"message": words}})
    assert run_one(busy, output, small)["status"] == "rate_limited"


@pytest.mark.parametrize("asked", ["nan", "soon"])
def test_a_wait_that_is_none_is_one_of_ours(asked, output, small):
    sleeps = Sleeps()
    busy = Refusal(429, {"error": {"message": "slow down"}}, {"Retry-After": asked})
    with serving(after_probes(lambda n, body: busy)) as server:
        run_sweep(connect(server, sleep=sleeps), small(**ONE), output)
    assert sleeps
    assert all(seconds >= 1.0 for seconds in sleeps)


def test_requests_overlap(output, small):
    with serving(lambda n, body: Answer(find_code(body["messages"]), delay_s=0.2)) as server:
        backend = connect(server)
        started = time.monotonic()
        run_sweep(backend, small(n_trials=10), output, settings=Settings(concurrency=20))
        seconds = time.monotonic() - started
    assert len(rows_of(output)) == 60
    assert seconds < 60 * 0.2 / 2


def test_a_server_is_reached_with_a_key_and_a_tokenizer(monkeypatch):
    with pytest.raises(OptionError, match="pass --tokenizer hf:FOLDER_OR_ID"):
        open_backend("openai:m")
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(OptionError, match="export OPENAI_API_KEY="):
        open_backend("openai:m", connection=Connection(tokenizer="builtin"))
    assert public_address("http://u:p@h:1/v1?k=2") == "http://h:1/v1"


def test_a_wrong_language_model_is_refused():
    with pytest.raises(OptionError, match="pass --model simulated:perfect to try"):
        open_backend("gpt-x")
    with pytest.raises(OptionError, match="pass --model simulated:perfect, say"):
        open_backend("simulated:perfct")
