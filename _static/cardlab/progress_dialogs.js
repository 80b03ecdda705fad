/** The requests and dialogs of the tab "Progress". */

/** Returns the server's answer as JSON; throws an error message for the researcher. */
export async function sendRequest(path, form) {
  let answer;
  try {
    answer = await fetch(path, form ? { method: "POST", body: new URLSearchParams(form), redirect: "manual" } : { redirect: "manual" });
  } catch {
    throw "The server does not answer. Is it still running?";
  }
  if (answer.type === "opaqueredirect") throw "Please log in again, then reopen this tab.";
  if (answer.status === 400) throw (await answer.json()).error;
  if (answer.status === 404) throw "This session no longer exists.";
  if (!answer.ok) throw `The server rejected the request (status ${answer.status}). For the reason, see the terminal in which the server runs.`;
  return answer.json();
}

/** Waits until a dialog closes; returns its value. */
export function waitForAnswer(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
}
