import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isAppError } from "@kyma-operators/errors";
import { localErrors } from "./errors.ts";
import { makeFolder } from "./folder-files.ts";
import { type Lock, tryLock } from "./lock-files.ts";

/** What a running world leaves in its folder so that other commands find it. */
export interface WorldState {
  readonly pid: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Loopback URL of the control endpoint. */
  readonly control: string;
  /** Proves to the control endpoint that the caller may read the folder. */
  readonly token: string;
}

const stateFile = "state.json";
const lockFile = "kyma-local.lock";

/** The data directory of one local world. Nobody else can read it: it holds kubeconfigs. */
export class WorldFolder {
  readonly path: string;
  #lock: Lock | undefined;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  async write(name: string, text: string): Promise<string> {
    const path = this.file(name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  /** The state of the world that was started last, or undefined. */
  async state(): Promise<WorldState | undefined> {
    try {
      const state = JSON.parse(await readFile(this.file(stateFile), "utf8")) as Partial<WorldState>;
      return isComplete(state) ? state : undefined;
    } catch {
      return undefined; // absent or cut off by a crash: nobody can be reached through it
    }
  }

  async writeState(state: WorldState): Promise<void> {
    await this.write(stateFile, JSON.stringify(state, undefined, 2));
  }

  /**
   * Takes the folder for this process, empty. Refuses one that another process has, and to empty one that we did not
   * make. Throws `LOCAL_RUNNING`, `LOCAL_FOREIGN_FOLDER`, `LOCAL_UNWRITABLE`.
   */
  async claim(): Promise<void> {
    await this.#ownNames();
    try {
      await makeFolder(this.path, 0o700);
      await chmod(this.path, 0o700);
      this.#lock = await this.#take();
      for (const name of await this.#ownNames()) if (name !== lockFile) await this.#delete(name);
      await this.write(stateFile, "{}");
    } catch (error) {
      if (isAppError(error)) throw error;
      throw localErrors.UNWRITABLE({ folder: this.path, reason: codeOf(error) }, error);
    }
  }

  /** Nobody runs from the folder any more; its kubeconfigs and logs stay until it is removed. */
  async forget(): Promise<void> {
    await this.write(stateFile, "{}").catch(() => undefined); // removed already
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** Whether a process runs from the folder: the lock alone tells, for a process may be too busy to answer. */
  async isTaken(): Promise<boolean> {
    if (!(await this.#ownNames()).includes(lockFile)) return false;
    const lock = tryLock(this.file(lockFile));
    lock?.release();
    return lock === undefined;
  }

  /** Removes the folder. Throws `LOCAL_RUNNING` while another process has it. */
  async remove(): Promise<void> {
    const wasUsed = (await this.#ownNames()).includes(lockFile);
    const lock = this.#lock ?? (wasUsed ? await this.#take() : undefined);
    try {
      await this.#delete("");
    } catch (error) {
      throw localErrors.UNWRITABLE({ folder: this.path, reason: codeOf(error) }, error);
    } finally {
      lock?.release();
      this.#lock = undefined;
    }
  }

  async #take(): Promise<Lock> {
    const lock = tryLock(this.file(lockFile));
    if (lock === undefined) throw localErrors.RUNNING({ folder: this.path, pid: (await this.state())?.pid });
    return lock;
  }

  /** A process that is just ending may still write there: Node then tries again. */
  async #delete(name: string): Promise<void> {
    await rm(this.file(name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** What is in the folder. Throws when it is not ours. */
  async #ownNames(): Promise<readonly string[]> {
    const names = await this.#names();
    if (names.length > 0 && !names.includes(stateFile) && !names.includes(lockFile)) {
      throw localErrors.FOREIGN_FOLDER({ folder: this.path, found: names.slice(0, 3).join(", ") });
    }
    return names;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return [];
      throw localErrors.UNWRITABLE({ folder: this.path, reason: codeOf(error) }, error);
    }
  }
}

function isComplete(state: Partial<WorldState>): state is WorldState {
  return [state.control, state.token].every((part) => typeof part === "string");
}

function codeOf(error: unknown): string {
  return Error.isError(error) && "code" in error ? String(error.code) : String(error);
}
