/** The tab "Report": requests the report, shows its progress, then the report itself (cardlab/admin/report_jobs.py). */

const POLL_MS = 700;

const element = (id) => document.getElementById(id);
const page = element("report-page");
const { address } = element("report").dataset;

let shownAsOf = null; // the time of the report on the page

/** Returns the server's answer as JSON; throws an error message for the researcher. */
async function requestState(method) {
  let answer;
  try {
    answer = await fetch(address, { method, redirect: "manual" });
  } catch {
    throw "The server does not answer. Is it still running?";
  }
  if (answer.type === "opaqueredirect") throw "Please log in again, then reopen this tab.";
  if (!answer.ok) throw `The server rejected the request (status ${answer.status}). For the reason, see the terminal in which the server runs.`;
  return answer.json();
}

function showReport(asOf) {
  shownAsOf = asOf;
  page.hidden = false;
  page.src = `${address}/report.html`;
  element("report-window").href = page.src;
  element("report-window").hidden = false;
  element("report-as-of").textContent = `as of ${new Date(asOf).toLocaleTimeString("en-GB")}`;
}

/** Makes the frame as high as its page, so that there is one scroll bar; tables and plots open in other tabs. */
function fitFrame() {
  const reportRoot = page.contentDocument?.documentElement;
  if (!reportRoot) return;
  for (const link of reportRoot.querySelectorAll("a[href]:not([href^='#'])")) {
    if (link.pathname.endsWith(".csv")) link.download = "";
    else link.target = "_blank";
  }
  const setHeight = () => {
    page.style.height = `${Math.ceil(reportRoot.getBoundingClientRect().height) + 2}px`;
  };
  new ResizeObserver(setHeight).observe(reportRoot);
  setHeight();
}

async function drawReport() {
  element("report-again").disabled = true;
  try {
    let state = await requestState("POST");
    while (state.under_way) {
      element("report-words").textContent = `${state.words}${state.seconds > 2 ? ` ${state.seconds} s` : ""}`;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      state = await requestState("GET");
    }
    element("report-words").textContent = state.words;
    if (state.as_of_ms && state.as_of_ms !== shownAsOf) showReport(state.as_of_ms);
  } catch (sentence) {
    element("report-words").textContent = sentence;
  }
  element("report-again").disabled = false;
}

page.addEventListener("load", fitFrame);
element("report-again").addEventListener("click", drawReport);
drawReport();
