/** Lets the page scroll to parts that do not fit on a board, for example with wide text spacing. */

const SPARE_PX = 4; // for shadows and borders

/** @param {HTMLElement} board */
export function watchOverflow(board) {
  const observer = new ResizeObserver(() => {
    board.toggleAttribute("data-overflows", board.scrollHeight > board.clientHeight + SPARE_PX);
  });
  for (const part of [board, ...board.querySelectorAll(":not(.card, .card *)")]) observer.observe(part);
}
