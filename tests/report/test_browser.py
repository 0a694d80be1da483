"""The page in a real browser: no errors, no requests, nothing wider than a phone.

Needs Chromium, and takes part only where ``LCSTATS_CHROMIUM`` names it (see ``.ci/extra``).
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lcstats.cells import Cells
from lcstats.lengths import Criterion
from lcstats.report import ReportSettings, write_report

CHROMIUM = os.environ.get("LCSTATS_CHROMIUM", "")
pytestmark = [
    pytest.mark.skipif(not CHROMIUM, reason="LCSTATS_CHROMIUM names no browser"),
    pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning"),
]

PHONE, DESK = 390, 1280
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--virtual-time-budget=5000", "--allow-file-access-from-files",
)  # fmt: skip
MEASURE = """<!DOCTYPE html><title>measure</title>
<iframe src="{page}" style="width:{width}px;height:4000px;border:0"></iframe>
<script>
onload = function () {{
  var view = document.querySelector("iframe").contentWindow, page = view.document;
  var wide = [].filter.call(page.querySelectorAll("body *"), function (part) {{
    return part.getBoundingClientRect().right > {width} + 1 && !part.closest(".wide, .sheet");
  }});
  var seen = {{
    wide: wide.map(function (part) {{ return part.tagName + "." + part.className; }}),
    scroll: page.documentElement.scrollWidth,
    broken: [].filter.call(page.images, function (image) {{
      image.loading = "eager"; return image.complete && !image.naturalWidth; }}).length,
    images: page.images.length,
    requests: view.performance.getEntriesByType("resource").map(function (entry) {{
      return entry.name; }}).filter(function (name) {{ return !/^(file|data):/.test(name); }}),
  }};
  var box = page.getElementById("filter");
  if (box) {{
    box.value = "model-1 two"; box.dispatchEvent(new view.Event("input"));
    seen.rows = [].filter.call(page.querySelectorAll("tr[data-names]"), function (row) {{
      return !row.hidden; }}).length;
  }}
  document.title = JSON.stringify(seen);
}};
</script>"""


def cells(n_models: int, tasks: tuple[str, ...]) -> Cells:
    successes = np.array([[40, 40, 40], [38, 37, 38], [20, 10, 22]])
    grids = [
        Cells.from_counts(
            [4096, 8192, 16384], [0, 0.5, 1], n_cases=40, successes=successes,
            model=f"model-{i}-with-a-long-name/of-an-organisation", task=task,
        ).grid
        for i in range(n_models)
        for task in tasks
    ]  # fmt: skip
    return Cells(grids=tuple(grids))


@pytest.fixture(scope="module", params=[1, 3, 13], ids=["one", "several", "many"])
def page(request, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("browser") / "report"
    tasks = ("needle",) if request.param == 1 else ("needle", "two-hop")
    settings = ReportSettings(methods=("observed",), advertised={"": 131072})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lcstats.report.figures.SUFFIXES", (".svg",))
        return write_report(
            cells(request.param, tasks), folder, criterion=Criterion(0.85), settings=settings
        )


def browse(page: Path, profile: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [CHROMIUM, *OPTIONS, f"--user-data-dir={profile}", *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_is_fetched_or_wider_than_the_screen_and_the_filter_filters(page, tmp_path, width):
    frame = page.parent.parent / f"measure-{width}.html"
    frame.write_text(MEASURE.format(page=page.as_uri(), width=width))
    dumped = browse(frame, tmp_path / "profile", "--dump-dom").stdout
    seen = json.loads(re.search(r"<title>(\{.*?\})</title>", dumped)[1].replace("&amp;", "&"))
    assert seen["wide"] == []
    assert seen["scroll"] <= width
    assert seen["broken"] == 0
    assert seen["requests"] == []
    n_groups = page.read_text("utf-8").count('class="answer"')
    assert (seen["images"] > 0) == (n_groups > 12)
    if n_groups > 1:
        # model-1 and, of many, model-10 to model-12.
        assert seen["rows"] == (1 if n_groups == 6 else 4)


def test_no_console_message(page, tmp_path):
    """A request that the page's policy refuses would be one, too."""
    run = browse(page, tmp_path / "profile", "--dump-dom", "--enable-logging=stderr")
    assert "CONSOLE" not in run.stderr


@pytest.mark.parametrize("scheme", [0, 1], ids=["dark", "light"])
def test_both_themes_can_be_printed_on_a_screen(page, tmp_path, scheme):
    picture = tmp_path / "page.png"
    browse(
        page, tmp_path / "profile", f"--blink-settings=preferredColorScheme={scheme}",
        f"--screenshot={picture}", f"--window-size={DESK},2000",
    )  # fmt: skip
    assert picture.read_bytes().startswith(b"\x89PNG")
    keep = os.environ.get("LCSTATS_SCREENSHOTS")
    if keep:
        shutil.copy(picture, Path(keep) / f"{page.parent.parent.name}-{scheme}.png")
