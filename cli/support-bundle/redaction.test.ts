import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import { redactLog, redactObject, redactText } from "./redaction.ts";

const canary = "c4na2y-S3cretValue";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const kubeconfig = `apiVersion: v1\nkind: Config\nclusters:\n- name: c\nusers:\n- name: u\n  user: {password: ${canary}}\n`;
const jwt = `eyJhbGciOiJSUzI1NiJ9.${base64(canary).replace(/=/g, "")}.c2lnbmF0dXJl`;

describe("redactObject", () => {
  const hiding: Readonly<Record<string, unknown>> = {
    "a Secret's data": { kind: "Secret", data: { any: base64(canary) } },
    "a Secret's stringData": { kind: "Secret", stringData: { any: canary } },
    "a Secret within another object": { spec: { data: { kind: "Secret", data: { any: canary } } } },
    "a Secret as JSON in a text": { text: JSON.stringify({ kind: "Secret", data: { any: canary } }) },
    "the last applied configuration": {
      metadata: {
        annotations: { "kubectl.kubernetes.io/last-applied-configuration": `{"spec":{"word":"${canary}"}}` },
      },
    },
    "a kubeconfig in an annotation": { metadata: { annotations: { note: kubeconfig } } },
    "a kubeconfig in base64": { text: base64(kubeconfig) },
    "a field called kubeconfig": { kubeconfig: canary },
    "a variable called like a secret": { env: [{ name: "REGISTRY_TOKEN", value: canary }] },
    "a field called like a secret": { spec: { clientSecret: canary } },
    "a flag with its value": { args: [`--token=${canary}`] },
    "a flag whose value comes next": { args: ["--registry-password", canary] },
    "a credential in an address": { url: `https://user:${canary}@registry.example.org/x` },
    "a token of an account": { text: `got ${jwt}` },
    "a header": { text: `Authorization: Bearer ${canary}` },
    "a value in a message": { status: { message: `login failed: password=${canary}` } },
    "managed fields": { metadata: { managedFields: [{ fieldsV1: { f: canary } }] } },
  };
  for (const [name, object] of Object.entries(hiding)) {
    test(`masks ${name}`, () => {
      const shown = JSON.stringify(redactObject(object));
      ok(!shown.includes(canary), shown);
      ok(!shown.includes(base64(canary).slice(0, 20)), shown);
    });
  }

  test("keeps what only names a Secret, and everything else", () => {
    const object = {
      kind: "GardenerCluster",
      metadata: { name: "a", uid: "8c2b6d7e-0000-4000-8000-000000000001" },
      spec: { kubeconfig: { secret: { name: "kubeconfig-a", key: "config" } }, imagePullSecrets: [{ name: "pull" }] },
      status: { state: "Error", message: "the registry refused the pull", digest: `sha256:${"ab".repeat(32)}` },
    };
    deepEqual(redactObject(object), object);
  });
});

describe("redactText", () => {
  test("masks again what is masked without a change", () => {
    const once = redactText(`token: ${canary}, --secret ${canary}`);
    equal(redactText(once), once);
    ok(!once.includes(canary));
  });

  test("looks into each line of a log", () => {
    const shown = redactLog(`plain\n{"msg":"x","password":"${canary}"}\n`);
    equal(shown, 'plain\n{"msg":"x","password":"[redacted]"}\n');
  });
});
