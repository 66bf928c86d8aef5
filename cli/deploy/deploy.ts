import { hasCode, redact, textOf } from "@kyma-operators/errors";
import type { Client } from "@kyma-operators/kube";
import type { Command } from "commander";
import { withCluster } from "../cluster.ts";
import { ExitCode, exitCodes } from "../command.ts";
import { directions } from "../dashboard.ts";
import type { Io } from "../io.ts";
import { interruptible, type World } from "../poll.ts";
import { type Steps, stepsOn } from "../progress/steps.ts";
import { attachCommand, deployCommand, type Flags } from "./flags.ts";
import { readInputs } from "./inputs.ts";
import { Journal } from "./journal.ts";
import {
  attach,
  checkPlannedRights,
  type Deployment,
  deploy,
  planText,
  printDifference,
  printTrials,
} from "./phases.ts";
import { readFound, wildcardPermissions } from "./preflight.ts";

/** `kyma deploy`: a working runtime on the cluster, with the modules that are asked for. */
export function command(io: Io): Command {
  return deployCommand((flags) => run(io, flags));
}

async function run(io: Io, flags: Flags): Promise<void> {
  if (flags.timeout <= 0) throw new ExitCode(exitCodes.refused, "--timeout: expected a duration above zero");
  if (flags.dryRun === "client") {
    io.stdout.write(planText(await readInputs(io, flags), flags.output));
    if ((flags.certManager ?? "") !== "") io.stderr.write(certManagerNote);
    return;
  }
  await withCluster(io, flags, (client, reachedAt) => deployTo(io, client, { ...flags, reachedAt }));
}

const certManagerNote =
  "cert-manager is not printed: a cluster alone knows whether it is there already; --diff and --dry-run=server ask it\n";

/** {@link command} with a client of the cluster. Ends with 130 when it is interrupted. */
export async function deployTo(io: Io, client: Client, flags: Flags): Promise<void> {
  const startMs = io.clock.now();
  const world = { io, client, deadline: startMs + flags.timeout };
  const steps = stepsOn(io, flags);
  await interruptible(io, `watch it with "${attachCommand(io.program, flags)}"`, async () => {
    if (flags.attach === true) return attach(world, flags, steps);
    const found = await readFound(client, flags, io.signal).catch((error: unknown) => nameRights(world, flags, error));
    const wildcard = await wildcardPermissions(io, found, flags.wildcardPermissions);
    const inputs = await readInputs(io, { ...flags, wildcardPermissions: wildcard }, found);
    const deployment = { inputs, found };
    if (flags.diff === true) return printDifference(world, deployment, flags);
    if (flags.dryRun === "server") return printTrials(world, deployment, flags);
    await deployOrTakeBack(world, deployment, flags, steps);
    if (flags.output === "text" && flags.quiet !== true) {
      const seconds = ((io.clock.now() - startMs) / 1000).toFixed(1);
      io.stdout.write(`\nReady after ${seconds} s. Next: "${io.program} status", "${io.program} module catalog"\n`);
    }
    if (flags.openDashboard === true) io.stdout.write(await directions(client, flags, io.signal));
  });
}

/** Who may not even look is told every right that is needed, not the first one that was missed. */
async function nameRights(world: World, flags: Flags, error: unknown): Promise<never> {
  if (!hasCode(error, "KUBE_FORBIDDEN")) throw error;
  const { plan } = await readInputs(world.io, flags).catch(() => {
    throw error; // what else is wrong, for example with modules that only the cluster knows, is no cause of this
  });
  await checkPlannedRights(world, plan);
  throw error;
}

async function deployOrTakeBack(world: World, deployment: Deployment, flags: Flags, steps: Steps): Promise<void> {
  if (flags.atomic !== true) return deploy(world, deployment, flags, steps);
  const journal = new Journal();
  await orTakenBack(world, steps, journal, () => deploy(world, deployment, { ...flags, journal }, steps));
}

/** Taking back has its own time, because the time of the run may be up. */
const takeBackMs = 180_000;

/** A run that fails leaves nothing behind; one that is interrupted goes on in the cluster. */
async function orTakenBack(world: World, steps: Steps, journal: Journal, body: () => Promise<void>): Promise<void> {
  const { io } = world;
  try {
    await body();
  } catch (error) {
    const isWarning = error instanceof ExitCode && error.code === exitCodes.warning;
    if (io.signal.aborted || isWarning) throw error;
    const later = { ...world, deadline: io.clock.now() + takeBackMs };
    await steps
      .run("taking back", (say) => journal.takeBack(later, say))
      .catch((left: unknown) => io.stderr.write(`not all was taken back: ${redact(textOf(left))}\n`));
    throw error;
  }
}
