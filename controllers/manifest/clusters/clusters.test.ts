import { equal, rejects, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Client, ObjectKey } from "@kyma-operators/kube";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { FakeClock } from "../../../testing/index.ts";
import { type AccessSecret, Clusters, kymaNameOf, kymaNamesOf } from "./clusters.ts";
import { ActingTokens } from "./impersonation.ts";

const label = "operator.kyma-project.io/kyma-name";
const manifest = (metadata: object, remote = false): Manifest => ({
  apiVersion: "operator.kyma-project.io/v1beta2",
  kind: "Manifest",
  metadata: { name: "m", namespace: "kcp-system", ...metadata },
  spec: { remote, install: { name: "raw-manifest", source: {} } },
});
const ofKyma = (name: string): Manifest => manifest({ labels: { [label]: name } });
const secret = (
  name: string,
  labels: Record<string, string> = {},
  resourceVersion = "1",
  namespace = "kcp-system",
): AccessSecret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace, labels, uid: name, resourceVersion },
  data: { config: Buffer.from(`kubeconfig of ${name}`).toString("base64") },
});

const local = {} as Client;

interface Opened {
  readonly key: string;
  readonly revision: string;
  readonly kubeconfig: string;
}

function clustersOver(secrets: readonly AccessSecret[], synced = true): { clusters: Clusters; opened: Opened[] } {
  const opened: Opened[] = [];
  const clusters = new Clusters({
    local,
    tokens: new ActingTokens(new FakeClock()),
    secretsSynced: () => synced,
    secrets: {
      get: ({ namespace, name }: ObjectKey) =>
        secrets.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
      list: () => secrets,
      byIndex: (_index, value) => secrets.filter((entry) => kymaNamesOf(entry).includes(value)),
    },
    remote: {
      open: (key, revision, kubeconfig) => {
        opened.push({ key, revision, kubeconfig: kubeconfig() });
        return {} as Client;
      },
      evict: () => undefined,
    },
  });
  return { clusters, opened };
}

describe("the cluster of a Manifest", () => {
  test("is that of its Kyma's access Secret, found by label, whatever spec.remote says", async () => {
    const { clusters, opened } = clustersOver([secret("kubeconfig-one", { [label]: "one" }), secret("one")]);
    await clusters.for(ofKyma("one"));

    equal(opened[0]?.kubeconfig, "kubeconfig of kubeconfig-one");
  });

  test("is found by the Secret's name where no label leads to one (fault 6)", async () => {
    const { clusters, opened } = clustersOver([secret("one")]);
    await clusters.for(ofKyma("one"));

    equal(opened[0]?.kubeconfig, "kubeconfig of one");
  });

  test("is not guessed when two Secrets claim it, or another namespace has one (fault 6)", async () => {
    const both = [secret("a", { [label]: "one" }), secret("b", { [label]: "one" })];

    await rejects(clustersOver(both).clusters.for(ofKyma("one")), /more than one secret found for Kyma one: a, b/);
    await rejects(clustersOver([secret("one", {}, "1", "default")]).clusters.for(ofKyma("one")), {
      code: "MANIFEST_ACCESS_SECRET_MISSING",
    });
  });

  test("is never taken for gone while the Secrets are not known", async () => {
    await rejects(clustersOver([], false).clusters.for(ofKyma("one")), { code: "MANIFEST_ACCESS_SECRETS_UNKNOWN" });
  });

  test("is the one it lives in without a Kyma, and never shares a client with a remote one (fault 27)", async () => {
    const { clusters, opened } = clustersOver([secret("one")]);
    const [here, there] = [await clusters.for(manifest({})), await clusters.for(ofKyma("one"))];

    equal(here.client, local);
    equal(here.id === there.id, false);
    equal(opened.length, 1);
  });

  test("gets a new client when its Secret changes", async () => {
    const { clusters, opened } = clustersOver([secret("one", {}, "1")]);
    await clusters.for(ofKyma("one"));
    const { clusters: later, opened: openedLater } = clustersOver([secret("one", {}, "2")]);
    await later.for(ofKyma("one"));

    equal(opened[0]?.key, openedLater[0]?.key);
    equal(opened[0]?.revision === openedLater[0]?.revision, false);
  });

  test("must be named where spec.remote asks for a remote one", () => {
    throws(() => kymaNameOf(manifest({}, true)), { code: "MANIFEST_KYMA_NAME_MISSING" });
  });

  test("needs a kubeconfig in its Secret, and the error shows nothing of it", async () => {
    const empty = { ...secret("one"), data: { other: "c2VjcmV0" } };

    await rejects(clustersOver([empty]).clusters.for(ofKyma("one")), {
      message: "access Secret kcp-system/one has no key config with a kubeconfig",
    });
  });
});
