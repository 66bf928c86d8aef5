import { open } from "node:fs/promises";

/** The last whole lines of a file, as many as fit; undefined when there is no such file. */
export async function lastLines(path: string, limitBytes: number): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - limitBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, limitBytes)), { position: start });
    const text = buffer.subarray(0, bytesRead).toString("utf8");
    return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } finally {
    await file.close();
  }
}
