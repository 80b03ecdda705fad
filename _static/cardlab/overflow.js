/** Lets the page scroll to what has no room on a board, as with wide text spacing: a board is laid out by itself. */

const SPARE = 4; // px that shadows and edges take

/** @param {HTMLElement} board */
export function watchOverflow(board) {
  const sized = new ResizeObserver(() => {
    board.toggleAttribute("data-overflows", board.scrollHeight > board.clientHeight + SPARE);
  });
  for (const part of [board, ...board.querySelectorAll(":not(.card, .card *)")]) sized.observe(part);
}
