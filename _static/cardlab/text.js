/** Formats texts and numbers. */

/**
 * Replaces placeholders: `fill("Moves left: {left}", {left: 3})`. `values.count` selects a plural form
 * (cardlab/games/text_forms.py).
 * @param {string | Record<string, string>} text
 * @param {Record<string, any>} values
 */
export function fill(text, values = {}) {
  const sentence = typeof text === "string" ? text : formFor(text, values.count);
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Returns the plural form for a count: that of a sample number in the same plural category. */
function formFor(forms, count) {
  const rules = new Intl.PluralRules(document.documentElement.lang || "en");
  const samples = Object.keys(forms);
  const sampleNumber = samples.find((sample) => rules.select(Number(sample)) === rules.select(count));
  return forms[sampleNumber ?? samples.at(-1)];
}

/** Returns the texts in the form for a mouse or a touch screen. */
export function textsForDevice(words, isTouch) {
  const textFor = (text) => text[isTouch ? "touch" : "mouse"] ?? text;
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, textFor(text)]));
}

/** Capitalises a sentence. */
export function capitalise(sentence) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** Formats a number in the page's language: `formatNumber(3.25, 1)` is `3.3` or `3,3`. */
export function formatNumber(value, decimals) {
  const form = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  return new Intl.NumberFormat(document.documentElement.lang || "en", form).format(value);
}

/** Formats a time as minutes and seconds: `0:09`. @param {number} seconds fractions are ignored */
export function formatMinutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** Formats points: `+7`, `−3` with a real minus sign, `0`. */
export function formatSigned(points) {
  return points === 0 ? "0" : `${points > 0 ? "+" : "−"}${Math.abs(points)}`;
}
