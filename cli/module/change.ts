import { hasCode } from "@kyma-operators/errors";
import type { Client } from "@kyma-operators/kube";
import type { Kyma, KymaModule } from "../../apis/operator/kyma.ts";
import type { Io } from "../io.ts";
import { findKyma, type KymaFlags, refOf } from "./kyma-access.ts";

const attempts = 5;

export interface Changed {
  readonly kyma: Kyma;
  /** False when the Kyma was already as wanted; nothing was sent then. */
  readonly changed: boolean;
}

/**
 * Changes the module list of the Kyma. `edit` sees the current Kyma and answers the wanted list, the same array when
 * nothing is to do; it is asked again when somebody else wrote in between.
 */
export async function changeModules(
  io: Io,
  client: Client,
  flags: KymaFlags,
  edit: (kyma: Kyma) => Promise<readonly KymaModule[]> | readonly KymaModule[],
): Promise<Changed> {
  for (let attempt = 1; ; attempt++) {
    const kyma = await findKyma(client, flags, io.signal);
    const modules = await edit(kyma);
    if (modules === kyma.spec.modules) return { kyma, changed: false };
    // The version makes the server refuse the patch when somebody else was faster.
    const patch = { metadata: { resourceVersion: kyma.metadata.resourceVersion }, spec: { modules } };
    try {
      return { kyma: await client.mergePatch<Kyma>(refOf(kyma), patch, { signal: io.signal }), changed: true };
    } catch (error) {
      if (!hasCode(error, "KUBE_CONFLICT") || attempt >= attempts) throw error;
    }
  }
}
