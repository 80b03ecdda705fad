/** Creates elements. */

/**
 * Creates an element with classes, data and children: `make("b.points", {sign: "plus"}, "+7")`.
 * @param {string} kind tag and classes
 * @param {Record<string, string | number>} [data]
 * @param {...(Node | string)} children
 * @returns {any} an element of the tag's kind
 */
export function make(kind, data = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  element.className = classes.join(" ");
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}

/** Sets an element's text. Unchanged text is not written, because that would lay the board out. */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

/** Hides an element from screen readers, which read its text elsewhere. */
export function hideFromScreenReaders(element) {
  element.setAttribute("aria-hidden", "true");
  return element;
}

/**
 * Sets a button's accessible name as visually hidden text; its visible content should be hidden from screen readers.
 * (An `aria-label` would have to contain the visible text word for word.)
 */
export function setAccessibleName(button, name) {
  const lastChild = button.lastElementChild;
  const label = lastChild?.matches(".visually-hidden") ? lastChild : button.appendChild(make("span.visually-hidden"));
  setText(label, name);
}
