/**
 * The button and the dialog with which a participant asks for help, where the session has them (AskForHelp.html,
 * Presence.html). A request is open until the researcher answers it or the participant withdraws it.
 */

import { make } from "./elements.js";
import { life } from "./life.js";

const [button, dialog, form, sent, wrong] = ["ask-for-help", "help", "help-form", "help-sent", "help-wrong"].map((id) => document.getElementById(id));
/** @type {any} */
const text = document.getElementById("help-text");
const label = button?.querySelector(".foot-label");
const labelText = label?.textContent;

let asked = ""; // the open request
let unsent = ""; // a request that the server has not answered yet

/** The dialog, if it is open: messages stay accessible above it. */
export const helpDialog = () => (dialog?.open ? dialog : undefined);

/**
 * Connects the button to the server.
 * @param {(message: object) => void} send
 * @param {() => boolean} isConnected
 * @param {() => void} onClose
 */
export function offerHelp(send, isConnected, onClose) {
  if (!dialog) return;
  button?.addEventListener("click", () => {
    say("");
    dialog.showModal();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!text.value.trim()) return;
    unsent = text.value;
    if (isConnected()) send({ help: unsent });
    else say(wrong.dataset.lost);
  });
  form.querySelector("button").addEventListener("click", () => {
    unsent = "";
    dialog.close();
  });
  const [withdraw, close] = sent.querySelectorAll("button");
  withdraw.addEventListener("click", () => send({ no_help: true }));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", onClose);
  life.addEventListener("abort", () => dialog.close());
}

/** Sends what was asked while there was no connection. @param {(message: object) => void} send */
export function askAgainForHelp(send) {
  if (unsent) send({ help: unsent });
}

/** The server takes no more requests for now. */
export function refuseHelp() {
  unsent = "";
  say(wrong?.dataset.often);
}

/** Shows whether a request is open. @param {string} request its text, "" without one */
export function showHelp(request) {
  if (!dialog || request === asked) return;
  asked = request;
  form.hidden = request !== "";
  sent.hidden = request === "";
  dialog.setAttribute("aria-labelledby", request ? "help-sent-title" : "help-title");
  sent.querySelector("bdi").textContent = request;
  if (label) label.textContent = request ? button.dataset.asked : labelText;
  button?.classList.toggle("is-asked", request !== "");
  if (request) {
    unsent = text.value = "";
    say("");
    if (dialog.open) document.getElementById("help-sent-title").focus();
  } else if (dialog.open) dialog.close();
}

/** The line of an answer: what was asked, and the answer. @param {string} title */
export const answerLine = (title, question, answer) => make("p", {}, make("b", {}, `${title} “`, make("bdi", {}, question), "”: "), answer);

function say(sentence) {
  wrong.textContent = sentence;
}
