import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { ApiServerProcess } from "./api-server.ts";
import { argumentOf, entrypointOf, environmentOf, isIgnored, parseDockerfile } from "./dockerfile.ts";
import { eventually, type Running, run, start } from "./programs.ts";

const root = join(import.meta.dirname, "..");
const [build, final] = parseDockerfile(readFileSync(join(root, "Dockerfile"), "utf8"));
const ignore = readFileSync(join(root, ".dockerignore"), "utf8");
const limitBytes = 1024 ** 3;
const user = 65_532;

/** Carries out the instructions of the Dockerfile in folders instead of layers. */
class Folders {
  readonly build: string;
  readonly image: string;

  constructor(folder: string) {
    this.build = join(folder, "build");
    this.image = join(folder, "image");
  }

  async runBuild(): Promise<void> {
    for (const { name, args } of build?.instructions ?? []) {
      if (name === "COPY") await this.#copyContext(args.split(" "));
      if (name === "RUN") {
        const { code, stdout, stderr } = await run("sh", ["-ec", args], {
          cwd: join(this.build, "src"),
          env: { npm_config_prefer_offline: "true" },
          timeoutMs: 300_000,
        });
        equal(code, 0, `${args}: ${stdout}${stderr}`);
      }
      if (name === "WORKDIR") await mkdir(join(this.build, args), { recursive: true });
    }
  }

  async copyImage(): Promise<void> {
    for (const { name, args } of final?.instructions ?? []) {
      if (name !== "COPY") continue;
      const [from = "", source = "", target = ""] = args.split(" ");
      equal(from, "--from=build");
      const place = join(this.image, "app", target === "./" ? (source.split("/").at(-1) ?? "") : target);
      await cp(join(this.build, source), place, { recursive: true });
    }
  }

  async #copyContext(words: readonly string[]): Promise<void> {
    const target = words.at(-1) ?? "";
    for (const source of words.slice(0, -1)) {
      const place = target === "." ? "" : target.endsWith("/") ? join(target, source.split("/").at(-1) ?? "") : target;
      await cp(join(root, source), join(this.build, "src", place), {
        recursive: true,
        filter: (path) => path === root || !isLeftOut(relative(root, path)),
      });
    }
  }
}

/** A folder is entered when something in it is wanted in spite of it. */
function isLeftOut(path: string): boolean {
  if (!isIgnored(ignore, path)) return false;
  return !ignore.split("\n").some((line) => line.startsWith(`!${path}/`));
}

function filesIn(folder: string): readonly string[] {
  return [...readdirSync(folder, { recursive: true, encoding: "utf8" })]
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
}

function digests(folder: string): Readonly<Record<string, string>> {
  const digestOf = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
  return Object.fromEntries(filesIn(folder).map((name) => [name, digestOf(name)]));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

let folder = "";
let folders: Folders;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "image-"));
  folders = new Folders(folder);
  await folders.runBuild();
  await folders.copyImage();
}, 360_000);
afterAll(async () => {
  await run("chmod", ["-R", "u+w", folder]);
  await rm(folder, { recursive: true, force: true });
});

describe("the Dockerfile", () => {
  test("builds on Node 24 and ends on distroless, as nobody in particular", () => {
    match(build?.base ?? "", /^node:24-/);
    match(final?.base ?? "", /distroless\/nodejs24-.*:nonroot$/);
    equal(argumentOf(final, "USER"), `${user}:${user}`);
    equal(
      (final?.instructions ?? []).some(({ name }) => name === "RUN"),
      false,
    );
  });

  test("leaves out of the build what the image does not need", () => {
    const sent = filesIn(join(folders.build, "src")).filter((name) => !/^(node_modules|dist)\//.test(name));
    equal(
      sent.some((name) => /\.test\.ts$|^(\.git|docs|bench|e2e)\//.test(name)),
      false,
    );
    ok(sent.includes("LICENSE"));
  });

  test("the image holds the programs and their files, and no package, source or key", () => {
    const kept = filesIn(join(folders.image, "app"));
    for (const wanted of [
      "dist/operator.js",
      "dist/kyma.js",
      "crds/kustomization.yaml",
      "config/default/kustomization.yaml",
    ])
      ok(kept.includes(wanted), wanted);
    deepEqual(
      kept.filter((name) => /node_modules|\.ts$|\.(pem|key)$|\.npmrc/.test(name)),
      [],
    );
  });

  test("building in another folder gives the same bytes", async () => {
    const fromHere = digests(join(root, "dist"));
    const { "sbom.cdx.json": bill, ...fromThere } = digests(join(folders.image, "app/dist"));
    ok(bill !== undefined);
    deepEqual(Object.keys(fromThere), Object.keys(fromHere));
    deepEqual(
      Object.keys(fromHere).filter((name) => fromHere[name] !== fromThere[name]),
      [],
    );
  });

  test("the bill of materials names the bundled packages, and nothing of the run", async () => {
    const text = await readFile(join(folders.image, "app/dist/sbom.cdx.json"), "utf8");
    const bill = JSON.parse(text) as {
      readonly bomFormat: string;
      readonly components: readonly {
        readonly name: string;
        readonly purl: string;
        readonly hashes?: readonly object[];
      }[];
    };
    equal(bill.bomFormat, "CycloneDX");
    const names = new Set(bill.components.map(({ name }) => name));
    for (const wanted of ["undici", "js-yaml", "prom-client"]) ok(names.has(wanted), wanted);
    for (const other of ["jest", "esbuild", "typescript"]) equal(names.has(other), false, other);
    for (const { purl, hashes = [] } of bill.components) ok(purl.startsWith("pkg:npm/") && hashes.length > 0, purl);
    equal(/timestamp|serialNumber/.test(text) || text.includes(folder), false);
  });
});

describe("the operator under the constraints of its container", () => {
  let server: ApiServerProcess;
  let operator: Running;
  let probes = 0;
  beforeAll(async () => {
    server = await ApiServerProcess.start("--authorization-mode", "RBAC");
    await server.kubectl(["apply", "--server-side", "-k", join(root, "config/default")]);
    await run("chmod", ["-R", "a-w,a+rX", folders.image]);
    await chmod(folder, 0o755);
    const writable = join(folder, "cache");
    await mkdir(writable);
    await chmod(writable, 0o777);
    operator = await startOperator(writable);
  }, 60_000);
  afterAll(async () => {
    operator.child.kill("SIGKILL");
    await server.stop();
  });

  async function startOperator(writable: string): Promise<Running> {
    const [node = "", ...entry] = entrypointOf(final);
    // The image's own Node, where nobody in particular may run it.
    const program = join(folder, node);
    await cp(process.execPath, program);
    await chmod(program, 0o755);
    const kubeconfig = join(writable, "kubeconfig");
    await cp(server.kubeconfig, kubeconfig);
    await chmod(kubeconfig, 0o644);
    probes = await freePort();
    const flags = [
      "--controllers=kyma,mandatory-module,manifest,purge",
      `--kubeconfig=${kubeconfig}`,
      "--oci-registry-host=registry.example.test",
      `--data-dir=${writable}`,
      "--metrics-bind-address=0",
      `--health-probe-bind-address=127.0.0.1:${probes}`,
    ];
    // The limit of the heap that Node takes from a container's limit; this machine has no container to set it.
    const heap = `--max-old-space-size=${(limitBytes / 1024 ** 2) * 0.75}`;
    const args = [heap, ...entry, ...flags];
    const env = { ...environmentOf(final), HOME: "/nonexistent" };
    const options = { cwd: join(folders.image, "app"), env, timeoutMs: 120_000 };
    if (process.getuid?.() !== 0) return start(program, args, options);
    const drop = ["--reuid", String(user), "--regid", String(user), "--clear-groups", "--no-new-privs"];
    return start("setpriv", [...drop, program, ...args], options);
  }

  test("it becomes ready, leads, and stays far below its memory limit", async () => {
    await eventually(
      async () => ((await fetch(`http://127.0.0.1:${probes}/readyz`).catch(() => undefined))?.ok ? true : undefined),
      () => operator.output(),
    );
    await eventually(
      async () => (operator.output().includes("the lease is ours") ? true : undefined),
      () => operator.output(),
    );
    const status = await readFile(`/proc/${operator.child.pid ?? 0}/status`, "utf8");
    if (process.getuid?.() === 0) match(status, new RegExp(`^Uid:\\s+${user}\\s+${user}`, "m"));
    match(status, /^CapEff:\s+0+$/m);
    const peakBytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    ok(peakBytes < limitBytes / 4, `${peakBytes} bytes`);
  }, 60_000);

  test("nothing in the tree of the image has changed", async () => {
    const left = filesIn(join(folders.image, "app")).filter(
      (name) => (statSync(join(folders.image, "app", name)).mode & 0o222) !== 0,
    );
    deepEqual(left, []);
    deepEqual(digests(join(folders.image, "app/dist")), digests(join(folders.build, "src/dist")));
  });

  test("it ends on SIGTERM, within the grace of its Deployment, and gives the lease back", async () => {
    const began = Date.now();
    operator.child.kill("SIGTERM");
    const { code } = await operator.finished;
    equal(code, 0, operator.output());
    ok(Date.now() - began < 30_000);
    const holder = "jsonpath={.spec.holderIdentity}";
    equal(await server.kubectl(["-n", "kcp-system", "get", "lease", "893110f7.kyma-project.io", "-o", holder]), "");
  }, 45_000);
});
