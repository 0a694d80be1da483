import re

import pytest

from lcstats.report.figures import SUFFIXES, FigurePlan, inline_svg

FILE = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="10pt" viewBox="0 0 10 10">
 <metadata><rdf:RDF><dc:date>2020</dc:date></rdf:RDF></metadata>
 <defs><clipPath id="p1"><rect/></clipPath><path id="m1" style="stroke: #fff"/></defs>
 <g id="axes_1" clip-path="url(#p1)"><use xlink:href="#m1"/><text>id="axes_1" url(#p1)</text></g>
</svg>
"""


def test_prologue_and_metadata_go():
    svg = inline_svg(FILE, "a", "what it shows")
    assert svg.startswith("<svg ")
    assert "DOCTYPE" not in svg
    assert "metadata" not in svg


def test_identifiers_and_references_get_the_prefix_and_text_does_not():
    svg = inline_svg(FILE, "a", "what it shows")
    assert set(re.findall(r'<[^>]*\bid="([^"]+)"', svg)) == {"a-p1", "a-m1", "a-axes_1", "a-text"}
    assert 'clip-path="url(#a-p1)"' in svg
    assert 'xlink:href="#a-m1"' in svg
    assert '<text>id="axes_1" url(#p1)</text>' in svg
    assert "#fff" in svg


def test_what_it_shows_is_tied_to_the_image_as_text():
    svg = inline_svg(FILE, "a", 'model <b> & "c"')
    assert 'role="img" aria-labelledby="a-text"' in svg
    assert '<title id="a-text">model &lt;b&gt; &amp; ' in svg


@pytest.mark.parametrize(
    ("n_groups", "suffixes", "kinds", "inline"),
    [
        (1, SUFFIXES, (), True),
        (12, SUFFIXES, (), True),
        (13, (".svg",), ("decay", "heatmap", "residuals"), False),
        (120, (".svg",), ("decay",), False),
    ],
)
def test_larger_reports_draw_less_of_each_group(n_groups, suffixes, kinds, inline):
    plan = FigurePlan.of(n_groups, seed=1)
    assert (plan.suffixes, plan.kinds, plan.inline) == (suffixes, kinds, inline)
    assert plan.n_failures == (12 if inline else 3)
