/** The row to try on the instructions page: what is to be done, and what the coach says. */

import { teach } from "../cardlab/tutorial.js";
import { Board } from "./board.js";

const { words } = window.js_vars;

teach(Board, {
  keep: { ask: () => words.try, done: ({ over }) => over !== null, praise: () => words.tried },
});
