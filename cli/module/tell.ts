import type { Kyma } from "../../apis/operator/kyma.ts";
import type { State } from "../../apis/operator/state.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, printAs } from "../output.ts";
import { isOfRuntime, nameOf } from "./kyma-access.ts";

/** What was done to a module of a Kyma. */
export interface Done {
  readonly module: string;
  readonly kyma: Kyma;
  readonly changed: boolean;
  /** As a person says it: `enabled`. */
  readonly verb: string;
}

/** `kyma module enable|disable|manage|unmanage`: what was done; the keys are a contract of `-o json`. */
export interface ModuleChange {
  /** `NAMESPACE/NAME` of the Kyma. */
  readonly kyma: string;
  readonly module: string;
  /** False when it was like that already. */
  readonly changed: boolean;
  /** How it ended; only with `--wait`. */
  readonly state?: State;
}

/** A runtime takes its first modules from the control plane's Kyma; from then on its own decides. */
const note = "note: once the runtime has a Kyma of its own, that one decides: use the runtime's kubeconfig then\n";

/**
 * Tells what was done, waits where that was asked for, and tells how it ended. Ends with the warning code for that
 * state.
 */
export async function tell(
  io: Io,
  output: OutputFormat,
  { module, kyma, changed, verb }: Done,
  wait?: () => Promise<State>,
): Promise<void> {
  if (changed && !isOfRuntime(kyma)) io.stderr.write(note);
  if (output === "text") io.stdout.write(`module ${module} ${changed ? verb : "unchanged"} in ${nameOf(kyma)}\n`);
  const state = await wait?.();
  const result: ModuleChange = { kyma: nameOf(kyma), module, changed, ...(state === undefined ? {} : { state }) };
  if (output !== "text" || state !== undefined) printAs(io, output, result, () => `${state}\n`);
  endIn(state);
}

/** Ends with the warning code for that state. */
export function endIn(state: State | undefined): void {
  if (state === "Warning") throw new ExitCode(exitCodes.warning);
}
