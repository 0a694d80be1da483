"""The report as a reader finds it: its first lines, its figures and tables, its files."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lcstats.report.write
from lcstats.cells import Cells
from lcstats.errors import OptionError, SmallSampleWarning, TableError
from lcstats.lengths import Criterion, effective_length
from lcstats.report import ReportSettings, write_report
from lcstats.report.pages import content_hash, markdown_text
from lcstats.trials import Trials

pytestmark = pytest.mark.filterwarnings("ignore::lcstats.errors.LcstatsWarning")

TEMPLATES = Path(lcstats.report.write.__file__).parent / "templates"
FILTER = (TEMPLATES / "filter.js").read_text("utf-8")
LENGTHS, DEPTHS = [4096, 8192, 16384], [0.0, 0.5, 1.0]
SUCCESSES = np.array([[40, 40, 40], [38, 37, 38], [20, 10, 22]])


class Page(HTMLParser):
    """What a test wants to know about a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.source = path, path.read_text("utf-8")
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._skipping = 0
        self.feed(self.source)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        self._skipping += tag in ("style", "svg")
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag == "a":
            self.links.append(attributes["href"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        self._skipping -= tag in ("style", "svg")

    def handle_data(self, data):
        if not self._skipping and data.strip():
            self.words.append(" ".join(data.split()))

    @property
    def text(self) -> str:
        return "\n".join(self.words)


def cells_of(model="alpha", task="needle", successes=SUCCESSES) -> Cells:
    return Cells.from_counts(
        LENGTHS, DEPTHS, n_cases=40, successes=successes, model=model, task=task
    )


def join(*parts: Cells) -> Cells:
    return Cells(grids=tuple(grid for cells in parts for grid in cells.grids))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A report on one group, made once."""
    folder = tmp_path_factory.mktemp("module") / "report"
    write_report(cells_of(), folder, criterion=Criterion(0.85))
    return folder


@pytest.fixture
def svg_only(monkeypatch):
    """Leave PDF and PNG out, for tests of something else: they take most of the time."""
    monkeypatch.setattr("lcstats.report.figures.SUFFIXES", (".svg",))


@pytest.mark.smoke
def test_the_first_lines_say_everything_that_a_number_needs(folder):
    lines = Page(folder / "index.html").words
    start = lines.index("Task")
    assert lines[start : start + 10] == [
        "Task", "needle",
        "Threshold", "accuracy 0.85",
        "Depth treatment", "mean over depths",
        "Effective length", "8192 tokens",
        "95% set", "8192 tokens (certified)",
    ]  # fmt: skip
    first_figure = lines.index("Accuracy by length")
    for words in ("Worst depth", "Unscored", "0 of 360 trials", "Warnings"):
        assert lines.index(words) < first_figure


def test_worst_depth_stands_beside_the_mean_with_its_set_and_its_warning(folder):
    text = Page(folder / "index.html").text
    other = effective_length(cells_of(), Criterion(0.85, depth_treatment="worst"))
    assert f"{other.quoted.display} tokens; 95% set" in text
    assert f"95% set {other.quoted.default_set.display} tokens (hybrid)" in text
    assert "quote the set, not the raw cells' length" in text


def test_set_and_masses_are_told_apart(folder):
    text = Page(folder / "index.html").text
    assert "Set and masses are different things" in text
    assert "holds the true effective length at least 95% of the time" in text
    assert "how often each length would come up" in text


def test_the_page_needs_nothing_from_elsewhere(folder):
    page = Page(folder / "index.html")
    for tag, attributes in page.tags:
        assert tag not in ("script", "link", "iframe", "object", "img")
        for name in ("src", "href", "xlink:href"):
            assert not re.match(r"(?!data:)(\w+:|//)", attributes.get(name) or "")
    assert "@import" not in page.source
    assert "default-src 'none'" in page.source


def test_every_link_leads_somewhere_and_every_file_is_linked(folder):
    page = Page(folder / "index.html")
    targets = {link for link in page.links if not link.startswith("#")}
    assert targets == {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    }
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_the_page_can_be_read_by_machines_that_read_aloud(folder):
    page = Page(folder / "index.html")
    assert len(page.ids) == len(set(page.ids))
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert max(np.diff(page.headings)) <= 1
    assert ("html", {"lang": "en"}) in page.tags
    figures = [attributes for tag, attributes in page.tags if tag == "svg"]
    assert len(figures) == 5
    assert all(a["role"] == "img" and a["aria-labelledby"] in page.ids for a in figures)
    assert all("scope" in attributes for tag, attributes in page.tags if tag == "th")


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground"),
    [("ink", "paper"), ("quiet", "paper"), ("link", "paper"), ("ink", "card"), ("quiet", "card"),
     ("link", "card"), ("note-ink", "note")],
)  # fmt: skip
def test_text_has_the_contrast_that_weak_eyes_need(theme, ink, ground):
    css = (TEMPLATES / "report.css").read_text("utf-8")
    colors = [re.findall(rf"--{name}: (#\w{{6}})", css)[theme] for name in (ink, ground)]
    darker, lighter = sorted(map(luminance, colors))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_figures_come_in_three_formats_and_tables_as_csv(folder):
    stem = "alpha--needle"
    assert {path.name for path in (folder / "figures").iterdir()} == {
        f"{stem}-{kind}.{suffix}"
        for kind in ("decay", "depth", "heatmap", "masses", "methods")
        for suffix in ("svg", "pdf", "png")
    }
    with (folder / "tables" / f"{stem}-lengths.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["length"], r["label"], r["passes"]) for r in rows] == [
        ("4096", "4K", "True"), ("8192", "8K", "True"), ("16384", "16K", "False")
    ]  # fmt: skip
    cells = pd.read_csv(folder / "tables" / f"{stem}-cells.csv")
    assert cells["successes"].tolist() == SUCCESSES.ravel().tolist()


def test_html_markdown_json_and_csv_say_the_same_numbers(folder):
    text = Page(folder / "index.html").text
    markdown = (folder / "report.md").read_text()
    report = json.loads((folder / "report.json").read_text())
    group = report["effective_length"]["groups"][0]
    estimate = group["estimates"][0]
    summary = pd.read_csv(folder / "tables" / "effective-lengths.csv", dtype=str)
    assert summary["effective_length"][0] == estimate["display"] == "8192"
    assert summary["set"][0] == estimate["sets"][0]["display"]
    assert f"**{estimate['display']} tokens**" in markdown
    for length, accuracy in group["accuracy_by_length"].items():
        assert f"{length}\n{accuracy:.4f}\n" in text
        assert f"| {length} | {accuracy:.4f} |" in markdown
    for share in estimate["masses"]["bootstrap"].values():
        if share >= 0.0005:
            assert f"{share:.2%}" in text
            assert f"{share:.2%}" in markdown


def test_report_json_has_the_fields_that_scripts_use(folder):
    report = json.loads((folder / "report.json").read_text())
    assert report.keys() >= {
        "schema_version", "source", "settings", "read", "fit", "effective_length", "needles",
        "spec_sheet", "patterns", "warnings",
    }  # fmt: skip
    assert report["read"]["n_trials"] == 360
    other = report["other_depth_treatment"]["groups"][0]
    assert other["criterion"]["depth_treatment"] == "worst"
    assert report["settings"]["threshold"] == 0.85
    assert report["files"] == sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


@pytest.mark.slow
def test_equal_results_give_equal_bytes(folder, tmp_path):
    again = tmp_path / "again"
    write_report(cells_of(), again, criterion=Criterion(0.85))
    files = json.loads((folder / "report.json").read_text())["files"]
    assert [(again / f).read_bytes() for f in files] == [(folder / f).read_bytes() for f in files]


@pytest.mark.usefixtures("svg_only")
def test_names_from_files_stay_inside_the_folder_and_are_text(tmp_path):
    nasty = [("../../x", "a/b"), ("<script>alert(1)</script>", "$x_1$"), ("..", "`|`"), ("x", "|")]
    cells = join(*(cells_of(model, task) for model, task in nasty))
    write_report(cells, tmp_path / "in" / "report", criterion=Criterion(0.85))
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["report"]
    page = Page(tmp_path / "in" / "report" / "index.html")
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert f"<script>{FILTER}</script>" in page.source
    assert "<script>alert(1)</script> on $x_1$" in page.text
    assert len(page.ids) == len(set(page.ids))
    markdown = (tmp_path / "in" / "report" / "report.md").read_text()
    assert r"## \<script>alert(1)\</script> on $x_1$" in markdown


@pytest.mark.usefixtures("svg_only")
def test_several_groups_answer_first_and_show_later(tmp_path):
    cells = join(cells_of("alpha"), cells_of("beta", successes=SUCCESSES[::-1]))
    page = Page(write_report(cells, tmp_path / "r", criterion=Criterion(0.85)))
    words = page.words
    assert words.index("Index") < words.index("Spec sheet: alpha") < words.index("beta on needle")
    assert words.index("beta on needle") < words.index("Figures and tables: alpha on needle")
    assert f"script-src '{content_hash(FILTER)}'" in page.source
    names = [attributes["data-names"] for _, attributes in page.tags if "data-names" in attributes]
    assert sorted(names) == sorted(["alpha needle", "beta needle"] * 4)
    assert "below 4096 tokens (<4096): no tested length passes" in page.text
    assert "#details-beta--needle" in page.links


@pytest.mark.usefixtures("svg_only")
def test_unscored_trials_are_counted_at_the_top_and_by_length(tmp_path):
    rows = [
        {"model": "m", "length": n, "depth": d, "score": None if n == 16384 else 1.0,
         "status": "timeout" if n == 16384 else "ok"}
        for n in LENGTHS for d in DEPTHS for _ in range(4)
    ]  # fmt: skip
    rows[0] |= {"score": None, "status": "error"}
    page = Page(
        write_report(
            Trials.from_frame(pd.DataFrame(rows)), tmp_path / "r", criterion=Criterion(0.85)
        )
    )
    assert (
        "13 of 36 trials, left out and never counted as wrong: 1 at 4096, 12 at 16384" in page.text
    )
    assert "16384\nnone\nnot tested\n0\n0\n12" in page.text
    assert "Warnings on the table as a whole" in page.text


@pytest.mark.usefixtures("svg_only")
@pytest.mark.parametrize(
    ("methods", "said"),
    [((), "By the raw cells"), (("observed",), "no headline: the raw cells give")],
)
def test_worst_depth_asked_for_has_the_mean_beside_it(tmp_path, methods, said):
    criterion = Criterion(0.85, depth_treatment="worst")
    settings = ReportSettings(methods=methods)
    page = Page(write_report(cells_of(), tmp_path / "r", criterion=criterion, settings=settings))
    assert said in page.text
    assert "Mean over depths\n8192 tokens; 95% set 8192 tokens (certified)" in page.text


@pytest.mark.usefixtures("svg_only")
def test_a_set_that_stands_in_for_another_says_why(tmp_path):
    cells = Cells.from_counts(
        LENGTHS, DEPTHS, n_cases=[[40, 40, 20]] * 3, successes=[[40, 40, 20]] * 3
    )
    page = Page(write_report(cells, tmp_path / "r", criterion=Criterion(0.85)))
    assert "(jeffreys); not certified, because the depths of a length have unequal" in page.text


@pytest.mark.usefixtures("svg_only")
def test_one_depth_has_no_worst_depth_to_show(tmp_path):
    cells = Cells.from_counts(LENGTHS, [np.nan], n_cases=40, successes=[[40], [38], [10]])
    page = Page(write_report(cells, tmp_path / "r", criterion=Criterion(0.85)))
    assert "Worst depth" not in page.text
    assert not list((tmp_path / "r" / "figures").glob("*worst*"))


@pytest.mark.usefixtures("svg_only")
def test_one_of_each_is_counted_as_one_and_what_had_no_effect_is_said(tmp_path):
    cells = Cells.from_counts([1000], [0.5], n_cases=1, successes=[[1]])
    criterion, settings = Criterion(0.85, guess_rate="0.25"), ReportSettings(penalty="none")
    page = Page(write_report(cells, tmp_path / "r", criterion=criterion, settings=settings))
    assert "1 scored trial, 1 case, 1 length of 1000 tokens" in page.text
    markdown = (tmp_path / "r" / "report.md").read_text()
    assert "- Counts: 1 scored trial, 1 case, 1 length of 1000 tokens\n" in markdown
    assert "penalty 'none' has no effect" in page.text
    assert "guess rate 0.25 has no effect" in page.text
    assert "schema version" not in page.text


@pytest.mark.parametrize(
    ("results", "criterion", "mend"),
    [
        (pd.DataFrame({"length": [1], "score": [1]}), Criterion(0.85), "Trials.from_frame"),
        (cells_of(), 0.85, r"write Criterion\(0\.85\)"),
    ],
    ids=["table", "number"],
)
def test_what_cannot_be_reported_on_is_refused_with_the_mend(tmp_path, results, criterion, mend):
    with pytest.raises(OptionError, match=mend):
        write_report(results, tmp_path / "r", criterion=criterion)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("svg_only")
def test_settings_and_origin_are_said(tmp_path):
    settings = ReportSettings(
        sets=("default", "jeffreys"), masses=("jeffreys",), origin="Made <up>.", command="lcstats x"
    )
    page = Page(
        write_report(
            cells_of(), tmp_path / "r", criterion=Criterion("0.9"), level=0.9, settings=settings
        )
    )
    assert page.words[page.words.index("Made <up>.") + 1] == "Spec sheet: alpha"
    assert "lcstats x" in page.words
    assert "90% set" in page.words
    assert "Bootstrap" not in page.words
    assert "level\n0.9" in page.text


@pytest.mark.usefixtures("svg_only")
def test_warnings_of_the_asked_criterion_reach_python_once(tmp_path):
    small = Cells.from_counts([4096, 8192], DEPTHS, n_cases=5, successes=[[5, 5, 5], [3, 3, 3]])
    with pytest.warns(SmallSampleWarning, match="as few as 5 cases") as record:
        write_report(small, tmp_path / "r", criterion=Criterion(0.85))
    messages = [str(warning.message) for warning in record]
    assert len(messages) == len(set(messages))
    assert not [message for message in messages if message.startswith("worst")]


def test_nothing_scored_leaves_nothing(tmp_path):
    frame = pd.DataFrame({"length": [4096], "depth": [0.5], "score": [1.0]})
    trials = Trials.from_frame(frame)
    trials.frame.loc[:, "score"] = np.nan
    with pytest.raises(TableError, match="--map score=COLUMN"):
        write_report(trials, tmp_path / "a" / "r", criterion=Criterion(0.85))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OptionError, match="name another folder with -o"):
        write_report(cells_of(), tmp_path, criterion=Criterion(0.85))


def test_a_failure_half_way_leaves_the_earlier_report(tmp_path, monkeypatch):
    monkeypatch.setattr("lcstats.report.figures.SUFFIXES", (".svg",))
    page = write_report(cells_of(), tmp_path / "r", criterion=Criterion(0.85))
    before = page.read_bytes()
    monkeypatch.setattr("lcstats.report.write.render_page", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_report(cells_of("beta"), tmp_path / "r", criterion=Criterion(0.85))
    assert page.read_bytes() == before
    assert not list(tmp_path.rglob("*beta*"))
    assert not list(tmp_path.rglob(".lcstats*"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b", r"a\|b"),
        ("<b>", r"\<b>"),
        ("x_1 _y_", r"x_1 \_y\_"),
        ("a\nb", "a b"),
        ("a`b", r"a\`b"),
    ],
)
def test_markdown_takes_text_as_text(text, shown):
    assert markdown_text(text) == shown
