import { realCluster } from "../deploy-clusters.ts";
import { tellDeployStory } from "../deploy-story.ts";

tellDeployStory("kyma deploy, on a real kube-apiserver", async () => {
  const assets = process.env.KUBEBUILDER_ASSETS;
  if (assets === undefined) throw new Error("KUBEBUILDER_ASSETS must name a folder with kube-apiserver and etcd");
  return realCluster(assets);
});
