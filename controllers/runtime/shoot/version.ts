import { type Shoot, withoutDowngrade } from "@kyma-operators/gardener";
import type { Runtime } from "../../../apis/infrastructure/index.ts";
import type { LandscapeConfig } from "./config.ts";

/** The Kubernetes version the Shoot will have: the Runtime's, else the default, and never below the running one. */
export function shootVersion(runtime: Runtime, config: LandscapeConfig, shoot?: Shoot): string {
  const wanted = runtime.spec.shoot.kubernetes?.version || config.converter.kubernetes.defaultVersion;
  return withoutDowngrade(wanted, shoot?.spec.kubernetes.version);
}
