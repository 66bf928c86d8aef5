export { addKymaController, type KymaController } from "./controller.ts";
export type {
  AgentView,
  DescriptorSource,
  KymaControllerOptions,
  KymaSettings,
  RemoteClients,
  RemoteCluster,
  WebhookSync,
} from "./options.ts";
