"""Results of NVIDIA's RULER (commit c3f5e3b): predictions, and summaries where there are no others.

``MODEL/synthetic/LENGTH/pred/TASK.jsonl`` holds a prediction per line. Language model, length asked
for in tokens and task are in the path alone; a task in chunks, ``TASK-0.jsonl``, is one task. Where
two runs in folders of one name lie side by side, ``a/MODEL`` and ``b/MODEL`` name two language
models; with ``--model-name`` they are runs of one, and their trials repeats. The
score follows the suite: the share of ``outputs`` that are in ``pred``, letter case aside, and for
``qa`` tasks whether any of them is. The case is ``index``; where several prompts share one (the
runner writes the place of the answer into it since commit d4293b9), in whichever chunk, a digest of
their answers is added. ``length`` in the file is the tokens of the prompt and of the answer to
come: it is kept as ``length_in_file``. Where the prompt is stored, ``answer_position`` is where its
answer starts, a fraction of its characters, and ``answer_tenth`` the middle of the tenth that this
is in. No file names a depth, and nearly every prompt has a place of its own: ``--map
depth=answer_tenth`` takes the tenths for depths.
An empty prediction has no score here; the suite counts it as wrong, as ``official_score`` does.

``summary.csv`` holds the mean score of every task, in percent, and ``Nulls`` how many of how many
predictions are empty: counts per task and length, and no single trials. Sums are recovered exactly
from the two decimals where the number of answers to a prompt is the suite's. ``avg`` is no task.
``submission.csv`` holds predictions without references, and cannot be scored.

``nemo_ruler`` is the same suite run by NVIDIA-NeMo/Skills (commit 8b18f39):
``ruler.SETUP.TASK/output.jsonl`` with ``generation``, ``expected_answer`` and ``is_correct``, the
share that was found, which is worked out as above where it is missing. The length is what SETUP
ends with (``llama_128k``, ``llama-131072``), what comes before it the language model; each
``output-rs1.jsonl`` is a run of every case.

Nobody guesses such answers. Summaries were checked on published ones of two language models,
predictions and ``nemo_ruler`` on files made after the code that writes them.
"""

from lcstats.readers.ruler.nemo import NEMO_RULER
from lcstats.readers.ruler.predictions import RULER

__all__ = ["NEMO_RULER", "RULER"]
