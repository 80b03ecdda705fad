import assert from "node:assert/strict";
import { test } from "node:test";

import { axisOf, crossAt, lastTurns, rotationBetween, turnsBetween } from "../../_static/matrix/turns.js";

const turn = (number, rotation = null) => ({ turn: number, rotation });
const view = (...turns) => ({ last: turns.at(-1) ?? null, last_but_one: turns.at(-2) ?? null });

test("nothing is new in the same view", () => {
  assert.deepEqual(turnsBetween(view(turn(3)), view(turn(3))), []);
  assert.deepEqual(turnsBetween(view(), view()), []);
});

test("new turns come oldest first", () => {
  assert.deepEqual(turnsBetween(view(turn(1)), view(turn(2), turn(3))), [turn(2), turn(3)]);
  assert.deepEqual(turnsBetween(view(), view(turn(1))), [turn(1)]);
});

test("more turns than a view tells of are unknown", () => {
  assert.equal(turnsBetween(view(turn(1)), view(turn(3), turn(4))), null);
});

test("a view tells of one or two turns", () => {
  assert.deepEqual(lastTurns(view()), []);
  assert.deepEqual(lastTurns(view(turn(1))), [turn(1)]);
});

test("a rotation of the same turn is news", () => {
  const rotated = view(turn(2, "rotate NW"));
  assert.equal(rotationBetween(view(turn(2)), rotated), rotated.last);
  assert.equal(rotationBetween(rotated, rotated), null);
  assert.equal(rotationBetween(view(turn(1)), rotated), null);
});

test("seats opposite each other share an axis", () => {
  const sides = { S: "near", N: "far", W: "left", E: "right" };
  const players = Object.entries(sides).map(([seat, side]) => ({ seat, side }));
  const axes = ["S", "N", "W", "E"].map((seat) => axisOf({ players }, seat));
  assert.deepEqual(axes, ["own", "own", "across", "across"]);
});

test("a cross is found by its cell", () => {
  const crosses = [{ cell: "NW" }, { cell: "SE" }];
  assert.equal(crossAt({ crosses }, "SE"), crosses[1]);
});
