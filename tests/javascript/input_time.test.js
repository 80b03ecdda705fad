import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.addEventListener ??= () => {}; // a browser's function
const { timeOf } = await import("../../_static/cardlab/input_time.js");

const HANDLED = 2; // the phase of an event at its target

test("an input that waited for a busy page has its own time", () => {
  assert.equal(timeOf({ eventPhase: HANDLED, timeStamp: 400.5 }, 1000), 400.5);
});

test("without an input, or after it, the time is the present", () => {
  assert.equal(timeOf(null, 1000), 1000);
  assert.equal(timeOf({ eventPhase: 0, timeStamp: 400.5 }, 1000), 1000);
});

test("a time that no input can have is replaced by the present", () => {
  for (const timeStamp of [20_001, 1_764_000_000_000, 0]) assert.equal(timeOf({ eventPhase: HANDLED, timeStamp }, 20_000), 20_000);
});
