import { builtIn, type Client, type KubeObject } from "@kyma-operators/kube";
import type { Context, Outcome, Store } from "@kyma-operators/runtime";
import { annotations } from "../../../apis/operator/annotations.ts";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import { names } from "../../../apis/operator/names.ts";
import { watcherErrors } from "../errors.ts";
import type { WatcherSettings } from "../options.ts";
import { issueRoot } from "./built-in-ca.ts";
import { type GatewaySecret, planGatewaySecret, type TlsData } from "./gateway-secret.ts";
import { parseBundle, validityOf } from "./pem.ts";
import { type Secret, secretObject, tlsOf } from "./tls-secret.ts";

const { secrets } = builtIn;

interface Dependencies {
  readonly client: Client;
  readonly settings: WatcherSettings;
  /** Secrets of the Istio namespace. */
  readonly secrets: Store<Secret>;
  /** Names of the listener in a root of our own; absent: cert-manager or Gardener issues the root. */
  readonly hosts: (() => readonly string[]) | undefined;
  readonly showExpiry: (closeToExpiry: boolean) => void;
}

/** Keeps the certificates of the gateway, and moves from one CA to the next without a failed call. */
export class GatewayReconciler {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async reconcile(ctx: Context): Promise<Outcome> {
    const { settings, showExpiry } = this.#deps;
    const root = await this.#root(ctx);
    const stored = this.#secret(names.gatewaySecret);
    const current = gatewayOf(stored);
    const planned = planGatewaySecret(root, current, settings.rotation, ctx.now);
    if (JSON.stringify(planned) !== JSON.stringify(current)) await this.#write(planned, stored, ctx);
    const [certificate] = parseBundle(planned.crt) ?? [];
    if (certificate === undefined) throw this.#invalid(names.gatewaySecret, "tls.crt is no certificate");
    showExpiry(validityOf(certificate).notAfterMs < ctx.now + settings.rotation.expiryWindowMs);
    return { kind: "wait", reason: "the bundle is as wanted", afterMs: settings.requeueMs.gatewaySecret };
  }

  /** The CA that issues now. One of our own is replaced in time; whoever issues another sees to that himself. */
  async #root(ctx: Context): Promise<TlsData> {
    const { hosts, settings } = this.#deps;
    const stored = this.#secret(names.rootCaSecret);
    const root = tlsOf(stored);
    if (hosts === undefined) {
      if (root === undefined) throw watcherErrors.ROOT_MISSING({ secret: this.#idOf(names.rootCaSecret) });
      return root;
    }
    if (root !== undefined && !isEnding(root, ctx.now + settings.root.renewBeforeMs)) return root;
    const issued = await issueRoot(hosts(), { fromMs: ctx.now - 60_000, toMs: ctx.now + settings.root.durationMs });
    await this.#store({ name: names.rootCaSecret }, stored, issued, ctx.signal);
    return issued;
  }

  async #write({ caAddedAt, ...tls }: GatewaySecret, stored: Secret | undefined, ctx: Context): Promise<void> {
    const annotated = { ...stored?.metadata.annotations, [annotations.caAddedToBundleAt]: caAddedAt ?? "" };
    await this.#store({ name: names.gatewaySecret, annotations: annotated }, stored, tls, ctx.signal);
    ctx.log.info(
      { secret: this.#idOf(names.gatewaySecret), caAddedAt },
      "the certificates of the gateway have changed",
    );
  }

  /** The resource version guards against a second writer: two rotations at once would lose a CA. */
  async #store(
    wanted: KubeObject["metadata"],
    stored: Secret | undefined,
    tls: TlsData,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, settings } = this.#deps;
    const metadata = { ...stored?.metadata, ...wanted, namespace: settings.certificates.istioNamespace };
    const options = { fieldManager: fieldManagers.lifecycleManager, signal };
    if (stored === undefined) await client.create(secrets, secretObject(metadata, tls), options);
    else await client.update(secrets, { ...stored, ...secretObject(metadata, tls), type: typeOf(stored) }, options);
  }

  #secret(name: string): Secret | undefined {
    return this.#deps.secrets.get({ namespace: this.#deps.settings.certificates.istioNamespace, name });
  }

  #idOf(name: string): string {
    return `${this.#deps.settings.certificates.istioNamespace}/${name}`;
  }

  #invalid(name: string, problem: string): Error {
    return watcherErrors.SECRET_INVALID({ secret: this.#idOf(name), problem });
  }
}

/** The type of a Secret can never be changed. */
function typeOf(secret: Secret): string {
  return secret.type ?? "Opaque";
}

function gatewayOf(secret: Secret | undefined): GatewaySecret | undefined {
  const tls = tlsOf(secret);
  if (tls === undefined) return undefined;
  const caAddedAt = secret?.metadata.annotations?.[annotations.caAddedToBundleAt];
  return { ...tls, ...(caAddedAt === undefined ? {} : { caAddedAt }) };
}

function isEnding({ crt }: TlsData, atMs: number): boolean {
  const [certificate] = parseBundle(crt) ?? [];
  return certificate === undefined || validityOf(certificate).notAfterMs < atMs;
}
