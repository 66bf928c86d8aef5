import {
  type GardenerClusterReason,
  gardenerClusterReasons,
  kubeconfigCondition,
  type RuntimeConditionType,
  type RuntimeReason,
  runtimeConditions,
  runtimeReasons,
} from "../../apis/infrastructure/index.ts";
import {
  type KymaConditionType,
  kymaConditionMessages,
  kymaConditionReason,
  kymaConditionTypes,
} from "../../apis/operator/kyma-conditions.ts";
import { type ManifestConditionType, manifestConditions } from "../../apis/operator/manifest.ts";
import { states } from "../../apis/operator/state.ts";
import { watcherCondition } from "../../apis/operator/watcher.ts";
import { adoptionCondition } from "../../controllers/manifest/apply/adoption.ts";
import { deletionCondition } from "../../controllers/manifest/deletion/teardown.ts";
import { fightCondition } from "../../controllers/manifest/drift/phase.ts";
import { sharingCondition, sharingReason } from "../../controllers/manifest/sharing/sharing.ts";
import { type Page, paragraphs, table } from "./page.ts";

/** What a reason means, and what helps; nothing where nothing has to be done. */
type Explained = readonly [means: string, helps?: string];

const runtimeTypes: Readonly<Record<RuntimeConditionType, string>> = {
  Provisioned: "The Shoot is what the spec says.",
  ProvisionedDryRun: "while the Provisioner leads: whether the Runtime could become a Shoot",
  KubeconfigReady: "There is a fresh kubeconfig of the cluster.",
  OidcConfigured: "Additional OIDC issuers are configured on the cluster.",
  Configured: "Administrators are bound on the cluster.",
  Deprovisioned: "What was made for the Runtime is gone; only while it is being deleted.",
};

const wait = "wait; Gardener tries again by itself";

const runtimeTexts: Readonly<Record<RuntimeReason, Explained>> = {
  Initialised: ["the Runtime was seen for the first time"],
  Pending: ["Gardener has not finished creating or deleting the Shoot, or tries again after an error", wait],
  Processing: ["Gardener brings a change to the Shoot"],
  ShootCreationCompleted: ["the Shoot is created"],
  ConfigurationCompleted: ["the last change has arrived"],
  ConversionErr: ["the spec can't be made a Shoot", "correct the field that the message names"],
  GardenerErr: ["Gardener refused a request", "see the message; rights, quota or an invalid field"],
  SeedNotFound: ["no seed in the region of the Shoot", "choose another region, or unset `enforceSeedLocation`"],
  AuditLogErr: [
    "no audit-log tenant for provider and region",
    "add it to the tenants of the landscape, or run with `--audit-log-mandatory=false`",
  ],
  OidcConfigurationErr: ["an OIDC issuer can't be configured", "correct the issuer that the message or event names"],
  RegistryCacheConfigurationErr: [
    "credentials of a registry cache can't be copied",
    "correct the Secret that the cache names on the cluster",
  ],
  CreationErr: [
    "Gardener gave up creating the Shoot",
    "see `status.shootLastErrors`; a change of the spec tries again",
  ],
  ProcessingErr: [
    "Gardener gave up changing the Shoot",
    "see `status.shootLastErrors`; a change of the spec tries again",
  ],
  GardenerClusterCRCreated: ["a kubeconfig is asked for"],
  GardenerClusterCRReady: ["the kubeconfig is there"],
  KubernetesErr: ["the control plane refused a request", "see the message; usually rights"],
  OidcConfigured: ["the issuers are configured"],
  AdministratorsConfigured: ["the administrators are bound"],
  ConfigurationError: ["the cluster refused a request, or can't be reached", "see the message; it is tried again"],
  GardenerClusterCRDeleted: ["the GardenerCluster is deleted"],
  GardenerShootDeleted: [
    "the Shoot is being deleted, or gone",
    "when it lasts: `lastErrors` of the Shoot name what blocks",
  ],
  StructuredConfigDeleted: ["the ConfigMap of structured authentication is gone"],
};

const gardenerTexts: Readonly<Record<GardenerClusterReason, Explained>> = {
  [gardenerClusterReasons.created]: ["the Secret with the kubeconfig was created"],
  [gardenerClusterReasons.rotated]: ["the kubeconfig was renewed"],
  [gardenerClusterReasons.fetchFailed]: [
    "Gardener gave no kubeconfig",
    "see the message; the Shoot may be gone, or rights are missing",
  ],
  [gardenerClusterReasons.checkFailed]: ["the Secret can't be read", "see the message; usually rights"],
  [gardenerClusterReasons.createFailed]: ["the Secret can't be created", "see the message; usually rights or a quota"],
  [gardenerClusterReasons.updateFailed]: [
    "the Secret can't be renewed; the old kubeconfig is still there",
    "see the message",
  ],
  [gardenerClusterReasons.deleteFailed]: ["the Secret can't be deleted", "see the message"],
};

const kymaHelp: Readonly<Record<KymaConditionType, string>> = {
  CRDsSync: "the remote cluster refuses CRDs or can't be reached; see the message of a module or an event of the Kyma",
  Modules: "look at `status.modules`: each entry that is not `Ready` says why",
  ModuleCatalog: "the remote cluster refuses ModuleTemplates or can't be reached",
  SKRWebhook: "the watcher agent does not run: its Pods on the cluster, its certificate on the control plane",
  SKRImagePullSecretSync: "the Secret of `--skr-image-pull-secret` is missing, or the cluster refuses it",
};

const manifestHelp: Readonly<Record<ManifestConditionType, string>> = {
  Resources: "the layers can't be pulled or rendered; `status.lastOperation` has the code",
  Installation: "objects can't be applied or are not ready; `status.lastOperation` names the first",
  ModuleCR: "the default resource of the module can't be created",
};

/** Conditions that a Manifest has only while there is something to say. */
const occasional: readonly (readonly string[])[] = [
  [
    fightCondition,
    "True",
    "FieldFight",
    "somebody changes the same fields again and again",
    "find the field manager that the message names, and let one of both go",
  ],
  [adoptionCondition, "True", "FieldsTakenOver", "objects that were there before are ours now", ""],
  [
    sharingCondition,
    "True",
    sharingReason,
    "other Manifests for the same cluster have the same objects",
    "none if they bring them alike; else let one of the modules do without",
  ],
  [
    deletionCondition,
    "False",
    "ModuleCRsExist",
    "resources of users are left",
    "have them deleted; the message names them",
  ],
  [
    deletionCondition,
    "False",
    "DefaultModuleCRExists",
    "the default resource of the module is not gone",
    "see its finalizers: the module's own controller removes them",
  ],
  [
    deletionCondition,
    "False",
    "InstancesExist",
    "objects of a kind of the module are left",
    "have them deleted; the message names kind and number",
  ],
  [
    deletionCondition,
    "False",
    "ResourcesExist",
    "objects of the module are not gone",
    "see their finalizers on the cluster",
  ],
];

const stateTexts: Readonly<Record<(typeof states)[number], string>> = {
  "": "nobody has looked at it yet",
  Processing: "work is going on",
  Ready: "everything is as wanted",
  Warning: "it works, but somebody has to do something: see the message",
  Error: "something failed and is tried again",
  Deleting: "it is being removed",
  Unmanaged: "left as it is, by the wish of the user",
};

const code = (text: string): string => (text === "" ? "" : `\`${text}\``);
const explained = (entries: readonly (readonly [string, Explained])[]): string =>
  table(
    ["Reason", "Means", "What helps"],
    entries.map(([reason, [means, helps = ""]]) => [code(reason), means, helps]),
  );

export const conditionPages: readonly Page[] = [
  {
    path: "docs/reference/conditions.md",
    text: () =>
      paragraphs(
        "# States, conditions and reasons",
        "<!-- Generated by `make docs` from the definitions in the sources. -->",
        "Reasons and types are part of the API and stay; messages are for people.",
        "## Runtime",
        "`status.state` is `Pending`, `Ready`, `Terminating` or `Failed`.",
        table(
          ["Condition", "True means"],
          runtimeConditions.map((type) => [code(type), runtimeTypes[type]]),
        ),
        explained(runtimeReasons.map((reason) => [reason, runtimeTexts[reason]])),
        "## GardenerCluster",
        `\`status.state\` is \`Ready\` or \`Error\`; one condition, \`${kubeconfigCondition}\`.`,
        explained(Object.values(gardenerClusterReasons).map((reason) => [reason, gardenerTexts[reason]])),
        "## Kyma, Manifest and Watcher",
        table(
          ["State", "Means"],
          states.map((state) => [state === "" ? "(empty)" : code(state), stateTexts[state]]),
        ),
        "## Conditions of a Kyma",
        `The reason is always \`${kymaConditionReason}\`.`,
        table(
          ["Condition", "Status", "Message", "What helps"],
          kymaConditionTypes.flatMap((type) =>
            (["True", "False", "Unknown"] as const).map((status) => [
              code(type),
              status,
              kymaConditionMessages[type][status],
              status === "False" ? kymaHelp[type] : "",
            ]),
          ),
        ),
        "## Conditions of a Manifest",
        table(
          ["Condition", "Status", "Reason", "Message", "What helps"],
          [
            ...(Object.keys(manifestConditions) as ManifestConditionType[]).flatMap((type) =>
              (["True", "False"] as const).map((status) => [
                code(type),
                status,
                code(manifestConditions[type].reason),
                manifestConditions[type][status],
                status === "False" ? manifestHelp[type] : "",
              ]),
            ),
            ...occasional.map(([type = "", status = "", reason = "", means = "", helps = ""]) => [
              code(type),
              status,
              code(reason),
              means,
              helps,
            ]),
          ],
        ),
        "## Condition of a Watcher",
        table(
          ["Condition", "Status", "Reason", "Message", "What helps"],
          (["True", "False"] as const).map((status) => [
            code(watcherCondition.type),
            status,
            code(watcherCondition.reason),
            watcherCondition[status],
            status === "True" ? "" : "no gateway matches `spec.gateway`, or Istio refuses the route; see its events",
          ]),
        ),
      ),
  },
];
