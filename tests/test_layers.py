"""The rooms of the library, their layers, and the rules of the house that a parser can check.

`LAYERS` is the authority on which room may import which. An import under ``TYPE_CHECKING`` counts
like any other. Each rule is tried on a planted violation too, so that it cannot pass by seeing
nothing.
"""

import ast
import functools
import graphlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

LIBRARY = Path(__file__).resolve().parents[1] / "lcstats"

LAYERS = (
    ("errors", "extras", "options", "records", "kernels"),
    ("designs", "trials"),
    ("cells", "curve", "wilson"),
    ("readers", "truths", "datasets", "fit", "flexible"),
    ("draws",),
    ("posterior",),
    ("lengths", "power"),
    ("needles", "comparison", "plan", "runner"),
    ("plots",),
    ("report",),
    ("cli", "__init__", "__main__"),
)
LAYER_OF = {room: layer for layer, rooms in enumerate(LAYERS) for room in rooms}

# A room imports every layer below its own, except:
HIGHEST_IMPORTED = {"runner": 3}
# Rooms of one layer do not import each other, except:
NEIGHBOURS = {
    "extras": {"errors"},
    "options": {"errors"},
    "records": {"errors"},
    "cli": {"__init__"},
    "__init__": {"cli"},
    "__main__": {"cli"},
}
# Rooms that may use nothing beyond these and the standard library:
THIRD_PARTY = {
    "errors": set(),
    "extras": set(),
    "options": set(),
    "records": {"numpy"},
    "kernels": {"numba", "numpy"},
}

MAY_IMPORT_LATE = (("__init__",), ("cli",), ("runner", "backends"))
OUTSIDE = {"benchmarks", "sims", "tests"}
NOT_A_ROOM = {"util", "utils", "_util", "_utils"}
LONGEST_FUNCTION = 60


@dataclass(frozen=True, slots=True)
class Module:
    """One source file: its dotted name below the package, and what it parses to."""

    name: tuple[str, ...]
    is_package: bool
    tree: ast.Module

    @property
    def room(self) -> str:
        return self.name[0] if self.name else "__init__"

    @property
    def label(self) -> str:
        return "/".join(self.name + ("__init__",) * self.is_package) + ".py"


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module: `ours` is its name below the package, None for somebody else's."""

    line: int
    full_name: str
    ours: tuple[str, ...] | None
    late: bool


Modules = dict[tuple[str, ...], Module]


@functools.cache
def read_modules(library: Path) -> Modules:
    modules = {}
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = parts[:-1] if is_package else parts
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        modules[name] = Module(name, is_package, tree)
    return modules


def walk_imports(node: ast.AST, late: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield each import statement below `node` and whether it waits for a call."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, late
        else:
            in_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from walk_imports(child, late or in_function)


def absolute_base(statement: ast.ImportFrom, module: Module, package: str) -> tuple[str, ...]:
    """Return what stands between ``from`` and ``import``, with leading dots resolved."""
    written = tuple(statement.module.split(".")) if statement.module else ()
    if statement.level == 0:
        return written
    here = (package, *module.name)
    climb = statement.level - module.is_package
    return here[: len(here) - climb] + written


def find_imports(module: Module, modules: Modules, package: str) -> Iterator[Import]:
    for statement, late in walk_imports(module.tree):
        if isinstance(statement, ast.Import):
            targets = [tuple(alias.name.split(".")) for alias in statement.names]
        else:
            base = absolute_base(statement, module, package)
            targets = [
                (*base, alias.name) if (*base[1:], alias.name) in modules else base
                for alias in statement.names
            ]
        for target in targets:
            ours = target[1:] if target[0] == package else None
            yield Import(statement.lineno, ".".join(target), ours, late)


def judge_import(module: Module, found: Import) -> str | None:
    """Return what is wrong with an import, or None."""
    room = module.room
    top = found.full_name.split(".")[0]
    late_allowed = any(module.name[: len(place)] == place for place in MAY_IMPORT_LATE)
    if found.late and not (late_allowed or module.name == ()):
        return "imports inside a function"
    if top in OUTSIDE:
        return "the library never imports what is built on it"
    if found.ours is None:
        stranger = top not in sys.stdlib_module_names and top not in THIRD_PARTY.get(room, {top})
        return f"not among the libraries that {room} may use" if stranger else None
    other = found.ours[0] if found.ours else "__init__"
    if other == room or other in NEIGHBOURS.get(room, ()):
        return None
    if other not in LAYER_OF:
        return f"{other} is not in the table of layers"
    mine, theirs = LAYER_OF[room], LAYER_OF[other]
    if theirs == mine:
        return f"sideways: both are in layer {mine}"
    highest = HIGHEST_IMPORTED.get(room, mine - 1)
    return f"upward: {room} imports layers up to {highest}" if theirs > highest else None


def find_cycle(imports: dict[tuple[str, ...], list[Import]]) -> list[str]:
    graph = {
        name: {found.ours for found in all_found if found.ours in imports and not found.late}
        - {name}
        for name, all_found in imports.items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        names = [".".join(name) or "__init__" for name in reversed(error.args[1])]
        return ["a cycle: " + " imports ".join(names)]
    return []


def find_violations(library: Path) -> list[str]:
    """Return one line per broken rule of imports or rooms, empty for a tidy library."""
    modules = read_modules(library)
    imports = {
        name: list(find_imports(module, modules, library.name)) for name, module in modules.items()
    }
    lines = []
    for name, module in modules.items():
        if not NOT_A_ROOM.isdisjoint(name):
            lines.append(f"{module.label}: a drawer for everything; name the room by what it does")
        elif module.room not in LAYER_OF:
            lines.append(f"{module.label}: {module.room} is not in the table of layers")
        else:
            for found in imports[name]:
                fault = judge_import(module, found)
                if fault:
                    lines.append(f"{module.label}:{found.line} {found.full_name}: {fault}")
    return lines + find_cycle(imports)


def find_long_functions(library: Path) -> list[str]:
    """Return the functions whose body without docstring is longer than the house allows."""
    lines = []
    for module in read_modules(library).values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                length = body[-1].end_lineno - body[0].lineno + 1 if body else 0
                if length > LONGEST_FUNCTION:
                    lines.append(f"{module.label}:{node.lineno} {node.name}: {length} lines")
    return lines


def find_undocumented_modules(library: Path) -> list[str]:
    return [m.label for m in read_modules(library).values() if not ast.get_docstring(m.tree)]


def plant(folder: Path, files: dict[str, str]) -> Path:
    """Write a small library called lcstats and return its folder."""
    library = folder / "lcstats"
    for name, source in files.items():
        path = library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    return library


def test_the_library_is_seen():
    assert ("errors",) in read_modules(LIBRARY)


def test_imports_keep_to_the_layers():
    assert find_violations(LIBRARY) == []


def test_functions_are_short():
    assert find_long_functions(LIBRARY) == []


def test_modules_say_what_they_are_for():
    assert find_undocumented_modules(LIBRARY) == []


TIDY = {
    "__init__.py": (
        "from lcstats.errors import LcstatsError\n"
        "def __getattr__(name):\n    from lcstats import cells\n    return cells\n"
    ),
    "__main__.py": "from lcstats.cli import main\n",
    "errors.py": "import dataclasses\n",
    "options.py": "from lcstats.errors import OptionError\n",
    "kernels/__init__.py": "from lcstats.kernels.binomial import tail\n",
    "kernels/binomial.py": "import math\nimport numpy as np\nfrom numba import njit\n",
    "trials/__init__.py": "from .table import Trials\n",
    "trials/table.py": "import pandas as pd\nfrom ..errors import TableError\n",
    "cells.py": "from lcstats import kernels, trials\nimport lcstats.trials.table\n",
    "lengths/__init__.py": "from lcstats.lengths.sets import choose_set\n",
    "lengths/sets.py": "from lcstats.lengths import criterion\n",
    "lengths/criterion.py": "from lcstats.cells import Cells\n",
    "runner/backends/huggingface.py": "def load():\n    import transformers\n",
    "cli/__init__.py": "import lcstats\ndef main():\n    from lcstats.cli import report\n",
    "cli/report.py": "def run():\n    from lcstats.report import write_report\n",
    "report/__init__.py": "import jinja2\nfrom lcstats.plots import decay\n",
    "plots/decay.py": "from lcstats.lengths import choose_set\n",
}


def test_a_tidy_library_passes(tmp_path):
    assert find_violations(plant(tmp_path, TIDY)) == []


@pytest.mark.parametrize(
    ("files", "line"),
    [
        pytest.param(
            {"cells.py": "from lcstats.lengths import effective_length\n"},
            r"cells.py:1 lcstats.lengths: upward: cells imports layers up to 1",
            id="upward",
        ),
        pytest.param(
            {"cells.py": "from lcstats import plots\n", "plots/__init__.py": ""},
            "cells.py:1 lcstats.plots: upward: cells imports layers up to 1",
            id="upward, from the package",
        ),
        pytest.param(
            {"trials/table.py": "import json\nfrom ..report import page\n"},
            "trials/table.py:2 lcstats.report: upward: trials imports layers up to 0",
            id="upward, relative",
        ),
        pytest.param(
            {"trials/__init__.py": "from ..report import page\n"},
            "trials/__init__.py:1 lcstats.report: upward: trials imports layers up to 0",
            id="upward, relative to a package",
        ),
        pytest.param(
            {
                "trials/table.py": (
                    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
                    "    from lcstats.cells import Cells\n"
                )
            },
            "trials/table.py:3 lcstats.cells: upward: trials imports layers up to 0",
            id="upward, for types only",
        ),
        pytest.param(
            {"trials/table.py": "import lcstats\n"},
            "trials/table.py:1 lcstats: upward: trials imports layers up to 0",
            id="upward, to the front door",
        ),
        pytest.param(
            {"errors.py": "from lcstats.options import check_option\n"},
            "errors.py:1 lcstats.options: sideways: both are in layer 0",
            id="sideways",
        ),
        pytest.param(
            {"readers/csv.py": "from lcstats.truths import simulate_trials\n"},
            "readers/csv.py:1 lcstats.truths: sideways: both are in layer 3",
            id="sideways, from a package",
        ),
        pytest.param(
            {"runner/sweep.py": "from lcstats.lengths import Criterion\n"},
            "runner/sweep.py:1 lcstats.lengths: upward: runner imports layers up to 3",
            id="below, but out of reach",
        ),
        pytest.param(
            {
                "lengths/sets.py": "from lcstats.lengths.certified import certify\n",
                "lengths/certified.py": "from lcstats.lengths import sets\n",
            },
            "a cycle: lengths.certified imports lengths.sets imports lengths.certified",
            id="cycle",
        ),
        pytest.param(
            {"cells.py": "def count_cells():\n    import pandas\n"},
            "cells.py:2 pandas: imports inside a function",
            id="in a function",
        ),
        pytest.param(
            {"runner/sweep.py": "class Sweep:\n    async def run(self):\n        import httpx\n"},
            "runner/sweep.py:3 httpx: imports inside a function",
            id="in a method",
        ),
        pytest.param(
            {"cli/read.py": "def run():\n    from sims import coverage\n"},
            "cli/read.py:2 sims: the library never imports what is built on it",
            id="the studies",
        ),
        pytest.param(
            {"kernels/binomial.py": "import scipy.stats\n"},
            "kernels/binomial.py:1 scipy.stats: not among the libraries that kernels may use",
            id="a library that the room may not use",
        ),
        pytest.param(
            {"cells.py": "from lcstats.lattice import convolve\n"},
            "cells.py:1 lcstats.lattice: lattice is not in the table of layers",
            id="an import from no room",
        ),
        pytest.param(
            {"lattice.py": ""},
            "lattice.py: lattice is not in the table of layers",
            id="a room without a layer",
        ),
        pytest.param(
            {"utils.py": ""},
            "utils.py: a drawer for everything; name the room by what it does",
            id="utils",
        ),
        pytest.param(
            {"readers/_utils/__init__.py": ""},
            "readers/_utils/__init__.py: a drawer for everything; name the room by what it does",
            id="utils inside a room",
        ),
    ],
)
def test_a_planted_violation_is_found(tmp_path, files, line):
    assert find_violations(plant(tmp_path, files)) == [line]


def test_the_length_of_a_function_is_its_body_without_docstring(tmp_path):
    statements = "    x = 1\n" * LONGEST_FUNCTION
    document = '    """Say.\n\n' + "    More.\n" * 80 + '    """\n'
    files = {
        "fit.py": f"def fits():\n{document}{statements}",
        "curve.py": f"async def too_long():\n{document}{statements}    return x\n",
    }
    assert find_long_functions(plant(tmp_path, files)) == ["curve.py:1 too_long: 61 lines"]


def test_a_module_without_docstring_is_found(tmp_path):
    files = {"plots/__init__.py": "", "plots/decay.py": '"""The decay."""\n'}
    assert find_undocumented_modules(plant(tmp_path, files)) == ["plots/__init__.py"]
