"""What the path of a file of RULER says: run, language model, length and task."""

import re
from collections.abc import Iterable, Mapping, Sequence

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.folders import folders_above, name_places
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample

LENGTH_FOLDER, MODEL_FOLDER = "name of folder", "name of its folder"
"""Columns of what folders are named after."""

_CHUNK = re.compile(r"-\d+$")
_SUITE = "synthetic"


def task_of(sample: Sample) -> str:
    """Return the task of a file, which may hold a chunk of it."""
    return _CHUNK.sub("", sample.source.stem)


def length_of(sample: Sample, request: ReadRequest) -> str | None:
    """Return the length that a folder is named after; None where a column is taken for it.

    Raises
    ------
    FormatError
        If there is neither.
    """
    place = _place_of(sample)
    if place is not None:
        return folders_above(sample)[place]
    if "length" in request.table.columns:
        return None
    raise FormatError(
        describe(
            f"{sample.name} does not say its length: none of its nearest folders is named after it",
            "expected a path such as MODEL/synthetic/4096/pred/niah_single_1.jsonl",
            "give the folders back the names that RULER gave them",
        )
    )


def run_of(sample: Sample) -> str:
    """Return the folder of the run that a file is of: the one that holds its length's."""
    return "/".join(reversed(_folders_of_run(sample)))


def name_models(samples: Sequence[Sample], request: ReadRequest) -> Mapping[Sample, str]:
    """Name the language model of each file after the folder above the suite's.

    Where one name would stand for several runs, the folders above it become part of it; not where
    the call names the language model, for then they are its runs.

    Parameters
    ----------
    samples : sequence of Sample
    request : ReadRequest

    Returns
    -------
    mapping of Sample to str
        Without files that lie in no such folder.
    """
    places = {sample: _folders_of_run(sample)[1:] for sample in samples}
    places = {sample: place for sample, place in places.items() if place}
    if request.table.model_name is not None:
        return {sample: place[0] for sample, place in places.items()}
    return name_places(places, lambda sample: (sample.source.stem, length_of(sample, request)))


def is_made_by_ruler(sample: Sample) -> bool:
    """Tell whether a file lies in folders of the names that RULER gives them."""
    return _place_of(sample) == 1 and _folders_of_run(sample)[:1] == (_SUITE,)


def run_notices(models: Iterable[str]) -> tuple[Notice, ...]:
    """Say that runs in folders of one name were taken for language models of their own.

    Examples
    --------
    >>> run_notices(["a/llama", "b/llama"])[0].message.split(": ")[0]
    "folders named 'llama' hold 2 runs, taken for language models of their own"
    """
    joined = sorted({name for name in models if "/" in name})
    runs: dict[str, list[str]] = {}
    for name in joined:
        runs.setdefault(name.rpartition("/")[2], []).append(name)
    return tuple(
        Notice(
            "several-roots",
            f"folders named {name!r} hold {len(alike)} runs, taken for language models of their "
            f"own: {', '.join(alike)}; if they are runs of one, pass model_name={name!r} "
            f"(--model-name {name}), and they are repeats",
        )
        for name, alike in runs.items()
    )


def _folders_of_run(sample: Sample) -> tuple[str, ...]:
    """Return the folders above the length's, the nearest first; none where none is a length's."""
    place = _place_of(sample)
    return () if place is None else folders_above(sample)[place + 1 :]


def _place_of(sample: Sample) -> int | None:
    """Return which of the nearest folders is named after a length."""
    nearest = folders_above(sample)[:2]
    return next((place for place, name in enumerate(nearest) if name.isdecimal()), None)
