/**
 * Connects the button and dialog with which a participant asks for help, if the session has them (AskForHelp.html,
 * Presence.html). A request is open until the researcher answers it or the participant withdraws it.
 */

import { make } from "./elements.js";
import { pageLifetime } from "./page_lifetime.js";

const [button, dialog, form, sentNotice, errorLine] = ["ask-for-help", "help", "help-form", "help-sent", "help-wrong"].map((id) => document.getElementById(id));
/** @type {any} */
const text = document.getElementById("help-text");
const label = button?.querySelector(".foot-label");
const labelText = label?.textContent;

let openRequest = "";
let unansweredRequest = ""; // a request that the server has not answered yet

/** The dialog, if it is open. Messages go into it, so that they stay accessible. */
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
    showError("");
    dialog.showModal();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!text.value.trim()) return;
    unansweredRequest = text.value;
    if (isConnected()) send({ help: unansweredRequest });
    else showError(errorLine.dataset.lost);
  });
  form.querySelector("button").addEventListener("click", () => {
    unansweredRequest = "";
    dialog.close();
  });
  const [withdraw, close] = sentNotice.querySelectorAll("button");
  withdraw.addEventListener("click", () => send({ no_help: true }));
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", onClose);
  pageLifetime.addEventListener("abort", () => dialog.close());
}

/** Resends a request without an answer after a lost connection. @param {(message: object) => void} send */
export function resendRequest(send) {
  if (unansweredRequest) send({ help: unansweredRequest });
}

/** Says that the server does not accept more requests at the moment. */
export function showRequestRefused() {
  unansweredRequest = "";
  showError(errorLine?.dataset.often);
}

/** Shows whether a request is open. @param {string} request its text, "" without one */
export function showRequest(request) {
  if (!dialog || request === openRequest) return;
  openRequest = request;
  form.hidden = request !== "";
  sentNotice.hidden = request === "";
  dialog.setAttribute("aria-labelledby", request ? "help-sent-title" : "help-title");
  sentNotice.querySelector("bdi").textContent = request;
  if (label) label.textContent = request ? button.dataset.asked : labelText;
  button?.classList.toggle("is-asked", request !== "");
  if (request) {
    unansweredRequest = text.value = "";
    showError("");
    if (dialog.open) document.getElementById("help-sent-title").focus();
  } else if (dialog.open) dialog.close();
}

/** The line of an answer, with the question that it answers. @param {string} title */
export const answerLine = (title, question, answer) => make("p", {}, make("b", {}, `${title} “`, make("bdi", {}, question), "”: "), answer);

function showError(sentence) {
  errorLine.textContent = sentence;
}
