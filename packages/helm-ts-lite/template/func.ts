import type { GoValue, Signature } from "../go/values.ts";
import type { OperandNode } from "./nodes.ts";
import type { State } from "./state.ts";

/** A function of the template language. */
export interface Func extends Signature {
  /** `and` and `or` stop at the first argument that decides. */
  readonly stopsAt?: boolean;
  /**
   * Gets arguments that fit the signature, and the source of the first of them; throws `GoError` for failures of its own.
   */
  readonly call: (args: readonly GoValue[], state: State, source?: OperandNode) => GoValue;
}

/** The functions that templates may call, by name. */
export type Functions = ReadonlyMap<string, Func>;
