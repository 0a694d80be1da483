"""Results files of needle runners, read into trials or cells; and the table, written."""

from lcstats.readers.formats import Format
from lcstats.readers.read import read_trials
from lcstats.readers.registry import FORMATS, list_formats
from lcstats.readers.write import write_trials

__all__ = ["FORMATS", "Format", "list_formats", "read_trials", "write_trials"]
