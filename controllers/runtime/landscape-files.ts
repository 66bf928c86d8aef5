import { readFile, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { textOf } from "@kyma-operators/errors";
import type { Clock } from "@kyma-operators/kube";
import type { Logger } from "@kyma-operators/runtime";
import type { Landscape } from "./options.ts";
import { parseAuditLogTenants, parseLandscapeConfig, parseMaintenanceWindows } from "./shoot/index.ts";

const intervalMs = 10_000;
const limitBytes = 16 * 1024 * 1024;

export interface LandscapePaths {
  readonly converterConfig: string;
  /** Without an audit log the tenant file may be absent. */
  readonly auditLogMandatory: boolean;
}

/** The configuration files of a landscape: read at the start, and again whenever one of them changes. */
export class LandscapeFiles {
  readonly #paths: LandscapePaths;
  #current: Landscape;
  #version: string;
  readonly #listeners = new Set<() => void>();

  private constructor(paths: LandscapePaths, current: Landscape, version: string) {
    this.#paths = paths;
    this.#current = current;
    this.#version = version;
  }

  /** Throws `CONFIG_…` for a file that is not valid, and Node's error for one that can't be read. */
  static async open(paths: LandscapePaths): Promise<LandscapeFiles> {
    const current = await read(paths);
    return new LandscapeFiles(paths, current, await versionOf(filesOf(paths, current)));
  }

  get current(): Landscape {
    return this.#current;
  }

  /** Calls the listener after every change; ends with the function that comes back. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Follows the files until the signal aborts. A version that is not valid is logged, and the last good one kept. */
  async follow(clock: Clock, log: Logger, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(intervalMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.#reload(log);
    }
  }

  async #reload(log: Logger): Promise<void> {
    if (!(await this.#readAgain(log))) return;
    for (const listener of this.#listeners) listener();
  }

  /** Whether there is another landscape now. */
  async #readAgain(log: Logger): Promise<boolean> {
    try {
      const version = await versionOf(filesOf(this.#paths, this.#current));
      if (version === this.#version) return false;
      this.#version = version;
      this.#current = await read(this.#paths);
      log.info({ file: this.#paths.converterConfig }, "the landscape configuration was read again");
      return true;
    } catch (error) {
      log.error({ error: textOf(error) }, "the changed landscape configuration is not used");
      return false;
    }
  }
}

async function read({ converterConfig, auditLogMandatory }: LandscapePaths): Promise<Landscape> {
  const config = parseLandscapeConfig(await readText(converterConfig), converterConfig);
  const { tenantConfigPath, windowMapPath } = pathsIn(config, converterConfig);
  const tenants = await readOptional(tenantConfigPath, !auditLogMandatory);
  const windows = windowMapPath === "" ? undefined : await readOptional(windowMapPath, true);
  return {
    config,
    auditLogTenants: parseAuditLogTenants(tenants ?? "{}", tenantConfigPath),
    maintenanceWindows: parseMaintenanceWindows(windows ?? "{}", windowMapPath),
  };
}

function filesOf({ converterConfig }: LandscapePaths, { config }: Landscape): readonly string[] {
  const { tenantConfigPath, windowMapPath } = pathsIn(config, converterConfig);
  return [converterConfig, tenantConfigPath, windowMapPath].filter((path) => path !== "");
}

/** Relative paths start at the folder of the file that names them. */
function pathsIn({ converter }: Landscape["config"], file: string) {
  const at = (path: string): string => (path === "" ? "" : resolve(dirname(file), path));
  return {
    tenantConfigPath: at(converter.auditLogging.tenantConfigPath),
    windowMapPath: at(converter.maintenanceWindow.windowMapPath),
  };
}

/** Changes with any of the files; mounted ConfigMaps change the link's target, so links are followed. */
async function versionOf(paths: readonly string[]): Promise<string> {
  const parts = paths.map(async (path) => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      return `${mtimeMs}/${size}/${ino}`;
    } catch {
      return "absent";
    }
  });
  return (await Promise.all(parts)).join(" ");
}

async function readOptional(path: string, mayBeAbsent: boolean): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (error) {
    if (mayBeAbsent && (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function readText(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > limitBytes) throw new Error(`${path} has ${size} bytes, at most ${limitBytes} are read`);
  return readFile(path, "utf8");
}
