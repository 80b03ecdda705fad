/** Keys as a board hears them. */

/**
 * The letter or digit that a key stands for, upper case; "" for every other key, with Ctrl and the like, while
 * something is typed into a field or lies open over the board, and for a key held down. On a keyboard of another script, or where digits
 * need Shift, it is the one of the key's position.
 * @param {KeyboardEvent} event
 */
export function pressedKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return "";
  if (document.querySelector("dialog[open]")) return ""; // what is open lies over the board
  if (event.target.closest("input, textarea, select, [contenteditable]")) return "";
  if (event.repeat) {
    if (event.key === "Enter") event.preventDefault(); // a held Enter would press a button again and again
    return "";
  }
  if (/^[a-z0-9]$/i.test(event.key)) return event.key.toUpperCase();
  return /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code)?.[1] ?? "";
}
