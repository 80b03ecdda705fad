/** Controls of the form that creates a session (session_form.js). */

import { make } from "./elements.js";

/** Converts a text with `code` and **bold** to nodes. */
export function nodesOf(text) {
  return text
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part) =>
      part.startsWith("`")
        ? make("code", {}, part.slice(1, -1))
        : part.startsWith("**")
          ? make("b", {}, part.slice(2, -2))
          : part,
    );
}

/** Whether two values mean the same in a config: `TRUE` in a file equals `true`. */
export const isSame = (one, other) => String(one).toLowerCase() === String(other).toLowerCase();

/** The control for a setting with this value. */
export function newControl(value, setting) {
  if (typeof value === "boolean") {
    const box = make("input");
    return Object.assign(box, { type: "checkbox", checked: value });
  }
  if (setting.values) {
    const options = setting.values.map(([one, meaning]) => new Option(one === "" ? meaning : `${one}: ${meaning}`, one));
    const list = make("select.form-select", {}, ...options);
    const matching = options.find((option) => isSame(option.value, value));
    if (!matching) list.append(new Option(value, value));
    list.value = matching ? matching.value : value;
    return list;
  }
  const box = make("input.form-control");
  const type = typeof value === "number" ? "number" : "text";
  Object.assign(box, { type, value: String(value), placeholder: String(value) });
  if (type === "number") Object.assign(box, { step: setting.maximum === undefined ? "any" : "1", min: setting.minimum ?? "", max: setting.maximum ?? "" });
  return box;
}

export const valueOf = (control) => (control.type === "checkbox" ? control.checked : control.value);

export function setValue(control, value) {
  if (control.type === "checkbox") control.checked = value;
  else control.value = [...(control.options ?? [])].find((option) => isSame(option.value, value))?.value ?? value;
  control.dispatchEvent(new Event("input", { bubbles: true }));
}

/** The text for a value. */
export const valueText = (value) => (value === true ? "on" : value === false ? "off" : value === "" ? "nothing" : String(value));
