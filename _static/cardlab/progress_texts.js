/** What the tab "Progress" says of participants: each cell of their rows, and how many are where. */

/** What the researcher knows a participant by. */
export const nameOf = (row) => (row.label ? `${row.label} (P${row.number})` : `P${row.number}`);

const MOST_NAMES = 4; // of participants whom somebody waits for

/** Seconds as `45 s` or `12 min`. */
function durationText(seconds) {
  if (seconds === null) return "";
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** Whom somebody on a waiting page waits for and for how long, in words; "" if they do not wait. */
function waitingText(row, rows) {
  if (row.waits === null) return "";
  const missing = rows.filter(({ number }) => row.waits_for.includes(number)).sort((a, b) => a.number - b.number);
  const names = missing.map(nameOf);
  const named = names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), "others"] : names;
  return named.length ? `waits for ${named.join(", ")}: ${durationText(row.waits)}` : `waits: ${durationText(row.waits)}`;
}

/** What about a participant is to be seen to, in words. */
function needsText(row, rows) {
  const parts = [...row.notices];
  if (row.others_wait && row.connection !== "here") parts.unshift("others wait");
  if (row.waits !== null) parts.push(waitingText(row, rows));
  if (row.refused) parts.push(`${row.refused} refused`);
  if (row.unread) parts.push(row.unread === 1 ? "1 message not confirmed" : `${row.unread} messages not confirmed`);
  if (row.paused) parts.push("paused");
  if (row.stage !== "playing") parts.push(row.stage);
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
  (row) => (row.stage === "not come" ? "" : row.connection),
  needsText,
];
/** Those of them that are numbers. */
export const NUMBERS = new Set([4, 5, 6, 7]);

/** How many there are, and how many of them in each state that anybody is in. */
export function countsText(rows, unread) {
  const staged = (word) => rows.filter(({ stage }) => stage === word);
  const playing = staged("playing");
  const count = (what, some) => (some.length ? `${some.length} ${what}` : "");
  const parts = [
    `${rows.length} participants`,
    count("not come", staged("not come")),
    count("playing", playing),
    count("gone", playing.filter(({ connection }) => connection === "gone")),
    count("away", playing.filter(({ connection }) => connection === "away")),
    count("paused", rows.filter(({ paused }) => paused)),
    count("dropped out", staged("dropped out")),
    count("finished", staged("finished")),
    unread ? `${unread} still being read` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
