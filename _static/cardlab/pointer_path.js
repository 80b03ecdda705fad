/**
 * Records the pointer's path over the board for the event `pointer` (event_log.js): `x,y`, then for each tick its
 * displacement, or a number of ticks without a move. Positions are in thousandths of the board's width and height.
 */

const ROOM = 2000; // characters per minute; further moves are left out
const LONGEST_STEP = 16; // characters of ` 599 -4000,-4000`
const STEP = 3; // thousandths; a shorter move counts as none
const FARTHEST = 2000; // thousandths; positions are clamped to ± this
const MINUTE = 60_000; // ms

export class PointerPath {
  constructor() {
    this.text = "";
    this.latest = 0; // the tick of the latest move
    this.x = this.y = 0;
    this.room = ROOM;
  }

  /** Adds the pointer's position at a tick. The first tick of a path is 0. @param {number} tick  @param {number[]} place */
  add(tick, place) {
    const [x, y] = place.map((part) => Math.round(Math.min(FARTHEST, Math.max(-FARTHEST, part))));
    const [dx, dy, still] = [x - this.x, y - this.y, tick - this.latest - 1];
    if (this.text.length > this.room - LONGEST_STEP) return;
    if (this.text) {
      const isMove = still >= 0 && Math.max(Math.abs(dx), Math.abs(dy)) >= STEP;
      if (!isMove) return;
      this.text += still ? ` ${still} ${dx},${dy}` : ` ${dx},${dy}`;
    } else this.text = `${x},${y}`;
    [this.latest, this.x, this.y] = [tick, x, y];
  }

  /** Returns the path so far, "" if there is none, and begins the next. */
  take() {
    const { text } = this;
    this.room -= text.length;
    [this.text, this.latest] = ["", 0];
    return text;
  }

  /** Restores the full room when a minute begins. */
  refill() {
    this.room = ROOM;
  }
}

/**
 * Follows the pointer over the board of each page. A path ends with its page, or after a minute.
 * @param {number} hz samples per second
 * @param {() => number} pageIndex
 * @param {(page: number, details: object, begin: number) => void} report called with each path and the time it began
 * @returns {() => void} ends the current path
 */
export function followPointer(hz, pageIndex, report) {
  const path = new PointerPath();
  let minute = Date.now(); // when it began
  let page = pageIndex();
  let begin = 0; // Unix ms
  let latest = null; // the latest event of the pointer

  function end() {
    const text = path.take();
    if (text) report(page, { hz, path: text }, begin);
  }
  function look() {
    const now = Date.now();
    const isOver = now - minute >= MINUTE;
    if (isOver || page !== pageIndex()) end();
    page = pageIndex();
    if (isOver) {
      path.refill();
      minute = now;
    }
    const box = latest && document.getElementById("board")?.getBoundingClientRect();
    if (box?.width && box.height) {
      if (!path.text) begin = now;
      const { clientX, clientY } = latest;
      path.add(Math.round(((now - begin) * hz) / 1000), [(1000 * (clientX - box.left)) / box.width, (1000 * (clientY - box.top)) / box.height]);
    }
    latest = null;
  }

  for (const kind of ["pointermove", "pointerdown"]) {
    addEventListener(kind, (event) => (latest = event), { capture: true, passive: true });
  }
  setInterval(look, 1000 / hz);
  return end;
}
