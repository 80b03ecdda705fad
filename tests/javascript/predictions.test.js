import assert from "node:assert/strict";
import { test } from "node:test";

import { Predictions, isEqual } from "../../_static/cardlab/predictions.js";

/** Predictions for a game that adds up numbers. */
function adding() {
  const known = new Predictions(
    ({ sum }, action) => (action === "?" ? null : { sum: sum + Number(action) }),
    () => known.waiting,
  );
  known.waiting = 0;
  known.settle({ sum: 0 }, 1);
  return known;
}

function add(known, ...actions) {
  let view = known.confirmed;
  return actions.map((action) => {
    const made = known.add(view, action);
    known.waiting += 1;
    view = made?.view;
    return made;
  });
}

/** Settles a view, and returns what it draws and announces. */
function seen(known, sum, ...rest) {
  known.waiting -= 1;
  const { earlierViews, news, shown, isDrawn } = known.settle({ sum }, ...rest);
  return { earlierViews: earlierViews.map((view) => view.sum), news, shown: shown.sum, isDrawn };
}

test("predictions stack, and their answers draw nothing", () => {
  const known = adding();
  const [one, two] = add(known, "1", "2");
  one.news.push("one");
  two.news.push("two");
  assert.deepEqual(seen(known, 1, 2), { earlierViews: [], news: ["one"], shown: 3, isDrawn: true });
  assert.deepEqual([known.isUnconfirmed(one), known.isUnconfirmed(two)], [false, true]);
  assert.deepEqual(seen(known, 3, 3), { earlierViews: [], news: ["two"], shown: 3, isDrawn: true });
});

test("a refusal takes back what was predicted, step by step, and announces nothing", () => {
  const known = adding();
  const made = add(known, "1", "2");
  assert.deepEqual(seen(known, 0, 2, true), { earlierViews: [1, 0], news: [], shown: 0, isDrawn: false });
  assert.ok(!made.some((each) => known.isUnconfirmed(each)));
});

test("after an action without a prediction there is none", () => {
  const known = adding();
  assert.deepEqual(add(known, "?", "1"), [null, null]);
  seen(known, 9, 2);
  seen(known, 10, 3);
  assert.equal(add(known, "2")[0].view.sum, 12);
});

test("an answer with another view takes the rest back", () => {
  const known = adding();
  add(known, "1", "2")[0].news.push("one");
  assert.deepEqual(seen(known, 7, 2), { earlierViews: [1], news: ["one"], shown: 7, isDrawn: false });
});

test("a view that is no answer keeps the predictions, made from it", () => {
  const known = adding();
  const [one] = add(known, "1");
  assert.deepEqual(known.settle({ sum: 0 }, 1), { earlierViews: [], news: [], shown: one.view, isDrawn: true, isNew: false });
  assert.equal(known.settle({ sum: 5 }, 1).shown.sum, 6);
  assert.ok(known.isUnconfirmed(one));
});

test("the end of the hand takes back what will not be sent", () => {
  const known = adding();
  add(known, "1", "2");
  assert.deepEqual(seen(known, 1, 2, false, true), { earlierViews: [1], news: [], shown: 1, isDrawn: false });
});

test("values are the same if all their parts are", () => {
  assert.ok(isEqual({ a: [1, null], b: { c: "" } }, { b: { c: "" }, a: [1, null] }));
  for (const other of [{ a: 1 }, { a: 1, b: undefined }, { b: 1, a: 1 }, null, [1]]) assert.ok(!isEqual({ a: 1, c: 1 }, other));
});
