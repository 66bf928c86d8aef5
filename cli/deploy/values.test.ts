import { deepEqual, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { type ClusterFacts, clusterOf, type Node } from "./cluster-type.ts";
import { mergeValues, type ValuesInput } from "./values.ts";

const merge = (given: Partial<ValuesInput>) =>
  mergeValues({ cluster: { type: "unknown" }, files: [], set: [], ...given });
const file = (text: string) => ({ name: "values.yaml", text });

describe("values of modules", () => {
  test("#13 maps of files are merged, lists replaced, and single values win", () => {
    const files = [file("demo: {a: {b: 1, c: [1, 2]}, d: x}\n"), file("demo: {a: {c: [3]}}\nglobal: {e: true}\n")];
    deepEqual(merge({ files, set: ["demo.a.b=5", "demo.f={x,y}", "global.g=text"] }), {
      demo: { a: { b: 5, c: [3] }, d: "x", f: ["x", "y"] },
      global: { e: true, g: "text" },
    });
  });

  test("a value that can't be read is named", () => {
    throws(() => merge({ set: ["demo.a[x=1"] }), /^\w*:? ?.*--value demo\.a\[x=1: /s);
    throws(() => merge({ set: ["replicas=1"] }), /--value replicas: expected MODULE\.KEY=VALUE/);
  });

  const k3d: ClusterFacts = { type: "k3d", domain: "local.kyma.dev" };
  const domainOf = (given: Partial<ValuesInput>) => merge(given)["global"]?.["domainName"];

  test("#16 k3d has a domain and folders of its own, which files, values and the flag replace", () => {
    const istio = {
      helmValues: {
        cni: {
          cniBinDir: "/var/lib/rancher/k3s/data/current/bin",
          cniConfDir: "/var/lib/rancher/k3s/agent/etc/cni/net.d",
        },
      },
    };
    deepEqual(merge({ cluster: k3d }), { global: { domainName: "local.kyma.dev" }, istio });
    deepEqual(domainOf({ cluster: k3d, set: ["global.domainName=a.example.org"] }), "a.example.org");
    const both = { set: ["global.domainName=a.example.org"], domain: "b.example.org" };
    deepEqual(domainOf({ cluster: k3d, ...both }), "b.example.org");
  });

  test("#17 Gardener gives the domain of the Shoot, below value and flag", () => {
    const cluster: ClusterFacts = { type: "gardener", domain: "shoot.example.org" };
    deepEqual(domainOf({ cluster }), "shoot.example.org");
    deepEqual(domainOf({ cluster, set: ["global.domainName=a.example.org"] }), "a.example.org");
    deepEqual(domainOf({ cluster, domain: "b.example.org" }), "b.example.org");
  });

  test("#18 GKE gives values of istio only; any other cluster none", () => {
    const istio = { helmValues: { cni: { cniBinDir: "/home/kubernetes/bin" } }, resourceQuotas: { enabled: true } };
    deepEqual(merge({ cluster: { type: "gke" } }), { istio });
    deepEqual(merge({}), {});
  });

  test("the certificate is given in base64", () => {
    const tls = { crt: "c", key: "k" };
    deepEqual(merge({ tls }), { global: { tlsCrt: "Yw==", tlsKey: "aw==" } });
  });
});

describe("the type of a cluster", () => {
  const node = (name: string, kubeletVersion = "v1.35.0"): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    status: { nodeInfo: { kubeletVersion } },
  });
  const shootInfo = { apiVersion: "v1", kind: "ConfigMap", metadata: {}, data: { domain: "shoot.example.org" } };

  test("#21 Gardener says so itself, k3d and kind by the names of nodes, GKE by its versions", () => {
    deepEqual(clusterOf(shootInfo, []), { type: "gardener", domain: "shoot.example.org" });
    deepEqual(clusterOf(undefined, [node("k3d-demo-server-0")]), { type: "k3d", domain: "local.kyma.dev" });
    deepEqual(clusterOf(undefined, [node("kind-control-plane")]), { type: "kind" });
    deepEqual(clusterOf(undefined, [node("gke-a", "v1.35.1-gke.1043000")]), { type: "gke" });
    deepEqual(clusterOf(undefined, [node("worker-1")]), { type: "unknown" });
    const simulated = { nodeInfo: { containerRuntimeVersion: "simulated://1" } };
    deepEqual(clusterOf(undefined, [{ ...node("worker-1"), status: simulated }]), { type: "embedded" });
  });
});
