import { isDeepStrictEqual } from "node:util";
import type { AnyObject } from "@kyma-operators/kube";
import { issuer, type TokenSigner } from "../auth/tokens.ts";
import { isFields, textAt } from "../resources/kinds/edit.ts";
import { KeyLoop } from "./loop.ts";
import type { Objects } from "./objects.ts";

const tokenType = "kubernetes.io/service-account-token";
const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

/** Gives every namespace its `default` service account and root CA, and fills token Secrets; a new CA replaces the old one. */
export function runAccountController(objects: Objects, { signer, caCertificate }: Issuing): () => void {
  const { store } = objects.core;
  const accounts = new KeyLoop(objects.core, (namespace) => ensureAccount(objects, namespace, caCertificate));
  const secrets = new KeyLoop(objects.core, (key) => fillSecret(objects, key, { signer, caCertificate }));
  const unsubscribe = store.subscribeAll(({ collection, namespace, name, stored }) => {
    if (collection === "/namespaces") accounts.add(name);
    else if (collection === "/serviceaccounts" || collection === "/configmaps") accounts.add(namespace);
    else if (collection === "/secrets" && stored.object.type === tokenType) secrets.add(`${namespace}/${name}`);
    if (collection === "/serviceaccounts") {
      for (const secret of tokenSecrets(objects, namespace)) secrets.add(`${namespace}/${secret.metadata.name}`);
    }
  });
  for (const { object } of store.list("/namespaces")) accounts.add(object.metadata.name ?? "");
  for (const { metadata } of tokenSecrets(objects)) secrets.add(`${metadata.namespace}/${metadata.name}`);
  return () => {
    unsubscribe();
    accounts.stop();
    secrets.stop();
  };
}

function tokenSecrets(objects: Objects, namespace?: string): readonly AnyObject[] {
  return objects.list("/secrets", namespace).filter(({ type }) => type === tokenType);
}

async function ensureAccount(objects: Objects, namespace: string, caCertificate: string): Promise<void> {
  const owner = objects.get("/namespaces", "", namespace);
  if (owner === undefined || owner.metadata.deletionTimestamp !== undefined) return;
  if (objects.get("/serviceaccounts", namespace, "default") === undefined) {
    await objects.create("/serviceaccounts", { metadata: { name: "default", namespace } });
  }
  await ensureRoot(objects, namespace, { "ca.crt": caCertificate });
}

const rootDescription =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

async function ensureRoot(objects: Objects, namespace: string, data: Readonly<Record<string, string>>): Promise<void> {
  const name = "kube-root-ca.crt";
  const root = objects.get("/configmaps", namespace, name);
  if (root === undefined) {
    const metadata = { name, namespace, annotations: { "kubernetes.io/description": rootDescription } };
    await objects.create("/configmaps", { metadata, data });
  } else if (!isDeepStrictEqual(root.data, data)) {
    await objects.change("/configmaps", root, (current) => ({ ...current, data }));
  }
}

interface Issuing {
  readonly signer: TokenSigner;
  readonly caCertificate: string;
}

async function fillSecret(objects: Objects, key: string, issuing: Issuing): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  const secret = objects.get("/secrets", namespace, name);
  const accountName = textAt(secret, "metadata", "annotations", nameAnnotation);
  if (secret === undefined || accountName === "") return;
  const account = objects.get("/serviceaccounts", namespace, accountName);
  const knownUid = textAt(secret, "metadata", "annotations", uidAnnotation);
  if (account !== undefined && ["", account.metadata.uid].includes(knownUid)) {
    await fill(objects, { secret, account }, issuing);
  } else if (knownUid !== "") {
    // A token without its account is worth nothing; a Secret that waits for its account may stay.
    await objects.delete("/secrets", secret);
  }
}

async function fill(
  objects: Objects,
  { secret, account }: { readonly secret: AnyObject; readonly account: AnyObject },
  { signer, caCertificate }: Issuing,
): Promise<void> {
  const { name: accountName = "", uid = "" } = account.metadata;
  const { name = "", namespace = "", uid: secretUid = "" } = secret.metadata;
  const serviceAccount = { name: accountName, uid };
  const bound = { kind: "Secret", name, uid: secretUid } as const;
  const issue = (): string => signer.issue({ namespace, serviceAccount, audiences: [issuer], bound }, objects.now);
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const known = { "ca.crt": encode(caCertificate), namespace: encode(namespace) };
  const token = textAt(secret, "data", "token");
  if (token !== "" && Object.entries(known).every(([key, value]) => textAt(secret, "data", key) === value)) return;
  const filled = { ...known, token: token || encode(issue()) };
  await objects.change("/secrets", secret, (current) => ({
    ...current,
    metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, [uidAnnotation]: uid } },
    data: { ...(isFields(current.data) ? current.data : {}), ...filled },
  }));
}
