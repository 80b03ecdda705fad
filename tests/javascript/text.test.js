import assert from "node:assert/strict";
import { test } from "node:test";

import { kindOf, signOf } from "../../_static/cardlab/outcomes.js";
import { capitalise, fill, textsForDevice, formatMinutes, formatNumber, formatSigned } from "../../_static/cardlab/text.js";

test("placeholders are filled, unknown ones stay", () => {
  assert.equal(fill("{left} of {all} moves, {other}", { left: 3, all: 0 }), "3 of 0 moves, {other}");
  assert.equal(fill("no placeholder"), "no placeholder");
});

test("only the first letter becomes a capital", () => {
  assert.equal(capitalise("the NK moves"), "The NK moves");
  assert.equal(capitalise(""), "");
});

test("numbers follow the page's language", () => {
  globalThis.document = { documentElement: { lang: "" } };
  assert.equal(formatNumber(1234.25, 1), "1234.3");
  globalThis.document.documentElement.lang = "de";
  assert.equal(formatNumber(-3, 2), "-3,00");
});

test("times are minutes and seconds", () => {
  assert.deepEqual([0, 9.9, 60, 3599].map(formatMinutes), ["0:00", "0:09", "1:00", "59:59"]);
});

test("points have a real minus sign", () => {
  assert.deepEqual([7, -3, 0].map(formatSigned), ["+7", "−3", "0"]);
});

test("every outcome has a kind of end with a sign", () => {
  assert.equal(kindOf("won"), "reached");
  assert.equal(kindOf("timeout"), "time");
  assert.equal(kindOf("an outcome of a newer version"), "stopped");
  for (const outcome of ["solved", "completed", "failed", "timeout", "stopped"]) {
    assert.match(signOf(kindOf(outcome)), /^<svg .*<(path|rect)/);
  }
});

test("plural forms are chosen by the language's categories", () => {
  const forms = { 0: "{count} kart", 1: "{count} karta", 2: "{count} karty", 100: "{count} kart" };
  globalThis.document = { documentElement: { lang: "pl" } };
  const chosen = [0, 1, 3, 5, 22].map((count) => fill(forms, { count }));
  assert.deepEqual(chosen, ["0 kart", "1 karta", "3 karty", "5 kart", "22 karty"]);
});

test("texts with a form for each device have that of this one", () => {
  const words = { look: { mouse: "Click it.", touch: "Tap it." }, cards: { 1: "{count} card" }, pass: "Pass" };
  assert.deepEqual(textsForDevice(words, false), { ...words, look: "Click it." });
  assert.deepEqual(textsForDevice(words, true), { ...words, look: "Tap it." });
});
