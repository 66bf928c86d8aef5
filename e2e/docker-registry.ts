import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hash } from "bcryptjs";

/** A registry of another make that runs for a test. */
export interface ForeignRegistry {
  readonly url: string;
  readonly host: string;
  stop(): Promise<void>;
}

/** Of the Debian package of the same name. */
const program = "docker-registry";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function configOf(folder: string, port: number, withUsers: boolean): string {
  const auth = withUsers ? ["auth:", "  htpasswd:", "    realm: test", `    path: ${folder}/htpasswd`] : [];
  return [
    "version: 0.1",
    "log: {level: error}",
    "storage:",
    `  filesystem: {rootdirectory: ${folder}/data}`,
    "  delete: {enabled: true}",
    "http:",
    `  addr: 127.0.0.1:${port}`,
    "  secret: only-for-this-test",
    ...auth,
  ].join("\n");
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/v2/`).then(
    ({ status }) => status === 200 || status === 401,
    () => false,
  );
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = new Error(`${program} cannot be started, install the Debian package of this name: ${error.message}`);
  });
  for (let tries = 0; tries < 200; tries += 1) {
    if (failure !== undefined) throw failure;
    if (await answers(url)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`docker-registry does not answer on ${url}`);
}

/** Starts Debian's `docker-registry` on a free loopback port, with its data in a folder of its own. */
export async function startDockerRegistry(users: Readonly<Record<string, string>> = {}): Promise<ForeignRegistry> {
  const folder = await mkdtemp(join(tmpdir(), "docker-registry-"));
  const port = await freePort();
  const lines = await Promise.all(
    Object.entries(users).map(async ([user, password]) => `${user}:${await hash(password, 4)}`),
  );
  await writeFile(join(folder, "htpasswd"), lines.join("\n"));
  await writeFile(join(folder, "config.yml"), configOf(folder, port, lines.length > 0));
  const child = spawn(program, ["serve", join(folder, "config.yml")], { stdio: "ignore" });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(url, child);
  return {
    url,
    host: `127.0.0.1:${port}`,
    stop: async () => {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      const gone = hasEnded || new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await gone;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
