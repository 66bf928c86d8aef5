import type { AnyObject, Resource } from "@kyma-operators/kube";
import { formatGoDuration } from "../../../apis/duration.ts";
import { annotations } from "../../../apis/operator/annotations.ts";
import type { Kyma } from "../../../apis/operator/kyma.ts";
import { labels, labelValues } from "../../../apis/operator/labels.ts";
import { names, webhookCertificateName } from "../../../apis/operator/names.ts";
import { watcherErrors } from "../errors.ts";

/** Who issues certificates: cert-manager, Gardener's certificate controller, or this process itself. */
export type CertManagement = "cert-manager.io/v1" | "cert.gardener.cloud/v1alpha1" | "built-in";

export interface CertificateSettings {
  readonly management: CertManagement;
  readonly istioNamespace: string;
  /** Namespace of the agent on remote clusters. */
  readonly syncNamespace: string;
  readonly durationMs: number;
  readonly renewBeforeMs: number;
  readonly keySize: number;
  readonly additionalDnsNames: readonly string[];
  readonly issuer: { readonly name: string; readonly namespace: string };
}

/** Whom a certificate speaks for. */
export interface CertificateSubject {
  /** Runtime id: what the listener takes as the sender of an event. */
  readonly commonName: string;
  readonly dnsNames: readonly string[];
}

const subject = {
  organizationalUnits: ["BTP Kyma Runtime"],
  organizations: ["SAP SE"],
  localities: ["Walldorf"],
  provinces: ["Baden-Württemberg"],
  countries: ["DE"],
};

const secretLabels = {
  [labels.purpose]: labelValues.certManagerPurpose,
  [labels.managedBy]: labelValues.managedByControlPlane,
};

/** The collection of Certificates of an issuer that is asked by objects. */
export function certificatesOf(management: Exclude<CertManagement, "built-in">): Resource {
  const [group = "", version = ""] = management.split("/");
  return { group, version, kind: "Certificate", plural: "certificates", namespaced: true };
}

/**
 * Whom the certificate of a Kyma's agent speaks for. Throws `WATCHER_CERTIFICATE` for a Kyma without a domain, unless
 * this process issues the certificate itself: nobody calls the agent by that name.
 */
export function certificateSubject(kyma: Kyma, settings: CertificateSettings): CertificateSubject {
  const { name = "", labels: own = {} } = kyma.metadata;
  const domain = kyma.metadata.annotations?.[annotations.skrDomain];
  if (!domain && settings.management !== "built-in") {
    const lack = domain === undefined ? "missing" : "empty";
    throw watcherErrors.CERTIFICATE({
      problem: `failed to construct DNS names: domain annotation is ${lack} (Kyma: ${name})`,
    });
  }
  const service = `${names.webhook}.${settings.syncNamespace}.svc`;
  const additional = settings.additionalDnsNames.filter((dnsName) => dnsName !== "");
  return {
    commonName: own[labels.runtimeId] ?? "",
    dnsNames: [...(domain ? [domain] : []), ...additional, `${service}.cluster.local`, service],
  };
}

/** The Certificate object of a Kyma, for the issuers that are asked by objects. */
export function buildCertificate(kyma: Kyma, settings: CertificateSettings): AnyObject {
  const name = webhookCertificateName(kyma.metadata.name ?? "");
  const { commonName, dnsNames } = certificateSubject(kyma, settings);
  const { management, istioNamespace, issuer } = settings;
  const common = {
    ...(commonName === "" ? {} : { commonName }),
    dnsNames,
    duration: formatGoDuration(settings.durationMs),
    renewBefore: formatGoDuration(settings.renewBeforeMs),
    secretName: name,
  };
  const key = { algorithm: "RSA", size: settings.keySize };
  const spec =
    management === "cert-manager.io/v1"
      ? {
          ...common,
          subject,
          secretTemplate: { labels: secretLabels },
          privateKey: { ...key, rotationPolicy: "Always", encoding: "PKCS1" },
          usages: ["digital signature", "key encipherment"],
          issuerRef: { name: issuer.name, kind: "Issuer" },
        }
      : { ...common, secretLabels, privateKey: key, issuerRef: { name: issuer.name, namespace: issuer.namespace } };
  return { apiVersion: management, kind: "Certificate", metadata: { name, namespace: istioNamespace }, spec };
}

/** Since when and until when a certificate is valid, as its issuer says; milliseconds since the epoch. */
export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** A certificate from before the newest CA entered the bundle must be issued again by it. */
export function needsRenewal({ notBeforeMs }: Validity, caAddedAtMs: number): boolean {
  return notBeforeMs < caAddedAtMs;
}
