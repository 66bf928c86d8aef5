import { Int } from "../go/int.ts";
import { parseInt64 } from "../go/parse-number.ts";
import { formatDuration } from "../go/print.ts";
import type { GoValue } from "../go/values.ts";
import { GoError } from "../template/errors.ts";
import type { State } from "../template/state.ts";
import { parseDuration, parseTime, TimeError } from "../time/parse.ts";
import { GoTime, zeroTime } from "../time/time.ts";
import { utc, type Zone, zoneNamed } from "../time/zone.ts";
import { type FuncTable, func } from "./define.ts";

const second = 1_000_000_000n;

const localZone = (state: State): Zone => zoneNamed(state.runtime.functions.zone) ?? utc;

function now(state: State): GoTime {
  return new GoTime(BigInt(Math.trunc(state.runtime.functions.now())) * 1_000_000n, localZone(state));
}

/** A time, or seconds as an integer; anything else means now. */
function timeOf(value: GoValue, state: State): GoTime {
  if (value instanceof GoTime) return value;
  if (value instanceof Int) return new GoTime(value.value * second, localZone(state));
  return now(state);
}

function format(layout: string, value: GoValue, zone: Zone, state: State): string {
  return timeOf(value, state).in(zone).format(layout);
}

const inZone = func(["string", "any", "string"], (layout, value, zone, state) =>
  format(layout, value, zoneNamed(zone) ?? utc, state),
);

function must<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof TimeError) throw new GoError(error.message, { cause: error });
    throw error;
  }
}

function orElse<T>(body: () => T, fallback: T): T {
  try {
    return body();
  } catch (error) {
    if (error instanceof TimeError) return fallback;
    throw error;
  }
}

const asTime = (value: GoValue): GoTime => (value instanceof GoTime ? value : zeroTime);
const modified = (duration: string, time: GoValue): GoTime => asTime(time).add(parseDuration(duration));
const modify = func(["string", "time"], (duration, time) => orElse(() => modified(duration, time), asTime(time)));
const mustModify = func(["string", "time"], (duration, time) => must(() => modified(duration, time)));

function secondsOf(value: GoValue): bigint {
  if (typeof value === "string") return parseInt64(value).value;
  return value instanceof Int && value.type === "int64" ? value.value : 0n;
}

function durationOf(value: GoValue, state: State): bigint {
  if (typeof value === "string") return orElse(() => parseDuration(value), 0n);
  if (value instanceof Int && value.type === "int64") return value.value;
  return value instanceof GoTime ? now(state).nanoseconds - value.nanoseconds : 0n;
}

const roundUnits: readonly (readonly [name: string, size: bigint])[] = [
  ["y", 365n * 24n * 3_600n * second],
  ["mo", 30n * 24n * 3_600n * second],
  ["d", 24n * 3_600n * second],
  ["h", 3_600n * second],
  ["m", 60n * second],
  ["s", second],
];

/** The largest unit that is exceeded, truncated. */
function roundDuration(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  const unit = roundUnits.find(([, length]) => size > length);
  return unit === undefined ? "0s" : `${size / unit[1]}${unit[0]}`;
}

/** Rounded to whole seconds, halves away from zero. */
function ago(value: GoValue, state: State): string {
  const size = now(state).nanoseconds - timeOf(value, state).nanoseconds;
  const half = size < 0n ? -second / 2n : second / 2n;
  return formatDuration(((size + half) / second) * second);
}

export const dateFunctions: FuncTable = {
  now: func([], now),
  date: func(["string", "any"], (layout, value, state) => format(layout, value, localZone(state), state)),
  dateInZone: inZone,
  date_in_zone: inZone,
  htmlDate: func(["any"], (value, state) => format("2006-01-02", value, localZone(state), state)),
  htmlDateInZone: func(["any", "string"], (value, zone, state) =>
    format("2006-01-02", value, zoneNamed(zone) ?? utc, state),
  ),
  toDate: func(["string", "string"], (layout, text, state) =>
    orElse(() => parseTime(layout, text, localZone(state)), zeroTime),
  ),
  mustToDate: func(["string", "string"], (layout, text, state) =>
    must(() => parseTime(layout, text, localZone(state))),
  ),
  dateModify: modify,
  date_modify: modify,
  mustDateModify: mustModify,
  must_date_modify: mustModify,
  unixEpoch: func(["time"], (time) => String(asTime(time).unixSeconds)),
  ago: func(["any"], ago),
  duration: func(["any"], (value) => formatDuration(BigInt.asIntN(64, secondsOf(value) * second))),
  durationRound: func(["any"], (value, state) => roundDuration(durationOf(value, state))),
};
