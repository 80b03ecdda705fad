/** The tab "Progress": shows how far everybody is, who needs help first, and what is done about it (cardlab/admin/monitor_views.py). */

import { make } from "./make.js";
import { called, CELLS, counts, NUMBERS } from "./progress_words.js";

const EVERY = 2000; // ms between two looks

const element = (id) => document.getElementById(id);
const { address, advance } = element("progress").dataset;
/** @type {HTMLInputElement} */
const { value: token } = document.querySelector("#progress input[name=csrftoken]");
const body = element("rows").tBodies[0];

let rows = [];
const chosen = new Set(); // codes of participants
const known = new Map(); // by code: the row of the table

/** An answer of the server; throws a sentence. */
async function ask(path, form) {
  let answer;
  try {
    answer = await fetch(path, form ? { method: "POST", body: new URLSearchParams(form), redirect: "manual" } : { redirect: "manual" });
  } catch {
    throw "The server does not answer. Is it still running?";
  }
  if (answer.type === "opaqueredirect") throw "Please log in again, then open this tab anew.";
  if (answer.status === 400) throw (await answer.json()).said;
  if (answer.status === 404) throw "This session is gone.";
  if (!answer.ok) throw `The server refused (${answer.status}): its messages, where it was started, say why.`;
  return answer.json();
}

function newRow(row) {
  const box = make("input");
  box.type = "checkbox";
  box.addEventListener("change", () => choose([row.code], box.checked));
  const name = make("th");
  name.scope = "row";
  const cells = CELLS.map((_cell, place) => make(NUMBERS.has(place) ? "td.is-number" : "td"));
  const line = make("tr", {}, make("td", {}, box), name, ...cells);
  line.addEventListener("click", ({ target }) => {
    if (target !== box) choose([row.code], !chosen.has(row.code));
  });
  return { line, box, name, cells };
}

const write = (node, text) => {
  if (node.textContent !== String(text)) node.textContent = text;
};

function show({ rows: told, comment, unread }) {
  rows = told;
  const there = new Set(rows.map(({ code }) => code));
  for (const [code, { line }] of known) {
    if (there.has(code)) continue;
    line.remove();
    known.delete(code);
    chosen.delete(code);
  }
  rows.forEach((row, place) => {
    if (!known.has(row.code)) known.set(row.code, newRow(row));
    const { line, box, name, cells } = known.get(row.code);
    write(name, called(row));
    box.setAttribute("aria-label", called(row));
    CELLS.forEach((cell, number) => write(cells[number], cell(row, rows)));
    Object.assign(line.dataset, { connection: row.stage === "playing" ? row.connection : "", need: row.need });
    line.classList.toggle("is-paused", row.paused);
    if (body.children[place] !== line) move(line, place);
  });
  element("comment").hidden = !comment.length;
  write(element("comment"), comment.join("\n"));
  write(element("counts"), counts(rows, unread));
  showChosen();
}

/** Put a row in its place; the keyboard stays where it is. */
function move(line, place) {
  /** @type {any} */
  const focus = line.contains(document.activeElement) ? document.activeElement : null;
  body.insertBefore(line, body.children[place] ?? null);
  focus?.focus();
}

function choose(codes, isChosen) {
  for (const code of codes) chosen[isChosen ? "add" : "delete"](code);
  showChosen();
}

function showChosen() {
  for (const [code, { line, box }] of known) {
    box.checked = chosen.has(code);
    line.classList.toggle("is-chosen", box.checked);
  }
  const everybody = element("everybody");
  everybody.checked = rows.length > 0 && chosen.size === rows.length;
  everybody.indeterminate = chosen.size > 0 && !everybody.checked;
  const some = rows.filter(({ code }) => chosen.has(code));
  const names = some.slice(0, 3).map(called).join(", ") + (some.length > 3 ? " …" : "");
  write(element("chosen"), some.length ? `${some.length} chosen: ${names}` : "Nobody chosen");
  const buttons = (kind) => /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll(kind));
  for (const button of buttons("[data-deed]")) button.disabled = !some.length;
  for (const button of buttons("[data-one]")) {
    button.disabled = some.length !== 1 || (button.dataset.one === "replay" && !some[0].replay);
  }
}

// What is done.

const DONE = {
  message: "Sent to",
  pause: "Paused:",
  go_on: "Going on:",
  advance: "Moved on:",
  drop_out: "Noted as dropped out:",
  come_back: "Noted as back:",
  release: "Open to the next browser: the seat of",
};
// The title, what the button is called, and what follows.
const SURE = {
  advance: ["Advance by one page?", "Advance", "A hand that they play ends for them with the outcome “advanced”. This cannot be undone."],
  drop_out: ["Dropped out?", "Note as dropped out", "Whoever plays with them goes on at once, without waiting. They can come back: by the button on their own page, or by “Is back”."],
};

async function doIt(deed, codes, more = {}) {
  write(element("wrong"), "");
  write(element("said"), "…");
  try {
    const path = deed === "advance" ? advance : `${address}/do`;
    const { people } = await ask(path, { csrftoken: token, what: deed, participants: codes.join(" "), ...more });
    const others = people > codes.length ? " (with all who play with them)" : "";
    const at = new Date().toLocaleTimeString("en-GB"); // so that a second answer of the same words is seen to be another
    write(element("said"), `${at} ${DONE[deed]} ${people} participant${people === 1 ? "" : "s"}${others}.`);
    choose(codes, false); // or the next deed would be done to them, too
    await look();
  } catch (sentence) {
    write(element("said"), "");
    write(element("wrong"), sentence);
  }
}

/** What a dialog is closed with. */
function answered(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}

async function begin(deed) {
  const some = rows.filter(({ code }) => chosen.has(code));
  const codes = some.map(({ code }) => code);
  if (deed === "message") {
    element("ask-message-to").textContent = element("chosen").textContent;
    element("message-text").value = "";
    if ((await answered(element("ask-message"))) !== "send") return;
    await doIt(deed, codes, { text: element("message-text").value });
    return;
  }
  if (SURE[deed]) {
    const [title, name, text] = SURE[deed];
    element("ask-sure-title").textContent = title;
    element("ask-sure-who").textContent = `${some.length} chosen: ${some.map(called).join(", ")}.`;
    element("ask-sure-text").textContent = text;
    element("ask-sure-do").textContent = name;
    if ((await answered(element("ask-sure"))) !== "do") return;
  }
  await doIt(deed, codes);
}

async function showLink(row) {
  try {
    const { link, svg } = await ask(`${address}/link/${row.code}`);
    element("show-link-title").textContent = called(row);
    element("show-link-code").innerHTML = svg; // drawn by the server, of the link alone
    Object.assign(element("show-link-address"), { href: link, textContent: link });
    await answered(element("show-link"));
  } catch (sentence) {
    write(element("wrong"), sentence);
  }
}

for (const button of document.querySelectorAll("[data-deed]")) {
  button.addEventListener("click", () => begin(button.dataset.deed));
}
for (const button of document.querySelectorAll("[data-all]")) {
  button.addEventListener("click", () => doIt(button.dataset.all, rows.map(({ code }) => code)));
}
for (const button of document.querySelectorAll("[data-one]")) {
  button.addEventListener("click", () => {
    const row = rows.find(({ code }) => chosen.has(code));
    if (button.dataset.one === "link") showLink(row);
    else window.open(`${address}/replay/${row.code}`, "_blank");
  });
}
element("everybody").addEventListener("change", ({ target }) => choose(rows.map(({ code }) => code), target.checked));

// The table.

async function look() {
  show(await ask(`${address}/rows`));
}

async function lookAgainAndAgain() {
  try {
    if (!document.hidden) await look();
    element("rows").classList.remove("is-old");
    if (element("wrong").dataset.look) write(element("wrong"), "");
    delete element("wrong").dataset.look;
  } catch (sentence) {
    element("rows").classList.add("is-old");
    element("wrong").dataset.look = "1";
    write(element("wrong"), sentence);
  }
  setTimeout(lookAgainAndAgain, EVERY);
}

document.addEventListener("visibilitychange", () => document.hidden || look().catch(() => {}));
lookAgainAndAgain();
