export { addKymaController, type KymaController } from "./controller.ts";
export type {
  DescriptorSource,
  KymaControllerOptions,
  KymaSettings,
  RemoteClients,
  RemoteCluster,
  WebhookState,
  WebhookSync,
} from "./options.ts";
