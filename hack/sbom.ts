/** The software bill of materials of the bundle: what npm knows of the packages that are really in it. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
}

/** A document of CycloneDX 1.5, as far as it is changed here. */
export interface Bom {
  readonly metadata: { readonly component: Component; readonly [key: string]: unknown };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly [key: string]: unknown;
}

interface PackageJson {
  readonly name: string;
  readonly version: string;
}

const insidePackage = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** The packages, `name@version`, of which files are among the inputs of a bundle (paths below `root`). */
export function packagesOf(root: string, inputs: readonly string[]): readonly string[] {
  const folders = new Set(inputs.map((input) => insidePackage.exec(input)?.[0]).filter((found) => found !== undefined));
  const found = [...folders].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as PackageJson;
    return `${name}@${version}`;
  });
  return [...new Set(found)].toSorted();
}

/**
 * Keeps the packages of a bundle, and leaves out what differs from run to run: serial number, time, and the name of the
 * folder. Throws when npm does not know one of the packages.
 */
export function bomOf(full: Bom, bundled: readonly string[], product: PackageJson): Bom {
  const { serialNumber: _serial, metadata, components, dependencies, ...rest } = full;
  const { timestamp: _time, ...kept } = metadata;
  const wanted = new Set(bundled);
  const idOf = ({ name, version }: Component): string => `${name}@${version}`;
  const found = components.filter((component) => wanted.has(idOf(component)));
  const missing = bundled.filter((id) => !found.some((component) => idOf(component) === id));
  if (missing.length > 0) throw new Error(`npm does not know of ${missing.join(", ")}: run npm ci and build again`);
  const root = metadata.component["bom-ref"];
  const refs = new Set([root, ...found.map((component) => component["bom-ref"])]);
  return {
    ...rest,
    metadata: { ...kept, component: { ...metadata.component, type: "application", name: product.name } as Component },
    components: found,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
}

/** The document for a bundle of the project in `root`. */
export function billOfMaterials(root: string, inputs: readonly string[]): Bom {
  const flags = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"];
  const text = execFileSync("npm", flags, { cwd: root, encoding: "utf8", maxBuffer: 64 << 20 });
  const product = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as PackageJson;
  return bomOf(JSON.parse(text) as Bom, packagesOf(root, inputs), product);
}
