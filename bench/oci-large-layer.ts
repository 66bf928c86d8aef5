/** `oci-large-layer.ts HOST DIGEST SIZE FOLDER`: pulls one blob through the store and reports how far memory grew. */
import { ContentStore, createDirectory, createRegistryClient, parseRepository } from "oras-js";

const [host = "", digest = "", size = "0", folder = ""] = process.argv.slice(2);
const client = createRegistryClient({ plainHttp: "loopback" });
const store = new ContentStore({ directory: createDirectory(folder), clock: Date });
const repository = parseRepository(`${host}/modules`);

// the first request loads code and opens a connection; neither belongs to the layer
await client.hasBlob(repository, digest);
globalThis.gc?.();

const before = process.memoryUsage().rss;
let peak = before;
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 2);
const target = { digest, size: Number(size) };
const bytes = await store.get(target, (signal) => client.openBlob(repository, target, { signal }));
peak = Math.max(peak, process.memoryUsage().rss);
clearInterval(timer);
await client.close();
process.send?.({ growthBytes: bytes.length === target.size ? peak - before : Number.NaN });
process.disconnect?.();
