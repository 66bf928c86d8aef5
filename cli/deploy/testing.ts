import { redact, textOf } from "@kyma-operators/errors";
import type { AnyObject, Client, Clock } from "@kyma-operators/kube";
import { kymas } from "../../apis/operator/group.ts";
import type { Kyma } from "../../apis/operator/kyma.ts";
import type { ModuleReleaseMeta } from "../../apis/operator/module-release-meta.ts";
import type { State } from "../../apis/operator/state.ts";
import { ExitCode } from "../command.ts";
import { releasedVersion } from "../module/releases.ts";
import { type FakeIo, type FakeIoOptions, fakeIo } from "../testing.ts";
import { deployTo } from "./deploy.ts";
import { deployCommand } from "./flags.ts";

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** What it wrote to its stderr itself. */
  readonly notes: string;
}

/** What a test brings: an API server and a way to let time pass. */
export interface StageParts {
  readonly clock: Clock;
  readonly cluster: {
    readonly client: Client;
    clientFor(userAgent: string): Client;
    list(apiVersion: string, kind: string): Promise<readonly AnyObject[]>;
  };
  /** Lets time pass until the condition holds. */
  readonly patiently: (condition: () => Promise<boolean>) => Promise<void>;
}

/** A command under test, with the cluster that it is to use. */
export type Act = (io: FakeIo, client: Client) => Promise<unknown>;

/** A cluster on which tests deploy, and on which they play the operator. */
export class DeployStage {
  readonly #parts: StageParts;
  /** State that the operator gives to modules; by name where they differ. */
  state: State | Readonly<Record<string, State>> = "Ready";
  /** Called between two moments of every run. */
  meanwhile: () => Promise<void> = async () => undefined;

  constructor(parts: StageParts) {
    this.#parts = parts;
  }

  async deploy(args: readonly string[], options: FakeIoOptions = {}): Promise<Ended> {
    return this.run(
      (io, client) =>
        deployCommand((flags) => deployTo(io, client, flags))
          .exitOverride()
          .parseAsync([...args], { from: "user" }),
      options,
    );
  }

  async run(act: Act, options: FakeIoOptions = {}): Promise<Ended> {
    const { clock, cluster, patiently } = this.#parts;
    const io = { ...fakeIo(options), clock };
    let ended: Ended | undefined;
    void act(io, cluster.clientFor("kyma")).then(
      () => {
        ended = { code: 0, out: io.out(), err: "", notes: io.err() };
      },
      (error: unknown) => {
        const code = error instanceof ExitCode ? error.code : 1;
        ended = { code, out: io.out(), err: redact(textOf(error)), notes: io.err() };
      },
    );
    await patiently(async () => {
      await this.meanwhile();
      await this.#playOperator();
      return ended !== undefined;
    });
    return ended ?? { code: -1, out: "", err: "", notes: "" };
  }

  async kyma(): Promise<Kyma | undefined> {
    const found = await this.#parts.cluster.list("operator.kyma-project.io/v1beta2", "Kyma").catch(() => []);
    return found[0] as unknown as Kyma | undefined;
  }

  async #playOperator(): Promise<void> {
    const kyma = await this.kyma();
    if (kyma === undefined) return;
    const wanted = this.#statusOf(kyma, await this.#releases());
    if (JSON.stringify(kyma.status?.modules) === JSON.stringify(wanted.modules)) return;
    const ref = { resource: kymas, namespace: kyma.metadata.namespace ?? "", name: kyma.metadata.name ?? "" };
    await this.#parts.cluster.client.mergePatch(ref, { status: wanted }, { subresource: "status" });
  }

  async #releases(): Promise<readonly ModuleReleaseMeta[]> {
    const found = await this.#parts.cluster.list("operator.kyma-project.io/v1beta2", "ModuleReleaseMeta");
    return found as unknown as readonly ModuleReleaseMeta[];
  }

  #statusOf({ spec }: Kyma, releases: readonly ModuleReleaseMeta[]): NonNullable<Kyma["status"]> {
    const stateOf = (name: string): State =>
      typeof this.state === "string" ? this.state : (this.state[name] ?? "Ready");
    const modules = (spec.modules ?? []).map((module) => ({
      name: module.name,
      state: stateOf(module.name),
      version: releasedVersion(module, spec.channel, releases) ?? "1.0.0",
    }));
    const worst = ["Error", "Processing", "Warning"].find((state) => modules.some((module) => module.state === state));
    const lastOperation = { operation: "kyma reconciled", lastUpdateTime: "2026-01-05T08:00:00Z" };
    return { state: (worst ?? "Ready") as State, modules, lastOperation };
  }
}
