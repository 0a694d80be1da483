"""JSON lines of which little is kept: prompts of megabytes are let go line by line."""

from collections.abc import Iterator

from lcstats.readers.encodings import decode_text, escape_lone_surrogates
from lcstats.readers.json_records import Pick, frame_of, load_json, walk_lines
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Origin, RawTable

_UTF8 = ("utf-8", "utf-8-sig")


def load_picked(sample: Sample, request: ReadRequest, pick: Pick) -> RawTable:
    """Load what `pick` keeps of every record of a JSON or JSONL file.

    Large files of one object per line are never in memory whole, be they packed or cut.

    Parameters
    ----------
    sample : Sample
        A file of shape ``json`` or ``jsonl``.
    request : ReadRequest
        What the call asked for.
    pick : callable
        From record to row.

    Returns
    -------
    RawTable

    Raises
    ------
    FormatError
        If the file holds something that is not an object, or lines that cannot be read.
    """
    if _has_lines(sample):
        found = walk_lines(_decoded_lines(sample), sample.name, request, pick)
        return RawTable(frame_of(found.records), Origin((found.part,)), notices=found.notices)
    table = load_json([sample], request)
    rows = [pick(record) for record in table.frame.to_dict("records")]
    return RawTable(frame_of(rows), table.origin, notices=table.notices)


def _has_lines(sample: Sample) -> bool:
    """Tell whether a file can be read line by line; of small ones, there is no need to."""
    head = sample.source.data
    ends_with_cr = b"\n" not in head and b"\r" in head
    is_large = sample.shape == "jsonl" and not sample.source.is_whole
    return is_large and sample.codec in _UTF8 and not ends_with_cr


def _decoded_lines(sample: Sample) -> Iterator[str]:
    start = 0
    for line in sample.source.lines():
        text = decode_text(line, sample.codec, name=sample.name, start=start)
        yield escape_lone_surrogates(text)
        start += len(line)
