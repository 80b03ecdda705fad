"""Checks the layout of the current page: unwanted scrolling, overlaps and clipped content."""

from __future__ import annotations

import os
from pathlib import Path

from access import expect_accessible
from player import DESK, PHONE, Player

# Window sizes for all pages. Pages with a board must not scroll in any of them.
SIZES = {"desk": (DESK, [(1280, 720)]), "phone": (PHONE, [(390, 844)])}
LARGER = (1920, 1080)  # for all pages on a desk, with --long; boards are always checked in a still larger one
# Further sizes for pages with a board: small windows (1366×625 is a laptop without the browser's bars,
# 853×480 and 640×360 are 1280×720 at 150 % and 200 %), tablets and phones, and a large screen.
SMALL = {
    "desk": [(1366, 625), (640, 360), (2560, 1440)],
    "phone": [(768, 1024), (844, 390), (320, 640)],
}
# Sizes in between, with --long. Each costs a fifth of a second of one core per page state.
BETWEEN = {"desk": [(1024, 768), (853, 480)], "phone": [(820, 1180), (640, 360)]}

# Fonts are loaded, only endless animations run, and a resize was handled.
AT_REST = """() => document.fonts.status === "loaded" && document.getAnimations().every(
    motion => motion.effect.getComputedTiming().endTime === Infinity) && new Promise(
    rested => requestAnimationFrame(() => requestAnimationFrame(() => rested(true))))"""

# States that another state contains: these are checked only in the main sizes.
LESS = {
    *("hand", "hand-hint", "hand-wrong-drop", "hand-looked", "hand-nk", "last-hand-over"),
    *("instructions", "instructions-solved", "instructions-timed", "hand-timed", "hand-timed-looked"),
    *(
        "matrix-start",
        "matrix-S-one-has-chosen",
        "matrix-W-one-has-chosen",
        "matrix-S-waits",
        "matrix-W-waits",
    ),
    *("matrix-note", "matrix-four-N", "matrix-four-S", "matrix-robots-start"),
    *("challenge-instructions-pay", "challenge-thirteen"),
    *("pair-over", "pair-refused", "pair-instructions"),
    *("pair-instructions-partner", "pair-instructions-look"),
    *("matrix-instructions", "triangle-start", "triangle-refused", "triangle-middle", "triangle-both-start"),
}

LEAST = 44  # px, of everything that can be touched
LEGIBLE = 12  # px, of text

# Returns faults of the current page. Texts are identified by their lines, cards by their boxes.
FAULTS = """([mayScroll, least, legible]) => {
    const faults = [];
    const page = document.documentElement;
    // Where what stays in sight at the lower edge of the window has its own place.
    scrollTo({ top: page.scrollHeight, behavior: "instant" });
    if (page.scrollWidth > page.clientWidth) faults.push(`scrolls sideways, ${page.scrollWidth} px wide`);
    const height = page.scrollHeight;
    if (!mayScroll && height > page.clientHeight) faults.push(`scrolls, ${height} px high`);

    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const owner = node.parentElement;
        // Text on cards is checked below, because the cards of a cross overlap.
        const hidden = ".visually-hidden, .visually-hidden-focusable:not(:focus-within)";
        const elsewhere = `script, style, noscript, ${hidden}, .card svg`;
        if (!node.data.trim() || owner.closest(elsewhere) || owner.clientWidth === 1) continue;
        if (!owner.checkVisibility({ visibilityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const words = node.data.trim().slice(0, 30);
        for (const box of range.getClientRects()) texts.push({ owner, words, box });
    }
    const sized = [...texts.map(({ owner }) => owner), ...document.querySelectorAll(".card svg text")];
    for (const owner of new Set(sized)) {
        if (!owner.getClientRects().length) continue;
        const matrix = owner.getScreenCTM?.();
        const scale = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
        const size = parseFloat(getComputedStyle(owner).fontSize) * scale;
        if (size < legible - 0.05) {
            faults.push(`"${owner.textContent.trim().slice(0, 30)}" is ${size.toFixed(1)} px high`);
        }
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
    const shown = [...document.querySelectorAll(".board .card:not(.undealt), .card-pair img")].filter(
        card => card.checkVisibility());
    const cards = shown.map(boxOf);
    const labels = ".turn-tag, .keeper-player, .slot-tag, .place kbd, .card-count"; // lie on cards on purpose
    for (const { owner, words, box } of texts) {
        const onTheEdge = owner.matches(".practice"); // on purpose
        if (board && !board.contains(owner) && !onTheEdge && cover(box, boxOf(board))) {
            faults.push(`"${words}" lies over the board`);
        }
        if (!owner.closest(labels) && cards.some(card => cover(box, card))) {
            faults.push(`"${words}" lies over a card`);
        }
        if (box.left < -1 || box.right > page.clientWidth + 1) faults.push(`"${words}" leaves the window`);
        const clipped = [owner, owner.parentElement].some(around =>
            getComputedStyle(around).overflowX === "hidden" && around.scrollWidth > around.clientWidth);
        if (clipped) faults.push(`"${words}" is cut off`);
    }
    for (const tag of document.querySelectorAll(".seat-label .turn-tag")) {
        const [lies, plate] = [tag, tag.parentElement].map(boxOf);
        const isOutside = lies.top > plate.bottom - 1 || lies.bottom < plate.top + 1;
        if (tag.checkVisibility() && !isOutside) faults.push(`"${tag.textContent}" lies over its label`);
    }
    for (const card of cards) {
        const inWindow = mayScroll || (card.top >= 0 && card.bottom <= innerHeight);
        const across = card.left >= -1 && card.right <= page.clientWidth + 1;
        if (!across || !inWindow) faults.push("a card leaves the window");
    }

    for (const { width, height } of [...document.querySelectorAll("[type=radio]")].map(boxOf)) {
        if (width < height - 1) faults.push(`a choice is ${width.toFixed(1)} px wide`);
    }

    // What a board has no room for would lie over what is said under it.
    if (board?.scrollHeight > board?.clientHeight + 4) {
        faults.push(`the board is ${board.clientHeight} px high, what is on it ${board.scrollHeight} px`);
    }

    // Two cards of one cross, pile or hand overlap; no others may, nor may places.
    const cross = card => card.closest(".cross, .column, .waste, .fan");
    shown.forEach((one, index) => shown.slice(index + 1).forEach((other, after) => {
        if (!cover(cards[index], cards[index + 1 + after])) return;
        if (!cross(one) || cross(one) !== cross(other)) faults.push("two cards overlap");
    }));
    const places = [...document.querySelectorAll(".board:not(.scored) .place")].filter(
        place => place.checkVisibility());
    const taken = places.map(boxOf);
    places.forEach((one, index) => places.slice(index + 1).forEach((other, after) => {
        if (!cover(taken[index], taken[index + 1 + after])) return;
        faults.push(`${one.dataset.place} and ${other.dataset.place} overlap`);
    }));

    const scrolls = height > page.clientHeight;
    const intoView = what => scrolls && what.scrollIntoView({ block: "center", behavior: "instant" });

    // What can be touched is large enough and can be reached: it is in the window once scrolled to, and
    // uppermost. A reminder of the triangle is smaller; it is also taken back by a key.
    const buttons = [...document.querySelectorAll(".board button.board-button, .btn-primary")].filter(
        button => button.checkVisibility({ visibilityProperty: true }) && !button.closest("dialog"));
    for (const target of [...places.filter(place => !place.matches(".mark")), ...buttons]) {
        const name = target.dataset.place ?? target.textContent.trim();
        const { width, height } = boxOf(target);
        const [wide, high] = [width, height].map(length => Math.round(length * 10) / 10);
        if (target.closest(".board") && Math.min(wide, high) < least) {
            faults.push(`${name} is ${wide} × ${high} px`);
        }
        intoView(target);
        const box = boxOf(target);
        const point = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        const upper = document.elementFromPoint(...point);
        if (!target.contains(upper)) faults.push(`${name} cannot be reached: ${upper?.className} is there`);
    }

    // A card is no target of the mouse, the place it lies in is; here it is asked what lies uppermost.
    const targets = document.createElement("style");
    targets.textContent = `.board .card, ${labels} { pointer-events: all !important; }`;
    document.head.append(targets);
    // However they lie, of each card the value is in sight, and of one in the hand the sign of its column.
    for (const card of document.querySelectorAll(".board .card[data-card]:has(svg text)")) {
        const value = [...card.querySelectorAll("text")].find(text => text.getClientRects().length);
        if (!value) continue;
        const signs = card.closest(".hand-cards") ? [value, card.querySelector("g")] : [value];
        intoView(card);
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


ALL_SIZES = [size for kind in SIZES for size in (*SIZES[kind][1], *SMALL[kind], *BETWEEN[kind])] + [LARGER]
# The sizes in which dialogs are checked: without --long, only those with the least room.
EXTREMES = [(1280, 720), (844, 390), (640, 360), (320, 640)]

# The text spacing that readers may set (WCAG 1.4.12) without losing content.
WIDE_TEXT = """
    * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
    p { margin-bottom: 2em !important; }
"""

# Opens each dialog and returns its faults. A drawer may scroll, because its button stays in its header.
FAULTS_OF_DIALOGS = """([ids, least, legible]) => ids.flatMap(id => {
    const dialog = document.getElementById(id);
    if (!dialog.open) dialog.showModal();
    const faults = [];
    const box = dialog.getBoundingClientRect();
    if (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1) {
        faults.push("leaves the window");
    }
    if (dialog.scrollWidth > dialog.clientWidth) faults.push("scrolls sideways");
    const isCut = dialog.scrollHeight > dialog.clientHeight + 1;
    if (isCut && !dialog.matches(".drawer")) faults.push("is cut off");
    for (const one of dialog.querySelectorAll("*")) {
        const words = one.textContent.trim().slice(0, 30);
        if (!words || !one.checkVisibility({ visibilityProperty: true })) continue;
        const size = parseFloat(getComputedStyle(one).fontSize);
        if (size < legible - 0.05) faults.push(`"${words}" is ${size} px high`);
        const { width, height } = one.getBoundingClientRect();
        if (one.matches("button") && Math.min(width, height) < least - 0.05) {
            faults.push(`"${words}" is ${width} × ${height} px`);
        }
    }
    dialog.close();
    return faults.map(fault => `${id}: ${fault}`);
})"""


def expect_in_order(player: Player, name: str, sizes: list[tuple[int, int]], may_scroll: bool) -> None:
    """Checks the layout at all sizes and the accessibility; saves screenshots if they are wanted.

    A page with a board or with results is also checked at the small sizes, unless its state is in LESS, and
    then gets its first size back. On a phone, only accessibility rules that depend on the size are checked.
    """
    player.page.wait_for_load_state()
    first = player.page.viewport_size
    kind = next(kind for kind, (_at, main) in SIZES.items() if main == sizes)
    looked_at_closely = ".board, .results"
    small = SMALL[kind] if name not in LESS and player.page.locator(looked_at_closely).count() else []
    expect_no_fault(player, name, sizes, small, may_scroll)
    if small:
        player.page.set_viewport_size(first)
        player.wait_until(AT_REST)
    if name not in LESS:
        expect_accessible(player.page, name, by_size=kind == "phone")


def expect_no_fault(
    player: Player,
    name: str,
    sizes: list[tuple[int, int]],
    small: list[tuple[int, int]],
    may_scroll: bool,
) -> None:
    """Checks the layout at each size; a page without a board may scroll down. The last size stays."""
    faults = {}
    has_board = player.page.locator("#board").count() > 0
    for width, height in [*sizes, *small]:
        scrolls = may_scroll and (not has_board or "analys" in name)
        if player.page.viewport_size != {"width": width, "height": height}:
            player.page.set_viewport_size({"width": width, "height": height})
        player.wait_until(AT_REST)
        folder = os.environ.get("CARD_LAB_SCREENSHOTS")
        if folder:
            player.page.screenshot(path=Path(folder, f"{name}-{width}x{height}.png"), full_page=scrolls)
        found = player.page.evaluate(FAULTS, [scrolls, LEAST, LEGIBLE])
        faults |= {f"{width}×{height}": found} if found else {}
    assert not faults, f"{name}: {faults}"


def expect_board_in_view(player: Player, name: str) -> None:
    """Checks that the whole board is in a small window, and that nothing covers what the page scrolls to."""
    player.wait_until(AT_REST)
    faults = player.page.evaluate(FAULTS, [True, LEAST, LEGIBLE])
    assert not faults, f"{name}: {faults}"
    board = player.page.locator("#board").bounding_box()
    assert board["y"] + board["height"] <= player.page.viewport_size["height"], name


def expect_dialogs_in_order(player: Player, name: str) -> None:
    """Checks the layout of every dialog of the page at the extreme sizes; the last size stays."""
    dialogs = player.page.eval_on_selector_all("dialog", "all => all.map(dialog => dialog.id)")
    assert dialogs, name
    faults = {}
    for width, height in EXTREMES:
        player.page.set_viewport_size({"width": width, "height": height})
        found = player.page.evaluate(FAULTS_OF_DIALOGS, [dialogs, LEAST, LEGIBLE])
        faults |= {f"{width}×{height}": found} if found else {}
    assert not faults, f"{name}: {faults}"


def expect_nothing_lost_to_wide_text(player: Player, name: str) -> None:
    """Checks that no word is cut off, covered or off-screen with the text spacing of WCAG 1.4.12.

    A board may then be higher than its frame, because the page scrolls.
    """
    style = player.page.add_style_tag(content=WIDE_TEXT)
    faults = {}
    for width, height in [(1280, 720), (390, 844), (844, 390)]:
        player.page.set_viewport_size({"width": width, "height": height})
        player.wait_until(AT_REST)
        found = player.page.evaluate(FAULTS, [True, LEAST, LEGIBLE])
        found = [fault for fault in found if not fault.startswith("the board is")]
        faults |= {f"{width}×{height}": found} if found else {}
    style.evaluate("style => style.remove()")
    assert not faults, f"{name}: {faults}"
