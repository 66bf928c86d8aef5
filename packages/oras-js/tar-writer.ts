import { oci } from "./errors.ts";

/** One file of {@link writeTar}. */
export interface TarFile {
  readonly path: string;
  readonly content: Uint8Array;
}

/**
 * Writes an uncompressed USTAR archive. Equal input gives equal bytes: mode 0644, owner 0, time 0, in
 * the order given.
 *
 * @throws OCI_ARCHIVE_ENTRY_REFUSED for paths that USTAR cannot hold
 */
export function writeTar(entries: readonly TarFile[]): Uint8Array {
  const blocks = entries.flatMap(({ path, content }) => {
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
    return [tarHeader(path, content.length), content, padding];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1_024)]);
}

/** USTAR splits a long path at a slash into a prefix of 155 and a name of 100 bytes. */
function splitPath(path: string): { prefix: string; name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: "", name: path };
  for (let slash = path.lastIndexOf("/"); slash > 0; slash = path.lastIndexOf("/", slash - 1)) {
    const split = { prefix: path.slice(0, slash), name: path.slice(slash + 1) };
    if (Buffer.byteLength(split.prefix) <= 155 && Buffer.byteLength(split.name) <= 100) return split;
  }
  throw oci.ARCHIVE_ENTRY_REFUSED({
    archive: "new archive",
    entry: path.slice(0, 100),
    reason: "its path is too long",
  });
}

function tarHeader(path: string, size: number): Uint8Array {
  const { prefix, name } = splitPath(path);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(0, 12), 136);
  header.fill(" ", 148, 156);
  header.write("0", 156);
  header.write("ustar\x0000", 257, "latin1");
  header.write(prefix, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}
