import assert from "node:assert/strict";
import { test } from "node:test";

import { ActionQueue } from "../../_static/cardlab/action_queue.js";

const isStillValid = () => true;

test("actions are sent in their order, each after the answer to the one before", () => {
  const actions = new ActionQueue();
  actions.trace("lift", 1);
  actions.add("draw", 2, false, isStillValid);
  actions.add("gone", 3, false, () => false);
  actions.add("home 3", 4, true, isStillValid);
  assert.deepEqual(actions.next(1, 5), { hand: 1, number: 5, action: "draw", ms: 2, early: false, traces: [["lift", 1]] });
  actions.settle({ next: 5 });
  assert.equal(actions.pending.action, "draw");
  actions.settle({ next: 6 });
  assert.equal(actions.pending, null);
  assert.deepEqual(actions.next(1, 6), { hand: 1, number: 6, action: "home 3", ms: 4, early: true, traces: [] });
  actions.settle({ next: 7 });
  assert.equal(actions.next(1, 7), null);
});

test("a refusal drops no action that waits, and no pick-up that was not recorded", () => {
  for (const [next, kept] of [
    [1, ["a", "b"]],
    [2, ["b"]],
  ]) {
    const actions = new ActionQueue();
    for (const name of ["a", "b"]) {
      actions.trace(name, 0);
      actions.add(name, 0, false, isStillValid);
    }
    actions.next(1, 1);
    actions.settle({ refused: "No.", next });
    const { action, traces } = actions.next(1, next);
    assert.equal(action, "b");
    assert.deepEqual(
      traces.map(([name]) => name),
      kept,
    );
    actions.refuse(); // without a view: nothing was recorded, and nothing is sent
    assert.equal(actions.next(1, next), null);
    actions.add("c", 0, false, isStillValid);
    assert.deepEqual(
      actions.next(1, next).traces.map(([name]) => name),
      kept,
    );
  }
});

test("no more than fifty actions wait", () => {
  const actions = new ActionQueue();
  const added = Array.from({ length: 51 }, () => actions.add("draw", 0, false, isStillValid));
  assert.deepEqual([added.at(49), added.at(50)], [true, false]);
});
