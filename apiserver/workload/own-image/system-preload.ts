import type * as Net from "node:net";

/**
 * Runs in the process of a container before its program: gives the container ports of its own, and an end when ours
 * comes. What the program listens on, for example `:8080`, is the port of this machine that stands for it, on loopback; a
 * port that the container does not declare is any free one.
 *
 * Sent as text: it may use nothing from outside itself.
 */
function prepareContainer(): void {
  const { Server } = process.getBuiltinModule("node:net");
  const ports = JSON.parse(process.env["KYMA_CONTAINER_PORTS"] ?? "{}") as Record<string, number>;
  delete process.env["KYMA_CONTAINER_PORTS"];
  const listen = Reflect.get(Server.prototype, "listen") as (
    this: Net.Server,
    ...args: readonly unknown[]
  ) => Net.Server;
  const listenHere = function (this: Net.Server, ...args: readonly unknown[]): Net.Server {
    const [first, ...rest] = args;
    const options: Record<string, unknown> =
      typeof first === "object" && first !== null ? { ...first } : { port: first };
    const port = Number(options["port"]);
    if (options["path"] !== undefined || options["port"] === undefined || !Number.isInteger(port))
      return listen.call(this, ...args);
    const callback = rest.find((arg) => typeof arg === "function");
    const here = { ...options, port: ports[String(port)] ?? 0, host: "127.0.0.1" };
    return callback === undefined ? listen.call(this, here) : listen.call(this, here, callback);
  };
  Server.prototype.listen = listenHere as typeof Server.prototype.listen;
  // Standard input closes at the latest when the server is gone, however it went.
  process.stdin
    .resume()
    .once("end", () => process.kill(process.pid, "SIGTERM"))
    .unref();
}

/** The module to load first, as a URL. */
export const preloadUrl: string = `data:text/javascript,${encodeURIComponent(`(${prepareContainer.toString()})()`)}`;
