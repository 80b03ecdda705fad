/**
 * Maps each outcome of a hand (cardlab/games/contract.py) to a kind and its sign: goal reached, played to the end,
 * goal missed, time up, stopped.
 */

const KINDS = {
  solved: "reached",
  won: "reached",
  completed: "done",
  drawn: "done",
  failed: "missed",
  lost: "missed",
  timeout: "time",
  gave_up: "stopped",
  advanced: "stopped",
  stopped: "stopped",
};

// The signs also differ in shape: a tick in a full circle, a flag, a line in an open ring, a clock, a full square.
const SIGNS = {
  reached: '<circle cx="12" cy="12" r="11" fill="currentColor" stroke="none"/><path class="tick" d="M6.5 12.5l4 4 7-8.5"/>',
  done: '<path d="M6 22V3"/><path d="M6 4h13l-3.5 4.5L19 13H6z" fill="currentColor"/>',
  missed: '<circle cx="12" cy="12" r="10"/><path d="M7.5 12h9"/>',
  time: '<circle cx="12" cy="12" r="10"/><path d="M12 6v6l4 3"/>',
  stopped: '<rect x="4" y="4" width="16" height="16" rx="2" fill="currentColor"/>',
};

/** @param {string} outcome */
export const kindOf = (outcome) => KINDS[outcome] ?? "stopped";

/** The sign of a kind, hidden from screen readers, because the text next to it says the same. */
export const signOf = (kind) => `<svg viewBox="0 0 24 24" aria-hidden="true">${SIGNS[kind]}</svg>`;
