import { callControl } from "./control.ts";
import { localErrors } from "./errors.ts";
import type { Row } from "./progress.ts";
import type { WorldFolder } from "./state-files.ts";

/** `kyma local status`: where everything is; the keys are a contract of `-o json`. */
export interface Addresses {
  /** The first one is the control plane. */
  readonly clusters: readonly { readonly name: string; readonly kubeconfig: string }[];
  readonly registry: string;
  readonly metrics: string;
  /** The operator's web page. */
  readonly dashboard: string;
  readonly operatorLog: string;
}

/** `kyma local status`: the whole of it; the keys are a contract of `-o json`. */
export interface WorldStatus {
  readonly operatorPid: number | undefined;
  readonly rows: readonly Row[];
  readonly addresses: Addresses;
}

/** What a world answers before all of it is there. */
export const starting = { starting: true } as const;

/** What the world of a folder tells; undefined where none runs. Throws `LOCAL_STARTING`. */
export async function askWorld(folder: WorldFolder): Promise<WorldStatus | undefined> {
  const state = await folder.state();
  const answer = state && (await callControl(state, "GET", "/status"));
  if (answer === undefined) return undefined;
  if ("starting" in (answer as object)) throw localErrors.STARTING({ folder: folder.path });
  return answer as WorldStatus;
}
