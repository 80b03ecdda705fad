/**
 * Plays short soft tones, without files, in sessions whose `begin_signal` is `sound`. A button at the foot of the page
 * (FullScreenFooter.html) switches them off in this tab.
 */

import { tabStorage } from "./tab_storage.js";

export const CALL = [659, 880]; // Hz
export const SUCCESS = [523, 659, 784];
const TONE_SECONDS = 0.22;
const SILENT_KEY = "card-lab-silent"; // in the tab's storage

const isSilent = () => tabStorage.getItem(SILENT_KEY) === "yes";
const button = document.getElementById("sound");
const showState = () => button?.setAttribute("aria-pressed", String(!isSilent()));

button?.addEventListener("click", () => {
  tabStorage.setItem(SILENT_KEY, isSilent() ? "" : "yes");
  showState();
});
showState();

/**
 * Plays tones one after another. Browsers may block them before the first interaction with a page.
 * @param {number[]} tones their pitches
 */
export function playSound(tones) {
  if (!isSilent()) playTones(tones);
}

/** Plays tones even if the button has switched them off. Returns whether the browser allows it. @param {number[]} tones */
export function playTones(tones) {
  const audio = new AudioContext();
  if (audio.state !== "running") {
    audio.close();
    return false;
  }
  tones.forEach((pitch, number) => {
    const start = audio.currentTime + number * TONE_SECONDS;
    const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0, start);
    loudness.gain.linearRampToValueAtTime(0.3, start + 0.02);
    loudness.gain.linearRampToValueAtTime(0, start + TONE_SECONDS);
    tone.connect(loudness).connect(audio.destination);
    tone.start(start);
    tone.stop(start + TONE_SECONDS);
  });
  return true;
}
