/** Makes room for parts that do not fit on a board, in a low window or with wide text spacing: the page scrolls. */

const SPARE_PX = 4; // for shadows and borders

/** @param {HTMLElement} board */
export function watchOverflow(board) {
  const frame = /** @type {HTMLElement} */ (board.parentElement);
  const makeRoom = () => {
    if (board.scrollHeight > board.clientHeight + SPARE_PX) frame.style.minHeight = `${board.scrollHeight}px`;
  };
  const observer = new ResizeObserver(() => {
    const scrolled = scrollY;
    frame.style.minHeight = "";
    makeRoom();
    makeRoom(); // a higher frame may have another layout
    if (scrollY !== scrolled) scrollTo(scrollX, scrolled);
  });
  for (const part of [board, ...board.querySelectorAll(":not(.card, .card *)")]) observer.observe(part);
}
