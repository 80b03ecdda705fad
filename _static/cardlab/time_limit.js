/** The time limit of a page, which oTree shows and keeps: its last seconds, and what a screen reader hears of it. */

import { LastMinute } from "./last_minute.js";
import { fill } from "./text.js";

const LAST_SECONDS = 10;

const timer = document.querySelector(".otree-timer");
const announcement = document.getElementById("time-announcement");
const lastMinute = new LastMinute((seconds) => {
  announcement.textContent = fill(announcement.dataset.words, { seconds });
});

const onTick = ({ offset }) => {
  lastMinute.tick(offset.totalSeconds);
  timer.toggleAttribute("data-last-seconds", offset.totalSeconds <= LAST_SECONDS);
};
window.jQuery(".otree-timer__time-left").on("update.countdown", onTick);
