import type { TransportRequest } from "@kyma-operators/kube";
import type { FaultPlan, RequestFault } from "./faults.ts";

/** An API server that answers 500 to what the pattern matches, method and path together, while a test says so. */
export class Refusals implements FaultPlan {
  refused: RegExp | undefined;

  request({ method, path }: TransportRequest): RequestFault | undefined {
    return this.refused?.test(`${method} ${path}`) === true ? { kind: "answer", status: 500 } : undefined;
  }
}
