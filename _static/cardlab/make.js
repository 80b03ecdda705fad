/** Elements made by scripts. */

/**
 * An element with classes, data and children: `make("b.points", {sign: "plus"}, "+7")`.
 * @param {string} kind tag and classes
 * @param {Record<string, string | number>} [data]
 * @param {...(Node | string)} children
 */
export function make(kind, data = {}, ...children) {
  const [tag, ...classes] = kind.split(".");
  const element = document.createElement(tag);
  element.className = classes.join(" ");
  Object.assign(element.dataset, data);
  element.append(...children);
  return element;
}
