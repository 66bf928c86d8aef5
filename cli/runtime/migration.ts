import { hasCode, textOf } from "@kyma-operators/errors";
import { projectNamespace, type Shoot, shootResource } from "@kyma-operators/gardener";
import { type AnyObject, builtIn, type Client, type Clock, optional, timeText } from "@kyma-operators/kube";
import { formatYaml, parseYaml } from "@kyma-operators/yaml";
import {
  type GardenerCluster,
  gardenerClusterResource,
  type Runtime,
  runtimeResource,
} from "../../apis/infrastructure/index.ts";
import {
  type AuditLogTenants,
  convertToPatch,
  differenceText,
  type LandscapeConfig,
  oidcFromStructuredConfig,
  type PlatformRegions,
  provisionerMarks,
  runtimeForShoot,
  structuredAuthConfigName,
  unwantedDifferences,
} from "../../controllers/runtime/shoot/index.ts";
import type { Files } from "../io.ts";

const namespace = "kcp-system";
const { secrets, configMaps } = builtIn;
const bindings = builtIn.clusterRoleBindings;
/** Bindings that the Provisioner's world made for administrators. */
const oldBindings = "reconciler.kyma-project.io/managed-by=reconciler,app=kyma";
const deprecation = { metadata: { labels: { "kyma-project.io/deprecation": "to-be-removed-soon" } } };

export interface MigrationWorld {
  readonly gardener: Client;
  readonly controlPlane: Client;
  /** The client of a runtime cluster by its kubeconfig. */
  readonly connect: (kubeconfig: string) => Client;
  readonly files: Files;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface MigrationOptions {
  readonly config: LandscapeConfig;
  readonly tenants: AuditLogTenants;
  /** Platform region by region, for clusters whose labels don't say. */
  readonly platformRegions: PlatformRegions;
  readonly isDryRun: boolean;
  readonly acceptDifferences: boolean;
  /** Folder of the results. */
  readonly folder: string;
}

export type MigrationStatus = "Success" | "Error" | "ValidationError" | "ValidationDetectedUnwantedUpdate";

export interface MigrationResult {
  readonly runtimeId: string;
  readonly shootName: string;
  readonly status: MigrationStatus;
  readonly errorMessage?: string;
  readonly runtimeCRFilePath?: string;
  readonly comparisonResultDirPath?: string;
}

/** Makes Runtimes for Shoots, one at a time; what was done is on record before the next begins. */
export class Migration {
  readonly #world: MigrationWorld;
  readonly #options: MigrationOptions;

  constructor(world: MigrationWorld, options: MigrationOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** @param earlier - results of a run that was interrupted: what succeeded is not done again. */
  async run(ids: readonly string[], earlier: readonly MigrationResult[] = []): Promise<readonly MigrationResult[]> {
    const done = new Map(
      earlier.filter(({ status }) => status === "Success").map((result) => [result.runtimeId, result]),
    );
    const shoots = await this.#shoots();
    const results: MigrationResult[] = [];
    for (const id of ids) {
      results.push(done.get(id) ?? (await this.#migrate(id, shoots.get(id) ?? [])));
      await this.#world.files.write(
        `${this.#options.folder}/migration-results.json`,
        `${JSON.stringify(results, undefined, 2)}\n`,
      );
    }
    return results;
  }

  async #shoots(): Promise<ReadonlyMap<string, readonly Shoot[]>> {
    const { projectName } = this.#options.config.converter.gardener;
    const { items } = await this.#world.gardener.list<Shoot & AnyObject>(shootResource, {
      namespace: projectNamespace(projectName),
      signal: this.#world.signal,
    });
    return Map.groupBy(items, ({ metadata }) => metadata.annotations?.[provisionerMarks.runtimeId] ?? "");
  }

  async #migrate(runtimeId: string, found: readonly Shoot[]): Promise<MigrationResult> {
    const [shoot] = found;
    const problem = problemOf(found);
    const shootName = shoot?.metadata.name ?? "";
    if (shoot === undefined || problem !== undefined)
      return { runtimeId, shootName, status: "Error", errorMessage: problem ?? "" };
    try {
      return await this.#migrateShoot(runtimeId, shoot);
    } catch (error) {
      return { runtimeId, shootName, status: "Error", errorMessage: textOf(error) };
    }
  }

  async #migrateShoot(runtimeId: string, shoot: Shoot): Promise<MigrationResult> {
    const shootName = shoot.metadata.name ?? "";
    const remote = await this.#remote(runtimeId);
    const admins = await this.#administrators(remote);
    const runtime = await this.#runtimeFor(runtimeId, shoot, admins.users);
    const runtimeCRFilePath = `${this.#options.folder}/runtimes/${runtimeId}.yaml`;
    await this.#world.files.write(runtimeCRFilePath, formatYaml(runtime));
    const verdict = await this.#verify(runtimeId, runtime, shoot);
    const base = { runtimeId, shootName, runtimeCRFilePath, ...verdict };
    const isWanted =
      verdict.status === "Success" || (verdict.status !== "ValidationError" && this.#options.acceptDifferences);
    if (!isWanted || this.#options.isDryRun) return base;
    await this.#create(runtime);
    for (const name of admins.names)
      await remote.mergePatch({ resource: bindings, name }, deprecation, { signal: this.#world.signal });
    return { ...base, status: "Success" };
  }

  async #remote(runtimeId: string): Promise<Client> {
    const { controlPlane, connect, signal } = this.#world;
    const ref = { resource: secrets, namespace, name: `kubeconfig-${runtimeId}` };
    const { data } = await controlPlane.get<AnyObject & { data?: Record<string, string> }>(ref, { signal });
    return connect(Buffer.from(data?.["config"] ?? "", "base64").toString("utf8"));
  }

  async #administrators(
    remote: Client,
  ): Promise<{ readonly users: readonly string[]; readonly names: readonly string[] }> {
    const { items } = await remote.list(bindings, { labelSelector: oldBindings, signal: this.#world.signal });
    const admin = items.filter(isAdminBinding);
    return { users: [...new Set(admin.flatMap(usersOf))], names: admin.map(({ metadata }) => metadata.name ?? "") };
  }

  async #runtimeFor(runtimeId: string, shoot: Shoot, administrators: readonly string[]): Promise<Runtime> {
    const { controlPlane, signal } = this.#world;
    const ref = { resource: gardenerClusterResource, namespace, name: runtimeId };
    const cluster = await controlPlane.get<GardenerCluster & AnyObject>(ref, { signal });
    const platformRegion = this.#options.platformRegions[shoot.spec.region];
    const oidc = await this.#structuredOidc(shoot);
    return runtimeForShoot({
      runtimeId,
      shoot,
      administrators,
      labels: cluster.metadata.labels ?? {},
      ...(platformRegion === undefined ? {} : { platformRegion }),
      ...(oidc === undefined ? {} : { oidc }),
    });
  }

  async #structuredOidc({ metadata, spec }: Shoot) {
    const name = spec.kubernetes.kubeAPIServer?.structuredAuthentication?.configMapName;
    if (name === undefined) return undefined;
    const ref = { resource: configMaps, namespace: metadata.namespace ?? "", name };
    const map = await optional(this.#world.gardener.get<AnyObject & { data?: Record<string, string> }>(ref));
    return oidcFromStructuredConfig(
      parseYaml(map?.data?.["config.yaml"] ?? "", { name: structuredAuthConfigName(metadata.name ?? "") }),
    );
  }

  /** Converts the Runtime back and says what that would change. */
  async #verify(
    runtimeId: string,
    runtime: Runtime,
    shoot: Shoot,
  ): Promise<Pick<MigrationResult, "status" | "errorMessage" | "comparisonResultDirPath">> {
    const { config, tenants, folder } = this.#options;
    const auditLog = tenants[shoot.spec.provider.type]?.[shoot.spec.region];
    let wanted: Shoot;
    try {
      wanted = convertToPatch({ runtime, config, shoot, ...(auditLog === undefined ? {} : { auditLog }) });
    } catch (error) {
      return { status: "ValidationError", errorMessage: textOf(error) };
    }
    const differences = unwantedDifferences(shoot, wanted);
    if (differences.length === 0) return { status: "Success" };
    const comparisonResultDirPath = `${folder}/comparison-results/${runtimeId}`;
    const { files } = this.#world;
    await files.write(`${comparisonResultDirPath}/${shoot.metadata.name ?? ""}.diff`, differenceText(differences));
    await files.write(`${comparisonResultDirPath}/original-shoot.yaml`, formatYaml(shoot));
    await files.write(`${comparisonResultDirPath}/converted-shoot.yaml`, formatYaml(wanted));
    return { status: "ValidationDetectedUnwantedUpdate", comparisonResultDirPath };
  }

  /** Create only: a Runtime that is there already is somebody else's business. */
  async #create(runtime: Runtime): Promise<void> {
    try {
      await this.#world.controlPlane.create(runtimeResource, runtime as Runtime & AnyObject, {
        signal: this.#world.signal,
      });
    } catch (error) {
      if (!hasCode(error, "KUBE_ALREADY_EXISTS")) throw error;
    }
  }
}

function problemOf([shoot, another]: readonly Shoot[]): string | undefined {
  if (shoot === undefined) return "no Shoot carries this runtime id";
  if (another !== undefined) return "more than one Shoot carries this runtime id";
  return shoot.metadata.deletionTimestamp === undefined ? undefined : "the Shoot is being deleted";
}

interface Subject {
  readonly kind: string;
  readonly name: string;
}

function usersOf(binding: AnyObject): readonly string[] {
  return ((binding["subjects"] ?? []) as readonly Subject[])
    .filter(({ kind }) => kind === "User")
    .map(({ name }) => name);
}

function isAdminBinding(binding: AnyObject): boolean {
  const role = binding["roleRef"] as { readonly kind?: string; readonly name?: string } | undefined;
  return role?.kind === "ClusterRole" && role.name === "cluster-admin" && usersOf(binding).length > 0;
}

/** Folder name of a run that begins now. */
export function resultFolder(outputPath: string, clock: Clock): string {
  return `${outputPath}/migration-${timeText(clock.now())}`;
}
