import { embeddedCluster } from "../deploy-clusters.ts";
import { tellDeployStory } from "../deploy-story.ts";

tellDeployStory("kyma deploy, on the embedded server", embeddedCluster);
