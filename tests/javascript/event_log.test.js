import assert from "node:assert/strict";
import { test } from "node:test";

import { EventLog, Heartbeats, familiesOf } from "../../_static/cardlab/event_log.js";

/** A log with this number of events. */
function logOf(count, details = {}) {
  const log = new EventLog("tab");
  for (let nth = 0; nth < count; nth += 1) log.add(7, "blur", details, 1000 + nth);
  return log;
}

const numbersIn = ({ events }) => events.map(([number]) => number);

test("events stay until they are confirmed", () => {
  const log = logOf(2);
  assert.deepEqual(log.take(5000), { tab: "tab", now: 5000, events: [[1, 7, "blur", 1000, {}], [2, 7, "blur", 1001, {}]] });
  log.add(7, "focus", {}, 6000);
  assert.equal(log.take(6000), null); // no answer yet
  log.retry();
  assert.deepEqual(numbersIn(log.take(7000)), [1, 2, 3]);
  log.confirm();
  assert.equal(log.take(8000), null);
});

test("messages are short, and each event is in one", () => {
  for (const details of [{}, { path: "x".repeat(2000) }]) {
    const log = logOf(100, details);
    const numbers = [];
    for (let message = log.take(0); message; message = log.take(0)) {
      assert.ok(message.events.length <= 40);
      assert.ok(JSON.stringify(message).length <= 8000);
      numbers.push(...numbersIn(message));
      log.confirm();
    }
    assert.deepEqual(numbers, Array.from({ length: 100 }, (_, nth) => nth + 1));
  }
});

test("a long time without connection fills no memory", () => {
  const log = logOf(10_000);
  assert.equal(log.waiting.length, 300);
  assert.equal(log.waiting.at(-1)[0], 300);
});

test("the clocks are compared in the shortest round trip", () => {
  const beats = new Heartbeats();
  const trips = [[40, 500], [10, 505], [90, 560]];
  for (const [trip, offset] of trips) {
    const number = beats.begin(1000, trip === 90 ? 2400.4 : 3);
    beats.answer(number, 50_000 + offset - trip / 2, 1000 + trip, 50_000);
  }
  const figures = { beats: 3, round_trip_ms: 40, longest_ms: 90, offset_ms: 505, late_ms: 2400 };
  assert.deepEqual(beats.summary(), figures);
  assert.equal(beats.summary(), null);
});

test("an answer to an earlier beat does not count", () => {
  const beats = new Heartbeats();
  beats.begin(1000, 0);
  beats.begin(11_000, 0);
  beats.answer(1, 0, 11_001, 0);
  assert.equal(beats.summary(), null);
});

const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
const SAFARI = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15";

test("families come from the client hints, without them from the user agent", () => {
  const hints = (platform, ...names) => ({ platform, brands: ["Not=A?Brand", "Chromium", ...names].map((brand) => ({ brand })) });
  const cases = [
    [{ userAgentData: hints("Windows", "Microsoft Edge"), userAgent: CHROME }, "Edge", "Windows"],
    [{ userAgentData: hints("Chrome OS", "Google Chrome"), userAgent: CHROME }, "Chrome", "ChromeOS"],
    [{ userAgentData: hints("Linux", "HeadlessChrome"), userAgent: CHROME }, "Chrome", "Linux"],
    [{ userAgent: CHROME }, "Chrome", "Windows"],
    [{ userAgent: `${CHROME} OPR/120.0` }, "Opera", "Windows"],
    [{ userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" }, "Firefox", "Linux"],
    [{ userAgent: "Mozilla/5.0 (Linux; Android 15; Pixel) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36" }, "Chrome", "Android"],
    [{ userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 CriOS/140.0 Safari/604.1" }, "Chrome", "iOS"],
    [{ userAgent: SAFARI, maxTouchPoints: 0 }, "Safari", "macOS"],
    [{ userAgent: SAFARI, maxTouchPoints: 5 }, "Safari", "iOS"],
    [{ userAgent: "something else" }, "other", "other"],
  ];
  for (const [navigator, browser, system] of cases) assert.deepEqual(familiesOf(navigator), { browser, system });
});
