import { realCluster } from "../deploy-clusters.ts";
import { sampleModules } from "../module-layers.ts";
import { tellModuleStory } from "../module-story.ts";

const collector = sampleModules.filter(({ name }) => name === "collector");

tellModuleStory("a module from a private registry, on a real kube-apiserver", collector, async () => {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets === undefined) throw new Error("KUBEBUILDER_ASSETS must name a folder with kube-apiserver and etcd");
  const cluster = await realCluster(assets);
  return { controlPlane: cluster, remote: { ...cluster, stop: async () => undefined } };
});
