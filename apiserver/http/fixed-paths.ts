import type { TokenSigner } from "../auth/tokens.ts";
import { issuer } from "../auth/tokens.ts";
import { kubernetesVersion } from "../facts/generated/kubernetes.ts";
import { encode } from "../rest/respond.ts";
import type { ApiRequest, ApiResponse } from "./messages.ts";

/** Version of Kubernetes whose API is served. */
export const gitVersion = `${kubernetesVersion}+kyma`;

const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? [];
const health = new Set(["healthz", "livez", "readyz"]);

/** Answers `/version`, the health checks, the token issuer's documents; `undefined` for other paths. */
export function answerFixedPath(request: ApiRequest, signer: TokenSigner): ApiResponse | undefined {
  if (request.method !== "GET" && request.method !== "HEAD") return undefined;
  const root = request.path.split("/").find((part) => part !== "") ?? "";
  if (health.has(root)) return healthAnswer(root, request);
  const document = documents[request.path.replace(/(?<=.)\/$/, "")];
  return document === undefined ? undefined : encode(200, document(signer));
}

const rootPaths = [
  "/api",
  "/api/v1",
  "/apis",
  "/healthz",
  "/livez",
  "/openapi/v2",
  "/openapi/v3",
  "/readyz",
  "/version",
];
const documents: Readonly<Record<string, (signer: TokenSigner) => unknown>> = {
  "/": () => ({ paths: rootPaths }),
  "/version": version,
  "/.well-known/openid-configuration": openIdConfiguration,
  "/openid/v1/jwks": (signer) => signer.keySet(),
};

function version(): unknown {
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit: "0000000000000000000000000000000000000000",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "go1.26",
    compiler: "gc",
    platform: "linux/amd64",
  };
}

function healthAnswer(check: string, { query }: ApiRequest): ApiResponse {
  const text = query.has("verbose") ? `[+]ping ok\n[+]storage ok\n${check} check passed\n` : "ok";
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: text };
}

function openIdConfiguration(): unknown {
  return {
    issuer,
    jwks_uri: `${issuer}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  };
}
