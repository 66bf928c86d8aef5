export { ApiError, apiError, type FieldProblem, fieldProblem, type StatusCause, type Subject } from "./api-error.ts";
export type {
  ApiServer,
  ApiServerOptions,
  Extension,
  OwnImageOptions,
  RequestRecord,
  SubresourceRequest,
  Transport,
  TransportRequest,
  TransportResponse,
  UserInfo,
  WorkloadOptions,
  Write,
} from "./options.ts";
export { startApiServer } from "./server.ts";
export { delayAnnotation, type Simulation, simulateAnnotation } from "./workload/simulation.ts";
