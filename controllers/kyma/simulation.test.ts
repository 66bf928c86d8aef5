import { deepEqual, equal, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { AnyObject } from "@kyma-operators/kube";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { accessSecret, KymaStage, kymaObject, moduleObjects, Trouble } from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";

const settings = { ...kymaSettings, remoteResyncMs: 60_000 };

/** One Kyma and the trouble on the way to both of its clusters. */
class Play {
  readonly kcp: Trouble;
  readonly skr: Trouble;
  stage!: KymaStage;
  /** What the user wants, which must be what the remote Kyma says all the time. */
  #wanted: Kyma["spec"] | undefined;

  constructor(seed: number, rate: number) {
    this.kcp = new Trouble(seed);
    this.skr = new Trouble(seed + 1_000);
    this.kcp.rate = this.skr.rate = rate;
  }

  async begin(): Promise<void> {
    const { kcp, skr } = this;
    this.stage = await KymaStage.openWith(
      { kcp, skr },
      (world) =>
        addKymaController(world.context, {
          settings,
          clusters: world.clusters,
          descriptors: anyDescriptor,
          random: () => 0.5,
        }),
      accessSecret("runtime-1"),
      ...moduleObjects("alpha", { regular: "1.0.0", fast: "1.1.0" }),
      ...moduleObjects("bravo", { regular: "2.0.0" }),
      kymaObject("runtime-1", { channel: "regular", modules: [{ name: "alpha" }] }),
    );
  }

  /** Lets time pass until the condition holds, and checks all the time what must always hold. */
  async until(condition: () => Promise<boolean>): Promise<void> {
    await this.stage.world.clock.until(async () => {
      await this.#checkInvariants();
      await this.stage.report("Ready");
      return condition();
    }, 21_600_000);
  }

  async choose(spec: object): Promise<void> {
    await this.stage.choose(spec);
    this.#wanted = (await this.stage.kyma("skr"))?.spec;
  }

  /** Ready on both clusters with just these Manifests. */
  async untilInstalled(wanted: readonly string[]): Promise<void> {
    await this.until(async () => {
      const states = [(await this.stage.status("kcp")).state, (await this.stage.status("skr")).state];
      return states.every((state) => state === "Ready") && (await this.#installed()).join() === wanted.join();
    });
  }

  async #installed(): Promise<readonly string[]> {
    const label = "operator.kyma-project.io/module-name";
    const found = await this.stage.manifests();
    return found.map(({ metadata, spec }) => `${metadata.labels?.[label]} ${spec.version}`).toSorted();
  }

  async #checkInvariants(): Promise<void> {
    const known = new Set(["alpha 1.0.0", "alpha 1.1.0", "bravo 2.0.0"]);
    for (const installed of await this.#installed()) ok(known.has(installed), installed);
    if (this.#wanted !== undefined) deepEqual((await this.stage.kyma("skr"))?.spec, this.#wanted);
  }

  async delete(): Promise<void> {
    this.#wanted = undefined;
    await this.stage.remove("Kyma", "runtime-1");
    await this.until(async () => (await this.stage.kyma()) === undefined);
  }
}

async function remainder({ stage }: Play): Promise<readonly AnyObject[]> {
  return [...(await stage.manifests()), ...((await stage.kyma("skr")) === undefined ? [] : ["a remote Kyma"])] as never;
}

describe("a life in trouble: lost and repeated events, old reads, lost answers, refusals", () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    test(`ends as it should in every chapter, seed ${seed} (I040, I043, E140)`, async () => {
      const play = new Play(seed, 0.04);
      await play.begin();
      try {
        await play.untilInstalled(["alpha 1.0.0"]);
        await play.choose({ modules: [{ name: "alpha" }, { name: "bravo" }] });
        await play.untilInstalled(["alpha 1.0.0", "bravo 2.0.0"]);
        await play.choose({ modules: [{ name: "alpha", channel: "fast" }, { name: "bravo" }] });
        await play.untilInstalled(["alpha 1.1.0", "bravo 2.0.0"]);
        play.skr.isCutOff = true;
        await play.until(async () => (await play.stage.status()).state === "Error");
        await play.choose({ modules: [{ name: "alpha", channel: "fast" }] });
        await play.stage.world.clock.advance(120_000);
        play.skr.isCutOff = false;
        await play.untilInstalled(["alpha 1.1.0"]);
        await play.delete();
        equal((await remainder(play)).length, 0);
      } finally {
        play.kcp.rate = play.skr.rate = 0;
        await play.stage.close();
      }
    }, 120_000);
  }
});
