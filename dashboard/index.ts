export { isLoopback } from "./access.ts";
export { permissions } from "./permissions.ts";
export { type Dashboard, type DashboardOptions, serveDashboard } from "./server.ts";
export { byRegarding, type ClusterEvent, regardingOf, type Sources, shrinkEvent } from "./sources.ts";
export { readToken } from "./system-token.ts";
