/**
 * Sends the form of a participant's page, with retries, because a browser would show an error page if the network fails.
 * Without this script the browser sends the form.
 *
 * An attempt without an answer may have arrived. So before a retry the page is requested: if the participant is on a
 * later page, or the page has counted the answers (`data-attempts`), nothing is sent again.
 */

import { reload } from "./leave_warning.js";

const FIRST_RETRY = 500; // ms
const SLOWEST_RETRY = 5000;
const PATIENCE = 30_000; // ms without an answer after which an attempt counts as lost
const TRY_AGAIN = [408, 425, 429, 502, 503, 504]; // statuses of requests that had no effect

const line = document.getElementById("not-sent");
let sending = false;

// jQuery, because oTree sends the form so when the time is up. On the document: the form may be replaced.
window.jQuery?.(document).on("submit", "#form", (event) => {
  if (event.isDefaultPrevented()) return;
  event.preventDefault();
  if (!sending) send(event.target, event.originalEvent?.submitter);
});

async function send(form, submitter) {
  sending = true;
  showSentence("");
  let maybeArrived = false;
  for (let wait = FIRST_RETRY; ; wait = Math.min(SLOWEST_RETRY, 2 * wait)) {
    try {
      const answer = await (maybeArrived ? sendRequest({}) : sendRequest({ method: "POST", body: formContents(form, submitter) }));
      if (answer.type === "opaqueredirect") {
        goToCurrentPage();
        return;
      }
      if (answer.status === 403 && !isPlain(answer)) {
        reload(); // another browser has taken the seat over
        return;
      }
      if (!answer.ok && !TRY_AGAIN.includes(answer.status)) {
        showSentence((await readSentence(answer)) || line.dataset.refused);
        break;
      }
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!maybeArrived || attemptsOf(page) !== attemptsOf(document)) {
          showPageAgain(page);
          break;
        }
        maybeArrived = false; // it did not arrive
        continue;
      }
    } catch {
      maybeArrived = true; // no answer
    }
    showSentence(line.dataset.lost);
    await pause(wait);
  }
  sending = false;
}

/** Sends a request to this page's address, without following redirects. */
async function sendRequest(request) {
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE);
  try {
    return await fetch(addressHere(), { ...request, redirect: "manual", cache: "no-store", signal: patience.signal });
  } finally {
    clearTimeout(timer);
  }
}

const addressHere = () => location.href.split("#")[0];

/** The current contents of the form; its time may have run out since the last attempt. */
function formContents(form, submitter) {
  const fields = new URLSearchParams(/** @type {any} */ (new FormData(form))); // it has no files
  if (submitter?.name) fields.append(submitter.name, submitter.value);
  return fields;
}

/** Reloads: oTree redirects from a completed page to the participant's current page. */
function goToCurrentPage() {
  showSentence("");
  location.replace(addressHere());
}

const attemptsOf = (page) => page.querySelector("[data-attempts]")?.dataset.attempts;

/** Shows the errors of a rejected form. The board and the time limit do not change. */
function showPageAgain(page) {
  const [before, after] = [document, page].map((one) => one.querySelector("main"));
  const errors = after?.querySelector(".otree-form-errors");
  if (!errors && !attemptsOf(page)) {
    reload();
    return;
  }
  if (document.getElementById("board")) {
    before.querySelector(".otree-form-errors")?.remove();
    document.getElementById("form").before(errors);
  } else {
    const timer = before.querySelector(".otree-timer");
    if (timer) after.querySelector(".otree-timer")?.replaceWith(timer);
    before.replaceWith(after);
  }
  showSentence("");
  if (errors) errors.tabIndex = -1;
  errors?.focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

const isPlain = (answer) => answer.headers.get("content-type")?.startsWith("text/plain");

/** The server's plain-text error message; "" if it answers with a page. */
async function readSentence(answer) {
  return isPlain(answer) ? (await answer.text()).trim().slice(0, 300) : "";
}

/** Waits for so long, or until the network is back. */
function pause(ms) {
  return new Promise((resume) => {
    setTimeout(resume, ms);
    addEventListener("online", resume, { once: true });
  });
}

function showSentence(sentence) {
  line.hidden = sentence === "";
  if (line.textContent !== sentence) line.textContent = sentence;
}
