/** The form that creates a session: builds the list of configs and the settings of the chosen one (cardlab/admin/session_form.py). */

import { make } from "./elements.js";
import { isSame, newControl, nodesOf, setValue, valueText, valueOf } from "./setting_control.js";

/** @type {any} */
const element = (id) => document.getElementById(id);
const { headings, groups, settings, apps } = JSON.parse(element("session-form-data").textContent);
const configs = new Map(groups.flatMap((group) => group.configs.map((config) => [config.name, config])));
const edited = new Map(); // entered values by field name, kept when another config is chosen
const openHeadings = new Set(); // the headings of the open groups of settings
let controls = new Map(); // the controls of the chosen config, by field name
let selectedConfig;

// The configs.

function configChoice(config) {
  const radio = make("input");
  Object.assign(radio, { type: "radio", name: "session_config", value: config.name });
  radio.addEventListener("change", () => selectConfig(config.name));
  const line = make("label.config-choice", {}, radio, make("span", {}, config.title));
  if (config.doc) line.append(make("small", {}, config.doc));
  return line;
}

function showConfigs() {
  for (const { title, configs: groupConfigs } of groups) {
    element("config-list").append(make("div.config-group", {}, make("h3", {}, title), ...groupConfigs.map(configChoice)));
  }
}

function filterConfigs() {
  const words = element("config-search").value.toLowerCase().split(/\s+/);
  let isAnyShown = false;
  for (const group of element("config-list").children) {
    const title = group.firstChild.textContent;
    let isShown = false;
    for (const line of group.querySelectorAll(".config-choice")) {
      const text = `${title} ${line.textContent} ${line.querySelector("input").value}`.toLowerCase();
      line.hidden = !words.every((word) => text.includes(word));
      isShown ||= !line.hidden;
    }
    group.hidden = !isShown;
    isAnyShown ||= isShown;
  }
  element("config-none").hidden = isAnyShown;
}

function selectConfig(name) {
  selectedConfig = configs.get(name);
  element("config-title").textContent = groups.find((group) => group.configs.includes(selectedConfig)).title + ": " + selectedConfig.title;
  element("config-doc").textContent = selectedConfig.doc;
  element("num_participants").step = element("num_participants").min = selectedConfig.multiple;
  showSettings();
  showErrors({});
}

// The settings.

function settingRow([key, value, defaultValue, index]) {
  const setting = settings[index];
  const name = `${selectedConfig.name}.${key}`;
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
  if (control.type === "text" || (control.type === "number" && setting.maximum !== undefined)) about.append(` Allowed: ${setting.words}.`);
  const error = make("p.setting-error");
  error.id = `${id}-error`;
  const unit = setting.unit && control.type === "number" ? [make("span", {}, setting.unit)] : [];
  const row = make("div.setting", {}, label, make("div.setting-value", {}, control, ...unit, mark, reset), about, error);

  /** Marks a value that differs from the default; the button resets the entered value, then the config's. */
  const update = () => {
    const entered = valueOf(control);
    const isEdited = !isSame(entered, value) && entered !== "";
    const differs = !isSame(entered === "" ? value : entered, defaultValue);
    row.classList.toggle("is-changed", differs);
    mark.textContent = differs ? `Default: ${valueText(defaultValue)}` : "";
    const resetValue = isEdited ? value : defaultValue;
    reset.hidden = (!differs && !isEdited) || resetValue === ""; // an empty field means the config's value
    reset.textContent = `Reset to ${valueText(resetValue)}`;
    reset.setAttribute("aria-label", `Reset to ${valueText(resetValue)}: ${setting.label}`);
    reset.onclick = () => {
      setValue(control, resetValue);
      control.focus();
    };
    if (isEdited) edited.set(name, entered);
    else edited.delete(name);
  };
  update();
  control.addEventListener("input", () => {
    update();
    showChangeCount(row.closest("details"));
  });
  controls.set(name, control);
  return row;
}

function showChangeCount(group) {
  const number = group.querySelectorAll(".is-changed").length;
  group.querySelector("small").textContent = number === 0 ? "" : number === 1 ? "1 differs from the default" : `${number} differ from the default`;
}

function showSettings() {
  controls = new Map();
  const lists = headings.map((heading) => {
    const rows = selectedConfig.fields.filter(([, , , index]) => settings[index].heading === heading).map(settingRow);
    const group = make("details.settings-group", {}, make("summary", {}, heading, make("small")), ...rows);
    group.open = openHeadings.has(heading);
    group.addEventListener("toggle", () => (group.open ? openHeadings.add(heading) : openHeadings.delete(heading)));
    showChangeCount(group);
    return rows.length ? [group] : [];
  });
  element("settings").replaceChildren(...lists.flat());
}

function openAll() {
  for (const group of element("settings").children) group.open = true;
}

// Creating the session.

function formValues() {
  const entries = {};
  for (const [name, value] of new FormData(element("form"))) entries[name] = value;
  return entries;
}

/** Shows errors next to their fields, by name in the form, and focuses the first. */
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

/** The fields named at the beginning of an error message: "hands and practice_hands together must …". */
function fieldsIn(sentence) {
  const about = sentence.replace(/^Failed to create session: (session config: )?/, "");
  const [, firstKey, secondKey] = /^(\S+)(?: and (\S+))?/.exec(about) ?? [];
  const names = [firstKey, secondKey].map((key) => `${selectedConfig.name}.${key}`).filter((name) => controls.has(name));
  return Object.fromEntries(names.map((name) => [name, about]));
}

function setWaiting(isWaiting) {
  element("btn-create-session").disabled = isWaiting;
  element("create-session-wait").hidden = !isWaiting;
  if (!isWaiting) element("create-session-progress").textContent = "";
}

function showFailure(sentence, traceback = "", sentences = {}) {
  setWaiting(false);
  const box = element("create-session-error");
  box.replaceChildren(sentence, ...(traceback.includes("\n  ") ? [make("pre", {}, traceback)] : []));
  box.hidden = false;
  if (!showErrors(sentences)) box.scrollIntoView({ block: "center", behavior: "instant" });
}

function handleMessage({ data }) {
  const message = JSON.parse(data);
  if (message.session_url) window.location.href = message.session_url;
  else if (message.progress) element("create-session-progress").textContent = message.progress;
  else if (message.validation_errors) {
    const errors = Object.entries(message.validation_errors).map(([name, sentences]) => [name, [sentences].flat().join(" ")]);
    showFailure(errors.map(([, sentence]) => sentence).join(" "), "", Object.fromEntries(errors));
  } else if (message.fields) showFailure(Object.values(message.fields).join(" "), "", message.fields);
  else if (message.error) showFailure(message.error, message.traceback, fieldsIn(message.error));
  else showFailure(`Unexpected answer: ${data}`);
}

const { makeReconnectingWebSocket } = /** @type {any} */ (window);
const socket = makeReconnectingWebSocket("/create_session");
socket.onmessage = handleMessage;
element("form").addEventListener("submit", (event) => {
  event.preventDefault();
  element("create-session-error").hidden = true;
  showErrors({});
  const { num_participants: people } = formValues();
  if (!/^[1-9]\d*$/.test(people)) {
    showErrors({ num_participants: "Enter the number of participants: a whole number, 1 or more." });
    return;
  }
  setWaiting(true);
  socket.send(JSON.stringify(formValues()));
});
element("config-search").addEventListener("input", filterConfigs);
element("config-search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") event.preventDefault(); // which would create a session
});
element("open-all").addEventListener("click", openAll);
window.addEventListener("pageshow", () => setWaiting(false));

showConfigs();
const [first] = element("config-list").querySelectorAll("input");
if (first) {
  first.checked = true;
  selectConfig(first.value);
}
