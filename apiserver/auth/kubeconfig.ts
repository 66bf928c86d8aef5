import type { KeyPair } from "./certificates.ts";

/** How a client proves who it is. */
export type Credentials = { readonly clientCertificate: KeyPair } | { readonly token: string };

/** A kubeconfig of one cluster and one user, as YAML (which JSON is). */
export function formatKubeconfig(
  server: string,
  caCertificate: string,
  { user, credentials }: { readonly user: string; readonly credentials: Credentials },
): string {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const secret =
    "token" in credentials
      ? [`    token: ${credentials.token}`]
      : [
          `    client-certificate-data: ${encode(credentials.clientCertificate.certificate)}`,
          `    client-key-data: ${encode(credentials.clientCertificate.key)}`,
        ];
  const name = JSON.stringify(user);
  return [
    "apiVersion: v1",
    "kind: Config",
    "clusters:",
    "- name: kyma-apiserver",
    "  cluster:",
    `    server: ${server}`,
    `    certificate-authority-data: ${encode(caCertificate)}`,
    "users:",
    `- name: ${name}`,
    "  user:",
    ...secret,
    "contexts:",
    "- name: kyma-apiserver",
    "  context:",
    "    cluster: kyma-apiserver",
    `    user: ${name}`,
    "current-context: kyma-apiserver",
    "",
  ].join("\n");
}
