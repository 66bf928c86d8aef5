import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DeployWorld } from "../e2e/deploy-world.ts";
import { type Measurement, median, type RunOptions, type Workload } from "./measurement.ts";

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

/** P19, and a deployment with many modules: the built programs as a person starts them. */
export const workload: Workload = {
  name: "command line",
  run: async ({ smoke }: RunOptions) => {
    const dist = join(root, ".cache/bench-dist");
    await run(process.execPath, [join(root, "hack/build.ts"), "--outdir", dist]);
    process.env.DIST = dist; // read when the programs are looked for
    return [...(await startFigures(join(dist, "kyma.js"), smoke ? 2 : 21)), ...(await deployFigures(smoke ? 2 : 20))];
  },
};

/** In turns, so that both see the same machine. */
async function startFigures(kyma: string, runs: number): Promise<readonly Measurement[]> {
  const [nothing, help]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < runs; turn++) {
    nothing.push(await msOf(["-e", "0"]));
    help.push(await msOf([kyma, "--help"]));
  }
  const peer = median(nothing);
  const ratio = median(help) / peer;
  return [
    {
      id: "P19",
      what: "`kyma --help`, as a process",
      value: ratio,
      unit: "× node -e 0",
      target: "≤ 1.5 × node -e 0",
      met: ratio <= 1.5,
      peer: { name: "node -e 0, ms", value: peer },
    },
  ];
}

async function msOf(args: readonly string[]): Promise<number> {
  const start = performance.now();
  await run(process.execPath, args);
  return performance.now() - start;
}

async function deployFigures(count: number): Promise<readonly Measurement[]> {
  const { DeployWorld } = await import("../e2e/deploy-world.ts");
  const { embeddedCluster } = await import("../e2e/deploy-clusters.ts");
  const world = await DeployWorld.start(embeddedCluster);
  try {
    const modules = await makeModules(world, count);
    const start = performance.now();
    await world.deployed("--wildcard-permissions", ...modules, "--timeout", "120s");
    const seconds = (performance.now() - start) / 1000;
    const lists: number[] = [];
    for (let turn = 0; turn < Math.min(count, 9); turn++) lists.push(await listMs(world));
    const listed = median(lists);
    // How busy the machine was.
    const peer = { name: "node -e 0, ms", value: await msOf(["-e", "0"]) };
    return [
      {
        id: "P19",
        what: "`kyma module list`, as a process, over TLS",
        value: listed,
        unit: "ms",
        target: "≤ 400 ms",
        met: listed <= 400,
        peer,
      },
      {
        id: "P19",
        what: `\`kyma deploy\` with ${count} modules on an empty embedded server, until all is Ready`,
        value: seconds,
        unit: "s",
        target: "≤ 10 s",
        met: seconds <= 10,
        peer,
      },
    ];
  } finally {
    await world.stop();
  }
}

/** Modules of a Deployment each, as flags of `kyma deploy`. */
async function makeModules(world: DeployWorld, count: number): Promise<readonly string[]> {
  const flags: string[] = [];
  for (let at = 0; at < count; at++) {
    const name = `bench-${String.fromCharCode(97 + at).repeat(3)}`;
    await world.put({ [`${name}.yaml`]: configOf(name), [`${name}-manifest.yaml`]: manifestOf(name) });
    await world.create(`${name}.yaml`, `${name}-template.yaml`);
    flags.push("--template", `${name}-template.yaml`, "-m", name);
  }
  return flags;
}

const configOf = (name: string): string => `name: example.org/module/${name}
version: 1.0.0
channel: regular
manifest: ${name}-manifest.yaml
manager: {group: apps, version: v1, kind: Deployment, name: ${name}, namespace: kyma-system}
`;

const manifestOf = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: kyma-system}
spec:
  selector: {matchLabels: {app: ${name}}}
  template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: manager, image: "${name}:1"}]}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${name}, namespace: kyma-system}
---
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: kyma-system}
spec: {selector: {app: ${name}}, ports: [{port: 80}]}
`;

async function listMs(world: DeployWorld): Promise<number> {
  const { builtProgram } = await import("../e2e/programs.ts");
  return msOf([builtProgram("kyma"), "module", "list", "--kubeconfig", world.cluster.kubeconfig]);
}
