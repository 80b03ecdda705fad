"""Tests a report opened from disk: no requests, no clipping, legible at every size and on paper."""

import pytest
from harnesses import GAMES
from layout import SIZES

from cardlab.analysis.commands import main

# Finds wrong layout, texts of plots that overlap by more than a letter, and images that were not drawn.
FAULTS = """() => {
    const faults = [];
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) faults.push(`scrolls sideways: ${page.scrollWidth} px`);
    for (const plot of document.querySelectorAll(".plot svg")) {
        const box = plot.getBoundingClientRect();
        if (box.width < 200 || box.height < 50) faults.push(`a plot of ${box.width} by ${box.height}`);
        if (box.right > page.clientWidth + 1) faults.push("a plot is cut off");
        const texts = [...plot.querySelectorAll("text")]
            .map(at => [at.textContent, at.getBoundingClientRect()]);
        texts.sort(([, a], [, b]) => a.top - b.top);
        texts.forEach(([words, a], index) => {
            for (let below = index + 1; below < texts.length; below++) {
                const [others, b] = texts[below];
                const down = Math.min(a.bottom, b.bottom) - b.top;
                if (a.bottom - b.top <= 5) break;  // nor do those further down
                const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                if (across > 4 && down > 5) faults.push(`"${words}" lies over "${others}"`);
            }
        });
    }
    return faults;
}"""


@pytest.fixture(scope="module", params=list(GAMES))
def report(request, tmp_path_factory):
    """Provides the address of a report page of simulated data."""
    folder = tmp_path_factory.mktemp(request.param)
    asked = [*GAMES[request.param].harness.REPORTED, "--participants", "12", "--hands", "4"]
    table = str(folder / "actions.csv")
    assert main(["simulate", GAMES[request.param].folder, *asked, "-o", table]) == 0
    options = ["--by", "participant_label", "--no-search", "--out", str(folder)]
    assert main(["report", table, *options]) == 0
    return (folder / "report.html").as_uri()


@pytest.mark.long(
    "the same page as of the challenge", only=("ttt", "ttt_pair", "matrix", "triangle", "solitario")
)
@pytest.mark.parametrize("kind", SIZES)
def test_report_fits_every_screen_and_paper(browsers, report, kind):
    at, sizes = SIZES[kind]
    page = browsers.context(at).new_page()
    fetched, complaints = [], []
    page.on("request", lambda request: fetched.append(request.url))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto(report)
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(FAULTS) == [], (width, height)
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator(".plot svg").first.is_visible()
    page.close()
    assert fetched == [report]
    assert complaints == []
