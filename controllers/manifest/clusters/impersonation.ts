import { builtIn, type Client, type Clock } from "@kyma-operators/kube";
import { formatYaml, parseYaml } from "@kyma-operators/yaml";
import { LRUCache } from "lru-cache";
import { SingleFlight } from "oras-js";
import type { Manifest } from "../../../apis/operator/manifest.ts";
import { manifestErrors } from "../errors.ts";
import { steering } from "../inventory/fingerprint.ts";
import { isRecord, valueAt } from "../json.ts";

const { serviceAccounts } = builtIn;
const lifetimeSeconds = 3_600;
const maxTokens = 20_000;

/** The ServiceAccount that a Manifest is installed as, if it names one. */
export interface ActingAccount {
  readonly namespace: string;
  readonly name: string;
}

/** Throws `MANIFEST_ANNOTATION_INVALID` for anything but `namespace/name`. */
export function actingAccountOf(manifest: Manifest): ActingAccount | undefined {
  const text = manifest.metadata.annotations?.[steering.serviceAccount];
  if (text === undefined) return undefined;
  const match = /^([a-z0-9]([-a-z0-9]*[a-z0-9])?)\/([a-z0-9]([-.a-z0-9]*[a-z0-9])?)$/.exec(text);
  const [, namespace, , name] = match ?? [];
  if (namespace !== undefined && name !== undefined) return { namespace, name };
  const problem = `is ${JSON.stringify(text)}, expected namespace/name of a ServiceAccount on the cluster it is installed to`;
  throw manifestErrors.ANNOTATION_INVALID({ annotation: steering.serviceAccount, problem });
}

/** A token and when to get another one. */
interface Issued {
  readonly token: string;
  readonly renewAtMs: number;
  readonly serial: number;
}

/**
 * Tokens of acting accounts, asked of the cluster itself and renewed at half their life. They stay in memory.
 *
 * A token, unlike an impersonation header, needs no right to impersonate: creating tokens of that one account is enough.
 */
export class ActingTokens {
  readonly #clock: Clock;
  readonly #issued = new LRUCache<string, Issued>({ max: maxTokens });
  readonly #flights = new SingleFlight<string, Issued>();
  #serial = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param cluster - names the cluster together with the revision of our own access to it. */
  async get(cluster: string, client: Client, account: ActingAccount): Promise<Issued> {
    const key = keyOf(cluster, account);
    const known = this.#issued.get(key);
    if (known !== undefined && known.renewAtMs > this.#clock.now()) return known;
    return this.#flights.run(key, async () => {
      const issued = await this.#issue(client, account);
      this.#issued.set(key, issued);
      return issued;
    });
  }

  async #issue(client: Client, account: ActingAccount): Promise<Issued> {
    const ref = { resource: serviceAccounts, ...account };
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: lifetimeSeconds },
    };
    const answer = await client.createSubresource(ref, "token", request);
    const token = valueAt(answer, "status", "token");
    if (typeof token !== "string") {
      const problem = `the cluster issued no token for ${account.namespace}/${account.name}`;
      throw manifestErrors.ANNOTATION_INVALID({ annotation: steering.serviceAccount, problem });
    }
    this.#serial += 1;
    return { token, renewAtMs: this.#clock.now() + (lifetimeSeconds * 1_000) / 2, serial: this.#serial };
  }

  /** The token does not work any more: the account may have been made anew. */
  forget(cluster: string, account: ActingAccount): void {
    this.#issued.delete(keyOf(cluster, account));
  }
}

/** Names an account of a cluster. */
export function keyOf(cluster: string, { namespace, name }: ActingAccount): string {
  return `${cluster}#${namespace}/${name}`;
}

/** The same cluster with this token as the only credential. */
export function withToken(kubeconfig: string, token: string): string {
  const config = parseYaml(kubeconfig, { name: "kubeconfig" });
  const current = valueAt(config, "current-context");
  const context = entriesOf(config, "contexts").find((entry) => entry["name"] === current);
  const cluster = valueAt(context, "context", "cluster");
  const clusters = entriesOf(config, "clusters").filter((entry) => entry["name"] === cluster);
  return formatYaml({
    apiVersion: "v1",
    kind: "Config",
    clusters,
    users: [{ name: "acting", user: { token } }],
    contexts: [{ name: "acting", context: { cluster, user: "acting" } }],
    "current-context": "acting",
  });
}

function entriesOf(config: unknown, field: string): readonly Readonly<Record<string, unknown>>[] {
  const entries = valueAt(config, field);
  return Array.isArray(entries) ? entries.filter(isRecord) : [];
}
