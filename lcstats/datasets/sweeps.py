"""Sweeps that lcstats ran itself."""

import warnings
from dataclasses import replace
from importlib.resources import files
from io import BytesIO

import pandas as pd

from lcstats.errors import LcstatsWarning
from lcstats.trials import Reading, Trials

_SWEEP = "smollm2_sweep.csv.gz"

SMOLLM2_SWEEP = (
    "A demonstration on a real sweep: SmolLM2-135M-Instruct, a small language model with a context "
    "window of 8K, asked by lcstats run. Every answer was begun for it with its first words, and "
    "scored strictly. With three distractors of the same form (task "
    "distractors) a guess among the values in the text is right one time in four. In "
    "growing-distractors there is one distractor for every 256 tokens: length and the number of "
    "distractors grow together there, and what a loss is due to cannot be told apart. "
    "single-needle is a control, with few trials. several-values asks for all four values of one "
    "key and is scored by the share of them."
)
"""What the sweep is, and what is to be known before reading its numbers."""


def smollm2_sweep() -> Trials:
    """Return a sweep of a small language model, with its questions, answers and outputs.

    SmolLM2-135M-Instruct on four tasks of :func:`lcstats.run_sweep` at 512 to 7500 tokens and five
    depths. The command that made it, how it was scored and with which versions stand in its
    manifest, ``lcstats/datasets/smollm2_sweep.manifest.json``.

    Returns
    -------
    Trials
        Lengths in tokens of the language model's own tokenizer, template included. What reading it
        would warn of, two answers that were cut short, is among its notices alone.

    Examples
    --------
    >>> trials = smollm2_sweep()
    >>> sorted(trials.frame["task"].unique())
    ['distractors', 'growing-distractors', 'several-values', 'single-needle']
    """
    data = files("lcstats.datasets").joinpath(_SWEEP).read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        trials = Trials.from_frame(pd.read_csv(BytesIO(data), compression="gzip"))
    reading = trials.reading or Reading("lcstats")
    return replace(trials, reading=replace(reading, format="lcstats", files=(_SWEEP,)))
