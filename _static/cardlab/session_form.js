/** The form that creates a session: builds the list of configs and the settings of the chosen one (cardlab/admin/session_form.py). */

import { make } from "./elements.js";
import { isSame, newControl, nodesOf, setValue, shown, valueOf } from "./setting_control.js";

/** @type {any} */
const element = (id) => document.getElementById(id);
const { headings, groups, settings, apps } = JSON.parse(element("session-form-data").textContent);
const configs = new Map(groups.flatMap((group) => group.configs.map((config) => [config.name, config])));
const edited = new Map(); // entered values by field name, kept when another config is chosen
const opened = new Set(); // the open groups' headings
let controls = new Map(); // the controls of the chosen config, by field name
let chosen;

// The configs.

function configChoice(config) {
  const radio = make("input");
  Object.assign(radio, { type: "radio", name: "session_config", value: config.name });
  radio.addEventListener("change", () => choose(config.name));
  const line = make("label.config-choice", {}, radio, make("span", {}, config.title));
  if (config.doc) line.append(make("small", {}, config.doc));
  return line;
}

function showConfigs() {
  for (const { title, configs: ofGroup } of groups) {
    element("config-list").append(make("div.config-group", {}, make("h3", {}, title), ...ofGroup.map(configChoice)));
  }
}

function search() {
  const words = element("config-search").value.toLowerCase().split(/\s+/);
  let isAny = false;
  for (const group of element("config-list").children) {
    const title = group.firstChild.textContent;
    let isShown = false;
    for (const line of group.querySelectorAll(".config-choice")) {
      const text = `${title} ${line.textContent} ${line.querySelector("input").value}`.toLowerCase();
      line.hidden = !words.every((word) => text.includes(word));
      isShown ||= !line.hidden;
    }
    group.hidden = !isShown;
    isAny ||= isShown;
  }
  element("config-none").hidden = isAny;
}

function choose(name) {
  chosen = configs.get(name);
  element("config-title").textContent = groups.find((group) => group.configs.includes(chosen)).title + ": " + chosen.title;
  element("config-doc").textContent = chosen.doc;
  element("num_participants").step = element("num_participants").min = chosen.multiple;
  showSettings();
  showErrors({});
}

// The settings.

function settingRow([key, value, usual, place]) {
  const setting = settings[place];
  const name = `${chosen.name}.${key}`;
  const id = `setting-${name}`;
  const control = newControl(value, setting);
  Object.assign(control, { id, name });
  if (edited.has(name)) setValue(control, edited.get(name));
  control.setAttribute("aria-describedby", `${id}-help ${id}-error`);
  const app = key.includes(".") ? key.slice(0, key.indexOf(".")) : "";
  const label = make("label", {}, app ? `${setting.label} (${apps[app] ?? app})` : setting.label, make("code", {}, key));
  label.htmlFor = id;
  const mark = make("span.setting-mark");
  const reset = make("button.btn.btn-outline-secondary.btn-sm");
  reset.type = "button";
  const about = make("p.setting-help", {}, ...nodesOf(setting.help));
  about.id = `${id}-help`;
  if (control.type === "text" || (control.type === "number" && setting.most !== undefined)) about.append(` Allowed: ${setting.words}.`);
  const error = make("p.setting-error");
  error.id = `${id}-error`;
  const unit = setting.unit && control.type === "number" ? [make("span", {}, setting.unit)] : [];
  const row = make("div.setting", {}, label, make("div.setting-value", {}, control, ...unit, mark, reset), about, error);

  /** Marks a value that differs from the default; the button resets the entered value, then the config's. */
  const update = () => {
    const now = valueOf(control);
    const isEdited = !isSame(now, value) && now !== "";
    const differs = !isSame(now === "" ? value : now, usual);
    row.classList.toggle("is-changed", differs);
    mark.textContent = differs ? `Default: ${shown(usual)}` : "";
    const back = isEdited ? value : usual;
    reset.hidden = (!differs && !isEdited) || back === ""; // an empty field means the config's value
    reset.textContent = `Reset to ${shown(back)}`;
    reset.setAttribute("aria-label", `Reset to ${shown(back)}: ${setting.label}`);
    reset.onclick = () => {
      setValue(control, back);
      control.focus();
    };
    if (isEdited) edited.set(name, now);
    else edited.delete(name);
  };
  update();
  control.addEventListener("input", () => {
    update();
    summarise(row.closest("details"));
  });
  controls.set(name, control);
  return row;
}

function summarise(group) {
  const number = group.querySelectorAll(".is-changed").length;
  group.querySelector("small").textContent = number === 0 ? "" : number === 1 ? "1 differs from the default" : `${number} differ from the default`;
}

function showSettings() {
  controls = new Map();
  const found = headings.map((heading) => {
    const rows = chosen.fields.filter(([, , , place]) => settings[place].heading === heading).map(settingRow);
    const group = make("details.settings-group", {}, make("summary", {}, heading, make("small")), ...rows);
    group.open = opened.has(heading);
    group.addEventListener("toggle", () => (group.open ? opened.add(heading) : opened.delete(heading)));
    summarise(group);
    return rows.length ? [group] : [];
  });
  element("settings").replaceChildren(...found.flat());
}

function openAll() {
  for (const group of element("settings").children) group.open = true;
}

// Creating the session.

function entered() {
  const entries = {};
  for (const [name, value] of new FormData(element("form"))) entries[name] = value;
  return entries;
}

/** Errors next to their fields, by name in the form; the first gets the focus. */
function showErrors(sentences) {
  let first;
  for (const [name, control] of [...controls, ["num_participants", element("num_participants")]]) {
    const sentence = sentences[name] ?? "";
    element(`${control.id}-error`).textContent = sentence;
    control.setAttribute("aria-invalid", String(Boolean(sentence)));
    if (!sentence) continue;
    const group = control.closest("details");
    if (group) group.open = true;
    first ??= control;
  }
  first?.focus({ preventScroll: true });
  first?.scrollIntoView({ block: "center", behavior: "instant" });
  return first;
}

/** The fields at the beginning of an error message: "hands and practice_hands together must …". */
function fieldsIn(sentence) {
  const about = sentence.replace(/^Failed to create session: (session config: )?/, "");
  const [, one, other] = /^(\S+)(?: and (\S+))?/.exec(about) ?? [];
  const names = [one, other].map((key) => `${chosen.name}.${key}`).filter((name) => controls.has(name));
  return Object.fromEntries(names.map((name) => [name, about]));
}

function wait(isWaiting) {
  element("btn-create-session").disabled = isWaiting;
  element("create-session-wait").hidden = !isWaiting;
  if (!isWaiting) element("create-session-progress").textContent = "";
}

function refuse(sentence, traceback = "", sentences = {}) {
  wait(false);
  const box = element("create-session-error");
  box.replaceChildren(sentence, ...(traceback.includes("\n  ") ? [make("pre", {}, traceback)] : []));
  box.hidden = false;
  if (!showErrors(sentences)) box.scrollIntoView({ block: "center", behavior: "instant" });
}

function receive({ data }) {
  const said = JSON.parse(data);
  if (said.session_url) window.location.href = said.session_url;
  else if (said.progress) element("create-session-progress").textContent = said.progress;
  else if (said.validation_errors) {
    const errors = Object.entries(said.validation_errors).map(([name, sentences]) => [name, [sentences].flat().join(" ")]);
    refuse(errors.map(([, sentence]) => sentence).join(" "), "", Object.fromEntries(errors));
  } else if (said.fields) refuse(Object.values(said.fields).join(" "), "", said.fields);
  else if (said.error) refuse(said.error, said.traceback, fieldsIn(said.error));
  else refuse(`Unexpected answer: ${data}`);
}

const { makeReconnectingWebSocket } = /** @type {any} */ (window);
const socket = makeReconnectingWebSocket("/create_session");
socket.onmessage = receive;
element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  element("create-session-error").hidden = true;
  showErrors({});
  const { num_participants: people } = entered();
  if (!/^[1-9]\d*$/.test(people)) {
    showErrors({ num_participants: "Enter the number of participants: a whole number, 1 or more." });
    return;
  }
  wait(true);
  socket.send(JSON.stringify(entered()));
});
element("config-search").addEventListener("input", search);
element("config-search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault(); // which would create a session
});
element("open-all").addEventListener("click", openAll);
window.addEventListener("pageshow", () => wait(false));

showConfigs();
const [first] = element("config-list").querySelectorAll("input");
if (first) {
  first.checked = true;
  choose(first.value);
}
