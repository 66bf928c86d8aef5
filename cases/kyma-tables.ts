import { formatGoDuration } from "../apis/duration.ts";
import { annotations } from "../apis/operator/annotations.ts";
import { finalizers } from "../apis/operator/finalizers.ts";
import { kinds } from "../apis/operator/group.ts";
import { isBeta, isInternal, isPaused, type Kyma, type ModuleStatus } from "../apis/operator/kyma.ts";
import { isLabelled, labels } from "../apis/operator/labels.ts";
import * as manifestApi from "../apis/operator/manifest.ts";
import { isVisibleTo, type ModuleTemplate, moduleTemplateName } from "../apis/operator/module-template.ts";
import { names, webhookCertificateName } from "../apis/operator/names.ts";
import type { ConditionStatus } from "../apis/operator/object.ts";
import type { State } from "../apis/operator/state.ts";
import { networkPolicyNames } from "../apis/operator/watcher.ts";
import { type SyncedRef, versionedIdOf } from "../controllers/manifest/index.ts";
import { conditionTypes, kymaConditions } from "../modules/kyma-conditions.ts";
import { areModulesReady, kymaState } from "../modules/kyma-state.ts";
import { manifestName } from "../modules/manifest-name.ts";
import { isForbiddenChannel, listModules, removedModules } from "../modules/module-list.ts";
import { statusFromProblem } from "../modules/module-status.ts";
import { type ModuleProblem, problemOf } from "../modules/problems.ts";
import { defaultIntervals, requeueAfter } from "../modules/requeue.ts";
import { judgeVersionChange } from "../modules/version-change.ts";
import { needsWrite } from "../modules/write-decision.ts";

/** Answers one row of `names.json`, `kyma-state.json` and the rules about modules in `rules.json`. */
export const kymaTables: Readonly<Record<string, (input: never) => unknown>> = {
  "manifest-names": ({ kyma, component, module }: Record<"kyma" | "component" | "module", string>) =>
    manifestName(kyma, component, module),
  "derived-names": derivedNames,
  constants,
  "kyma-state": stateRow,
  "module-status-from-error": problemRow,
  "module-list": moduleListRow,
  "kyma-conditions": conditionsRow,
  "requeue-interval": intervalRow,
  "manifest-write-decision": writeRow,
  "version-change": versionRow,
  "channel-none": (channel: string) => isForbiddenChannel(channel),
  "flags-on-objects": flagsRow,
  "sync-enabled": visibleRow,
};

interface DerivedInput {
  readonly kyma: string;
  readonly manifest: string;
  readonly module: string;
  readonly namespace: string;
  readonly version: string;
  readonly resource: SyncedRef;
}

function derivedNames({ kyma, manifest, module, namespace, version, resource }: DerivedInput): unknown {
  const metadata = { namespace, labels: { [labels.kymaName]: kyma } };
  return {
    clientCacheKey: manifestApi.clusterKey({ metadata }),
    clientCacheKeyWithoutLabel: manifestApi.clusterKey({ metadata: { namespace } }) !== undefined,
    moduleTemplate: moduleTemplateName(module, version),
    ownedBy: manifestApi.ownedBy({ metadata: { namespace, name: manifest } }),
    resourceId: versionedIdOf(resource),
    skrCertificate: webhookCertificateName(kyma),
  };
}

function constants(): unknown {
  const { fqdn, ocmComponentName, isClusterScoped, isUnmanaged, injectDataFromKcp, disclaimer, ownedBy, skrDomain } =
    annotations;
  const { brokerPlanName: plan, wardenValidate: warden, ...others } = labels;
  const { watcherGateway: _g, podRestartTrigger, component: _c, partOf: _p, ...kept } = others;
  return {
    annotations: {
      fqdn,
      ocmComponentName,
      isClusterScoped,
      isUnmanaged,
      injectDataFromKcp,
      disclaimer,
      ownedBy,
      skrDomain,
    },
    caAddedToBundleAt: annotations.caAddedToBundleAt,
    controlPlaneNamespace: names.controlPlaneNamespace,
    gatewaySecret: names.gatewaySecret,
    istioNamespace: names.istioNamespace,
    kymaFinalizer: finalizers.kyma,
    labels: { ...kept, plan, warden },
    mandatoryModuleFinalizer: finalizers.mandatoryModule,
    networkPolicies: networkPolicyNames,
    plurals: Object.fromEntries(kinds.map(({ kind, plural }) => [kind, plural])),
    podRestartTrigger,
    remoteKymaName: names.remoteKyma,
    remoteNamespace: names.remoteNamespace,
    skrImagePullSecretEnv: names.pullSecretVariable,
    skrTlsSecret: names.webhookTls,
    skrWebhook: names.webhook,
    watcherFinalizer: finalizers.watcher,
  };
}

interface StateInput {
  readonly modules: readonly State[];
  readonly conditions?: Readonly<Record<string, ConditionStatus>>;
}

const features = { watcher: true, pullSecret: false };

function stateRow({ modules, conditions = {} }: StateInput): unknown {
  const entries = modules.map((state) => ({ state }));
  const allModulesReady = areModulesReady(entries);
  const known = conditionTypes(features).map((type) => ({
    type,
    status: conditions[type] ?? (type === "Modules" && !allModulesReady ? "False" : "True"),
  }));
  const state = kymaState(entries, known);
  return { allModulesReady, state, requeueAfter: formatGoDuration(requeueAfter(state, defaultIntervals)) };
}

interface ProblemInput {
  readonly channel: string;
  readonly component: string;
  readonly detail: string;
  readonly error: string;
  readonly module: string;
  readonly previous: ModuleStatus | null;
}

const problems: Readonly<Record<string, ModuleProblem>> = {
  waiting: problemOf("waiting"),
  unknownWindow: problemOf("window-unknown", "no maintenance window policy configured"),
  updateNotAllowed: problemOf("update-not-allowed"),
  noModuleReleaseMeta: problemOf("no-release-meta"),
  noTemplates: problemOf("no-templates"),
  notAllowed: problemOf("not-allowed"),
  channelNotFound: { kind: "other", message: "no versions found for channel" },
  other: { kind: "other", message: "synthetic failure" },
};

function problemRow({ channel, component, detail, error, module, previous }: ProblemInput): unknown {
  const problem = problems[error];
  if (problem === undefined) return { error: `unknown class ${error}` };
  const message = detail === "" ? problem.message : `${problem.message}: ${detail}`;
  const known = component === "" ? {} : { component };
  return statusFromProblem(module, channel, { ...problem, message, ...known }, previous ?? undefined);
}

function moduleListRow(kyma: Kyma): unknown {
  return {
    modules: listModules(kyma).map(({ problem, policy = "", channel = "", version = "", ...module }) => ({
      ...module,
      channel,
      version,
      customResourcePolicy: policy,
      ...(problem === undefined ? {} : { error: problem.message }),
    })),
    noLongerExisting: removedModules(kyma).map(({ name }) => name),
  };
}

interface ConditionsInput {
  readonly existing: readonly string[];
  readonly generation: number;
  readonly pullSecret: boolean;
  readonly watcher: boolean;
  readonly set: readonly (readonly [string, ConditionStatus])[];
}

function conditionsRow({ existing, generation, pullSecret, watcher, set }: ConditionsInput): unknown {
  const now = "2026-01-01T00:00:00Z";
  const previous = existing.map((type) => ({
    type,
    status: "True" as const,
    reason: "Ready",
    message: "",
    lastTransitionTime: now,
  }));
  const conditions = kymaConditions({ watcher, pullSecret }, Object.fromEntries(set), previous, { generation, now });
  return conditions.map(({ lastTransitionTime: _left, ...condition }) => condition);
}

interface IntervalInput {
  readonly state: State;
  readonly jitter?: { readonly percentage: number; readonly probability: number; readonly random: number[] };
}

function intervalRow({ state, jitter }: IntervalInput): unknown {
  if (jitter === undefined) return formatGoDuration(requeueAfter(state, defaultIntervals));
  const numbers = [...jitter.random];
  const random = (): number => numbers.shift() ?? 0;
  return formatGoDuration(requeueAfter(state, defaultIntervals, { ...jitter, random }));
}

interface WriteInput {
  readonly inCluster: manifestApi.Manifest | null;
  readonly wanted: manifestApi.Manifest;
  readonly unmanaged: boolean;
  readonly templateGeneration: number;
  readonly statusTemplateGeneration?: number;
}

function writeRow({ inCluster, statusTemplateGeneration, ...question }: WriteInput): unknown {
  return needsWrite({ ...question, inCluster: inCluster ?? undefined, statusTemplateGeneration });
}

function versionRow({ installed, new: wanted }: { installed: string; new: string }): unknown {
  const change = judgeVersionChange(installed, wanted);
  const problem = change === "allowed" || change === "downgrade" ? {} : { problem: change };
  return { allowed: change === "allowed", ...problem };
}

function flagsRow(metadata: manifestApi.Manifest["metadata"]): unknown {
  const kyma = { metadata } as Kyma;
  const manifest = { metadata } as manifestApi.Manifest;
  return {
    kymaBeta: isBeta(kyma),
    kymaInternal: isInternal(kyma),
    kymaSkip: isPaused(kyma),
    manifestMandatory: manifestApi.isMandatory(manifest),
    manifestSkip: manifestApi.isPaused(manifest),
    manifestUnmanaged: manifestApi.isUnmanaged(manifest),
    templateBeta: isLabelled({ metadata }, labels.beta),
    templateInternal: isLabelled({ metadata }, labels.internal),
  };
}

interface VisibleInput {
  readonly betaKyma: boolean;
  readonly internalKyma: boolean;
  readonly labels: Record<string, string>;
  readonly mandatory: boolean;
}

function visibleRow({ betaKyma, internalKyma, labels: own, mandatory }: VisibleInput): unknown {
  const template = { metadata: { labels: own }, spec: { mandatory } } as unknown as ModuleTemplate;
  return isVisibleTo(template, { beta: betaKyma, internal: internalKyma });
}
