import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { KubeObject } from "@kyma-operators/kube";
import type { Store } from "@kyma-operators/runtime";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { type AccessSecret, kymaNamesOf } from "./clusters.ts";
import { clustersOf, localOnly, Peers } from "./peers.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function secretFor(server: string, token = "t", name = "s", kyma?: string): AccessSecret {
  const config = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server } }],
    users: [{ name: "u", user: { token } }],
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      namespace: "kcp-system",
      name,
      ...(kyma === undefined ? {} : { labels: { "operator.kyma-project.io/kyma-name": kyma } }),
    },
    data: { config: base64(JSON.stringify(config)) },
  };
}

describe("the cluster behind an access Secret", () => {
  const same: readonly (readonly [string, string])[] = [
    ["https://api.example.com", "https://API.example.com:443/"],
    ["https://kubernetes.default.svc", "https://kubernetes.default.svc.cluster.local:443"],
  ];
  for (const [one, other] of same) {
    test(`${one} and ${other} are one, whoever asks`, () => {
      deepEqual(clustersOf(secretFor(one, "me")), clustersOf(secretFor(other, "you")));
    });
  }

  test("another port or path is another cluster", () => {
    const servers = ["https://api.example.com", "https://api.example.com:6443", "https://api.example.com/other"];
    deepEqual(new Set(servers.flatMap((server) => clustersOf(secretFor(server)))).size, servers.length);
  });

  test("the address that pods know is the cluster of the Manifests themselves", () => {
    const manifest = { metadata: { name: "m", labels: {} } } as unknown as Manifest;
    deepEqual(clustersOf(secretFor("https://kubernetes.default.svc")), localOnly(manifest));
  });

  test("what is no kubeconfig stands for itself, and nothing leads nowhere", () => {
    const broken = { ...secretFor(""), data: { config: base64("{") } };
    deepEqual(clustersOf(broken), clustersOf({ ...broken }));
    deepEqual(clustersOf({ ...broken, data: {} }), []);
  });
});

type Indexes<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

function storeOf<T extends KubeObject>(objects: readonly T[], indexes: Indexes<T>): Store<T> {
  return {
    list: () => objects,
    get: ({ namespace, name }) =>
      objects.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
    byIndex: (index, value) => objects.filter((object) => indexes[index]?.(object).includes(value)),
  };
}

function peersOf(secrets: readonly AccessSecret[], kymas: readonly string[]): Peers {
  const manifests = kymas.map((kyma) => ({
    metadata: { namespace: "kcp-system", name: `of-${kyma}`, labels: { "operator.kyma-project.io/kyma-name": kyma } },
  })) as unknown as readonly Manifest[];
  return new Peers(
    storeOf(manifests, { kyma: kymaNamesOf, local: localOnly }),
    storeOf(secrets, { kyma: kymaNamesOf, cluster: clustersOf }),
  );
}

const namesOf = (found: readonly Manifest[]): readonly string[] => found.map(({ metadata }) => metadata.name ?? "");

describe("the Manifests of a cluster", () => {
  const [here, there] = ["https://here.example.com", "https://there.example.com"];
  const manifestOf = (peers: Peers, name: string): Manifest => {
    const found = peers.get({ namespace: "kcp-system", name: `of-${name}` });
    if (found === undefined) throw new Error(`no Manifest of ${name}`);
    return found;
  };

  test("are not led there by a Secret that nobody uses, because a labelled one goes first", () => {
    const secrets = [
      secretFor(here, "t", "one"),
      secretFor(there, "t", "labelled", "one"),
      secretFor(here, "t", "two"),
    ];
    const peers = peersOf(secrets, ["one", "two"]);
    deepEqual(namesOf(peers.of(manifestOf(peers, "two"))), ["of-two"]);
    deepEqual(namesOf(peers.of(manifestOf(peers, "one"))), ["of-one"]);
    deepEqual(namesOf(peers.on(clustersOf(secretFor(there))[0] ?? "")), ["of-one"]);
  });

  test("are led there by the first Secret that leads anywhere", () => {
    const secrets = [{ ...secretFor(there, "t", "empty", "one"), data: {} }, secretFor(here, "t", "full", "one")];
    const peers = peersOf([...secrets, secretFor(here, "t", "two")], ["one", "two"]);
    deepEqual(namesOf(peers.of(manifestOf(peers, "one"))), ["of-one", "of-two"]);
    deepEqual(namesOf(peers.of(manifestOf(peers, "two"))), ["of-one", "of-two"]);
  });

  test("are each counted once, however many Secrets their Kyma has", () => {
    const secrets = [secretFor(here, "t", "s1", "one"), secretFor(here, "u", "s2", "one"), secretFor(here, "t", "two")];
    const peers = peersOf(secrets, ["one", "two"]);
    deepEqual(namesOf(peers.of(manifestOf(peers, "two"))), ["of-one", "of-two"]);
    deepEqual(namesOf(peers.of(manifestOf(peers, "one"))), ["of-one", "of-two"]);
  });

  test("of a Kyma without access are its own, on a cluster of its own", () => {
    const peers = peersOf([secretFor(here, "t", "two")], ["one", "two"]);
    deepEqual(namesOf(peers.of(manifestOf(peers, "one"))), ["of-one"]);
    deepEqual(peers.clusterOf(manifestOf(peers, "one")), "kcp-system/one");
    deepEqual([peers.clusterOf(manifestOf(peers, "two"))], clustersOf(secretFor(here)));
  });
});
