export { type AgentInput, buildAgent } from "./agent-objects.ts";
export { buildCertificate, type CertificateSettings, type CertManagement } from "./certificate.ts";
export { gatewayAddress, type KcpAddress } from "./gateway-address.ts";
export type { Gateway } from "./istio.ts";
export { buildVirtualService } from "./virtual-service.ts";
