"""Checks the accessibility of the current page with axe-core."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# What WCAG 2.2 asks at A and AA, what is good practice beside it, and what axe-core calls experimental, where
# it has the rule that the name of a button holds the words that are seen on it.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]

# Of these, what may be so in one size of the window and not in another.
BY_SIZE = ["target-size", "scrollable-region-focusable", "link-in-text-block"]

VIOLATIONS = """async ([type, values, within]) => {
    const { violations } = await axe.run(within, { runOnly: { type, values }, resultTypes: ["violations"] });
    return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html, any, all, none }) => {
        const reasons = [...any, ...all, ...none].map(({ message }) => message);
        return `${id} (${help}): ${target.join(" ")}\\n    ${html}\\n    ${reasons.join("; ")}`;
    }));
}"""


def expect_accessible(page: Page, name: str, by_size: bool = False, within: str = "html") -> None:
    """No violation at all, on the page that the test calls ``name``; with ``by_size`` only of what another
    size of the window can change. ``within`` selects a part: the rest of an admin page is oTree's."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    violations = page.evaluate(VIOLATIONS, [*(["rule", BY_SIZE] if by_size else ["tag", RULES]), within])
    assert not violations, "\n".join([f"{name}, {page.url}:", *violations])
