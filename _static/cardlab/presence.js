/**
 * On every participant's page: reports to the server whether the page is open and visible, shows the researcher's
 * messages, a pause or a dropout, and reloads when the participant was advanced (cardlab/live/presence_socket.py).
 * Requests for help are in help.js.
 */

import { openConfirmDialog } from "./confirm_dialog.js";
import { watchBrowser } from "./browser_events.js";
import { make } from "./elements.js";
import { answerLine, resendRequest, helpDialog, offerHelp, showRequestRefused, showRequest } from "./help.js";
import "./language_choice.js";
import { pageLifetime } from "./page_lifetime.js";
import { reload } from "./send_form.js";
import { formatMinutes } from "./text.js";

const [messages, paused, resumed, dropped] = ["messages", "paused", "resumed", "dropped"].map((id) => document.getElementById(id));
const isWaitPage = document.querySelector(".otree-wait-page") !== null;
let current = { messages: [], help: "", paused: false, dropped: false, left: null };

// All pages in this document (shell.js) share the connection and the standing notices.
const inherited = window.cardLab.here;
const socket = (window.cardLab.here ??= new window.ReconnectingWebSocket(address));
if ("browserEvents" in messages.dataset) window.cardLab.browser ??= watchBrowser(socket, Number(messages.dataset.browserEvents));
/** The socket's address, computed for each new connection, because it names the current page. */
function address() {
  return location.origin.replace("http", "ws") + document.getElementById("here").dataset.socket;
}

const send = (message) => socket.send(JSON.stringify(message));
const reportVisibility = () => send({ hidden: document.hidden });

/** oTree's running timer of the page, if it has one. */
const runningTimer = () => window.jQuery?.(".otree-timer__time-left").filter((_place, element) => isRunning(element));
const isRunning = (element) => window.jQuery(element).data("countdown-instance") !== undefined;

function showMessages(standing) {
  const linesByNumber = new Map(Array.from(messages.children, (line) => [Number(line.dataset.number), line]));
  for (const [number, text, question] of standing) {
    if (!linesByNumber.delete(number)) messages.append(messageLine(number, text, question));
  }
  for (const line of linesByNumber.values()) line.remove();
}

function messageLine(number, text, question) {
  const ok = make("button.btn.btn-primary", {}, messages.dataset.ok);
  ok.type = "button";
  ok.addEventListener("click", () => send({ read: number }));
  const message = () => make("p", {}, make("b", {}, `${messages.dataset.from}: `), text);
  const words = question === undefined ? message() : answerLine(messages.dataset.answer, question, text);
  return make("div.researcher-message", { number }, words, ok);
}

/** Opens or closes a dialog that the participant cannot close. */
function toggleDialog(dialog, isOpen) {
  if (isOpen && !dialog.open) dialog.showModal();
  if (!isOpen && dialog.open) dialog.close();
}

function holdTimer(before) {
  if (current.paused && current.left !== null) runningTimer()?.countdown("pause").text(formatMinutes(current.left));
  if (before.paused && !current.paused) {
    if (isWaitPage) reload();
    else if (current.left !== null) runningTimer()?.countdown(Math.round(Date.now() + 1000 * current.left));
  }
}

function showStanding(standing) {
  const before = current;
  current = standing;
  toggleDialog(paused, current.paused);
  toggleDialog(dropped, current.dropped && !current.paused);
  if (before.paused !== current.paused) resumed.textContent = current.paused ? "" : resumed.dataset.words;
  showRequest(current.help);
  const container = [paused, dropped].find((dialog) => dialog.open) ?? helpDialog() ?? document.body;
  if (messages.parentElement !== container) container.prepend(messages);
  showMessages(current.messages);
  holdTimer(before);
}

for (const dialog of [paused, dropped]) {
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.addEventListener("close", () => showStanding(current)); // browsers close it at the second Escape
}
dropped.querySelector(":scope > .dialog-buttons button").addEventListener("click", () => send({ back: true }));
document.addEventListener("visibilitychange", reportVisibility, { signal: pageLifetime });

const isConnected = () => socket.readyState === WebSocket.OPEN;
offerHelp(send, isConnected, () => showStanding(current));
let isLeaving = false;
function leaveStudy() {
  isLeaving = true;
  if (isConnected()) send({ leave: true });
}
let isWithdrawing = false;
function withdraw() {
  isWithdrawing = true;
  if (isConnected()) send({ withdraw: true });
}
document.getElementById("ask-to-leave")?.addEventListener("click", () => openConfirmDialog(document.getElementById("leave-study"), leaveStudy));
document.getElementById("ask-to-withdraw")?.addEventListener("click", () => openConfirmDialog(document.getElementById("withdraw-data"), withdraw));
socket.onopen = () => {
  reportVisibility();
  if (isLeaving) leaveStudy();
  if (isWithdrawing) withdraw();
  resendRequest(send);
};
socket.onmessage = ({ data }) => {
  const standing = JSON.parse(data);
  if (standing.auto_advanced) reload();
  else if (standing.help_refused) showRequestRefused();
  else if (standing.messages) showStanding((window.cardLab.standing = standing)); // browser_events.js handles the others
};
if (window.cardLab.standing) showStanding(window.cardLab.standing);
// The participant may have been moved to another page meanwhile. On a page with a hand, the hand's socket checks this.
const page = new URL(address()).searchParams.get("page");
if (inherited && page && !document.getElementById("board")) send({ page: Number(page) });
