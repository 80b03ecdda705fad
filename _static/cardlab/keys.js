/** Translates keyboard events into the keys of a board. */

/**
 * Returns the letter or digit of a key, in upper case. On a keyboard of another script, or if digits need Shift, the
 * key's position decides. Returns "" for all other keys, with modifiers such as Ctrl, in a text field, under a dialog,
 * and for a held key.
 * @param {KeyboardEvent} event
 */
export function pressedKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return "";
  if (document.querySelector("dialog[open]")) return "";
  if (event.target.closest("input, textarea, select, [contenteditable]")) return "";
  if (event.repeat) {
    // A held Enter would press a button repeatedly; a held Space, a button that is focused meanwhile.
    if (event.key === "Enter" || event.key === " ") event.preventDefault();
    return "";
  }
  if (/^[a-z0-9]$/i.test(event.key)) return event.key.toUpperCase();
  return /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code)?.[1] ?? "";
}
