/** `fuzz-oci.ts [--inputs N] [--seed N]`: throws damaged input at every parser between us and a registry. */
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { isAppError } from "@kyma-operators/errors";
import {
  formatDescriptor,
  normalisations,
  normalise,
  parseAccess,
  parseDescriptor,
  parseVerificationPolicy,
} from "@kyma-operators/ocm";
import {
  credentialsFrom,
  formatReference,
  parseDockerConfig,
  parseManifest,
  parseReference,
  readTarGz,
  writeTar,
} from "oras-js";
import { mutate, seeded } from "./mutate.ts";

/** A parser under attack. `run` returns for good input, throws an error with a code for bad input, and does nothing else. */
interface Target {
  readonly name: string;
  /** Part of all inputs. */
  readonly share: number;
  readonly corpus: readonly Uint8Array[];
  readonly run: (input: Uint8Array) => unknown;
}

export interface FuzzResult {
  readonly name: string;
  readonly inputs: number;
  /** Inputs that were read without an error; none at all would mean that nothing behind the first check was reached. */
  readonly accepted: number;
  /** CPU time of the slowest input. */
  readonly slowestMs: number;
  /** How far the used memory rose above its start, at its highest. */
  readonly growthMiB: number;
}

const bytes = (...texts: readonly string[]): readonly Uint8Array[] => texts.map((text) => Buffer.from(text));
const digest = `sha256:${"0123456789abcdef".repeat(4)}`;
const text = (input: Uint8Array): string => Buffer.from(input).toString("latin1");

const tokens: readonly Uint8Array[] = [
  ...bytes(
    "\0",
    "\n",
    "/",
    "..",
    "../",
    ":",
    "@",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "\\",
    "&a",
    "*a",
    "<<: *a",
    "- ",
    ": ",
    "| ",
    ">-\n",
    "!!binary ",
  ),
  ...bytes(
    "null",
    "true",
    "-0",
    "1e999",
    "9".repeat(40),
    "__proto__",
    "constructor",
    "toString",
    "%00",
    "\u2028",
    "\ufeff",
    "é",
  ),
  ...bytes(
    digest,
    "sha512:",
    "http://",
    "127.0.0.1",
    "[::1]",
    "a".repeat(300),
    " ".repeat(200),
    "\t",
    '{"auths":',
    "localBlob",
  ),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0x1f, 0x8b, 0x08]),
  Buffer.alloc(512),
];

const descriptor = `meta: {schemaVersion: v2}
component:
  name: example.org/module/demo
  version: 1.4.2
  provider: '{"name":"p","labels":[{"name":"l","value":1,"signing":true}]}'
  repositoryContexts: [{type: OCIRegistry, baseUrl: reg.io}]
  resources:
  - {name: raw, type: yaml, version: 1.4.2, relation: local, access: {type: localBlob, localReference: "${digest}", mediaType: a/b}}
  sources: []
  componentReferences: [{name: dep, componentName: example.org/m/dep, version: 1.0.0}]
`;
const descriptorV3 = `apiVersion: ocm.software/v3alpha1
kind: ComponentVersion
metadata: {name: example.org/module/demo, version: 1.4.2, provider: {name: p}, labels: [{name: a, value: {b: [1, 2.5, null]}, signing: true}]}
spec: {resources: [], references: []}
`;
const tar = writeTar([
  { path: "chart/Chart.yaml", content: Buffer.from("name: a\n") },
  { path: "chart/templates/x.yaml", content: Buffer.alloc(700, "y") },
]);
const manifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.manifest.v1+json",
  config: { mediaType: "a/b", digest, size: 2 },
  layers: [{ mediaType: "a/b", digest, size: 3, annotations: { a: "b" } }],
});

function readReference(input: Uint8Array): void {
  const reference = parseReference(text(input));
  const again = parseReference(`${reference.plainHttp ? "http://" : ""}${formatReference(reference)}`);
  if (JSON.stringify(again) !== JSON.stringify(reference))
    throw new Error("a formatted reference is read as another one");
}

function readDescriptor(input: Uint8Array): void {
  const read = parseDescriptor(input);
  for (const normalisation of normalisations) normalise(read, normalisation);
  for (const resource of read.resources) parseAccess(resource.access);
  const written = formatDescriptor(read);
  if (formatDescriptor(parseDescriptor(written)) !== written)
    throw new Error("a formatted descriptor is read as another one");
}

async function readArchive(input: Uint8Array): Promise<void> {
  const files = await readTarGz(input, { totalBytes: 1_048_576 });
  const outside = [...files.keys()].find((name) => name.startsWith("/") || name.split("/").includes(".."));
  if (outside !== undefined) throw new Error(`a name leads out of the archive: ${outside}`);
}

const targets: readonly Target[] = [
  {
    name: "reference",
    share: 0.4,
    corpus: bytes("reg.io/a", `reg.io:5000/a/b-c:1.0@${digest}`, "http://[::1]:80/a", "oci://localhost/x_y__z:t"),
    run: readReference,
  },
  {
    name: "docker config",
    share: 0.25,
    corpus: bytes(
      '{"auths":{"reg.io":{"auth":"dTpw"},"*.io":{"username":"u","password":"p"}}}',
      '{"reg.io":{"identitytoken":"t"}}',
    ),
    run: (input) => void credentialsFrom(parseDockerConfig(text(input), "fuzz"))({ host: "a.io", path: "b" }),
  },
  {
    name: "manifest",
    share: 0.15,
    corpus: bytes(manifest),
    run: (input) => parseManifest(input, "application/vnd.oci.image.manifest.v1+json", "fuzz"),
  },
  { name: "descriptor", share: 0.08, corpus: bytes(descriptor, descriptorV3), run: readDescriptor },
  {
    name: "verification policy",
    share: 0.02,
    corpus: bytes("components: [{repository: 'a/**', require: signature, keys: [{pem: x}]}]"),
    run: (input) => parseVerificationPolicy(text(input), { signature: "s" }),
  },
  { name: "archive", share: 0.1, corpus: [tar, gzipSync(tar)], run: readArchive },
];

/** Refusals that are meant; anything else is a finding. */
function isRefusal(error: unknown): boolean {
  return isAppError(error) && /^(OCI|OCM)_/.test(error.code);
}

/** CPU time of this thread: on a busy machine the clock on the wall says nothing about a parser. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Live and not yet collected; what the allocator keeps for later is not the parsers' doing. */
function usedMiB(): number {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

async function attack(target: Target, inputs: number, random: () => number): Promise<FuzzResult> {
  let accepted = 0;
  let slowestMs = 0;
  const startMiB = usedMiB();
  let peakMiB = startMiB;
  for (let i = 0; i < inputs; i += 1) {
    const input = mutate(random, target.corpus, tokens);
    const started = cpuMs();
    try {
      await target.run(input);
      accepted += 1;
    } catch (error) {
      const shown = Buffer.from(input).toString("base64");
      if (!isRefusal(error))
        throw new Error(`${target.name}: input ${shown} ends with ${String(error)}`, { cause: error });
    }
    slowestMs = Math.max(slowestMs, cpuMs() - started);
    if (i % 100 === 0) peakMiB = Math.max(peakMiB, usedMiB());
  }
  return { name: target.name, inputs, accepted, slowestMs, growthMiB: peakMiB - startMiB };
}

/** Runs all targets. Throws with the input, in base64, for the first one that is neither read nor refused. */
export async function fuzzOci({
  inputs,
  seed,
}: {
  readonly inputs: number;
  readonly seed: number;
}): Promise<readonly FuzzResult[]> {
  const results: FuzzResult[] = [];
  for (const [i, target] of targets.entries()) {
    results.push(await attack(target, Math.ceil(inputs * target.share), seeded(seed + i)));
  }
  return results;
}

/** The limits of the architecture: no input may take a second, nor a parser 256 MiB. */
const limits = { slowestMs: 1_000, growthMiB: 256 } as const;

if (import.meta.main) {
  const { values } = parseArgs({
    options: { inputs: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
  });
  for (const result of await fuzzOci({ inputs: Number(values.inputs), seed: Number(values.seed) })) {
    const { name, inputs, accepted, slowestMs, growthMiB } = result;
    const cost = `slowest ${slowestMs.toFixed(1)} ms, memory +${growthMiB.toFixed(0)} MiB`;
    console.log(`${name}: ${inputs} inputs, ${accepted} read, ${cost}`);
    if (slowestMs > limits.slowestMs || growthMiB > limits.growthMiB)
      throw new Error(`${name}: beyond the limits: ${cost}`);
  }
}
