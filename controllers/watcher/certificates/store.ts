import { type AnyObject, builtIn, type Client, type KubeObject, optional } from "@kyma-operators/kube";
import type { Store } from "@kyma-operators/runtime";
import { fieldManagers } from "../../../apis/operator/finalizers.ts";
import type { Kyma } from "../../../apis/operator/kyma.ts";
import { labels, labelValues } from "../../../apis/operator/labels.ts";
import { names, webhookCertificateName } from "../../../apis/operator/names.ts";
import { contains } from "../../../modules/write-decision.ts";
import { issueAgentCertificate } from "./built-in-ca.ts";
import {
  buildCertificate,
  type CertificateSettings,
  certificateSubject,
  certificatesOf,
  needsRenewal,
  type Validity,
} from "./certificate.ts";
import type { TlsData } from "./gateway-secret.ts";
import { parseBundle, validityOf } from "./pem.ts";
import { type Secret, secretObject, tlsOf } from "./tls-secret.ts";

const { secrets } = builtIn;

/** The certificate of a Kyma's agent, once it is there. */
export interface AgentCertificate extends TlsData {
  /** Changes with the certificate. */
  readonly revision: string;
  readonly validity: Validity;
}

/** Keeps one certificate per Kyma on the control plane. */
export interface CertificateStore {
  /** Asks for the certificate where there is none or a newer one is due. Undefined while it is not issued. */
  ensure(kyma: Kyma, caAddedAtMs: number, pass: Pass): Promise<AgentCertificate | undefined>;
  exists(kymaName: string, signal: AbortSignal): Promise<boolean>;
  remove(kymaName: string, signal: AbortSignal): Promise<void>;
}

interface Pass {
  readonly now: number;
  readonly signal: AbortSignal;
}

interface Dependencies {
  readonly client: Client;
  readonly settings: CertificateSettings;
  /** Secrets of the Istio namespace. */
  readonly secrets: Store<Secret>;
}

/** The store that fits the settings. `certificates` are the Certificate objects of an issuer that is asked by them. */
export function certificateStore(deps: Dependencies, certificates: Store<KubeObject> | undefined): CertificateStore {
  return certificates === undefined ? new BuiltInStore(deps) : new IssuerStore(deps, certificates);
}

/** Asks cert-manager or Gardener's certificate controller, which write the Secret. */
class IssuerStore implements CertificateStore {
  readonly #deps: Dependencies;
  readonly #certificates: Store<AnyObject>;

  constructor(deps: Dependencies, certificates: Store<KubeObject>) {
    this.#deps = deps;
    this.#certificates = certificates as Store<AnyObject>;
  }

  async ensure(kyma: Kyma, caAddedAtMs: number, { signal }: Pass): Promise<AgentCertificate | undefined> {
    const { client, settings } = this.#deps;
    const wanted = buildCertificate(kyma, settings);
    const key = { namespace: settings.istioNamespace, name: wanted.metadata.name ?? "" };
    const present = this.#certificates.get(key);
    if (present === undefined || !contains(present, wanted)) {
      await client.apply(this.#resource(), wanted, { fieldManager: fieldManagers.operator, force: true, signal });
    }
    const issued = certificateIn(this.#deps.secrets.get(key));
    if (issued === undefined || present === undefined) return issued;
    if (isFromBefore(issued, caAddedAtMs)) await this.#renew(present, signal);
    return issued;
  }

  async exists(kymaName: string): Promise<boolean> {
    const key = { namespace: this.#deps.settings.istioNamespace, name: webhookCertificateName(kymaName) };
    return this.#certificates.get(key) !== undefined || this.#deps.secrets.get(key) !== undefined;
  }

  async remove(kymaName: string, signal: AbortSignal): Promise<void> {
    const ref = { namespace: this.#deps.settings.istioNamespace, name: webhookCertificateName(kymaName) };
    for (const resource of [this.#resource(), secrets]) {
      await optional(this.#deps.client.delete({ resource, ...ref }, { signal }));
    }
  }

  /** Each issuer has its own way of being asked to issue anew; asking twice is asking once. */
  async #renew(certificate: AnyObject, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const { name = "", namespace = "" } = certificate.metadata;
    const ref = { resource: this.#resource(), namespace, name };
    if (this.#resource().group === "cert.gardener.cloud") {
      const { spec } = certificate as { spec?: { renew?: boolean } };
      if (spec?.renew !== true)
        await client.mergePatch(ref, { spec: { renew: true, ensureRenewedAfter: null } }, { signal });
      return;
    }
    const { status } = certificate as { status?: { conditions?: readonly { type: string; status: string }[] } };
    const conditions = status?.conditions ?? [];
    if (conditions.some(({ type, status: value }) => type === "Issuing" && value === "True")) return;
    const issuing = {
      type: "Issuing",
      status: "True",
      reason: "ManuallyTriggered",
      message: "the CA of the watcher has changed",
    };
    const others = conditions.filter(({ type }) => type !== "Issuing");
    await client.mergePatch(ref, { status: { conditions: [...others, issuing] } }, { subresource: "status", signal });
  }

  #resource() {
    const { management } = this.#deps.settings;
    return certificatesOf(management === "built-in" ? "cert-manager.io/v1" : management);
  }
}

/** Issues certificates by the root CA that this process keeps itself. */
class BuiltInStore implements CertificateStore {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  async ensure(kyma: Kyma, caAddedAtMs: number, { now, signal }: Pass): Promise<AgentCertificate | undefined> {
    const { client, settings, secrets: store } = this.#deps;
    const subject = certificateSubject(kyma, settings);
    const key = { namespace: settings.istioNamespace, name: webhookCertificateName(kyma.metadata.name ?? "") };
    const present = certificateIn(store.get(key));
    if (
      present !== undefined &&
      !isFromBefore(present, caAddedAtMs) &&
      endsLater(present, now + settings.renewBeforeMs)
    ) {
      return present;
    }
    const root = tlsOf(store.get({ namespace: settings.istioNamespace, name: names.rootCaSecret }));
    if (root === undefined) return present;
    // A minute back: clocks of clusters differ.
    const issued = await issueAgentCertificate(root, subject, {
      fromMs: now - 60_000,
      toMs: now + settings.durationMs,
    });
    const marks = {
      [labels.purpose]: labelValues.certManagerPurpose,
      [labels.managedBy]: labelValues.managedByControlPlane,
    };
    const object = secretObject({ ...key, labels: marks }, issued);
    const written = await client.apply(secrets, object, { fieldManager: fieldManagers.operator, force: true, signal });
    return { ...issued, revision: written.metadata.resourceVersion ?? "", validity: validityIn(issued) };
  }

  async exists(kymaName: string): Promise<boolean> {
    const key = { namespace: this.#deps.settings.istioNamespace, name: webhookCertificateName(kymaName) };
    return this.#deps.secrets.get(key) !== undefined;
  }

  async remove(kymaName: string, signal: AbortSignal): Promise<void> {
    const ref = {
      resource: secrets,
      namespace: this.#deps.settings.istioNamespace,
      name: webhookCertificateName(kymaName),
    };
    await optional(this.#deps.client.delete(ref, { signal }));
  }
}

/** Secrets are looked at in every pass, and parsing certificates is most of what that costs. */
const validities = new WeakMap<Secret, Validity>();
/** What is no certificate has ended before everything. */
const never: Validity = { notBeforeMs: Number.NEGATIVE_INFINITY, notAfterMs: Number.NEGATIVE_INFINITY };

function certificateIn(secret: Secret | undefined): AgentCertificate | undefined {
  const tls = tlsOf(secret);
  if (secret === undefined || tls === undefined) return undefined;
  const validity = validities.get(secret) ?? validityIn(tls);
  validities.set(secret, validity);
  return { ...tls, revision: secret.metadata.resourceVersion ?? "", validity };
}

function validityIn({ crt }: TlsData): Validity {
  const [certificate] = parseBundle(crt) ?? [];
  return certificate === undefined ? never : validityOf(certificate);
}

function isFromBefore({ validity }: AgentCertificate, caAddedAtMs: number): boolean {
  // Certificates begin a minute early, and that minute does not make them old.
  return needsRenewal(validity, caAddedAtMs - 60_000);
}

function endsLater({ validity }: AgentCertificate, thanMs: number): boolean {
  return validity.notAfterMs > thanMs;
}
