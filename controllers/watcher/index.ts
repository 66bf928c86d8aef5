export { type AgentOptions, createAgent, type WatcherAgent } from "./agent/agent.ts";
export { type AgentSettings, agentSettings } from "./agent/settings.ts";
export { type AgentInput, buildAgent } from "./agent-objects.ts";
export { buildCertificate, type CertificateSettings, type CertManagement } from "./certificate.ts";
export { addWatcherControllers, type WatcherOptions, type WatcherParts } from "./controller.ts";
export { gatewayAddress, type KcpAddress } from "./gateway-address.ts";
export { type Gateway, gateways } from "./istio.ts";
export type { WatcherSettings } from "./options.ts";
export { buildVirtualService } from "./virtual-service.ts";
