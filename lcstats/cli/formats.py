"""``lcstats formats``: the formats that can be read, with what each can and cannot carry."""

from lcstats.cli.commands import define_command
from lcstats.cli.options import json_option
from lcstats.cli.output import print_json, print_text

SHOWN = ("name", "title", "carries", "lacks", "checked")


@define_command("formats", "lcstats formats --json")
@json_option
def command(as_json: bool) -> None:
    """List the formats that can be read, with what each can and cannot carry."""
    from lcstats.readers import list_formats

    formats = list_formats()
    if as_json:
        entries = [{name: getattr(entry, name) for name in SHOWN} for entry in formats]
        print_json({"schema_version": 1, "formats": entries, "warnings": []})
        return
    for entry in formats:
        print_text(f"{entry.name}: {entry.title}")
        for name in SHOWN[2:]:
            print_text(f"    {name}: {getattr(entry, name)}")
