import type { ConformanceCase } from "./case.ts";
import { access } from "./cases/access.ts";
import { admission } from "./cases/admission.ts";
import { applies } from "./cases/apply.ts";
import { connections } from "./cases/connections.ts";
import { containerSpecs } from "./cases/container-specs.ts";
import { customObjects } from "./cases/custom-objects.ts";
import { definitions } from "./cases/definitions.ts";
import { deletion } from "./cases/deletion.ts";
import { discovery } from "./cases/discovery.ts";
import { errors } from "./cases/errors.ts";
import { faultySpecs } from "./cases/faulty-specs.ts";
import { jobsAndEndpoints } from "./cases/jobs.ts";
import { kinds } from "./cases/kinds.ts";
import { lists } from "./cases/lists.ts";
import { malformed } from "./cases/malformed.ts";
import { names } from "./cases/names.ts";
import { networkSpecs } from "./cases/network-specs.ts";
import { objects } from "./cases/objects.ts";
import { patches } from "./cases/patches.ts";
import { podChanges } from "./cases/pod-changes.ts";
import { podSpecs } from "./cases/pod-specs.ts";
import { policySpecs } from "./cases/policy-specs.ts";
import { watches } from "./cases/watches.ts";
import { workloadSpecs } from "./cases/workload-specs.ts";
import { workloads } from "./cases/workloads.ts";

/** All cases by topic; the topic names the file of their answers. */
export const suite: Readonly<Record<string, readonly ConformanceCase[]>> = {
  objects,
  names,
  lists,
  watches,
  errors: [...errors, ...faultySpecs],
  specs: [...containerSpecs, ...podSpecs, ...podChanges, ...workloadSpecs, ...networkSpecs, ...policySpecs],
  connections,
  malformed,
  kinds,
  patches,
  apply: applies,
  deletion,
  definitions: [...definitions, ...customObjects],
  discovery,
  access,
  admission,
  workloads: [...workloads, ...jobsAndEndpoints],
};
