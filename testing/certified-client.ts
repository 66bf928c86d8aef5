import { X509Certificate } from "node:crypto";
import { type Client, type Clock, createClient, transportFrom } from "@kyma-operators/kube";
import { parseYaml } from "@kyma-operators/yaml";
import type { ApiServer } from "../apiserver/index.ts";

/**
 * A client of an in-process server with the client certificate of a kubeconfig: its user and groups count, and when it
 * has expired by the given clock, the server refuses.
 */
export function certifiedClient(
  server: ApiServer,
  kubeconfig: string,
  { clock, userAgent }: { readonly clock: Clock; readonly userAgent: string },
): Client {
  const { subject, validToDate } = certificateOf(kubeconfig);
  const valuesOf = (key: string): readonly string[] =>
    subject.split("\n").flatMap((line) => (line.startsWith(`${key}=`) ? [line.slice(key.length + 1)] : []));
  const transport = server.transportFor({ user: valuesOf("CN")[0] ?? "", groups: valuesOf("O") });
  return createClient({
    transport: transportFrom((request) => {
      if (clock.now() < validToDate.getTime()) return transport(request);
      // A token that nobody issued is answered as a certificate that has expired.
      return transport({ ...request, headers: { ...request.headers, authorization: "Bearer expired" } });
    }),
    clock,
    userAgent,
  });
}

/** The first client certificate in a kubeconfig. */
export function certificateOf(kubeconfig: string): X509Certificate {
  const { users = [] } = parseYaml(kubeconfig) as {
    readonly users?: readonly { readonly user: { readonly "client-certificate-data": string } }[];
  };
  return new X509Certificate(Buffer.from(users[0]?.user["client-certificate-data"] ?? "", "base64"));
}
