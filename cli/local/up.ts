import { hasCode } from "@kyma-operators/errors";
import { Command, InvalidArgumentError, Option } from "commander";
import { localErrors } from "../../local/errors.ts";
import { firstBlocker } from "../../local/progress.ts";
import { WorldFolder } from "../../local/state-files.ts";
import { startWorld, type World } from "../../local/world.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { timeoutOption } from "../timeout.ts";
import { dataDirFlag, dataDirOf, dataDirOption } from "./data-dir.ts";
import { progressView } from "./progress-view.ts";
import { addressLines, nextSteps } from "./summary.ts";

interface Flags {
  readonly dataDir: string;
  readonly demo?: boolean;
  readonly once?: boolean;
  readonly audit?: boolean;
  readonly timeout: number;
  readonly apiPort: number;
}

const lookEveryMs = 300;

/** `kyma local up [--demo] [--once] [--timeout 300s]`: runs until Ctrl-C. */
export function command(io: Io): Command {
  return new Command()
    .description("Start a control plane, a simulated Gardener, a registry and the operator on loopback.")
    .addOption(dataDirOption())
    .addOption(new Option("--demo", "apply the sample Runtime, Kyma and modules"))
    .addOption(new Option("--once", "stop when everything is Ready"))
    .addOption(new Option("--audit", "keep every request to every cluster in requests.jsonl of the data directory"))
    .addOption(timeoutOption(300_000, "300s"))
    .addOption(
      new Option("--api-port <port>", "port of the control plane; 0 takes a free one").default(0).argParser(port),
    )
    .action(async (flags: Flags) => {
      try {
        await up(io, flags);
      } catch (error) {
        throw hasCode(error, "LOCAL_STOPPED") ? new ExitCode(exitCodes.interrupted) : error;
      }
    });
}

async function up(io: Io, flags: Flags): Promise<void> {
  const folder = new WorldFolder(dataDirOf(io, flags.dataDir));
  const startedMs = io.clock.now();
  const world = await startWorld({
    folder,
    clock: io.clock,
    signal: io.signal,
    demo: flags.demo ?? false,
    apiPort: flags.apiPort,
    audit: flags.audit ?? false,
    onMessage: (text) => io.stderr.write(`${text}\n`),
  });
  try {
    await untilReady(io, world, flags.timeout);
    const seconds = Math.round((io.clock.now() - startedMs) / 1000);
    io.stdout.write(`\nEverything is Ready after ${seconds} s.\n`);
    if (flags.once) return;
    const addresses = world.addresses();
    const next = nextSteps(addresses, { program: io.program, flag: dataDirFlag(io, folder.path) });
    io.stdout.write(`\n${addressLines(addresses)}\nTry next:\n${next}\nCtrl-C stops everything.\n`);
    await endOf(world);
  } finally {
    await world.stop();
  }
}

async function untilReady(io: Io, world: World, timeoutMs: number): Promise<void> {
  const deadlineMs = io.clock.now() + timeoutMs;
  const view = progressView(io.stdout);
  for (;;) {
    if (world.ended.aborted) return endOf(world);
    const rows = await world.rows();
    view.show(rows);
    const blocker = firstBlocker(rows);
    if (blocker === undefined) return;
    if (io.clock.now() > deadlineMs) {
      throw new ExitCode(exitCodes.timeout, localErrors.TIMEOUT({ seconds: timeoutMs / 1000, blocker }).message);
    }
    await io.clock.sleep(lookEveryMs, world.ended).catch(() => undefined);
  }
}

/** Throws the reason for which the world ends. */
async function endOf({ ended }: World): Promise<never> {
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener("abort", resolve, { once: true }));
  throw ended.reason;
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError("expected a port between 0 and 65535.");
  return value;
}
