import type { AnyObject } from "@kyma-operators/kube";
import type { Manager } from "../../../apis/operator/object.ts";
import { manifestErrors } from "../errors.ts";
import { refOf } from "../inventory/identity.ts";
import { isRecord, type JsonRecord } from "../json.ts";
import { defaultNamespace } from "./namespaces.ts";
import { isPatchedWorkload, podSpecOf, withPodSpec } from "./pods.ts";

const envName = "SKR_IMG_PULL_SECRET";

/**
 * Lets Deployments and StatefulSets pull with a Secret, and tells the module's manager the name of that Secret.
 *
 * @param manager - `spec.manager`; absent: every workload is told. A manager without namespace fits any namespace.
 */
export function addPullSecret(
  objects: readonly AnyObject[],
  secretName: string,
  manager: Manager | undefined,
): readonly AnyObject[] {
  return objects.map((object) => {
    const podSpec = isPatchedWorkload(object) ? podSpecOf(object) : undefined;
    if (podSpec === undefined) return object;
    const withSecret = { ...podSpec, imagePullSecrets: [...listOf(podSpec["imagePullSecrets"]), { name: secretName }] };
    return withPodSpec(object, isManager(object, manager) ? withEnv(object, withSecret, secretName) : withSecret);
  });
}

function isManager(object: AnyObject, manager: Manager | undefined): boolean {
  if (manager === undefined) return true;
  const { group, version, kind, name, namespace } = refOf(object);
  return (
    manager.group === group &&
    manager.version === version &&
    manager.kind === kind &&
    manager.name === name &&
    (manager.namespace === undefined || manager.namespace === (namespace || defaultNamespace))
  );
}

function withEnv(object: AnyObject, podSpec: JsonRecord, secretName: string): JsonRecord {
  if (!Array.isArray(podSpec["containers"])) return podSpec;
  const containers = podSpec["containers"].map((container: unknown) => {
    if (!isRecord(container)) return container;
    const env = listOf(container["env"]);
    if (env.some((entry) => isRecord(entry) && entry["name"] === envName)) {
      const name = object.metadata.name ?? "";
      const problem = `failed to patch container envs in resource ${name}: ${envName} environment variable already exits in raw manifest`;
      throw manifestErrors.TRANSFORM({ problem });
    }
    return { ...container, env: [...env, { name: envName, value: secretName }] };
  });
  return { ...podSpec, containers };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
