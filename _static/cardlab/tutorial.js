/**
 * The instructions of every game, a guided tour of the board: the coach's sentence says what to try, a spotlight shows
 * where, and refusals are explained. The last steps are the sentences about payment in the app's `Rules.html`; a button
 * opens all rules. Completed tasks are noted in the board's record.
 */

import { connectDrawers } from "./drawers.js";
import { nudge } from "./motion.js";
import * as page from "./page.js";
import { Spotlight } from "./spotlight.js";
import { connect } from "./board_connection.js";
import { fill } from "./text.js";

/**
 * The task of a step.
 * @typedef {object} Task
 * @property {(state: object) => string} ask returns the coach's request
 * @property {(state: object, refused: string, since: object) => boolean} done returns whether the task is done; `since`
 *   is the state at the beginning of the step or deal
 * @property {(state: object) => string} praise returns the coach's praise
 * @property {(state: object) => string} [light] returns the selector of the elements in the spotlight
 * @property {boolean} [newDeal] whether the step begins with a new deal
 * @property {boolean} [ownDeal] whether the step has its own deal; it is then optional
 */

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {Record<string, Task>} tasks by step name
 * @param {(view: object) => void} [follow] called with every view before the tasks
 */
export function teach(Board, tasks, follow = () => {}) {
  const { required, done: doneBefore, steps: names } = window.js_vars;
  const [coach, back, count, next] = ["#coach", "#back", "#step", ".otree-btn-next"].map((selector) =>
    document.querySelector(selector),
  );
  const steps = [...names.slice(0, -1).map((name) => ({ name })), ...sentencesOf(names.at(-1))];
  const done = new Set(doneBefore);
  let current = -1; // the index of the current step
  let newest = null; // the state of the board
  let since = null; // the state at the beginning of the step
  let isDoneNow = false; // whether the step's task was done while the step was shown
  let missing = ""; // the message if Next is pressed too early

  const { board, connection } = connect(Board, (state, refused) => {
    follow(state.view);
    if (newest && state.next !== newest.next) missing = "";
    newest = state;
    const isFirst = since === null;
    if (isFirst || (state.next === 1 && !refused)) since = state; // the first, or dealt again
    if (isFirst && task()?.ownDeal) dealAgain();
    checkStep(refused);
  });
  const spotlight = new Spotlight(board);
  connectDrawers(() => document.querySelector(`#rules-drawer [data-step=${steps[current].name}]`)?.scrollIntoView());

  const task = () => tasks[steps[current].name];
  const isLocked = () => required && task() && !task().ownDeal && !done.has(steps[current].name);
  const dealAgain = () => connection.again(task()?.ownDeal ? `step ${steps[current].name}` : "");

  function show(number) {
    current = number;
    [since, isDoneNow, missing] = [newest, false, ""];
    coach.dataset.step = steps[current].name;
    count.textContent = fill(count.dataset.words, { step: current + 1, steps: steps.length });
    back.hidden = current === 0;
    if (newest && (task()?.newDeal || task()?.ownDeal)) dealAgain();
    checkStep("");
  }

  /** Checks whether the step is done, and shows what the coach says. */
  function checkStep(refused) {
    const { name, sentence } = steps[current];
    isDoneNow ||= newest !== null && Boolean(task()?.done(newest, refused, since));
    if ((isDoneNow || !task()) && !done.has(name)) {
      done.add(name);
      connection.note(`step ${name}`);
    }
    next.setAttribute("aria-disabled", String(Boolean(isLocked())));
    coach.classList.toggle("is-done", isDoneNow);
    if (!isLocked()) missing = "";
    coach.textContent = sentence ?? (newest ? coachText() : missing);
    spotlight.show((newest && !isDoneNow && task()?.light?.(newest)) || "");
  }

  function coachText() {
    if (isDoneNow) return task().praise(newest);
    return [missing, task().ask(newest)].filter(Boolean).join(" ");
  }

  next.addEventListener("click", (event) => {
    if (current === steps.length - 1 && !isLocked()) return; // oTree's own button leads to the next page
    event.preventDefault();
    if (isLocked()) showMissing();
    else goToStep(current + 1);
  });
  back.addEventListener("click", () => goToStep(current - 1));
  document.getElementById("again").addEventListener("click", () => {
    isDoneNow = false;
    dealAgain();
  });

  /** Says that this step must be done first, and draws attention to it. */
  function showMissing() {
    missing = coach.dataset.missing;
    page.showNote("");
    checkStep("");
    coach.focus();
    nudge(coach);
    spotlight.nudge();
  }

  /** Shows another step, and focuses its sentence for screen readers. */
  function goToStep(number) {
    page.showNote("");
    board.forgetRefusal();
    show(number);
    coach.focus();
  }

  const first = steps.findIndex(({ name }) => !done.has(name));
  show(first < 0 ? steps.length - 1 : first);
}

/** The sentences of a part of the rules, one step each. */
function sentencesOf(name) {
  const items = [...document.querySelectorAll(`#rules-drawer [data-step=${name}] li`)];
  return items.map((item) => ({ name, sentence: item.textContent.replace(/\s+/g, " ").trim() }));
}
