import { join } from "node:path";
import { systemClock } from "@kyma-operators/kube";
import { DescriptorCache, type ComponentVersion as OcmVersion } from "@kyma-operators/ocm";
import { systemRandom } from "@kyma-operators/runtime";
import { createDirectory, createRegistryClient, type Directory } from "oras-js";
import { addKymaController } from "../../controllers/kyma/index.ts";
import { addMandatoryModuleControllers } from "../../controllers/mandatory-module/index.ts";
import { addManifestController } from "../../controllers/manifest/index.ts";
import type { ComponentVersion, Descriptor } from "../../modules/descriptor.ts";
import { kymaLease, type Wiring } from "./operator.ts";
import { type ModuleRegistry, moduleRegistry } from "./registry.ts";

/** Adds the Kyma, mandatory-module and Manifest controllers. */
export async function wireLifecycle(wiring: Wiring): Promise<void> {
  const { flags } = wiring;
  const context = wiring.manager.context(kymaLease);
  const chosen = new Set(flags.controllers);
  const catalogLoops = chosen.has("kyma") || chosen.has("mandatory-module");
  const registry = await moduleRegistry(wiring.client, {
    host: flags["oci-registry-host"],
    secretName: flags["oci-registry-cred-secret"],
    subPath: flags["modules-repository-subpath"],
    namespace: flags.namespace,
  });
  const backoff = { firstMs: flags["failure-base-delay"], maxMs: flags["failure-max-delay"] };
  const descriptors = catalogLoops ? descriptorsFrom(wiring, registry) : undefined;
  if (chosen.has("kyma") && descriptors !== undefined) {
    addKymaController(context, {
      settings: {
        namespace: flags.namespace,
        syncNamespace: flags["sync-namespace"],
        registry: registry.reference,
        restrictedModules: flags["restricted-default-modules"],
        windows: { minWindowMs: flags["min-maintenance-window-size"] },
        intervals: {
          successMs: flags["kyma-requeue-success-interval"],
          busyMs: flags["kyma-requeue-busy-interval"],
          warningMs: flags["kyma-requeue-warning-interval"],
          errorMs: flags["kyma-requeue-error-interval"],
        },
        rolloutMaxDelayMs: flags["module-upgrade-rollout-max-delay"],
        remoteResyncMs: flags["kyma-requeue-success-interval"],
        ...pullSecretOf(flags["skr-image-pull-secret"]),
        concurrency: flags["max-concurrent-kyma-reconciles"],
        backoff,
      },
      clusters: wiring.remote,
      descriptors,
      random: systemRandom,
    });
  }
  if (chosen.has("mandatory-module") && descriptors !== undefined) {
    addMandatoryModuleControllers(context, {
      settings: {
        namespace: flags.namespace,
        syncNamespace: flags["sync-namespace"],
        registry: registry.reference,
        requeueMs: flags["mandatory-module-requeue-success-interval"],
        rolloutMaxDelayMs: flags["module-upgrade-rollout-max-delay"],
        concurrency: flags["max-concurrent-mandatory-modules-reconciles"],
        backoff,
      },
      descriptors,
      random: systemRandom,
    });
  }
  if (chosen.has("manifest")) {
    addManifestController(context, {
      namespace: flags.namespace,
      clusters: wiring.remote,
      content: directory(wiring, "layers"),
      renders: directory(wiring, "renders"),
      registry: {
        plainHttp: registry.baseUrl.startsWith("http://") ? "loopback" : "explicit",
        userAgent: wiring.userAgent,
        ...(flags["oci-registry-cred-secret"] === "" ? {} : { credentialsSecret: flags["oci-registry-cred-secret"] }),
      },
      settings: {
        concurrency: flags["max-concurrent-manifest-reconciles"],
        backoff,
        ...pullSecretOf(flags["skr-image-pull-secret"]),
      },
    });
  }
}

function pullSecretOf(name: string): { readonly pullSecret?: string } {
  return name === "" ? {} : { pullSecret: name };
}

function directory({ flags }: Wiring, name: string): Directory {
  return createDirectory(join(flags["data-dir"], name));
}

/** Component descriptors from the registry, each fetched once. */
function descriptorsFrom(wiring: Wiring, registry: ModuleRegistry) {
  const client = createRegistryClient({ credentials: registry.credentials, userAgent: wiring.userAgent });
  wiring.onClose(() => client.close());
  const cache = new DescriptorCache({ client, clock: systemClock });
  return {
    get: async ({ component, version }: ComponentVersion, signal: AbortSignal): Promise<Descriptor> => {
      const found: OcmVersion = await cache.get({ baseUrl: registry.baseUrl }, { name: component, version }, signal);
      return found.descriptor;
    },
  };
}
