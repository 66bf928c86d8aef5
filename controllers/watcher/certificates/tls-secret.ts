import type { AnyObject, KubeObject } from "@kyma-operators/kube";
import type { TlsData } from "./gateway-secret.ts";

/** A Secret with its data in base64. */
export interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** The certificates in a Secret; undefined unless key and certificate are both there. */
export function tlsOf(secret: Secret | undefined): TlsData | undefined {
  const text = (key: string): string => Buffer.from(secret?.data?.[key] ?? "", "base64").toString("utf8");
  const [crt, key, ca] = [text("tls.crt"), text("tls.key"), text("ca.crt")];
  return crt === "" || key === "" ? undefined : { crt, key, ca };
}

/** A Secret that holds certificates. */
export function secretObject(metadata: KubeObject["metadata"], { crt, key, ca }: TlsData): AnyObject {
  const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  const data = { "tls.crt": base64(crt), "tls.key": base64(key), "ca.crt": base64(ca) };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "kubernetes.io/tls", data };
}
