/** The texts of this page (js_vars), in the form for the participant's device. */

import { textsForDevice } from "./text.js";

// The same condition as for .by-mouse and .by-touch in frame.css.
const touch = matchMedia("(pointer: coarse)").matches;

export const words = textsForDevice(window.js_vars.words, touch);
