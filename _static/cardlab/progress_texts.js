/** Texts of the tab "Progress": the cells of each participant's row, and the counts by state. */

/** A participant's name for the researcher. */
export const nameOf = (row) => (row.label ? `${row.label} (P${row.number})` : `P${row.number}`);

const MAX_NAMES = 4; // of missing participants

/** The table's texts for the states of a participant's connection, and for other stages. */
const CONNECTIONS = { here: "connected", away: "other window in front", gone: "disconnected" };
const STAGES = { "not come": "not arrived" };

/** Seconds as `45 s` or `12 min`. */
export function durationText(seconds) {
  if (seconds === null) return "";
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** What happens to a participant without a partner when the wait ends, by the setting `no_shows`. */
const NO_PARTNER_TEXTS = { leave_out: "sit out until they have a partner", robot: "play with a robot", leave: "leave the study" };

/** Whom a participant is waiting for, for how long, and what happens afterwards; "" if they are not waiting. */
function waitingText(row, rows) {
  if (row.waits === null) return "";
  const missing = rows.filter(({ number }) => row.waits_for.includes(number)).sort((a, b) => a.number - b.number);
  const names = missing.map(nameOf);
  const shownNames = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), "others"] : names;
  const waiting = shownNames.length ? `waiting for ${shownNames.join(", ")}` : "waiting";
  const consequence = row.waits_left === null ? "" : `; in ${durationText(row.waits_left)}: ${NO_PARTNER_TEXTS[row.then]}`;
  return `${waiting} (${durationText(row.waits)}${consequence})`;
}

/** Why a participant needs attention. */
function needsText(row, rows) {
  const parts = [...row.notices];
  if (row.others_wait && row.connection !== "here") parts.unshift("others are waiting");
  if (row.help) parts.unshift("asks for help");
  if (row.waits !== null) parts.push(waitingText(row, rows));
  if (row.refused) parts.push(row.refused === 1 ? "1 rejected move" : `${row.refused} rejected moves`);
  if (row.unread) parts.push(row.unread === 1 ? "1 message not confirmed" : `${row.unread} messages not confirmed`);
  if (row.paused) parts.push("paused");
  if (row.stage !== "playing") parts.push(STAGES[row.stage] ?? row.stage);
  return parts.join(" · ");
}

/** The cells of a row after the name; functions of the row, and of all rows. */
export const CELLS = [
  (row) => row.treatment,
  (row) => row.group,
  (row) => row.page,
  (row) => row.hand,
  (row) => row.moves ?? "",
  (row) => row.score,
  (row) => row.points,
  (row) => durationText(row.silent),
  (row) => (row.stage === "not come" ? "" : CONNECTIONS[row.connection]),
  needsText,
];
/** The cells with numbers. */
export const NUMBERS = new Set([4, 5, 6, 7]);

/** The number of participants, in total and in each state. */
export function countsText(rows, unread) {
  const rowsInStage = (word) => rows.filter(({ stage }) => stage === word);
  const playing = rowsInStage("playing");
  const count = (state, counted) => (counted.length ? `${counted.length} ${state}` : "");
  const parts = [
    rows.length === 1 ? "1 participant" : `${rows.length} participants`,
    count("not arrived", rowsInStage("not come")),
    count("playing", playing),
    count("disconnected", playing.filter(({ connection }) => connection === "gone")),
    count("with another window in front", playing.filter(({ connection }) => connection === "away")),
    count("paused", rows.filter(({ paused }) => paused)),
    count("dropped out", rowsInStage("dropped out")),
    count("finished", rowsInStage("finished")),
    unread ? `${unread} loading` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
