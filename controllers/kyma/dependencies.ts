import type { Client } from "@kyma-operators/kube";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { Manifest } from "../../apis/operator/manifest.ts";
import type { KymaFeatures } from "../../modules/kyma-conditions.ts";
import type { Announcer } from "./announcements.ts";
import type { CatalogIndex } from "./catalog-index.ts";
import type { KymaStore } from "./kyma-store.ts";
import type { KymaMetrics } from "./metrics.ts";
import type { DescriptorSource, KymaSettings, WebhookSync } from "./options.ts";
import type { AccessSecrets, Secret } from "./remote/access-secrets.ts";
import type { CrdLookup } from "./remote/crds.ts";
import type { RemoteViews } from "./remote/views.ts";

/** Everything a pass works with. */
export interface Dependencies {
  /** The control plane. */
  readonly client: Client;
  readonly settings: KymaSettings;
  readonly features: KymaFeatures;
  readonly kymas: KymaStore;
  readonly manifests: { readonly of: (kyma: Kyma) => readonly Manifest[] };
  readonly catalog: CatalogIndex;
  readonly descriptors: DescriptorSource;
  readonly access: AccessSecrets;
  readonly views: RemoteViews;
  /** CRDs of the control plane. */
  readonly crds: CrdLookup;
  /** The image pull Secret of the control plane. */
  readonly pullSecret: () => Secret | undefined;
  /** The Secret with values for the modules of a Kyma. */
  readonly valuesSecret: (kyma: Kyma) => Secret | undefined;
  readonly webhook: WebhookSync | undefined;
  readonly onRemoteMade: (kymaName: string) => void;
  readonly announcer: Announcer;
  readonly metrics: KymaMetrics;
}
