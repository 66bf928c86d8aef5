import { deepEqual, equal, ok } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { parseYamlDocuments } from "@kyma-operators/yaml";
import { LocalWorld, type LoggedRequest } from "../local-world.ts";

const root = join(import.meta.dirname, "../..");

interface Role {
  readonly kind: string;
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** The rights of the roles in a file, each as `verb resource.group`. */
async function rightsIn(path: string): Promise<readonly string[]> {
  const documents = parseYamlDocuments(await readFile(join(root, "config", path), "utf8"), { name: path });
  return (documents as unknown as readonly Role[])
    .filter(({ kind }) => kind === "Role" || kind === "ClusterRole")
    .flatMap(({ rules = [] }) => rules)
    .flatMap(({ apiGroups, resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => rightText(verb, apiGroups[0] ?? "", resource))),
    );
}

const rightText = (verb: string, group: string, resource: string): string =>
  `${verb} ${group === "" ? resource : `${resource}.${group}`}`;

/** What a request needs. An apply that creates an object needs the right to create it too. */
function rightsFor({ verb, group, resource, subresource, status }: LoggedRequest): readonly string[] {
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const created = verb === "patch" && status === 201;
  return [rightText(verb, group, what), ...(created ? [rightText("create", group, what)] : [])];
}

const isOperator = ({ userAgent, resource }: LoggedRequest): boolean =>
  userAgent.startsWith("kyma-operator") && resource !== "";

/** What the operator did in a cluster, without what was refused. */
function usedIn(requests: readonly LoggedRequest[], cluster: string): ReadonlySet<string> {
  const done = requests.filter((request) => request.cluster === cluster && request.status !== 403);
  return new Set(done.flatMap((request) => rightsFor(request)));
}

const controlPlaneRoles = [
  "common",
  "dashboard",
  "kyma",
  "mandatory-module",
  "manifest",
  "purge",
  "runtime",
  "watcher",
  "gardener-cluster",
];

/** Rights that this story does not use, and when they are used. */
const unusedOnControlPlane: Readonly<Record<string, string>> = {
  "watch leases.coordination.k8s.io": "only while another replica leads",
  "get secrets": "only with --oci-registry-cred-secret, or for a registry that needs credentials",
  "patch events.events.k8s.io": "only for a warning that comes back",
  "update kymas/finalizers.operator.kyma-project.io": "only where the API server checks owner references",
  "update customresourcedefinitions/status.apiextensions.k8s.io": "only where a former version is on record",
  "patch moduletemplates.operator.kyma-project.io": "only where a former version is on record",
  "patch watchers.operator.kyma-project.io": "only where a former version is on record",
  "patch modulereleasemetas.operator.kyma-project.io": "only for a mandatory module",
  "update manifests.operator.kyma-project.io": "only for a Manifest that somebody else wrote",
  "get gateways.networking.istio.io": "only with Istio",
  "list gateways.networking.istio.io": "only with Istio",
  "get virtualservices.networking.istio.io": "only with Istio",
  "create virtualservices.networking.istio.io": "only with Istio",
  "update virtualservices.networking.istio.io": "only with Istio",
  "delete virtualservices.networking.istio.io": "only with Istio",
};
const unusedInGarden: Readonly<Record<string, string>> = {
  "update shoots.core.gardener.cloud": "only for fields that an apply can't take away",
  "create configmaps": "only with structured authentication",
  "patch configmaps": "only with structured authentication",
  "create secrets": "only for registry caches with credentials",
  "patch secrets": "only for registry caches with credentials",
  "delete secrets": "only for registry caches with credentials",
};
const unusedOnRuntimes: Readonly<Record<string, string>> = {
  "bind clusterroles.rbac.authorization.k8s.io": "no request of its own: asked when an administrator is bound",
  "create serviceaccounts/token": "only for a Manifest that names an account",
  "delete openidconnects.authentication.gardener.cloud": "only when an issuer is taken off",
  "update openidconnects.authentication.gardener.cloud": "only when an issuer is changed",
  "list customconfigs.core.kyma-project.io": "only with --custom-config-controller-enabled",
  "list pods": "only while the agent is not ready",
  "get secrets": "only for registry caches with credentials, and pull secrets",
};
const issuers = ["certificates.cert-manager.io", "certificates.cert.gardener.cloud"];
const unusedInIstio: Readonly<Record<string, string>> = {
  "update secrets": "only when the CA changes",
  "patch certificates/status.cert-manager.io": "only with that issuer",
  ...Object.fromEntries(
    issuers.flatMap((what) =>
      ["list", "watch", "create", "patch", "delete"].map((verb) => [`${verb} ${what}`, "only with that issuer"]),
    ),
  ),
};

interface Rights {
  readonly where: string;
  readonly granted: readonly string[];
  readonly used: ReadonlySet<string>;
  /** Some of these may be used all the same, as it happens. */
  readonly unused: Readonly<Record<string, string>>;
}

function judge({ where, granted, used, unused }: Rights): void {
  const surplus = [...new Set(granted)].filter((right) => !used.has(right) && unused[right] === undefined);
  deepEqual(surplus.toSorted(), [], `${where}: granted, never used, and no reason`);
  const unknown = Object.keys(unused).filter((right) => !granted.includes(right));
  deepEqual(unknown, [], `${where}: reasons for rights that nobody has`);
}

const istio = "istio-system";
let world: LocalWorld;
let requests: readonly LoggedRequest[] = [];

const onPlane = (...args: readonly string[]) => world.onPlane(...args);
const onRuntime = (...args: readonly string[]) => world.onRuntime(...args);

const until = (look: () => Promise<string>, expected: RegExp) => world.until(look, expected);

const stateOf = (kind: string) => () => onPlane("get", kind, "demo", "-o", "jsonpath={.status.state}");

/** Install, change, rotate, upgrade, let go and remove. */
async function story(): Promise<void> {
  const forced = "operator.kyma-project.io/force-kubeconfig-rotation=now";
  await onPlane("annotate", "gardenercluster", "demo", forced);
  await until(
    () => onPlane("get", "gardenercluster", "demo", "-o", "jsonpath={.metadata.annotations}"),
    /^(?!.*force)/,
  );
  const more = '[{"op":"replace","path":"/spec/shoot/provider/workers/0/maximum","value":21}]';
  await onPlane("patch", "runtime", "demo", "--type=json", "-p", more);
  await until(() => world.printed("gardener", "get", "shoots", "-A", "-o", "json"), /"maximum": 21/);
  await onPlane(
    "patch",
    "runtime",
    "demo",
    "--type=merge",
    "-p",
    '{"spec":{"security":{"administrators":["new@example.test"]}}}',
  );
  await until(() => world.printed("runtime-demo", "get", "clusterrolebindings", "-o", "json"), /new@example\.test/);
  await onRuntime("patch", "kyma", "default", "--type=merge", "-p", '{"spec":{"channel":"fast"}}');
  await until(() => onRuntime("get", "deployment", "greeter-manager", "-o", "json"), /:1\.1\.0"/);
  const unmanaged = '[{"op":"replace","path":"/spec/modules/1","value":{"name":"metering","managed":false}}]';
  await onRuntime("patch", "kyma", "default", "--type=json", "-p", unmanaged);
  await until(() => onPlane("get", "manifests", "-o", "name"), /^(?!.*metering)/s);
  await onPlane("delete", "modulereleasemeta", "metering");
  await until(stateOf("kyma"), /Ready|Warning/);
  await onPlane("delete", "kyma", "demo", "--timeout=60s");
  await onPlane("delete", "runtime", "demo", "--timeout=60s");
}

beforeAll(async () => {
  world = await LocalWorld.start(["--demo", "--audit"]);
  await world.ready();
  await story();
  requests = (await world.requests()).filter(isOperator);
}, 300_000);
afterAll(async () => {
  await world.stop();
}, 30_000);

describe("the rights of the operator", () => {
  test("no request is refused", () => {
    const refused = requests.filter(({ status }) => status === 403);
    deepEqual([...new Set(refused.flatMap((request) => rightsFor(request)))], []);
    ok(requests.length > 100, "the story must have been recorded");
  });

  test("it may do nothing that it does not do, but for a reason", async () => {
    const granted = (await Promise.all(controlPlaneRoles.map((part) => rightsIn(`rbac/roles/${part}.yaml`)))).flat();
    const ofNamespace = requests.filter(({ namespace }) => namespace !== istio);
    judge({
      where: "control plane",
      granted,
      used: usedIn(ofNamespace, "control-plane"),
      unused: unusedOnControlPlane,
    });
    judge({
      where: "namespace of Istio",
      granted: await rightsIn("watcher/rbac.yaml"),
      used: usedIn(
        requests.filter(({ namespace }) => namespace === istio),
        "control-plane",
      ),
      unused: unusedInIstio,
    });
    judge({
      where: "garden",
      granted: await rightsIn("gardener/role.yaml"),
      used: usedIn(requests, "gardener"),
      unused: unusedInGarden,
    });
    judge({
      where: "remote clusters",
      granted: await rightsIn("remote/cluster-role.yaml"),
      used: usedIn(requests, "runtime-demo"),
      unused: unusedOnRuntimes,
    });
  });

  test("no role holds a wildcard, and none lists Secrets of the whole cluster", async () => {
    const files = [...controlPlaneRoles, "registry-cache"].map((part) => `rbac/roles/${part}.yaml`);
    for (const path of [...files, "watcher/rbac.yaml", "gardener/role.yaml", "remote/cluster-role.yaml"]) {
      for (const right of await rightsIn(path)) equal(right.includes("*"), false, `${path}: ${right}`);
      const documents = parseYamlDocuments(await readFile(join(root, "config", path), "utf8"), { name: path });
      const clusterWide = (documents as unknown as readonly Role[]).filter(({ kind }) => kind === "ClusterRole");
      const reads = clusterWide
        .flatMap(({ rules = [] }) => rules)
        .filter(
          ({ resources, verbs }) => resources.includes("secrets") && verbs.some((verb) => /list|watch/.test(verb)),
        );
      deepEqual(reads, [], path);
    }
  });
});
