import { redact, textOf } from "@kyma-operators/errors";

const hints: Readonly<Record<string, string>> = {
  EACCES: "you may not write here: choose another folder or file",
  EROFS: "nothing can be written here: choose another folder or file",
  ENOTDIR: "a part of the path is no folder",
  ENOENT: "no such file or folder",
  EISDIR: "it is a folder",
  EADDRNOTAVAIL: "this machine has no such address",
  ERR_SQLITE_ERROR: "the data directory can't be used: another server may hold it, or it is not writable",
};

/** What the person can do about the usual troubles of a start. */
export function startHint(error: unknown): string {
  const { code = "", port, path, address } = error as Readonly<Record<string, string | undefined>>;
  if (code === "EADDRINUSE")
    return `port ${port} is in use: stop what listens there, or take another one with --port (0 finds a free one)`;
  if (code === "EACCES" && port !== undefined)
    return `you may not listen on port ${port}: take one from 1024 on with --port (0 finds a free one)`;
  const hint = hints[code];
  const what = path ?? address;
  return hint === undefined || (what === undefined && code !== "ERR_SQLITE_ERROR")
    ? redact(textOf(error))
    : `${what ?? redact(textOf(error))}: ${hint}`;
}
