/**
 * The instructions of every game, step by step: one thought to read, one thing to do on the board to try, and a coach
 * who asks for it. The steps are the parts of the app's `Rules.html`; what was done is noted in the board's record.
 */

import { nudge } from "./motion.js";
import * as page from "./page.js";
import { connect } from "./table.js";
import { fill } from "./text.js";

/**
 * What is to be done in a step. A step without a task is only to be read.
 * @typedef {object} Task
 * @property {(state: object) => string} ask what the coach asks for, as the board stands
 * @property {(state: object, refused: string, since: object) => boolean} done whether it is done; `since` is the
 *   board as it was when the step or a new deal began
 * @property {(state: object) => string} praise what the coach says then
 * @property {boolean} [newDeal] whether the step begins with a new deal
 */

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {Record<string, Task>} tasks by the steps' names
 * @param {(view: object) => void} [follow] sees every view before the tasks do
 */
export function teach(Board, tasks, follow = () => {}) {
  const { required, done: noted } = window.js_vars;
  const [coach, back, count, next, nav] = ["#coach", "#back", "#step", ".otree-btn-next", ".lesson-nav"].map(
    (selector) => document.querySelector(selector),
  );
  const steps = [...document.querySelectorAll("[data-step]")];
  const done = new Set(noted);
  let current = -1; // which step is shown
  let newest = null; // the state of the board
  let since = null; // the state with which the step began
  let isDoneNow = false; // whether the step's task was done while it was shown
  let missing = ""; // shown to somebody who wants to go on too early

  const { board, connection } = connect(Board, (state, refused) => {
    follow(state.view);
    newest = state;
    if (since === null || (state.next === 1 && !refused)) since = state; // the first, or dealt again
    checkStep(refused);
  });

  const stepName = (step) => step.dataset.step;
  const task = () => tasks[stepName(steps[current])];
  const isLocked = () => required && task() && !done.has(stepName(steps[current]));

  function show(number) {
    current = number;
    [since, isDoneNow, missing] = [newest, false, ""];
    steps.forEach((step, index) => (step.hidden = index !== current));
    count.textContent = fill(count.dataset.words, { step: current + 1, steps: steps.length });
    back.hidden = current === 0;
    if (newest && task()?.newDeal) connection.again();
    checkStep("");
  }

  /** Checks whether the step is done, and shows what the coach says. */
  function checkStep(refused) {
    const name = stepName(steps[current]);
    isDoneNow ||= newest !== null && Boolean(task()?.done(newest, refused, since));
    if ((isDoneNow || !task()) && !done.has(name)) {
      done.add(name);
      connection.note(`step ${name}`);
    }
    next.setAttribute("aria-disabled", String(Boolean(isLocked())));
    coach.classList.toggle("is-done", isDoneNow);
    coach.classList.toggle("is-refused", !isDoneNow && refused !== "");
    if (!isLocked()) missing = "";
    coach.textContent = newest ? coachText(refused) : missing;
  }

  function coachText(refused) {
    if (!task()) return coach.dataset.last;
    if (isDoneNow) return task().praise(newest);
    return [refused || missing, task().ask(newest)].filter(Boolean).join(" ");
  }

  next.addEventListener("click", (event) => {
    if (current === steps.length - 1 && !isLocked()) return; // oTree's own button: on to the next page
    event.preventDefault();
    if (isLocked()) showMissing();
    else goToStep(current + 1);
  });
  back.addEventListener("click", () => goToStep(current - 1));
  document.getElementById("again").addEventListener("click", () => {
    isDoneNow = false;
    connection.again();
  });

  /** Lead to the task of this step: on a small screen it may lie above or below what is seen. */
  function showMissing() {
    missing = coach.dataset.missing;
    checkStep("");
    const { top, bottom } = coach.getBoundingClientRect();
    const outOfSight = top < 0 || bottom > innerHeight - nav.offsetHeight;
    coach.focus({ preventScroll: true });
    if (outOfSight) coach.scrollIntoView({ block: "start" }); // with as much of the board as there is room for
    nudge(coach);
  }

  /** Show another step, from its beginning, also to a screen reader. */
  function goToStep(number) {
    page.showNote("");
    board.forgetRefusal();
    show(number);
    const heading = steps[current].querySelector("h2");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  const first = steps.findIndex((step) => !done.has(stepName(step)));
  show(first < 0 ? steps.length - 1 : first);
}
