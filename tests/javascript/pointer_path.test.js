import assert from "node:assert/strict";
import { test } from "node:test";

import { PointerPath } from "../../_static/cardlab/pointer_path.js";

/** The path of these ticks, each [tick, x, y]. */
function pathOf(...ticks) {
  const path = new PointerPath();
  for (const [tick, ...place] of ticks) path.add(tick, place);
  return path.take();
}

test("a path has its first place, then moves and pauses", () => {
  assert.equal(pathOf([0, 500.4, 20], [1, 510, 20], [2, 505, 12], [6, 0, 12]), "500,20 10,0 -5,-8 3 -505,0");
});

test("a trembling pointer does not move, a slow one does", () => {
  assert.equal(pathOf([0, 500, 500], [1, 501, 501], [2, 500, 498], [3, 502, 500], [4, 503, 500]), "500,500 3 3,0");
});

test("two events of one tick are one, and clocks may go back", () => {
  assert.equal(pathOf([0, 0, 0], [1, 10, 0], [1, 90, 0], [-40, 90, 0], [2, 90, 0]), "0,0 10,0 80,0");
});

test("places far outside the board are its surroundings", () => {
  assert.equal(pathOf([0, -1e9, 1e9], [1, 1e9, -1e9]), "-2000,2000 4000,-4000");
});

test("the next path begins at its own place", () => {
  const path = new PointerPath();
  path.add(0, [100, 100]);
  path.add(9, [200, 200]);
  assert.equal(path.take(), "100,100 8 100,100");
  assert.equal(path.take(), "");
  path.add(0, [900, 900]);
  path.add(1, [800, 900]);
  assert.equal(path.take(), "900,900 -100,0");
});

test("a minute has at most 2,000 characters, over all its paths", () => {
  const path = new PointerPath();
  for (const minute of [1, 2]) {
    let length = 0;
    for (let tick = 0; tick < 600; tick += 1) {
      path.add(tick % 300, [(tick * 317) % 1000, (tick * 911) % 1000]);
      if (tick === 150 || tick === 299 || tick === 599) length += path.take().length;
    }
    assert.ok(length > 1900 && length <= 2000, `${length} in minute ${minute}`);
    path.refill();
  }
});
