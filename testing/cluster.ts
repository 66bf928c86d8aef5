import {
  type AnyObject,
  type Client,
  type Clock,
  createClient,
  type Resource,
  transportFrom,
} from "@kyma-operators/kube";
import { type ApiServer, type ApiServerOptions, type RequestRecord, startApiServer } from "../apiserver/index.ts";

/** An API server without a socket, with a client of its administrator and a record of what was asked. */
export interface TestCluster {
  readonly server: ApiServer;
  /** Its requests are not in {@link requests}: a test's own steps are not what it observes. */
  readonly client: Client;
  /** Every request of other clients, in order. */
  readonly requests: RequestRecord[];
  /** The writes among them. */
  writes(): readonly RequestRecord[];
  /** A client whose requests are recorded, as the code under test uses it. */
  clientFor(userAgent: string): Client;
  /** Applies objects one after another, each by its own kind; gives them as stored. */
  apply(...objects: readonly AnyObject[]): Promise<readonly AnyObject[]>;
  /** Everything of a kind, in all namespaces. */
  list(apiVersion: string, kind: string): Promise<readonly AnyObject[]>;
  resource(apiVersion: string, kind: string): Promise<Resource>;
  stop(): Promise<void>;
}

const testUserAgent = "test";
const writeVerbs = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Starts a cluster in this process. Nothing outlives `stop`. */
export async function startCluster(options: ApiServerOptions & { readonly clock: Clock }): Promise<TestCluster> {
  const requests: RequestRecord[] = [];
  const { clock } = options;
  const server = await startApiServer({
    listen: false,
    ...options,
    onRequest: (record) => {
      if (record.userAgent !== testUserAgent) requests.push(record);
      options.onRequest?.(record);
    },
  });
  const clientFor = (userAgent: string): Client =>
    createClient({ transport: transportFrom(server.transport), clock, userAgent });
  const client = clientFor(testUserAgent);
  const resource = (apiVersion: string, kind: string): Promise<Resource> => client.resourceFor(apiVersion, kind);
  return {
    server,
    client,
    requests,
    clientFor,
    resource,
    writes: () => requests.filter(({ verb, dryRun }) => writeVerbs.has(verb) && !dryRun),
    async apply(...objects) {
      const stored: AnyObject[] = [];
      for (const object of objects) {
        const kind = await resource(object.apiVersion, object.kind);
        stored.push(await client.apply(kind, object, { fieldManager: testUserAgent, force: true }));
      }
      return stored;
    },
    list: async (apiVersion, kind) => (await client.list(await resource(apiVersion, kind))).items,
    stop: () => server.stop(),
  };
}
