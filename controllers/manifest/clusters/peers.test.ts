import { deepEqual } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import type { AccessSecret } from "./clusters.ts";
import { clustersOf, localOnly } from "./peers.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function secretFor(server: string, token = "t"): AccessSecret {
  const config = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server } }],
    users: [{ name: "u", user: { token } }],
  };
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
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
