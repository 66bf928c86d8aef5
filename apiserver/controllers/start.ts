import type { TokenSigner } from "../auth/tokens.ts";
import type { ApiServerOptions } from "../options.ts";
import type { Core } from "../rest/call.ts";
import { startWorkload } from "../workload/start.ts";
import { runAccountController } from "./accounts.ts";
import { runDefinitionController } from "./definitions.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { runNamespaceController } from "./namespaces.ts";
import { Objects } from "./objects.ts";
import { runProtectionController } from "./protection.ts";

/** Runs the controllers of one server until the returned function is called. */
export function startControllers(
  core: Core,
  {
    options,
    signer,
    caCertificate,
  }: { readonly options: ApiServerOptions; readonly signer: TokenSigner; readonly caCertificate: string },
): () => void {
  const stopDefinitions = runDefinitionController(new Objects(core, "apiextensions"));
  const stopNamespaces = runNamespaceController(new Objects(core, "namespace-controller"));
  const stopProtection = runProtectionController(new Objects(core, "storage-protection-controller"));
  const collector = new GarbageCollector(new Objects(core, "garbage-collector"));
  const stopWorkload = options.workload === false ? () => undefined : startWorkload(core, options.workload ?? {});
  const stopAccounts = runAccountController(new Objects(core, "serviceaccount-controller"), { signer, caCertificate });
  return () => {
    stopDefinitions();
    stopNamespaces();
    stopAccounts();
    stopProtection();
    stopWorkload();
    collector.stop();
  };
}
