"""The layout of a page as it stands: what scrolls that should not, covers something or is cut off."""

from __future__ import annotations

import os
from pathlib import Path

from access import expect_accessible
from player import DESK, PHONE, Player

SIZES = {"desk": (DESK, [(1280, 720), (1920, 1080)]), "phone": (PHONE, [(390, 844)])}

# Nothing moves but what never rests, as on a wait page.
STILL = """() => document.getAnimations().every(
    motion => motion.effect.getComputedTiming().endTime === Infinity)"""

# What is wrong with the page as it stands. Texts are told by their lines, cards by their boxes.
FAULTS = """mayScroll => {
    const faults = [];
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) faults.push(`scrolls sideways, ${page.scrollWidth} px wide`);
    const height = page.scrollHeight;
    if (!mayScroll && height > page.clientHeight) faults.push(`scrolls, ${height} px high`);

    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const owner = node.parentElement;
        // What a card itself says is told below: cards of a cross lie over each other.
        const elsewhere = "script, style, noscript, .visually-hidden, .card svg";
        if (!node.data.trim() || owner.closest(elsewhere)) continue;
        if (!owner.checkVisibility({ visibilityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const words = node.data.trim().slice(0, 30);
        for (const box of range.getClientRects()) texts.push({ owner, words, box });
    }
    const cover = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    texts.forEach((one, index) => {
        for (const other of texts.slice(index + 1)) {
            if (one.owner !== other.owner && cover(one.box, other.box)) {
                faults.push(`"${one.words}" and "${other.words}" overlap`);
            }
        }
    });

    const board = document.querySelector(".board");
    const boxOf = element => element.getBoundingClientRect();
    const shown = [...document.querySelectorAll(".board .card:not(.undealt), .pair img")];
    const cards = shown.map(boxOf);
    const labels = ".turn-tag, .slot-tag, .tray kbd"; // they lie on cards on purpose
    for (const { owner, words, box } of texts) {
        if (board && !board.contains(owner) && cover(box, boxOf(board))) {
            faults.push(`"${words}" lies over the board`);
        }
        if (!owner.closest(labels) && cards.some(card => cover(box, card))) {
            faults.push(`"${words}" lies over a card`);
        }
        if (box.left < 0 || box.right > innerWidth) faults.push(`"${words}" leaves the window`);
        const clipped = [owner, owner.parentElement].some(around =>
            getComputedStyle(around).overflowX === "hidden" && around.scrollWidth > around.clientWidth);
        if (clipped) faults.push(`"${words}" is cut off`);
    }
    for (const card of cards) {
        const inWindow = mayScroll || (card.top >= 0 && card.bottom <= innerHeight);
        if (card.left < 0 || card.right > innerWidth || !inWindow) faults.push("a card leaves the window");
    }

    // Two cards of one cross overlap, and those of a hand held as a fan on a phone; no others may.
    const pile = card => card.closest(".cross") ?? (innerWidth <= 640 && card.closest(".tray")) ?? null;
    shown.forEach((one, index) => shown.slice(index + 1).forEach(other => {
        const together = pile(one) && pile(one) === pile(other);
        if (!together && cover(boxOf(one), boxOf(other))) faults.push("two cards overlap");
    }));

    // A card is no target of the mouse, the place it lies in is; here it is asked what lies uppermost.
    const targets = document.createElement("style");
    targets.textContent = `.board .card, ${labels} { pointer-events: all !important; }`;
    document.head.append(targets);
    // However they lie, of each card the value is in sight, and of one in the hand the sign of its column.
    for (const card of document.querySelectorAll(".board .card[data-card]:has(svg text)")) {
        const value = card.querySelector("text");
        const signs = card.closest(".tray") ? [value, card.querySelector("g")] : [value];
        if (mayScroll) card.scrollIntoView({ block: "center", behavior: "instant" });
        for (const sign of signs.map(boxOf)) {
            for (const [x, y] of [[0.1, 0.3], [0.9, 0.3], [0.5, 0.5], [0.1, 0.7], [0.9, 0.7]]) {
                const point = [sign.left + x * sign.width, sign.top + y * sign.height];
                const upper = document.elementFromPoint(...point);
                if (upper?.closest(".card") === card) continue;
                const what = upper?.closest(labels)?.textContent ?? "something";
                faults.push(`${what} lies over the "${value.textContent}" of a card`);
            }
        }
    }
    targets.remove();
    scrollTo(0, 0);
    return [...new Set(faults)];
}"""


def expect_in_order(player: Player, name: str, sizes: list[tuple[int, int]], may_scroll: bool) -> None:
    """No fault at any of the sizes, and a picture of each if pictures are wanted."""
    player.page.wait_for_load_state()
    for width, height in sizes:
        if len(sizes) > 1:
            player.page.set_viewport_size({"width": width, "height": height})
        player.wait_until("() => document.fonts.status === 'loaded'")
        player.wait_until(STILL)
        folder = os.environ.get("CARD_LAB_SCREENSHOTS")
        if folder:
            player.page.screenshot(path=Path(folder, f"{name}-{width}x{height}.png"), full_page=may_scroll)
        faults = player.page.evaluate(FAULTS, may_scroll)
        assert not faults, f"{name} at {width}×{height}: {faults}"
    expect_accessible(player.page, name)
