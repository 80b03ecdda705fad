/**
 * Every page of a participant: tells the server that it is open, and whether it is seen; shows what the
 * researcher says, and is loaded anew when the participant was moved on (cardlab/live/presence_socket.py). What stands is told
 * as a whole each time, so nothing has to be remembered.
 */

import { reload } from "./leaving.js";
import { make } from "./make.js";
import "./send_form.js";
import { minutes } from "./text.js";

const [messages, paused, dropped] = ["messages", "paused", "dropped"].map((id) => document.getElementById(id));
const waits = document.querySelector(".otree-wait-page") !== null;
let stands = { messages: [], paused: false, dropped: false, left: null };

const socket = window.makeReconnectingWebSocket(document.getElementById("here").dataset.socket);
const say = (said) => socket.send(JSON.stringify(said));
const tellWhetherSeen = () => say({ hidden: document.hidden });

/** oTree's time limit of the page, if it has one and it runs. */
const timer = () => window.jQuery?.(".otree-timer__time-left").filter((_place, each) => runs(each));
const runs = (each) => window.jQuery(each).data("countdown-instance") !== undefined;

function showMessages(told) {
  const there = new Map(Array.from(messages.children, (line) => [Number(line.dataset.number), line]));
  for (const [number, text] of told) {
    if (!there.delete(number)) messages.append(lineOf(number, text));
  }
  for (const line of there.values()) line.remove();
}

function lineOf(number, text) {
  const ok = make("button.btn.btn-primary", {}, messages.dataset.ok);
  ok.type = "button";
  ok.addEventListener("click", () => say({ read: number }));
  const words = make("p", {}, make("b", {}, `${messages.dataset.from}: `), text);
  return make("div.researcher-message", { number }, words, ok);
}

/** A dialog over everything, which no key closes; messages stay within reach above it. */
function open(dialog, isOpen) {
  if (isOpen && !dialog.open) dialog.showModal();
  if (!isOpen && dialog.open) dialog.close();
}

function holdTime(before) {
  if (stands.paused && stands.left !== null) timer()?.countdown("pause").text(minutes(stands.left));
  if (before.paused && !stands.paused) {
    if (waits) reload();
    else if (stands.left !== null) timer()?.countdown(Math.round(Date.now() + 1000 * stands.left));
  }
}

function show(told) {
  const before = stands;
  stands = told;
  open(paused, stands.paused);
  open(dropped, stands.dropped && !stands.paused);
  const above = [paused, dropped].find((dialog) => dialog.open) ?? document.body;
  if (messages.parentElement !== above) above.prepend(messages);
  showMessages(stands.messages);
  holdTime(before);
}

for (const dialog of [paused, dropped]) {
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  dialog.addEventListener("close", () => show(stands)); // a browser closes it at the second Escape all the same
}
dropped.querySelector(":scope > button").addEventListener("click", () => say({ back: true }));
document.addEventListener("visibilitychange", tellWhetherSeen);
socket.onopen = tellWhetherSeen;
socket.onmessage = ({ data }) => {
  const told = JSON.parse(data);
  if (told.auto_advanced) reload();
  else show(told);
};
