import type { Kyma } from "../../apis/operator/kyma.ts";
import type { State } from "../../apis/operator/state.ts";
import { ExitCode, exitCodes } from "../command.ts";
import type { Io } from "../io.ts";
import { type OutputFormat, printAs } from "../output.ts";
import { nameOf } from "./kyma-access.ts";

/** What was done to a module of a Kyma. */
export interface Done {
  readonly module: string;
  readonly kyma: Kyma;
  readonly changed: boolean;
  /** As a person says it: `enabled`. */
  readonly verb: string;
}

/**
 * Tells what was done, waits where that was asked for, and tells how it ended; the keys of the data are a contract.
 * Ends with the warning code for that state.
 */
export async function tell(
  io: Io,
  output: OutputFormat,
  { module, kyma, changed, verb }: Done,
  wait?: () => Promise<State>,
): Promise<void> {
  if (output === "text") io.stdout.write(`module ${module} ${changed ? verb : "unchanged"} in ${nameOf(kyma)}\n`);
  const state = await wait?.();
  const result = { kyma: nameOf(kyma), module, changed, ...(state === undefined ? {} : { state }) };
  if (output !== "text" || state !== undefined) printAs(io, output, result, () => `${state}\n`);
  endIn(state);
}

/** Ends with the warning code for that state. */
export function endIn(state: State | undefined): void {
  if (state === "Warning") throw new ExitCode(exitCodes.warning);
}
