import type { Manifest } from "../apis/operator/manifest.ts";
import { isObject } from "./table-compare.ts";
import { type Policies, policyText, type WindowInput } from "./window-tables.ts";

/** One recorded fault of the original that the specification tells us to fix. */
export interface FixedQuirk {
  readonly topic: string;
  /** Letter and number in the quirk register of the specification, or the number of the fault. */
  readonly quirk: string;
  readonly reason: string;
  /**
   * The answer of a product without the fault, made from the row alone; undefined when the row does not show it.
   * `found` is our answer, for rules that can only say whether an answer is a right one.
   */
  readonly fixed: (row: QuirkRow) => unknown;
}

export interface QuirkRow {
  readonly input: never;
  readonly recorded: unknown;
  readonly found: unknown;
  readonly policies: Policies;
}

type Json = Readonly<Record<string, unknown>>;

/** Every row that may differ from the record, by what it asks, never by its id. */
export const fixedQuirks: readonly FixedQuirk[] = [
  {
    topic: "maintenance-windows",
    quirk: "K17",
    reason: "escapes in an expression are decoded, so `\\\\d` in JSON is the class of digits",
    fixed: ({ input, recorded, found, policies }) => (followsDecodedRule(input, found, policies) ? found : recorded),
  },
  {
    topic: "maintenance-windows",
    quirk: "K7",
    reason: "the search starts a day earlier, so a window that began yesterday is seen until it ends",
    fixed: ({ input, recorded, found }) => (beganYesterday(input, recorded, found) ? found : recorded),
  },
  {
    topic: "remote-kyma",
    quirk: "K4",
    reason: "skipMaintenanceWindows of the remote Kyma is honoured",
    fixed: ({ input, recorded }) => {
      const { skr } = input as { skr: { spec: { skipMaintenanceWindows?: boolean } } | null };
      const skipMaintenanceWindows = skr?.spec.skipMaintenanceWindows;
      if (skipMaintenanceWindows === undefined || !isObject(recorded)) return undefined;
      return { ...recorded, kcpSpecInMemory: { ...(recorded["kcpSpecInMemory"] as Json), skipMaintenanceWindows } };
    },
  },
  {
    topic: "manifest-write-decision",
    quirk: "K12",
    reason: "a mandatory Manifest that is as wanted is not written again",
    fixed: ({ input }) => {
      const { inCluster, wanted } = input as { inCluster: Manifest | null; wanted: Manifest };
      const mandatory = wanted.metadata.labels?.["operator.kyma-project.io/mandatory-module"] === "true";
      return mandatory && inCluster !== null
        ? JSON.stringify(inCluster.spec) !== JSON.stringify(wanted.spec)
        : undefined;
    },
  },
  {
    topic: "deployment-state",
    quirk: "M8",
    reason: "a Deployment without conditions has not been looked at yet: progress, not an error",
    fixed: ({ input }) => (hasNoConditions(input) ? "Processing" : undefined),
  },
  {
    topic: "manager-state",
    quirk: "M8",
    reason: "as for deployment-state",
    fixed: ({ input }) => {
      const { resources } = input as { resources: readonly Json[] };
      const manager = resources.find(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
      return manager?.["kind"] === "Deployment" && hasNoConditions(manager) ? "Processing" : undefined;
    },
  },
  {
    topic: "transforms",
    quirk: "M14",
    reason: "a manager without namespace fits a workload in any namespace",
    fixed: withPullSecretVariable,
  },
  {
    topic: "synced",
    quirk: "M10, M15, fault 54",
    reason: "a StatefulSet may be the operator; lists are compared both ways; another API version is the same object",
    fixed: fixedSynced,
  },
  {
    topic: "operator-related",
    quirk: "M10",
    reason: "a StatefulSet may be the operator and goes in the second group",
    fixed: ({ input }) => ((input as string) === "StatefulSet" ? true : undefined),
  },
  {
    topic: "manifest-status",
    quirk: "M13",
    reason: "entering Deleting neither completes the installation nor says that resources are ready",
    fixed: fixedManifestStatus,
  },
  {
    topic: "certificate",
    quirk: "W2",
    reason: "an empty list of additional names adds no empty name",
    fixed: ({ recorded }) => {
      if (!Array.isArray(recorded)) return undefined;
      const copy = structuredClone(recorded) as { spec: { dnsNames: string[] } }[];
      for (const { spec } of copy) spec.dnsNames = spec.dnsNames.filter((name) => name !== "");
      return copy;
    },
  },
  {
    topic: "skr-webhook",
    quirk: "W3",
    reason: "a Watcher that names no receiver gets no webhook with an unfinished path",
    fixed: ({ recorded }) => {
      if (!Array.isArray(recorded)) return undefined;
      const copy = structuredClone(recorded) as { webhooks?: { clientConfig: { service: { path: string } } }[] }[];
      for (const object of copy) {
        if (object.webhooks === undefined) continue;
        object.webhooks = object.webhooks.filter(({ clientConfig }) => clientConfig.service.path !== "/validate/");
      }
      return copy;
    },
  },
  {
    topic: "kcp-address",
    quirk: "W4",
    reason: "a port outside 1 to 65535 is refused",
    fixed: ({ recorded, found }) => {
      const { port } = recorded as { port?: number };
      const { error } = found as { error?: string };
      const wrong = port !== undefined && (port < 1 || port > 65_535);
      return wrong && error?.includes("must be between 1 and 65535") ? found : undefined;
    },
  },
  {
    topic: "flags",
    quirk: "swapped texts",
    reason: "the two jitter flags are named the right way round",
    fixed: ({ recorded }) => {
      const { error } = recorded as { error?: string };
      const other: Readonly<Record<string, string>> = { percentage: "probability", probability: "percentage" };
      const swapped = error?.replace(/(?<=jitter )(percentage|probability)/, (word) => other[word] ?? word);
      return swapped === error ? undefined : { error: swapped };
    },
  },
];

function hasNoConditions(workload: Json): boolean {
  const conditions = (workload["status"] as Json | undefined)?.["conditions"];
  return !Array.isArray(conditions) || conditions.length === 0;
}

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const weekday = (rfc3339: string): string => weekdays[new Date(rfc3339.slice(0, 10)).getUTCDay()] ?? "";

interface WindowAnswer {
  readonly active: boolean;
  readonly begin: string;
  readonly end: string;
}

const isWindow = (value: unknown): value is WindowAnswer => isObject(value) && typeof value["begin"] === "string";

/** The window belongs to the first rule that matches when JavaScript reads the decoded expressions. */
function followsDecodedRule(input: WindowInput, found: unknown, policies: Policies): boolean {
  const text = policyText(input, policies);
  if (!text.includes("\\\\") || !isWindow(found)) return false;
  const policy = JSON.parse(text) as {
    rules: { match: Json; windows: { days: string[] }[] }[];
    default: { days: string[] };
  };
  const rule = policy.rules.find(({ match }) =>
    Object.entries(match).some(([name, expression]) => {
      const value = (input.runtime as Json)[name];
      return Boolean(value) && Boolean(expression) && new RegExp(String(expression)).test(String(value));
    }),
  );
  const days = [...(rule?.windows ?? []), policy.default].flatMap((window) => window.days);
  return days.includes(weekday(found.begin));
}

/** Our window contains the instant, began on an earlier day, and is the recorded one a whole number of days before. */
function beganYesterday(input: WindowInput, recorded: unknown, found: unknown): boolean {
  if (!isWindow(recorded) || !isWindow(found)) return false;
  const [at, begin, end, later] = [input.at, found.begin, found.end, recorded.begin].map(Date.parse) as [
    number,
    number,
    number,
    number,
  ];
  return found.active && begin < at && at < end && later > begin && (later - begin) % 86_400_000 === 0;
}

function withPullSecretVariable({ input, recorded }: QuirkRow): unknown {
  const { manifest, skrImagePullSecret } = input as { manifest: Manifest; skrImagePullSecret?: string };
  const { manager } = manifest.spec;
  if (manager === undefined || manager.namespace || skrImagePullSecret === undefined) return undefined;
  const variable = { name: "SKR_IMG_PULL_SECRET", value: skrImagePullSecret };
  return (recorded as readonly Json[]).map((object) => {
    const isManager = object["kind"] === manager.kind && (object["metadata"] as Json)["name"] === manager.name;
    if (!isManager) return object;
    const copy = structuredClone(object) as { spec: { template: { spec: { containers: { env?: unknown[] }[] } } } };
    for (const container of copy.spec.template.spec.containers) container.env = [...(container.env ?? []), variable];
    return copy;
  });
}

interface SyncedInput {
  readonly synced: readonly { group: string; kind: string; name: string; namespace: string; version: string }[];
  readonly target: readonly { apiVersion: string; kind: string; metadata: { name: string; namespace?: string } }[];
}

function fixedSynced({ input, recorded }: QuirkRow): unknown {
  const { synced, target } = input as SyncedInput;
  const answer = recorded as Record<"prune" | "pruneFirst" | "pruneLast", string[]>;
  const identity = (group: string, kind: string, namespace: string, name: string): string =>
    [namespace, name, group, kind].join("/");
  const wanted = new Set(
    target.map(({ apiVersion, kind, metadata }) => {
      const group = apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
      return identity(group, kind, metadata.namespace ?? "", metadata.name);
    }),
  );
  const kept = new Set(
    synced
      .filter((ref) => wanted.has(identity(ref.group, ref.kind, ref.namespace, ref.name)))
      .map((ref) => [ref.namespace, ref.name, ref.group, ref.version, ref.kind].join("/")),
  );
  const prune = answer.prune.filter((id) => !kept.has(id));
  const isLast = (id: string): boolean => answer.pruneLast.includes(id) || id.endsWith("/StatefulSet");
  const ids = new Set(synced.map((ref) => [ref.namespace, ref.name, ref.group, ref.version, ref.kind].join("/")));
  const next = target.map(({ apiVersion, kind, metadata }) =>
    [
      metadata.namespace ?? "",
      metadata.name,
      ...(apiVersion.includes("/") ? [apiVersion] : [`/${apiVersion}`]),
      kind,
    ].join("/"),
  );
  const changed = ids.size !== new Set(next).size || next.some((id) => !ids.has(id));
  return { ...answer, changed, prune, pruneFirst: prune.filter((id) => !isLast(id)), pruneLast: prune.filter(isLast) };
}

/**
 * As recorded, but from the step into Deleting on: conditions as before it, and operations that do not call resources
 * ready.
 */
function fixedManifestStatus({ recorded, found }: QuirkRow): unknown {
  const steps = recorded as readonly Json[];
  const answers = found as readonly Json[];
  const first = steps.findIndex((step) => step["step"] === "state:Deleting" && step["changed"] === true);
  if (first < 1) return undefined;
  const conditions = steps[first - 1]?.["conditions"];
  return steps.map((step, index) => {
    const operation = String(answers[index]?.["operation"]);
    return index < first || operation === "resources are ready" ? step : { ...step, conditions, operation };
  });
}
