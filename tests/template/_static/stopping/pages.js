/** The pages of Stop in Time that have its board. */

import { start } from "../cardlab/start.js";
import { fill } from "../cardlab/text.js";
import { Board } from "./board.js";

const { words } = window.js_vars;

start(Board, {
  outcome: (over, { score }) => fill(over === "completed" ? words.kept : words.ended, { score }),
  tasks: {
    keep: { ask: () => words.try, done: ({ over }) => over !== null, praise: () => words.tried },
  },
});
