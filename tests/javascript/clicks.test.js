import assert from "node:assert/strict";
import { test } from "node:test";

import { Clicks } from "../../_static/cardlab/clicks.js";

/** Returns `Clicks` of a board, and a function that presses the board at an x, some ms later. */
function pressed(context) {
  let now = 1000;
  context.mock.method(performance, "now", () => now);
  let press;
  const clicks = new Clicks({ addEventListener: (_kind, listener) => (press = listener) });
  return [clicks, (x, ms) => ((now += ms), press({ clientX: x, clientY: 0 }))];
}

test("two quick clicks at one place are a double click", (context) => {
  const [clicks, press] = pressed(context);
  press(10, 0);
  assert.equal(clicks.isDoubleClick, false);
  press(30, 449);
  assert.equal(clicks.isDoubleClick, true);
});

test("slow or distant clicks are two clicks", (context) => {
  const [clicks, press] = pressed(context);
  press(10, 0);
  press(10, 451);
  assert.equal(clicks.isDoubleClick, false);
  press(40, 10);
  assert.equal(clicks.isDoubleClick, false);
});

test("a click after a key is a click of its own", (context) => {
  const [clicks, press] = pressed(context);
  press(10, 0);
  clicks.forgetPress();
  clicks.recordAction();
  press(10, 100);
  assert.deepEqual([clicks.isRepeat, clicks.isDoubleClick], [false, false]);
});

test("the second click must not act again", (context) => {
  const [clicks, press] = pressed(context);
  press(10, 0);
  assert.equal(clicks.isRepeat, false);
  clicks.recordAction();
  press(10, 100);
  assert.equal(clicks.isRepeat, true);
  press(10, 400);
  assert.equal(clicks.isRepeat, false);
});
