/** The tab "Progress": shows each participant's progress, the most urgent first, and sends interventions (cardlab/admin/monitor_views.py). */

import { make, setText } from "./elements.js";
import { sendRequest, waitForAnswer } from "./progress_dialogs.js";
import { isListening, showRequests } from "./progress_help.js";
import { nameOf, CELLS, countsText, NUMBERS } from "./progress_texts.js";

const POLL_MS = 2000;

const element = (id) => document.getElementById(id);
const { address, advance } = element("progress").dataset;
/** @type {HTMLInputElement} */
const { value: token } = document.querySelector("#progress input[name=csrftoken]");
const body = element("rows").tBodies[0];
const headings = [...document.querySelectorAll("#rows thead th")].slice(2).map(({ textContent }) => textContent);

let rows = [];
const selectedCodes = new Set(); // of the selected participants
const linesByCode = new Map(); // participant code to table line

function newLine(row) {
  const box = make("input");
  box.type = "checkbox";
  box.addEventListener("change", () => setSelected([row.code], box.checked));
  const name = make("th");
  name.scope = "row";
  const cells = CELLS.map((_cell, place) => make(NUMBERS.has(place) ? "td.is-number" : "td"));
  cells.forEach((cell, place) => (cell.dataset.heading = headings[place]));
  const line = make("tr", {}, make("td", {}, box), name, ...cells);
  line.addEventListener("click", ({ target }) => {
    if (target !== box) setSelected([row.code], !selectedCodes.has(row.code));
  });
  return { line, box, name, cells };
}

function showRows({ rows: newRows, comment, unread }) {
  rows = newRows;
  const currentCodes = new Set(rows.map(({ code }) => code));
  for (const [code, { line }] of linesByCode) {
    if (currentCodes.has(code)) continue;
    line.remove();
    linesByCode.delete(code);
    selectedCodes.delete(code);
  }
  rows.forEach((row, index) => {
    if (!linesByCode.has(row.code)) linesByCode.set(row.code, newLine(row));
    const { line, box, name, cells } = linesByCode.get(row.code);
    setText(name, nameOf(row));
    box.setAttribute("aria-label", nameOf(row));
    CELLS.forEach((cell, number) => setText(cells[number], cell(row, rows)));
    Object.assign(line.dataset, { connection: row.stage === "playing" ? row.connection : "", need: row.need });
    line.classList.toggle("is-paused", row.paused);
    if (body.children[index] !== line) moveLine(line, index);
  });
  element("comment").hidden = !comment.length;
  setText(element("comment"), comment.join("\n"));
  setText(element("counts"), countsText(rows, unread));
  showRequests(rows, answerRequest);
  showSelection();
}

/** Moves a line to an index of the table and keeps the focus. */
function moveLine(line, index) {
  /** @type {any} */
  const focus = line.contains(document.activeElement) ? document.activeElement : null;
  body.insertBefore(line, body.children[index] ?? null);
  focus?.focus();
}

function setSelected(codes, isSelected) {
  for (const code of codes) selectedCodes[isSelected ? "add" : "delete"](code);
  showSelection();
}

function showSelection() {
  for (const [code, { line, box }] of linesByCode) {
    box.checked = selectedCodes.has(code);
    line.classList.toggle("is-selected", box.checked);
  }
  const everybody = element("everybody");
  everybody.disabled = !rows.length;
  everybody.checked = rows.length > 0 && selectedCodes.size === rows.length;
  everybody.indeterminate = selectedCodes.size > 0 && !everybody.checked;
  const selected = rows.filter(({ code }) => selectedCodes.has(code));
  const names = selected.slice(0, 3).map(nameOf).join(", ") + (selected.length > 3 ? " …" : "");
  setText(element("selection"), selected.length ? `${selected.length} selected: ${names}` : "Nobody selected");
  const buttons = (kind) => /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll(kind));
  for (const button of buttons("[data-intervention]")) button.disabled = !selected.length;
  for (const button of buttons("[data-for-one]")) {
    button.disabled = selected.length !== 1 || (button.dataset.forOne === "replay" && !selected[0].replay);
  }
}

// Interventions.

const DONE_TEXTS = {
  message: "Message sent to",
  pause: "Paused:",
  go_on: "Resumed:",
  advance: "Advanced:",
  drop_out: "Marked as dropped out:",
  come_back: "Marked as returned:",
  release: "Another browser may now open the link of",
  end: "Ended for",
  answer: "Answered:",
};
const INTERVENTION_PATHS = { advance, end: `${address}/end`, answer: `${address}/answer` };
// By intervention: title, button label, and consequence.
const CONFIRMATIONS = {
  advance: ["Advance one page?", "Advance", "If they are playing a hand, it ends for them with the outcome “advanced”. You cannot undo this."],
  drop_out: ["Mark as dropped out?", "Mark as dropped out", "Their co-players continue at once, without waiting for them. Dropouts can return: with the button on their own page, or when you press “Mark as returned”."],
};

async function intervene(kind, codes, fields = {}) {
  setText(element("wrong"), "");
  setText(element("status"), "…");
  try {
    const { people } = await sendRequest(INTERVENTION_PATHS[kind] ?? `${address}/do`, { csrftoken: token, what: kind, participants: codes.join(" "), ...fields });
    const others = people > codes.length ? " (including their co-players)" : "";
    const time = new Date().toLocaleTimeString("en-GB"); // shows that a repeated sentence is new
    setText(element("status"), `${time} ${DONE_TEXTS[kind]} ${people} participant${people === 1 ? "" : "s"}${others}.`);
    setSelected(codes, false); // so that the next intervention does not apply to them, too
    await loadRows();
  } catch (sentence) {
    setText(element("status"), "");
    setText(element("wrong"), sentence);
  }
}

async function startIntervention(kind) {
  const selected = rows.filter(({ code }) => selectedCodes.has(code));
  const codes = selected.map(({ code }) => code);
  if (kind === "message") {
    element("ask-message-to").textContent = element("selection").textContent;
    element("message-text").value = "";
    if ((await waitForAnswer(element("ask-message"))) !== "send") return;
    await intervene(kind, codes, { text: element("message-text").value });
    return;
  }
  if (CONFIRMATIONS[kind]) {
    const [title, name, text] = CONFIRMATIONS[kind];
    element("ask-sure-title").textContent = title;
    element("ask-sure-who").textContent = `${selected.length} selected: ${selected.map(nameOf).join(", ")}.`;
    element("ask-sure-text").textContent = text;
    element("ask-sure-do").textContent = name;
    if ((await waitForAnswer(element("ask-sure"))) !== "do") return;
  }
  await intervene(kind, codes);
}

/** Ends the study for the selected participants, or for everybody. */
async function endNow() {
  const selected = selectedCodes.size ? rows.filter(({ code }) => selectedCodes.has(code)) : rows;
  const who = selectedCodes.size ? `${selected.length} selected: ${selected.map(nameOf).join(", ")}.` : `Everybody: ${selected.length} participants.`;
  element("ask-end-who").textContent = who;
  const place = await waitForAnswer(element("ask-end"));
  if (["results", "end"].includes(place)) await intervene("end", selected.map(({ code }) => code), { place });
}

/** Answers a request for help, or closes it without an answer. */
async function answerRequest(row) {
  const [number, , text] = row.help;
  element("ask-answer-to").textContent = `${nameOf(row)} asks:`;
  element("ask-answer-text").textContent = text;
  element("answer-text").value = "";
  const choice = await waitForAnswer(element("ask-answer"));
  if (!["send", "close"].includes(choice)) return;
  await intervene("answer", [row.code], { number, text: choice === "send" ? element("answer-text").value : "" });
}

async function showLink(row) {
  try {
    const { link, svg } = await sendRequest(`${address}/link/${row.code}`);
    element("show-link-title").textContent = nameOf(row);
    element("show-link-code").innerHTML = svg; // safe: the server makes it from the link
    Object.assign(element("show-link-address"), { href: link, textContent: link });
    await waitForAnswer(element("show-link"));
  } catch (sentence) {
    setText(element("wrong"), sentence);
  }
}

/** Removes the data of a participant who withdraws, and says what remains to be done. */
async function withdraw(row) {
  element("ask-withdraw-who").textContent = `1 selected: ${nameOf(row)}.`;
  /** @type {any} */
  const paid = element("withdraw-paid");
  paid.checked = false;
  if ((await waitForAnswer(element("ask-withdraw"))) !== "do") return;
  setText(element("wrong"), "");
  setText(element("status"), "Removing data …");
  try {
    const { sentences } = await sendRequest(`${address}/withdraw`, { csrftoken: token, participants: row.code, paid: paid.checked ? "1" : "" });
    setText(element("status"), "Data removed.");
    element("withdrawn").hidden = false;
    element("withdrawn").replaceChildren(...sentences.map((sentence) => make("li", {}, sentence)));
    await loadRows();
  } catch (sentence) {
    setText(element("status"), "");
    setText(element("wrong"), sentence);
  }
}

/** The actions for one participant, by the button's name. */
const FOR_ONE = {
  link: showLink,
  replay: (row) => window.open(`${address}/replay/${row.code}`, "_blank"),
  withdraw,
};

for (const button of document.querySelectorAll("[data-intervention]")) {
  button.addEventListener("click", () => startIntervention(button.dataset.intervention));
}
for (const button of document.querySelectorAll("[data-for-all]")) {
  button.addEventListener("click", () => intervene(button.dataset.forAll, rows.map(({ code }) => code)));
}
for (const button of document.querySelectorAll("[data-for-one]")) {
  button.addEventListener("click", () => {
    FOR_ONE[button.dataset.forOne](rows.find(({ code }) => selectedCodes.has(code)));
  });
}
element("end-now").addEventListener("click", endNow);
element("everybody").addEventListener("change", ({ target }) => setSelected(rows.map(({ code }) => code), target.checked));

// The table.

async function loadRows() {
  showRows(await sendRequest(`${address}/rows`));
}

async function pollRows() {
  try {
    if (!document.hidden || isListening()) await loadRows();
    element("rows").classList.remove("is-stale");
    if (element("wrong").dataset.fromPoll) setText(element("wrong"), "");
    delete element("wrong").dataset.fromPoll;
  } catch (sentence) {
    element("rows").classList.add("is-stale");
    element("wrong").dataset.fromPoll = "1";
    setText(element("wrong"), sentence);
  }
  setTimeout(pollRows, POLL_MS);
}

document.addEventListener("visibilitychange", () => document.hidden || loadRows().catch(() => {}));
pollRows();
