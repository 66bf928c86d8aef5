import { DatabaseSync } from "node:sqlite";

const busy = 5; // SQLITE_BUSY

export interface Lock {
  release(): void;
}

/**
 * Takes a lock that the operating system gives back when this process ends, however it ends. Undefined while somebody
 * holds it. Node has no such locks of its own, so that of an empty database is used.
 */
export function tryLock(path: string): Lock | undefined {
  const database = new DatabaseSync(path);
  try {
    database.exec("begin exclusive");
  } catch (error) {
    database.close();
    if (Error.isError(error) && "errcode" in error && error.errcode === busy) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}
