import { ApiServerProcess } from "../api-server.ts";
import { sampleModules } from "../module-layers.ts";
import { tellModuleStory } from "../module-story.ts";

tellModuleStory("a chart, plain objects and a kustomization from a private registry", sampleModules, async () => {
  const [controlPlane, remote] = await Promise.all([ApiServerProcess.start(), ApiServerProcess.start()]);
  return { controlPlane, remote };
});
