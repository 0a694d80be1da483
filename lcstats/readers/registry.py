"""The formats that can be read. A new one is a new file and one line here."""

from collections.abc import Mapping
from difflib import get_close_matches

from lcstats.errors import OptionError, describe
from lcstats.readers.babilong import BABILONG
from lcstats.readers.context_rot import CONTEXT_ROT
from lcstats.readers.context_rot_zh import CONTEXT_ROT_ZH
from lcstats.readers.counting_stars import COUNTING_STARS
from lcstats.readers.counts import COUNTS
from lcstats.readers.evalscope import EVALSCOPE
from lcstats.readers.flenqa import FLENQA
from lcstats.readers.formats import Format
from lcstats.readers.generic import CSV, JSON, JSONL, LCSTATS, PARQUET
from lcstats.readers.helmet import HELMET
from lcstats.readers.infinitebench import INFINITEBENCH
from lcstats.readers.inspect_frame import INSPECT_FRAME
from lcstats.readers.inspect_logs import INSPECT
from lcstats.readers.kamradt import KAMRADT_LIST, KAMRADT_V1
from lcstats.readers.kamradt_rouge import KAMRADT_ROUGE
from lcstats.readers.kamradt_v2 import KAMRADT_V2
from lcstats.readers.langsmith import LANGSMITH_NEEDLES, LANGSMITH_RUNS
from lcstats.readers.leval import LEVAL
from lcstats.readers.lighteval import LIGHTEVAL
from lcstats.readers.litm_scores import LITM_SCORES
from lcstats.readers.lm_eval import LM_EVAL
from lcstats.readers.loft import LOFT
from lcstats.readers.longalign import LONGALIGN
from lcstats.readers.longbench_v1 import LONGBENCH_V1
from lcstats.readers.longbench_v2 import LONGBENCH_V2
from lcstats.readers.longeval import LONGEVAL
from lcstats.readers.lost_in_the_middle import LITM_KV, LITM_QA
from lcstats.readers.lv_eval import LV_EVAL
from lcstats.readers.mrcr import MRCR
from lcstats.readers.needle_lists import LWM_NEEDLE, LWM_NEEDLES
from lcstats.readers.needlestack import NEEDLESTACK
from lcstats.readers.nocha import NOCHA
from lcstats.readers.nolima import NOLIMA
from lcstats.readers.openai_evals import OPENAI_EVALS
from lcstats.readers.opencompass import OPENCOMPASS
from lcstats.readers.promptfoo import PROMPTFOO
from lcstats.readers.ruler import NEMO_RULER, RULER
from lcstats.readers.samples import Sample
from lcstats.readers.small_llms import SMALL_LLMS
from lcstats.readers.stackai import STACKAI_V1, STACKAI_V2
from lcstats.readers.wide_heatmap import WIDE_HEATMAP

FORMATS: tuple[Format, ...] = (
    LCSTATS,
    KAMRADT_V1,
    KAMRADT_LIST,
    KAMRADT_ROUGE,
    KAMRADT_V2,
    LANGSMITH_NEEDLES,
    LANGSMITH_RUNS,
    LWM_NEEDLE,
    LWM_NEEDLES,
    LONGALIGN,
    CONTEXT_ROT,
    CONTEXT_ROT_ZH,
    WIDE_HEATMAP,
    LITM_QA,
    LITM_KV,
    LITM_SCORES,
    LONGEVAL,
    NEEDLESTACK,
    OPENCOMPASS,
    SMALL_LLMS,
    STACKAI_V1,
    STACKAI_V2,
    RULER,
    NEMO_RULER,
    BABILONG,
    INSPECT,
    INSPECT_FRAME,
    LM_EVAL,
    EVALSCOPE,
    LIGHTEVAL,
    PROMPTFOO,
    OPENAI_EVALS,
    MRCR,
    NOCHA,
    FLENQA,
    LV_EVAL,
    LEVAL,
    LOFT,
    COUNTING_STARS,
    LONGBENCH_V1,
    LONGBENCH_V2,
    INFINITEBENCH,
    NOLIMA,
    HELMET,
    COUNTS,
    CSV,
    JSONL,
    JSON,
    PARQUET,
)

_BY_RANK = sorted(FORMATS, key=lambda format: format.is_generic)


def list_formats() -> tuple[Format, ...]:
    """Return the formats that can be read, with what each can and cannot carry.

    Examples
    --------
    >>> [format.name for format in list_formats()][:3]
    ['lcstats', 'kamradt_v1', 'kamradt_list']
    """
    return FORMATS


def find_format(sample: Sample, columns: Mapping[str, str]) -> Format | None:
    """Return the format of a file by its content, or None.

    Parameters
    ----------
    sample : Sample
        A look at the file.
    columns : mapping of str to str
        Columns that the caller named.
    """
    return next((format for format in _BY_RANK if format.claims(sample, columns)), None)


def get_format(name: str) -> Format:
    """Return a format by its name.

    Raises
    ------
    OptionError
        If there is none of that name.
    """
    names = [format.name for format in FORMATS]
    if name in names:
        return FORMATS[names.index(name)]
    near = get_close_matches(name, names, n=1) or ["auto"]
    raise OptionError(
        describe(
            f"format is {name!r}",
            f"expected auto or one of {', '.join(names)}",
            f"pass format={near[0]!r} (--format {near[0]})",
        )
    )
