import { Session } from "node:inspector/promises";
import type { Clock } from "@kyma-operators/kube";
import { isLogLevel, type LevelLogger, logLevels } from "./logger.ts";
import { changeable, type Page, type PageRequest, type Pages } from "./operations-server.ts";

const longestProfileSeconds = 300;

/**
 * Pages for whoever looks for a fault in a running process. They show what the process does and change how much it
 * says, so they belong on an address of their own that only operators reach, for example `127.0.0.1:6060`.
 *
 * - `/debug/log-level`: the level; `PUT /debug/log-level?level=debug` changes it until the next start.
 * - `/debug/pprof/profile?seconds=30`: a CPU profile, to be opened in Chromium's developer tools (`.cpuprofile`).
 * - `/debug/pprof/heap?seconds=30`: what was allocated in that time and is still there (`.heapprofile`). It samples
 *   sizes and places; unlike a heap snapshot it holds no values, so no secret can be in it.
 */
export function debugPages(options: { readonly log: LevelLogger; readonly clock: Clock }): Pages {
  const { log, clock } = options;
  return {
    "/debug/log-level": changeable((request) => logLevelPage(log, request)),
    "/debug/pprof/profile": ({ query }) => profilePage(query, (seconds) => cpuProfile(clock, seconds)),
    "/debug/pprof/heap": ({ query }) => profilePage(query, (seconds) => heapProfile(clock, seconds)),
  };
}

function logLevelPage(log: LevelLogger, { method, query }: PageRequest): Page {
  if (method === "GET") return { text: log.level };
  const level = query.get("level") ?? "";
  if (!isLogLevel(level)) return { status: 400, text: `level must be one of ${logLevels.join(", ")}` };
  log.level = level;
  return { text: level };
}

/** One profile at a time: two would measure each other. */
let busy = false;

async function profilePage(query: URLSearchParams, capture: (seconds: number) => Promise<unknown>): Promise<Page> {
  const seconds = Number(query.get("seconds") ?? 30);
  if (!(seconds > 0 && seconds <= longestProfileSeconds)) {
    return { status: 400, text: `seconds must be a number from 0 to ${longestProfileSeconds}` };
  }
  if (busy) return { status: 409, text: "another profile is being taken" };
  busy = true;
  try {
    return { contentType: "application/json", text: JSON.stringify(await capture(seconds)) };
  } finally {
    busy = false;
  }
}

async function cpuProfile(clock: Clock, seconds: number): Promise<unknown> {
  return withSession(async (session) => {
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
    await clock.sleep(seconds * 1000);
    return (await session.post("Profiler.stop")).profile;
  });
}

async function heapProfile(clock: Clock, seconds: number): Promise<unknown> {
  return withSession(async (session) => {
    await session.post("HeapProfiler.startSampling");
    await clock.sleep(seconds * 1000);
    return (await session.post("HeapProfiler.stopSampling")).profile;
  });
}

async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  try {
    return await work(session);
  } finally {
    session.disconnect();
  }
}
