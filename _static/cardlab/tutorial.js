/**
 * The instructions of every game, a walk through the board: a coach says in a sentence what to try, a light shows where,
 * and what was refused is explained beside it. The last step says what is paid, a sentence each, from the app's
 * `Rules.html`; all of the rules are a click away. What was done is noted in the board's record.
 */

import { connectDrawers } from "./drawers.js";
import { nudge } from "./motion.js";
import * as page from "./page.js";
import { Spotlight } from "./spotlight.js";
import { connect } from "./table.js";
import { fill } from "./text.js";

/**
 * What is to be done in a step.
 * @typedef {object} Task
 * @property {(state: object) => string} ask what the coach asks for, as the board stands
 * @property {(state: object, refused: string, since: object) => boolean} done whether it is done; `since` is the
 *   board as it was when the step or a new deal began
 * @property {(state: object) => string} praise what the coach says then
 * @property {(state: object) => string} [light] selects what of the board is asked about
 * @property {boolean} [newDeal] whether the step begins with a new deal
 */

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {Record<string, Task>} tasks by the steps' names
 * @param {(view: object) => void} [follow] sees every view before the tasks do
 */
export function teach(Board, tasks, follow = () => {}) {
  const { required, done: noted, steps: names } = window.js_vars;
  const [coach, back, count, next] = ["#coach", "#back", "#step", ".otree-btn-next"].map((selector) =>
    document.querySelector(selector),
  );
  const steps = [...names.slice(0, -1).map((name) => ({ name })), ...sentencesOf(names.at(-1))];
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
  const spotlight = new Spotlight(board.root);
  connectDrawers(() => document.querySelector(`#rules-drawer [data-step=${steps[current].name}]`)?.scrollIntoView());

  const task = () => tasks[steps[current].name];
  const isLocked = () => required && task() && !done.has(steps[current].name);

  function show(number) {
    current = number;
    [since, isDoneNow, missing] = [newest, false, ""];
    coach.dataset.step = steps[current].name;
    count.textContent = fill(count.dataset.words, { step: current + 1, steps: steps.length });
    back.hidden = current === 0;
    if (newest && task()?.newDeal) connection.again();
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

  /** Say that this step is to be done first, and draw the eye to it. */
  function showMissing() {
    missing = coach.dataset.missing;
    page.showNote("");
    checkStep("");
    coach.focus();
    nudge(coach);
    spotlight.nudge();
  }

  /** Show another step, from its beginning, also to a screen reader. */
  function goToStep(number) {
    page.showNote("");
    board.forgetRefusal();
    show(number);
    coach.focus();
  }

  const first = steps.findIndex(({ name }) => !done.has(name));
  show(first < 0 ? steps.length - 1 : first);
}

/** The sentences of a part of the rules, a step each. */
function sentencesOf(name) {
  const said = [...document.querySelectorAll(`#rules-drawer [data-step=${name}] li`)];
  return said.map((each) => ({ name, sentence: each.textContent.replace(/\s+/g, " ").trim() }));
}
