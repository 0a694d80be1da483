"""From a trial and its reply to a row of the table."""

from typing import Any

from lcstats.runner.design import PlannedTrial
from lcstats.runner.prompts import Prompt
from lcstats.runner.received import Calibration
from lcstats.runner.replies import Reply
from lcstats.runner.scoring import AnswerKey, Scored, score_output, scorer_name
from lcstats.runner.settings import Settings

DECIMALS = 6
"""Of seconds and depths in the table."""


def score_reply(
    prompt: Prompt, reply: Reply, calibration: Calibration, settings: Settings
) -> Scored:
    """Score a reply; one that failed, or whose prompt was cut, has a status and no score."""
    if reply.status != "ok":
        return Scored(reply.status)
    if calibration.is_cut(prompt.n_tokens, reply.tokens_received):
        return Scored("truncated")
    puzzle = prompt.puzzle
    key = AnswerKey(puzzle.answers, prompt.wrong, puzzle.scorer)
    return score_output(
        reply.output, key, finish_reason=reply.finish_reason, strictness=settings.strictness
    )


def make_row(
    planned: PlannedTrial,
    prompt: Prompt,
    reply: Reply,
    scored: Scored,
    *,
    calibration: Calibration,
    model: str,
    settings: Settings,
) -> dict[str, Any]:
    """Return the row of a trial; the canonical columns come first.

    The prompt itself is not kept: its digest tells whether it was made again as it was.
    """
    filler_digest = settings.filler.digest
    shared = planned.cluster(filler_digest)
    return {
        **_identity(planned, model, filler_digest),
        "score": scored.score,
        "status": scored.status,
        **_needles(prompt, scored),
        **({} if shared is None else {"cluster": shared}),
        "stage": planned.design.stage,
        "guess_rate": prompt.puzzle.guess_rate,
        "tokens_received": reply.tokens_received if planned.task.takes_length else None,
        "tokens_asked": calibration.expected(prompt.n_tokens),
        "tokens_counted": reply.tokens_received,
        "tokens_cached": reply.tokens_cached,
        "output_tokens": reply.output_tokens,
        "realised_depth": _rounded(prompt.depth),
        "overlap": _rounded(prompt.overlap),
        "scorer": scorer_name(prompt.puzzle.scorer, settings.strictness),
        "question": prompt.puzzle.question,
        "answer": list(prompt.puzzle.answers),
        "wrong": list(prompt.wrong),
        "output": reply.output,
        "finish_reason": reply.finish_reason,
        "error": reply.error,
        "latency_s": _rounded(reply.latency_s),
        "ttft_s": _rounded(reply.ttft_s),
        "n_attempts": reply.n_attempts,
        "prompt_digest": prompt.digest,
    }


def _identity(planned: PlannedTrial, model: str, filler_digest: str) -> dict[str, Any]:
    task, length, depth, case, repeat = planned.key(filler_digest)
    return {
        "model": model,
        "task": task,
        "case": case,
        "repeat": repeat,
        "length": length,
        "depth": depth,
    }


def _needles(prompt: Prompt, scored: Scored) -> dict[str, Any]:
    """Return how many answers were asked for and found, and where the evidence really stands."""
    n_needles = len(prompt.puzzle.answers)
    places = [_rounded(depth) for depth in prompt.evidence_depths]
    each = len(places) == n_needles
    return {
        "n_needles": n_needles,
        "n_found": scored.n_found,
        "needle_depths": places if each else None,
        "needle_found": scored.marks if each else None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DECIMALS)
