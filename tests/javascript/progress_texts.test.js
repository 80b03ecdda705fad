import assert from "node:assert/strict";
import { test } from "node:test";

import { nameOf, CELLS, countsText, NUMBERS } from "../../_static/cardlab/progress_texts.js";

const ROW = {
  ...{ number: 1, label: "", treatment: "", group: "", page: "Hand", hand: "2", moves: 0, score: 10, points: 10 },
  ...{ silent: 1, stage: "playing", connection: "here", notices: [], others_wait: false, waits: null, waits_for: [] },
  ...{ waits_left: null, then: "", refused: 0, unread: 0, paused: false, help: null },
};
const row = (changes) => ({ ...ROW, ...changes });
const troubles = (changes, ...others) => CELLS.at(-1)(row(changes), [row(changes), ...others]);
const silence = (seconds) => CELLS[7](row({ silent: seconds }));

test("a participant is nameOf by label and number", () => {
  assert.equal(nameOf(row({})), "P1");
  assert.equal(nameOf(row({ label: "seat 4" })), "seat 4 (P1)");
});

test("durations have the unit that fits", () => {
  const shown = [null, 0, 99, 100, 5999, 6000].map(silence);
  assert.deepEqual(shown, ["", "0 s", "99 s", "2 min", "100 min", "2 h"]);
});

test("a participant without troubles has none", () => {
  assert.equal(troubles({}), "");
});

test("troubles begin with others who wait", () => {
  const gone = { connection: "gone", others_wait: true, notices: ["late"], refused: 2, unread: 1, paused: true };
  assert.equal(troubles(gone), "others are waiting · late · 2 rejected moves · 1 message not confirmed · paused");
});

test("a request for help comes before the other troubles of its participant", () => {
  assert.equal(troubles({ help: [7, 20, "What is ck?"], notices: ["late"] }), "asks for help · late");
});

test("a waiting participant names those who are missing", () => {
  const others = [2, 3, 4, 5, 6].map((number) => row({ number }));
  const waits = { waits: 45, waits_for: [6, 5, 4, 3, 2] };
  assert.equal(troubles(waits, ...others), "waiting for P2, P3, P4, P5, others (45 s)");
  assert.equal(troubles({ waits: 45 }), "waiting (45 s)");
  assert.equal(
    troubles({ waits: 45, waits_left: 15, then: "robot" }),
    "waiting (45 s; in 15 s: play with a robot)",
  );
});

test("counts leave out what nobody is", () => {
  const rows = [row({}), row({ connection: "gone" }), row({ stage: "not come", connection: "gone" })];
  assert.equal(countsText(rows, 0), "3 participants · 1 not arrived · 2 playing · 1 disconnected");
  assert.equal(countsText([], 4), "0 participants · 4 loading");
});

test("numeric cells are those of numbers", () => {
  for (const cell of NUMBERS) assert.ok(CELLS[cell](row({})) !== "");
});
