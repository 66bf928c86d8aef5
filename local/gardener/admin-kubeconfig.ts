import type { Shoot } from "@kyma-operators/gardener";
import { type AnyObject, type Clock, timeText } from "@kyma-operators/kube";
import { apiError, type Extension, fieldProblem, type SubresourceRequest } from "../../apiserver/index.ts";
import { keyOf, type ShootClusters } from "./clusters.ts";
import { numberAt } from "./validation/json.ts";

const minimumSeconds = 600;
const defaultSeconds = 3_600;

export interface AdminKubeconfigOptions {
  readonly clusters: ShootClusters;
  readonly clock: Clock;
  /** Longest lifetime that is granted; a longer wish is cut without a word. */
  readonly maxSeconds: number;
}

/** The subresources `adminkubeconfig` and `viewerkubeconfig` of a Shoot. */
export function kubeconfigSubresources(options: AdminKubeconfigOptions): NonNullable<Extension["subresources"]> {
  return {
    adminkubeconfig: (request) => answer(request, options, { kind: "AdminKubeconfigRequest", role: "admin" }),
    viewerkubeconfig: (request) => answer(request, options, { kind: "ViewerKubeconfigRequest", role: "viewer" }),
  };
}

interface Access {
  readonly kind: string;
  readonly role: "admin" | "viewer";
}

async function answer(
  { object, body, user }: SubresourceRequest,
  { clusters, clock, maxSeconds }: AdminKubeconfigOptions,
  { kind, role }: Access,
): Promise<AnyObject> {
  const shoot = object as unknown as Shoot;
  const wanted = numberAt(body, "spec", "expirationSeconds") ?? defaultSeconds;
  if (wanted < minimumSeconds) {
    const detail = "may not specify a duration less than 10 minutes";
    throw refuse(kind, fieldProblem("FieldValueInvalid", "spec.expirationSeconds", detail, wanted));
  }
  const server = await clusters.get(keyOf(shoot));
  if (server === undefined || (shoot.status?.advertisedAddresses ?? []).length === 0) {
    const detail = "no suitable advertised address for kube-apiserver found in .status.advertisedAddresses";
    throw refuse(kind, fieldProblem("FieldValueInvalid", "status.advertisedAddresses", detail, []));
  }
  const expiresAt = clock.now() + Math.min(wanted, maxSeconds) * 1000;
  const kubeconfig = await clusters.kubeconfig({
    shoot,
    server,
    user: `gardener.cloud:${role}:${user.name}`,
    groups: role === "admin" ? ["system:masters"] : ["gardener.cloud:system:viewers"],
    expiresAt,
  });
  return {
    apiVersion: "authentication.gardener.cloud/v1alpha1",
    kind,
    metadata: {},
    spec: { expirationSeconds: wanted },
    status: {
      kubeconfig: Buffer.from(kubeconfig).toString("base64"),
      expirationTimestamp: timeText(expiresAt),
    },
  };
}

function refuse(kind: string, problem: ReturnType<typeof fieldProblem>) {
  return apiError.invalid({ kind, resource: "shoots", group: "authentication.gardener.cloud", name: "" }, [problem]);
}
