"""Wide tables of means: a row per depth, a column per length, a mean score in each cell.

Heat maps are kept so, as ``original_results/gpt4.csv`` of A-Roucher's fork of Kamradt's runner
(commit 465b697): the first header is empty, the others are lengths, the first column is the depth
in percent. YaRN's ``eval/passkey.py`` (995db5b) writes the same with a row per language model. No
cell says how many trials its mean is of, and without that there is neither an interval nor a test:
such a table is refused, and the message says what to read instead. Its numbers are not always those
of the trials either: in ``gpt4.csv`` 7 of 225 cells are 0.0, off the scale of 1 to 10, where the
marks were 1 and 3. Written from the description of these files.
"""

from collections.abc import Mapping, Sequence

from lcstats.errors import FormatError, describe
from lcstats.readers.formats import Format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import RawTable
from lcstats.trials.length_column import parse_suffixed
from lcstats.trials.values import parse_number
from lcstats.trials.wording import counted

_FEWEST_LENGTHS = 2


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    first, *others = sample.columns
    are_lengths = len(others) >= _FEWEST_LENGTHS and all(map(_is_length, others))
    return are_lengths and not _is_length(first) and not _counts_up(sample.columns)


def _counts_up(columns: Sequence[str]) -> bool:
    """Tell whether a header is the numbers that pandas gives columns without names."""
    return list(columns) == [str(number) for number in range(len(columns))]


def _is_length(header: str) -> bool:
    length = parse_number(header) or parse_suffixed(header, 1024)
    return length is not None and length >= 1


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    sample = samples[0]
    n_lengths = len(sample.columns) - 1
    raise FormatError(
        describe(
            f"{sample.name} is a table of means with a column for each of "
            f"{counted(n_lengths, 'length')}, and does not say how many trials each mean is of",
            "expected single trials, or the numbers of trials and of right ones in each cell",
            "read the results that the means were taken of, or write one row per cell with the "
            "columns length,depth,n,k",
        )
    )


WIDE_HEATMAP = Format(
    name="wide_heatmap",
    title="wide heat-map CSV, mean scores by depth (rows) and length (columns): recognised, and "
    "refused",
    carries="lengths, depths and mean scores, which cannot be used without the number of trials",
    lacks="how many trials a mean is of; single trials",
    checked="files made after the description of published ones",
    shapes=("csv",),
    sniff=_sniff,
    load=_load,
)
