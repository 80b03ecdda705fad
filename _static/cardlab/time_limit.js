/** Marks the last seconds of oTree's time limit of a page, and announces it to screen readers. */

import { TimeAnnouncer } from "./time_announcer.js";
import { fill } from "./text.js";

const LAST_SECONDS = 10;

const timer = document.querySelector(".otree-timer");
const announcement = document.getElementById("time-announcement");
const announcer = new TimeAnnouncer((seconds) => {
  announcement.textContent = fill(announcement.dataset.words, { seconds });
});

const onTick = ({ offset }) => {
  announcer.tick(offset.totalSeconds);
  timer.toggleAttribute("data-last-seconds", offset.totalSeconds <= LAST_SECONDS);
};
window.jQuery(".otree-timer__time-left").on("update.countdown", onTick);
