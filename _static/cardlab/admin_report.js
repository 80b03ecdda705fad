/** The tab "Report": has the report drawn, tells how far it is, and shows it (cardlab/admin/report_jobs.py). */

const EVERY = 700; // ms between two looks

const element = (id) => document.getElementById(id);
const page = element("report-page");
const { address } = element("report").dataset;

let shown = null; // of when the report is that stands on the page

/** What the server says; throws a sentence. */
async function requestState(method) {
  let answer;
  try {
    answer = await fetch(address, { method, redirect: "manual" });
  } catch {
    throw "The server does not answer. Is it still running?";
  }
  if (answer.type === "opaqueredirect") throw "Please log in again, then open this tab anew.";
  if (!answer.ok) throw `The server refused (${answer.status}): its messages, where it was started, say why.`;
  return answer.json();
}

function showReport(asOf) {
  shown = asOf;
  page.hidden = false;
  page.src = `${address}/report.html`;
  element("report-window").href = page.src;
  element("report-window").hidden = false;
  element("report-as-of").textContent = `as of ${new Date(asOf).toLocaleTimeString("en-GB")}`;
}

/** The frame as high as its page, so that there is one scroll bar; its tables and plots beside this tab. */
function fitFrame() {
  const drawn = page.contentDocument?.documentElement;
  if (!drawn) return;
  for (const link of drawn.querySelectorAll("a[href]:not([href^='#'])")) {
    if (link.pathname.endsWith(".csv")) link.download = "";
    else link.target = "_blank";
  }
  const measure = () => {
    page.style.height = `${Math.ceil(drawn.getBoundingClientRect().height) + 2}px`;
  };
  new ResizeObserver(measure).observe(drawn);
  measure();
}

async function drawReport() {
  element("report-again").disabled = true;
  try {
    let state = await requestState("POST");
    while (state.under_way) {
      element("report-words").textContent = `${state.words}${state.seconds > 2 ? ` ${state.seconds} s` : ""}`;
      await new Promise((later) => setTimeout(later, EVERY));
      state = await requestState("GET");
    }
    element("report-words").textContent = state.words;
    if (state.as_of_ms && state.as_of_ms !== shown) showReport(state.as_of_ms);
  } catch (sentence) {
    element("report-words").textContent = sentence;
  }
  element("report-again").disabled = false;
}

page.addEventListener("load", fitFrame);
element("report-again").addEventListener("click", drawReport);
drawReport();
