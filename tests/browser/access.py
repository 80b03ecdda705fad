"""Checks the accessibility of the current page with axe-core."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# The rules of WCAG 2.2 at levels A and AA, axe-core's best practices, and its experimental rules, one of
# which checks that a button's name contains its visible text.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]

# The rules whose result can depend on the size of the window.
BY_SIZE = ["target-size", "scrollable-region-focusable", "link-in-text-block"]

VIOLATIONS = """async ([type, values, within]) => {
    const { violations } = await axe.run(within, { runOnly: { type, values }, resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html, any, all, none }) => {
        const reasons = [...any, ...all, ...none].map(({ message }) => message);
        return `${id} (${help}): ${target.join(" ")}\\n    ${html}\\n    ${reasons.join("; ")}`;
    }));
}"""

# Shows the page in the other theme, or in its own one again, and returns its own theme.
SHOW_IN_OTHER_THEME = """async () => {
    const { dataset } = document.documentElement;
    const own = dataset.theme;
    if (own) dataset.theme = own === "dark" ? "light" : "dark";
    await new Promise(requestAnimationFrame);
    return own;
}"""


def expect_accessible(page: Page, name: str, by_size: bool = False, within: str = "html") -> None:
    """Checks that axe-core finds no violation on the page that the test calls ``name``.

    The contrast of a participant's page is checked in the light and in the dark theme.
    With ``by_size``, checks only the rules that depend on the window's size. ``within`` selects a part of the
    page, because the rest of an admin page is oTree's.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(VIOLATIONS, [*(["rule", BY_SIZE] if by_size else ["tag", RULES]), within])
    if not by_size and page.evaluate(SHOW_IN_OTHER_THEME):
        violations += page.evaluate(VIOLATIONS, ["rule", ["color-contrast"], within])
        page.evaluate(SHOW_IN_OTHER_THEME)
    assert not violations, "\n".join([f"{name}, {page.url}:", *violations])
