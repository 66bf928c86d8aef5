import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "@jest/globals";
import { isObject, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, optional } from "@kyma-operators/kube";
import { type Runtime, runtimeResource } from "../apis/infrastructure/index.ts";
import { addGardenerClusterController } from "../controllers/gardener-cluster/index.ts";
import { addRuntimeController } from "../controllers/runtime/index.ts";
import {
  parseAuditLogTenants,
  parseLandscapeConfig,
  parseMaintenanceWindows,
} from "../controllers/runtime/shoot/index.ts";
import { type InfrastructureWorld, startInfrastructureWorld } from "../testing/index.ts";
import { casesDir } from "./cases-dir.ts";

/*
 * Differences from the original that are ours on purpose:
 * - conditions carry observedGeneration, and the status says when an operation began;
 * - an OpenIDConnect that is right is left alone instead of deleted and created again;
 * - bindings are named after their user instead of at random;
 * - a deletion is confirmed by patching one annotation, so the Shoot gets no "kim Apply" from it;
 * - the Secret says until when its kubeconfig is valid.
 */

interface Line {
  readonly story: string;
  readonly what: string;
  readonly action?: string;
  readonly for_?: string;
  readonly cluster?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly event?: string;
  readonly metadata?: {
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly finalizers?: readonly string[];
    readonly managers?: readonly string[];
    readonly deleting?: boolean;
  };
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

const lines = readFileSync(join(casesDir, "cases/traces/infrastructure-manager.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Line);

const configFolder = join(casesDir, "reference/samples/infrastructure-manager/config");
const read = (file: string): string => readFileSync(join(configFolder, file), "utf8");
const landscape = {
  config: parseLandscapeConfig(read("converter_config.json"), "converter_config.json"),
  auditLogTenants: parseAuditLogTenants(read("audit_log_tenants.json"), "audit_log_tenants.json"),
  maintenanceWindows: parseMaintenanceWindows(read("maintenance_windows.json"), "maintenance_windows.json"),
};

const group = "infrastructuremanager.kyma-project.io/v1";
const namespace = "kcp-system";

async function startWorld(): Promise<InfrastructureWorld> {
  const world = await startInfrastructureWorld();
  addRuntimeController(world.context, {
    gardener: world.operatorGarden,
    remote: world.remote,
    landscape: () => landscape,
  });
  addGardenerClusterController(world.context, { gardener: world.operatorGarden, projectName: "kyma-dev" });
  world.start();
  return world;
}

/** Plays the recorded actions of one story and compares at each recorded wait. */
class Player {
  readonly #world: InfrastructureWorld;
  readonly #recorded = new Map<string, Line>();
  #name = "";

  constructor(world: InfrastructureWorld) {
    this.#world = world;
  }

  async play(story: readonly Line[]): Promise<void> {
    let action: string | undefined;
    for (const line of story) {
      if (line.what === "state") this.#recorded.set(`${line.cluster} ${line.kind} ${line.name}`, line);
      if (line.what === "action") action = line.action;
      if (action !== undefined && line.what === "state" && line.kind === "Runtime") {
        await this.#act(action, line);
        action = undefined;
      }
      if (line.what === "wait") await this.#compareAt(line.for_ ?? "");
    }
  }

  async #act(action: string, { name = "", metadata = {}, spec = {} }: Line): Promise<void> {
    const { client } = this.#world.kcp;
    this.#name = name;
    const ref = { resource: runtimeResource, namespace, name };
    if (action === "Runtime created") {
      const { labels = {} } = metadata;
      await client.create(runtimeResource, {
        apiVersion: group,
        kind: "Runtime",
        metadata: { name, namespace, labels },
        spec,
      });
    } else if (action === "Runtime deleted") {
      await client.delete(ref);
    } else {
      await client.mergePatch(ref, { metadata: { labels: metadata.labels, annotations: metadata.annotations }, spec });
    }
  }

  async #runtime(): Promise<(Runtime & AnyObject) | undefined> {
    return optional(
      this.#world.kcp.client.get<Runtime & AnyObject>({ resource: runtimeResource, namespace, name: this.#name }),
    );
  }

  async #compareAt(state: string): Promise<void> {
    await this.#world.until(async () => isSettled(await this.#runtime(), state));
    await this.#world.clock.settle();
    // With us the cluster goes with its Shoot; the recording's cluster outlived it.
    const left = [...this.#recorded.values()].filter(({ cluster }) => state !== "gone" || cluster !== "skr");
    for (const recorded of left) await this.#compare(recorded);
  }

  async #compare(recorded: Line): Promise<void> {
    const found = await this.#find(recorded);
    const what = `${recorded.cluster} ${recorded.kind} ${recorded.name}`;
    if (recorded.event === "DELETED") {
      equal(found, undefined, `${what} is gone`);
      return;
    }
    ok(found, `${what} is there`);
    compareMetadata(found, recorded, what);
    compareWriters(found, recorded, what);
    if (withStatus.has(recorded.kind ?? "")) deepEqual(statusOf(found["status"]), statusOf(recorded.status), what);
    if (withSpec.has(recorded.kind ?? "")) {
      ok(contains(found["spec"], recorded.spec), `${what}: ${JSON.stringify(found["spec"])}`);
    }
  }

  async #find({ cluster, kind = "", name = "" }: Line): Promise<AnyObject | undefined> {
    const { kcp, garden } = this.#world;
    if (cluster === "gardener") {
      return optional(garden.get({ resource: shootResource, namespace: "garden-kyma-dev", name }));
    }
    if (cluster === "kcp") {
      const all = await kcp.list(kind === "Secret" ? "v1" : group, kind);
      return all.find(({ metadata }) => metadata.name === name);
    }
    const client = await this.#world.shootClient("c-ok").catch(() => undefined);
    if (client === undefined) return undefined;
    const apiVersion =
      kind === "OpenIDConnect" ? "authentication.gardener.cloud/v1alpha1" : "rbac.authorization.k8s.io/v1";
    const { items } = await client.list(await client.resourceFor(apiVersion, kind));
    const isOurs = ({ metadata }: AnyObject): boolean =>
      metadata.name === name || metadata.labels?.["reconciler.kyma-project.io/managed-by"] === "infrastructure-manager";
    return items.find(isOurs);
  }
}

const withStatus = new Set(["Runtime", "GardenerCluster"]);
const withSpec = new Set(["Shoot", "OpenIDConnect"]);

function compareMetadata({ metadata }: AnyObject, recorded: Line, what: string): void {
  const { labels = {}, annotations = {}, finalizers = [] } = recorded.metadata ?? {};
  const isShoot = recorded.kind === "Shoot";
  // Gardener puts labels of its own on a Shoot.
  if (isShoot) ok(contains(metadata.labels, labels), what);
  else deepEqual(metadata.labels ?? {}, labels, what);
  deepEqual(metadata.finalizers ?? [], finalizers, what);
  ok(contains(metadata.annotations ?? {}, masked(annotations)), `${what}: ${JSON.stringify(annotations)}`);
}

/** The original takes its objects back without a conflict when it finds no field manager but its own. */
function compareWriters({ metadata }: AnyObject, recorded: Line, what: string): void {
  const managers = recorded.metadata?.managers ?? [];
  const foreign = writersOf(metadata).filter((writer) => !managers.includes(writer));
  deepEqual(foreign, [], `${what}: fields that the original would not find as its own`);
}

/** Test, API server and Gardener apart; the mark of our process on a Runtime's finalizer conflicts with nobody. */
const others = new Set(["test", "operator", "gardenlet"]);

function writersOf({ managedFields = [] }: AnyObject["metadata"]): readonly string[] {
  return managedFields
    .filter(({ manager = "" }) => !others.has(manager))
    .map(({ manager, operation, subresource }) => [manager, operation, subresource].filter(Boolean).join(" "));
}

function isSettled(runtime: (Runtime & AnyObject) | undefined, state: string): boolean {
  if (runtime === undefined || state === "gone") return runtime === undefined;
  const { metadata, status } = runtime;
  const isForced = metadata.annotations?.["operator.kyma-project.io/force-patch-reconciliation"] !== undefined;
  const isCurrent = status?.conditions?.some(({ observedGeneration }) => observedGeneration === metadata.generation);
  return status?.state === state && isCurrent === true && !isForced;
}

/** What must match: state, completion and every condition's type, status, reason and message. */
function statusOf(status: unknown): unknown {
  const {
    state,
    provisioningCompleted,
    conditions = [],
  } = (status ?? {}) as {
    readonly state?: string;
    readonly provisioningCompleted?: boolean;
    readonly conditions?: readonly Record<string, unknown>[];
  };
  return {
    state,
    provisioningCompleted,
    conditions: conditions.map(({ type, status: value, reason, message }) => ({ type, value, reason, message })),
  };
}

function masked(annotations: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== "<time>"));
}

/** True when every recorded field is there with its value; defaults that Gardener added may stand beside. */
function contains(found: unknown, recorded: unknown): boolean {
  if (Array.isArray(recorded)) {
    return (
      Array.isArray(found) && found.length === recorded.length && recorded.every((item, i) => contains(found[i], item))
    );
  }
  if (!isObject(recorded)) return found === recorded || (recorded === null && found === undefined);
  if (!isObject(found)) return false;
  return Object.entries(recorded).every(([key, value]) => contains(found[key], value));
}

describe("stories of the original infrastructure manager", () => {
  for (const name of ["k01-create-update-delete", "k03-create-failed-final"]) {
    test(`${name} ends in the recorded states, with the recorded events`, async () => {
      const world = await startWorld();
      world.gardener.fail("c-fatal", { codes: ["ERR_INFRA_UNAUTHORIZED"], description: "missing permission" });
      const story = lines.filter((line) => line.story === name);
      try {
        await new Player(world).play(story);
        await world.clock.settle();
        const recorded = await world.kcp.list("events.k8s.io/v1", "Event");
        const textOf = ({ type, reason, note }: AnyObject): string =>
          `${String(type)} ${String(reason)} ${String(note)}`;
        const events = new Set(recorded.map(textOf));
        for (const { type, reason, message } of story.filter(({ what }) => what === "event")) {
          ok(events.has(`${type} ${reason} ${message}`), `${type} ${reason} ${message}`);
        }
      } finally {
        await world.stop();
      }
    });
  }
});
