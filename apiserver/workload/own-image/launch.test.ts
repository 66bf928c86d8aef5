import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import { isOfOwnImage } from "./is-of-own-image.ts";
import { launchOf } from "./launch.ts";

const pod: AnyObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "team", labels: { "app.kubernetes.io/name": "web" } },
  spec: { nodeName: "node" },
};
const objects: Readonly<Record<string, AnyObject>> = {
  "/secrets/login": {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login" },
    data: { user: "YWxpY2U=", home: "L2RhdGEvaG9tZQ==" },
  },
  "/configmaps/settings": { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { level: "2" } },
};
const context = {
  pod,
  podIP: "10.245.0.1",
  mounts: [
    { mountPath: "/data", folder: "/here/data" },
    { mountPath: "/data/cache", folder: "/here/cache" },
  ],
  lookup: (collection: string, name: string) => objects[`${collection}/${name}`],
};

describe("launchOf", () => {
  test("resolves the environment in order", () => {
    const { env } = launchOf(
      {
        name: "c",
        envFrom: [
          { prefix: "S_", configMapRef: { name: "settings" } },
          { secretRef: { name: "none", optional: true } },
        ],
        env: [
          { name: "USER", valueFrom: { secretKeyRef: { name: "login", key: "user" } } },
          { name: "GREETING", value: "hello $(USER), $$(USER), $(NOBODY)" },
          { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          { name: "APP", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app.kubernetes.io/name']" } } },
          { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
          { name: "LIMIT", valueFrom: { resourceFieldRef: { resource: "limits.memory" } } },
          { name: "ABSENT", valueFrom: { configMapKeyRef: { name: "settings", key: "x", optional: true } } },
        ],
        resources: { limits: { memory: "1Gi" } },
      },
      context,
    );
    deepEqual(env, {
      S_level: "2",
      USER: "alice",
      GREETING: "hello alice, $(USER), $(NOBODY)",
      NAME: "web-1",
      APP: "web",
      IP: "10.245.0.1",
      LIMIT: "1Gi",
    });
  });

  test("expands arguments and translates paths below mounts, whole names only", () => {
    const { args } = launchOf(
      {
        name: "c",
        env: [{ name: "HOME", valueFrom: { secretKeyRef: { name: "login", key: "home" } } }],
        args: ["--dir=/data", "--cache=/data/cache/x", "$(HOME)", "/database", "--paths=/data:/data/cache,/x/data"],
      },
      context,
    );
    deepEqual(args, [
      "--dir=/here/data",
      "--cache=/here/cache/x",
      "/here/data/home",
      "/database",
      "--paths=/here/data:/here/cache,/x/data",
    ]);
  });

  const refused = [
    {
      name: "a key that is not there",
      container: { name: "c", env: [{ name: "A", valueFrom: { secretKeyRef: { name: "login", key: "pin" } } }] },
      message: /couldn't find key pin in Secret team\/login/,
    },
    {
      name: "a ConfigMap that is not there",
      container: { name: "c", envFrom: [{ configMapRef: { name: "other" } }] },
      message: /configmap "other" not found/,
    },
    { name: "a command", container: { name: "c", command: ["sh"] }, message: /container c has a command/ },
  ];
  for (const { name, container, message } of refused) {
    test(`refuses ${name}`, () => throws(() => launchOf(container, context), message));
  }
});

describe("isOfOwnImage", () => {
  const images = [
    { image: "kyma-operators", own: true },
    { image: "registry.example.test:5000/team/kyma-operators:0.1.0", own: true },
    { image: "registry.example.test/kyma-operators@sha256:00", own: true },
    { image: "kyma-operators/web:1", own: false },
    { image: "other", own: false },
  ];
  for (const { image, own } of images) {
    test(`${image} is ${own ? "run" : "simulated"}`, () => {
      const of = (...list: readonly string[]): AnyObject => ({
        ...pod,
        spec: { containers: list.map((one) => ({ image: one })) },
      });
      equal(isOfOwnImage(of(image), { names: ["kyma-operators"] }), own);
      equal(isOfOwnImage(of(image, "sidecar"), { names: ["kyma-operators"] }), false);
    });
  }
});
