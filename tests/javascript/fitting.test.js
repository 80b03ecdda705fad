import assert from "node:assert/strict";
import { test } from "node:test";

import { targetsOf } from "../../_static/solitario/fitting.js";

const column = (down, ...up) => ({ down, up });
const view = {
  cards: 40,
  ace_on_two: false,
  columns: [
    ...[column(1, "6d"), column(0), column(2, "6c", "5s"), column(3)],
    ...[column(0, "Rs"), column(0, "2b"), column(0, "6b")],
  ],
  foundations: ["4s", null, null, "1c"],
};

test("a card goes on the next higher card of the other colour, and home after the one before", () => {
  assert.deepEqual(targetsOf("5s", "w", 1, view), ["c1", "f1"]);
  assert.deepEqual(targetsOf("5s", "w", 2, view), ["c1"]);
  assert.deepEqual(targetsOf("2c", "w", 1, view), ["f4"]);
});

test("a king goes to an empty column, not on face-down cards, and not to its own column", () => {
  assert.deepEqual(targetsOf("Rd", "w", 1, view), ["c2"]);
  assert.deepEqual(targetsOf("Rs", "c2", 1, view), []);
});

test("an ace goes to an empty foundation, and on a two only where that is allowed", () => {
  assert.deepEqual(targetsOf("1d", "w", 1, view), ["f2", "f3"]);
  assert.deepEqual(targetsOf("1d", "w", 1, { ...view, ace_on_two: true }), ["c6", "f2", "f3"]);
});
