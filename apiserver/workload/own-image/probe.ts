import { connect } from "node:net";
import { textOf } from "@kyma-operators/errors";
import type { Clock } from "@kyma-operators/kube";
import { Agent, request } from "undici";
import { asText, type Fields, isFields, listAt, textAt } from "../../resources/kinds/edit.ts";
import { numberAt } from "../pod-state.ts";

/** The container that is asked. */
export interface ProbeTarget {
  readonly container: Fields;
  /** Ports of this machine by port of the container. */
  readonly hostPorts: Readonly<Record<string, number>>;
}

/**
 * Asks a container again and again, as its probe says, until it is stopped.
 *
 * `onResult` is told when the answers turn: true after `successThreshold` good ones, false after `failureThreshold` bad
 * ones, with what was wrong.
 */
export function runProbe(
  probe: Fields,
  target: ProbeTarget,
  { clock, onResult }: { readonly clock: Clock; readonly onResult: (passed: boolean, why: string) => void },
): () => void {
  const periodMs = numberAt(probe, 10, "periodSeconds") * 1000;
  const counter = countResults(probe, onResult);
  let stopped = false;
  let cancel = (): void => undefined;
  const ask = async (): Promise<void> => {
    const problem = await askOnce(probe, target);
    if (stopped) return;
    cancel = clock.after(periodMs, () => void ask());
    counter(problem);
  };
  cancel = clock.after(numberAt(probe, 0, "initialDelaySeconds") * 1000, () => void ask());
  return () => {
    stopped = true;
    cancel();
  };
}

function countResults(
  probe: Fields,
  onResult: (passed: boolean, why: string) => void,
): (problem: string | undefined) => void {
  const needed = { good: numberAt(probe, 1, "successThreshold"), bad: numberAt(probe, 3, "failureThreshold") };
  let current: "good" | "bad" | undefined;
  let times = 0;
  return (problem) => {
    const next = problem === undefined ? "good" : "bad";
    times = next === current ? times + 1 : 1;
    current = next;
    if (times === needed[next]) onResult(next === "good", problem ?? "");
  };
}

const insecure = new Agent({ connect: { rejectUnauthorized: false } });

/** Asks once; answers what is wrong, or `undefined`. */
export async function askOnce(probe: Fields, target: ProbeTarget): Promise<string | undefined> {
  const timeoutMs = numberAt(probe, 1, "timeoutSeconds") * 1000;
  try {
    if (isFields(probe.httpGet)) return await askHttp(probe.httpGet, target, timeoutMs);
    if (isFields(probe.tcpSocket)) return await askTcp(hostPort(probe.tcpSocket, target), timeoutMs);
    return "only httpGet and tcpSocket probes can be asked of a process";
  } catch (error) {
    return textOf(error);
  }
}

function hostPort({ port }: Fields, { container, hostPorts }: ProbeTarget): number {
  const named = listAt(container, "ports").find(({ name }) => name === port)?.containerPort;
  const found = hostPorts[asText(named ?? port)];
  if (found === undefined) throw new Error(`port ${asText(port)} is none of the container's ports`);
  return found;
}

async function askHttp(action: Fields, target: ProbeTarget, timeoutMs: number): Promise<string | undefined> {
  const scheme = asText(action.scheme ?? "HTTP").toLowerCase();
  const headers = listAt(action, "httpHeaders").map(({ name, value }) => [asText(name), asText(value)] as const);
  const { statusCode, body } = await request(
    `${scheme}://127.0.0.1:${hostPort(action, target)}${textAt(action, "path") || "/"}`,
    {
      dispatcher: insecure,
      headers: { "user-agent": "kube-probe/1.36", ...Object.fromEntries(headers) },
      signal: AbortSignal.timeout(timeoutMs),
    },
  );
  await body.dump();
  return statusCode >= 200 && statusCode < 400 ? undefined : `HTTP probe failed with statuscode: ${statusCode}`;
}

function askTcp(port: number, timeoutMs: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: timeoutMs });
    const end = (problem: string | undefined): void => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end(undefined));
    socket.once("timeout", () => end("i/o timeout"));
    socket.once("error", (error) => end(error.message));
  });
}
