/** The time limit of a page, which oTree shows and keeps: what a screen reader hears of it. */

import { LastMinute } from "./last_minute.js";
import { fill } from "./text.js";

const told = document.getElementById("time-told");
const lastMinute = new LastMinute((seconds) => {
  told.textContent = fill(told.dataset.words, { seconds });
});

const onTick = ({ offset }) => lastMinute.tick(offset.totalSeconds);
window.jQuery(".otree-timer__time-left").on("update.countdown", onTick);
