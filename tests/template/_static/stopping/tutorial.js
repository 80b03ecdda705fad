/** The row to try on the instructions page: what the coach says. */

import { tryOut } from "../cardlab/tutorial.js";
import { Board } from "./board.js";

const { words } = window.js_vars;

tryOut(Board, ({ over }) => (over === null ? words.try : words.tried));
