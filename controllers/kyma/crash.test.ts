import { deepEqual, ok } from "node:assert/strict";
import { describe, test } from "@jest/globals";
import type { Kyma } from "../../apis/operator/kyma.ts";
import { accessSecret, KymaStage, kymaObject, moduleObjects } from "../../testing/index.ts";
import { addKymaController } from "./controller.ts";
import { anyDescriptor, kymaSettings } from "./kyma-stage.ts";

const api = "operator.kyma-project.io/v1beta2";
const kinds = ["Kyma", "Manifest", "ModuleTemplate", "ModuleReleaseMeta"];

/** Something that happens to a settled Kyma, and how it looks when everything has followed. */
interface Story {
  readonly name: string;
  readonly modules: readonly { readonly name: string }[];
  readonly happens: (stage: KymaStage) => Promise<void>;
  /** Name and version of the Manifests at the end; undefined: the Kyma is gone. */
  readonly ends: readonly string[] | undefined;
}

const alpha = [{ name: "alpha" }];
const stories: readonly Story[] = [
  { name: "the first installation", modules: alpha, happens: async () => undefined, ends: ["alpha 1.0.0"] },
  {
    name: "enabling a module",
    modules: alpha,
    happens: async (stage) => stage.choose({ modules: [{ name: "alpha" }, { name: "bravo" }] }),
    ends: ["alpha 1.0.0", "bravo 2.0.0"],
  },
  {
    name: "disabling a module",
    modules: [{ name: "alpha" }, { name: "bravo" }],
    happens: async (stage) => stage.choose({ modules: alpha }),
    ends: ["alpha 1.0.0"],
  },
  {
    name: "another channel",
    modules: alpha,
    happens: async (stage) => stage.choose({ channel: "fast" }),
    ends: ["alpha 1.1.0"],
  },
  {
    name: "a new version in the channel",
    modules: alpha,
    happens: async (stage) => {
      const channels = [{ channel: "regular", version: "1.1.0" }];
      await stage.patch("ModuleReleaseMeta", "alpha", { spec: { channels } });
    },
    ends: ["alpha 1.1.0"],
  },
  {
    name: "a cluster that is lost and comes back with other modules wanted",
    modules: alpha,
    happens: async (stage) => {
      await stage.world.kcp.apply(accessSecret("runtime-1", "no-such-cluster"));
      await stage.world.clock.until(async () => (await stage.status()).state === "Error");
      await stage.choose({ modules: [{ name: "bravo" }] });
      await stage.world.kcp.apply(accessSecret("runtime-1"));
    },
    ends: ["bravo 2.0.0"],
  },
  {
    name: "the deletion",
    modules: [{ name: "alpha" }, { name: "bravo" }],
    happens: async (stage) => stage.remove("Kyma", "runtime-1"),
    ends: undefined,
  },
];

async function open({ name, modules }: Story): Promise<KymaStage> {
  const stage = await KymaStage.open(
    (world) =>
      addKymaController(world.context, {
        settings: kymaSettings,
        clusters: world.clusters,
        descriptors: anyDescriptor,
        random: () => 0,
      }),
    accessSecret("runtime-1"),
    ...moduleObjects("alpha", { regular: "1.0.0", fast: "1.1.0" }),
    ...moduleObjects("bravo", { regular: "2.0.0" }),
    kymaObject("runtime-1", { channel: "regular", modules }),
  );
  if (name !== "the first installation") await stage.settle("Ready");
  return stage;
}

/** Plays the Manifest controller until the story is over, or the process has died. */
async function play(stage: KymaStage, { ends }: Story, died = (): boolean => false): Promise<void> {
  await stage.until(async () => {
    if (died() || (await isOver(stage, ends))) return true;
    await stage.report("Ready");
    return false;
  });
}

async function isOver(stage: KymaStage, ends: Story["ends"]): Promise<boolean> {
  if (ends === undefined) return (await stage.kyma()) === undefined;
  const label = "operator.kyma-project.io/module-name";
  const found = (await stage.manifests()).map(({ metadata, spec }) => `${metadata.labels?.[label]} ${spec.version}`);
  if (found.toSorted().join() !== ends.join()) return false;
  const [here, there] = [await stage.status("kcp"), await stage.status("skr")];
  const isSettled = here.state === "Ready" && here.modules?.length === ends.length;
  return isSettled && there.state === "Ready" && there.modules?.length === ends.length;
}

/** Everything of ours on both clusters, without what tells of the way there. */
async function objectsOf({ world }: KymaStage): Promise<readonly unknown[]> {
  const objects: unknown[] = [];
  for (const cluster of ["kcp", "skr"] as const) {
    for (const kind of kinds) {
      const found = (await world[cluster].list(api, kind).catch(() => [])) as unknown as readonly Kyma[];
      objects.push(...found.map(({ metadata, spec, status }) => [cluster, kind, metadata.name, spec, status?.state]));
    }
  }
  return objects;
}

describe("a crash after any write of", () => {
  for (const story of stories) {
    test(`${story.name} ends as the calm run does`, async () => {
      let stage = await open(story);
      await story.happens(stage);
      await play(stage, story);
      const calm = await objectsOf(stage);
      await stage.close();

      let crashes = 0;
      for (let writes = 1; ; writes += 1) {
        stage = await open(story);
        const budget = stage.world.crashAfter(writes);
        await story.happens(stage);
        await play(stage, story, () => budget.spent());
        const died = budget.spent();
        if (died) {
          await stage.restart();
          await play(stage, story);
          deepEqual(await objectsOf(stage), calm, `crash after write ${writes}`);
          crashes += 1;
        }
        await stage.close();
        if (!died) break;
      }
      ok(crashes > 0, "the story has writes");
    }, 180_000);
  }
});
