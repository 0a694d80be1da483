"""Write the tables of ``reference/json.md`` from the JSON Schema: python -m docs.schema_tables.

What stands above the page's first command is written by hand and kept.
"""

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "reference" / "json.md"
START = "## Commands\n"
WORDS = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
}


def main() -> None:
    """Write the page again."""
    PAGE.write_text(build_page(PAGE.read_text("utf-8")), encoding="utf-8")


def build_page(page: str) -> str:
    """Return the page with the tables of the schema in the place of those that it has."""
    by_hand, found, _ = page.partition(START)
    assert found, f"{PAGE.name} has no line {START.strip()}"
    return by_hand + "\n".join(_tables())


def _tables() -> Iterator[str]:
    schema = json.loads((files("lcstats") / "schemas/lcstats.schema.json").read_text("utf-8"))
    commands = [_name(part) for part in schema["anyOf"]]
    yield START
    for name in commands:
        yield from _section(name, schema["$defs"][name])
    yield "## Parts\n"
    for name in sorted(schema["$defs"].keys() - set(commands)):
        yield from _section(name, schema["$defs"][name])


def _section(name: str, part: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {name}\n"
    yield f"{part['description']}\n"
    if "anyOf" in part:
        yield f"{' or '.join(map(_type_words, part['anyOf']))}.\n"
        return
    yield "| field | holds | meaning |"
    yield "|---|---|---|"
    for field, value in part["properties"].items():
        absent = "" if field in part["required"] else " (may be absent)"
        yield f"| `{field}`{absent} | {_type_words(value)} | {value.get('description', '')} |"
    yield ""


def _type_words(value: Mapping[str, Any]) -> str:
    """Say in words what a value may be."""
    if "$ref" in value:
        return f"[{_name(value)}](#{_name(value)})"
    if "const" in value:
        return f"{value['const']}"
    if "enum" in value:
        return ", ".join("null" if word is None else f"`{word}`" for word in value["enum"])
    if "anyOf" in value:
        return " or ".join(map(_type_words, value["anyOf"]))
    if "type" not in value:
        return "anything"
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    return " or ".join(_word(kind, value) for kind in types)


def _word(kind: str, value: Mapping[str, Any]) -> str:
    if kind == "array":
        return f"list of {_type_words(value['items'])}"
    if kind == "object":
        return f"by key: {_type_words(value['additionalProperties'])}"
    return WORDS.get(kind, kind) + ("" if kind == "null" else _range(value))


def _range(value: Mapping[str, Any]) -> str:
    ends = zip(("from", "to"), ("minimum", "maximum"), strict=True)
    return "".join(f" {word} {value[end]}" for word, end in ends if end in value)


def _name(reference: Mapping[str, str]) -> str:
    return reference["$ref"].rpartition("/")[2]


if __name__ == "__main__":
    main()
