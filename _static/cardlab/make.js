/** Elements made by scripts. */

/**
 * An element with classes, data and children: `make("b.points", {sign: "plus"}, "+7")`.
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

/** An element that is for the eye alone: a voice has its words elsewhere. */
export function silent(element) {
  element.setAttribute("aria-hidden", "true");
  return element;
}

/**
 * Give a button its name, as writing in it that is heard and not seen; what is seen there is to be silent. (An
 * `aria-label` would have to hold word for word what is drawn on the cards.)
 */
export function giveName(button, name) {
  const last = button.lastElementChild;
  const heard = last?.matches(".visually-hidden") ? last : button.appendChild(make("span.visually-hidden"));
  if (heard.textContent !== name) heard.textContent = name;
}
