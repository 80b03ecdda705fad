/**
 * Sends the form of a participant's page, with retries. Without this script, the browser would send it and show an
 * error page if the network fails.
 *
 * An attempt without an answer may have arrived. So before a retry the page is requested: if the participant is on a
 * later page, or the page has counted the answers (`data-attempts`), nothing is sent again.
 *
 * Between Card Lab's own pages (shell.js), the answer is the next page, and the document stays.
 */

import { confirmLeaving } from "./leave_warning.js";
import { onPageEnd } from "./page_lifetime.js";
import { ADDRESS_HEADER, REQUEST_HEADERS, inShell, showPage } from "./shell.js";

const FIRST_RETRY_MS = 500;
const SLOWEST_RETRY_MS = 5000;
const LAST_LOOK_MS = 1500; // ms to see the last position when the time is up
const ANSWER_TIMEOUT_MS = 30_000; // ms without an answer before an attempt counts as lost
const RETRY_STATUSES = [408, 425, 429, 502, 503, 504]; // statuses of requests that had no effect

const line = document.getElementById("not-sent");
let isLoading = false;

// A jQuery event, because oTree triggers it when the time is up. On the document, because the form may be replaced.
window.jQuery?.(document).on("submit.page", "#form", (event) => {
  if (event.isDefaultPrevented()) return;
  event.preventDefault();
  if (!isLoading) loadNextPage(event.target, event.originalEvent?.submitter);
});
onPageEnd(() => window.jQuery?.(document).off("submit.page"));

/** Shows the participant's current page, to which oTree redirects. */
export function reload() {
  confirmLeaving(false);
  if (!inShell) location.reload();
  else if (!isLoading) loadNextPage(null);
}

/** Sends the form, or requests the page if there is none, and retries until the next page is shown. */
async function loadNextPage(form, submitter) {
  isLoading = true;
  showSentence("");
  const isTimeUp = form?.elements.timeout_happened && document.getElementById("board");
  if (isTimeUp) document.getElementById("board").inert = true;
  const ready = pause(isTimeUp ? LAST_LOOK_MS : 0);
  let mayHaveArrived = form === null; // without a form, only the page is requested
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(SLOWEST_RETRY_MS, 2 * wait)) {
    try {
      const answer = await (mayHaveArrived ? sendRequest({}) : sendRequest({ method: "POST", body: formContents(form, submitter) }));
      if (answer.type === "opaqueredirect") {
        goToCurrentPage();
        return;
      }
      if ([403, 410].includes(answer.status) && !isPlain(answer)) {
        location.reload(); // another browser has taken the seat over, or the participant's data were removed
        return;
      }
      if (answer.ok && inShell && (form === null || addressOf(answer) !== location.pathname)) {
        mayHaveArrived = true; // in case the next page's files cannot be fetched
        await showPage(answer.headers.has(ADDRESS_HEADER) ? await answer.text() : "", addressOf(answer), () => ready);
        return;
      }
      if (!answer.ok && !RETRY_STATUSES.includes(answer.status)) {
        showSentence((await readSentence(answer)) || line.dataset.refused);
        break;
      }
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!mayHaveArrived || attemptsOf(page) !== attemptsOf(document)) {
          isLoading = false;
          showPageAgain(page);
          return;
        }
        mayHaveArrived = false; // the attempt did not arrive
        continue;
      }
    } catch {
      mayHaveArrived = true; // no answer
    }
    showSentence(line.dataset.lost);
    await pause(wait);
  }
  isLoading = false;
}

/** Sends a request to this page's address. In the shell, redirects are followed. */
async function sendRequest(request) {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), ANSWER_TIMEOUT_MS);
  try {
    return await fetch(addressHere(), {
      ...request,
      headers: REQUEST_HEADERS,
      redirect: inShell ? "follow" : "manual",
      cache: "no-store",
      signal: timeout.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}

const addressOf = (answer) => answer.headers.get(ADDRESS_HEADER) ?? new URL(answer.url).pathname;
const addressHere = () => location.href.split("#")[0];

/** The current contents of the form, because its time may have run out since the last attempt. */
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
  const [before, after] = [document, page].map((root) => root.querySelector("main"));
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

/** Resolves after `ms`, or when the network is back. */
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
