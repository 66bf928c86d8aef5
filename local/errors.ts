import { defineErrors } from "@kyma-operators/errors";

export const localErrors = defineErrors("LOCAL", {
  /** Another `kyma local up` uses the folder. */
  RUNNING: {
    retry: "on-change",
    text: (d: { folder: string; pid: number | undefined }) =>
      `a local world is already running from ${d.folder}${d.pid === undefined ? "" : ` (process ${d.pid})`}: stop it with "kyma local down --data-dir ${d.folder}", or choose another --data-dir`,
  },
  /** The world that was just started can't tell of itself yet; ask again in a moment. */
  STARTING: {
    retry: "backoff",
    text: (d: { folder: string }) => `the local world of ${d.folder} is still starting: ask again in a moment`,
  },
  /** Nothing runs from the folder. */
  NOT_RUNNING: {
    retry: "on-change",
    text: (d: { folder: string }) => `no local world runs from ${d.folder}: start one with "kyma local up"`,
  },
  /** Somebody called `kyma local down`. */
  STOPPED: {
    retry: "never",
    text: (d: { folder: string }) => `the local world of ${d.folder} was stopped from outside`,
  },
  /** The process that has the folder does not end; end it by hand, then run `kyma local down` again. */
  NOT_STOPPING: {
    retry: "backoff",
    text: (d: { folder: string; pid: number | undefined }) =>
      `the process that runs from ${d.folder}${d.pid === undefined ? "" : ` (${d.pid})`} does not stop: end it by hand, then run "kyma local down --data-dir ${d.folder}" again`,
  },
  /** The folder holds files that are not ours; removing it could destroy them. */
  FOREIGN_FOLDER: {
    retry: "on-change",
    text: (d: { folder: string; found: string }) =>
      `${d.folder} is not a data directory of "kyma local" (found ${d.found}): empty it, or choose another --data-dir`,
  },
  /** The folder can't be written. */
  UNWRITABLE: {
    retry: "on-change",
    text: (d: { folder: string; reason: string }) =>
      `cannot write to ${d.folder} (${d.reason}): make it a folder that you may write, or choose another --data-dir`,
  },
  /** A port that was asked for is taken. */
  PORT_IN_USE: {
    retry: "on-change",
    text: (d: { what: string; port: number }) =>
      `port ${d.port} for ${d.what} is in use: stop its owner, or leave the flag out to get a free port`,
  },
  /** The operator ended right after its start, several times in a row. */
  OPERATOR_FAILED: {
    retry: "on-change",
    text: (d: { log: string; lastLine: string }) =>
      `the operator does not start: ${d.lastLine || "it printed nothing"} (see ${d.log})`,
  },
  /** The programs have not been built. */
  NOT_BUILT: {
    retry: "on-change",
    text: (d: { missing: string }) => `${d.missing} is missing: run "make build" first`,
  },
  /** Not everything became Ready in time. */
  TIMEOUT: {
    retry: "on-change",
    text: (d: { seconds: number; blocker: string }) => `not Ready after ${d.seconds} s: ${d.blocker}`,
  },
});
