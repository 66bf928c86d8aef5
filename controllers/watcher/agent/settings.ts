import { watcherErrors } from "../errors.ts";

/** What the environment tells an agent; the names are those of the Deployment. */
export interface AgentSettings {
  readonly webhookPort: number;
  readonly metricsPort: number;
  readonly kcpAddress: string;
  readonly files: { readonly crt: string; readonly key: string; readonly ca: string };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment. Throws, naming every variable that is missing or of another contract. */
export function agentSettings(env: Environment): AgentSettings {
  const needed = ["TLS_CERT", "TLS_KEY", "CA_CERT", "KCP_ADDR", "KCP_CONTRACT"] as const;
  const missing = needed.filter((name) => !env[name]);
  if (missing.length > 0) throw watcherErrors.AGENT_ENVIRONMENT({ problem: `${missing.join(", ")} not set` });
  const [crt = "", key = "", ca = "", kcpAddress = "", contract = ""] = needed.map((name) => env[name]);
  if (contract !== "v2")
    throw watcherErrors.AGENT_ENVIRONMENT({ problem: `KCP_CONTRACT is ${contract}, only v2 is spoken` });
  return {
    webhookPort: portOf(env["WEBHOOK_PORT"], 8443),
    metricsPort: portOf(env["METRICS_PORT"], 2112),
    kcpAddress,
    files: { crt, key, ca },
  };
}

/** A port that is none falls back: an agent without a webhook helps nobody. */
function portOf(text: string | undefined, fallback: number): number {
  const port = Number(text);
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : fallback;
}
