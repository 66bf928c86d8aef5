import { join } from "node:path";
import { textOf } from "@kyma-operators/errors";
import type { AnyObject, Clock } from "@kyma-operators/kube";
import { asText, type Fields, listAt, textAt } from "../../resources/kinds/edit.ts";
import { numberAt } from "../pod-state.ts";
import { ContainerRun } from "./container-run.ts";
import { type Lookup, launchOf } from "./launch.ts";
import { makeFolder, mountsOf, writePrivate, writeVolumes } from "./mounts-files.ts";
import { type ContainerProcess, freePorts, startProcess } from "./system-process.ts";
import { withMessage } from "./termination-message.ts";

const configRetryMs = 10_000;

export interface PodRunOptions {
  readonly pod: AnyObject;
  readonly podIP: string;
  readonly script: string;
  readonly workingDir: string;
  /** Of this Pod alone. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly token: string;
  readonly lookup: Lookup;
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** The containers of one Pod as processes; init containers run first, one after the other. */
export class PodRun {
  readonly uid: string;
  readonly podIP: string;
  /** Where its files are. */
  readonly folder: string;
  readonly #options: PodRunOptions;
  #hostPorts: Readonly<Record<string, number>> = {};
  #initContainers: readonly ContainerRun[] = [];
  #containers: readonly ContainerRun[] = [];
  #problem: string | undefined;
  #stopping = false;
  #cancel = (): void => undefined;

  constructor(options: PodRunOptions) {
    this.#options = options;
    this.uid = options.pod.metadata.uid ?? "";
    this.podIP = options.podIP;
    this.folder = options.folder;
  }

  /** Ports of this machine by port of the Pod. */
  get hostPorts(): Readonly<Record<string, number>> {
    return this.#hostPorts;
  }

  /** Why the Pod can't be set up yet. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get initContainers(): readonly ContainerRun[] {
    return this.#initContainers;
  }

  get containers(): readonly ContainerRun[] {
    return this.#containers;
  }

  /** Sets the Pod up and starts it; what is missing is looked for again. Never rejects. */
  async start(): Promise<void> {
    const { pod, clock, onChange } = this.#options;
    try {
      await this.#prepare();
      this.#problem = undefined;
      this.#initContainers = listAt(pod, "spec", "initContainers").map((container) => this.#run(container, true));
      this.#containers = listAt(pod, "spec", "containers").map((container) => this.#run(container, false));
      await this.#advance();
    } catch (error) {
      this.#problem = textOf(error);
      if (!this.#stopping) this.#cancel = clock.after(configRetryMs, () => void this.start());
    }
    onChange();
  }

  /** Ends all processes within the grace period. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#cancel();
    await Promise.all([...this.#initContainers, ...this.#containers].map((run) => run.stop(graceMs)));
  }

  async #prepare(): Promise<void> {
    const { pod, folder, kubeconfig, token, lookup, podIP } = this.#options;
    await makeFolder(folder);
    await writePrivate(join(folder, "kubeconfig"), kubeconfig);
    await writeVolumes(join(folder, "volumes"), { pod, podIP, lookup, token });
    const ports = listAt(pod, "spec", "containers").flatMap((container) => listAt(container, "ports"));
    const numbers = [...new Set(ports.map(({ containerPort }) => asText(containerPort)))];
    const here = await freePorts(numbers.length);
    this.#hostPorts = Object.fromEntries(numbers.map((number, index) => [number, here[index] ?? 0]));
  }

  #run(container: Fields, isInit: boolean): ContainerRun {
    const { pod, clock, onChange } = this.#options;
    const policy = textAt(pod, "spec", "restartPolicy");
    const before = listAt(pod, "status", "containerStatuses").find(({ name }) => name === container.name);
    return new ContainerRun({
      container,
      restartPolicy: isInit && policy === "Always" ? "OnFailure" : policy,
      podName: `${pod.metadata.name}_${pod.metadata.namespace}`,
      graceMs: numberAt(pod, 30, "spec", "terminationGracePeriodSeconds") * 1000,
      hostPorts: this.#hostPorts,
      restartCount: numberAt(before, 0, "restartCount"),
      clock,
      launch: async () => this.#launch(container),
      onChange: () => {
        if (isInit) void this.#advance();
        onChange();
      },
    });
  }

  #launch(container: Fields): ContainerProcess {
    const { pod, podIP, folder, lookup, script, workingDir, clock } = this.#options;
    const mounts = mountsOf(container, join(folder, "volumes"));
    const { args, env } = launchOf(container, { pod, podIP, mounts, lookup });
    const own = { HOSTNAME: asText(pod.metadata.name), KUBECONFIG: join(folder, "kubeconfig") };
    const log = join(folder, `${asText(container.name)}.log`);
    const launch = { script, workingDir, args, env: { ...own, ...env }, log, hostPorts: this.#hostPorts, clock };
    const started = startProcess(launch);
    return container.terminationMessagePolicy === "FallbackToLogsOnError" ? withMessage(started, log) : started;
  }

  /** Starts the next init container once the one before has succeeded, and the containers after the last. */
  async #advance(): Promise<void> {
    if (this.#stopping) return;
    const next = this.#initContainers.find(({ exitCode }) => exitCode !== 0);
    if (next !== undefined) {
      if (!next.hasBegun) await next.start();
      return;
    }
    await Promise.all(this.#containers.filter(({ hasBegun }) => !hasBegun).map((run) => run.start()));
  }
}
