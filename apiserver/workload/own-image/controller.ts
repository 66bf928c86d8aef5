import type { AnyObject } from "@kyma-operators/kube";
import { formatKubeconfig } from "../../auth/kubeconfig.ts";
import type { TokenSigner } from "../../auth/tokens.ts";
import { issuer } from "../../auth/tokens.ts";
import { KeyLoop } from "../../controllers/loop.ts";
import type { Objects } from "../../controllers/objects.ts";
import type { OwnImageOptions } from "../../options.ts";
import { type Fields, listAt, textAt, valueAt } from "../../resources/kinds/edit.ts";
import { isFinished, isTerminating } from "../pod-state.ts";
import { keepTimes } from "../pod-status.ts";
import { addresses, nodeName } from "../pods.ts";
import { isOfOwnImage, podFolder } from "./is-of-own-image.ts";
import { removeFolder } from "./mounts-files.ts";
import { PodRun } from "./pod-run.ts";
import { statusOf } from "./pod-run-status.ts";
import { hostPortsAnnotation } from "./resolve-service.ts";

const pods = "/pods";
/** Who follows a log still reads its end. */
const logGraceMs = 2_000;
/** When the server stops, nobody waits longer for its Pods. */
const stopGraceMs = 5_000;

/** What processes need to know of the server they belong to. */
export interface OwnImageContext {
  readonly options: OwnImageOptions;
  readonly signer: TokenSigner;
  readonly url: string;
  readonly caCertificate: string;
}

/** Runs the Pods of our own image as processes, until the returned function is called, which ends them. */
export function runOwnImagePods(objects: Objects, context: OwnImageContext): () => Promise<void> {
  const kubelet = new Kubelet(objects, context);
  return () => kubelet.stop();
}

class Kubelet {
  readonly #objects: Objects;
  readonly #context: OwnImageContext;
  readonly #loop: KeyLoop;
  readonly #runs = new Map<string, PodRun>();
  readonly #nextAddress = addresses("10.245");
  readonly #ending = new Set<PodRun>();
  readonly #unsubscribe: () => void;

  constructor(objects: Objects, context: OwnImageContext) {
    this.#objects = objects;
    this.#context = context;
    this.#loop = new KeyLoop(objects.core, (key) => this.#sync(key));
    this.#unsubscribe = objects.core.store.subscribeAll(({ collection, namespace, name }) => {
      if (collection === pods) this.#loop.add(`${namespace}/${name}`);
    });
    for (const { metadata } of objects.list(pods)) this.#loop.add(`${metadata.namespace}/${metadata.name}`);
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#loop.stop();
    await Promise.all([...this.#runs.values()].map((run) => run.stop(stopGraceMs)));
  }

  async #sync(key: string): Promise<void> {
    const [namespace = "", name = ""] = key.split("/");
    const pod = this.#objects.get(pods, namespace, name);
    const run = this.#runs.get(key);
    if (run !== undefined && run.uid !== pod?.metadata.uid) this.#end(key, run, 0);
    else if (pod !== undefined && isOfOwnImage(pod, this.#context.options)) await this.#reconcile(key, pod, run);
  }

  async #reconcile(key: string, pod: AnyObject, run: PodRun | undefined): Promise<void> {
    if (isTerminating(pod)) await this.#terminate(key, pod, run);
    else if (!isFinished(pod)) await this.#keep(key, pod, run ?? this.#start(key, pod));
  }

  async #terminate(key: string, pod: AnyObject, run: PodRun | undefined): Promise<void> {
    const { deletionGracePeriodSeconds = 0 } = pod.metadata;
    if (run !== undefined) {
      this.#end(key, run, deletionGracePeriodSeconds * 1000);
      return;
    }
    if (deletionGracePeriodSeconds > 0) await this.#objects.delete(pods, pod, { gracePeriodSeconds: 0 });
    this.#removeLater(podFolder(this.#context.options, pod));
  }

  /** Who follows the log reads its last lines first. */
  #removeLater(folder: string): void {
    this.#objects.core.clock.after(logGraceMs, () => void removeFolder(folder));
  }

  /** Looks at the key again when the processes are gone. A Pod that vanished at once leaves no other trace. */
  #end(key: string, run: PodRun, graceMs: number): void {
    if (this.#ending.has(run)) return;
    this.#ending.add(run);
    void run.stop(graceMs).then(() => {
      this.#ending.delete(run);
      if (this.#runs.get(key) === run) this.#runs.delete(key);
      this.#removeLater(run.folder);
      this.#loop.add(key);
    });
  }

  #start(key: string, pod: AnyObject): PodRun {
    const { options, url, caCertificate } = this.#context;
    const token = this.#tokenFor(pod);
    const user = textAt(pod, "spec", "serviceAccountName");
    const { script, workingDir } = options;
    const run = new PodRun({
      pod,
      podIP: textAt(pod, "status", "podIP") || this.#nextAddress(),
      script,
      workingDir,
      folder: podFolder(options, pod),
      kubeconfig: formatKubeconfig(url, caCertificate, { user, credentials: { token } }),
      token,
      lookup: (collection, name) => this.#objects.get(collection, pod.metadata.namespace ?? "", name),
      clock: this.#objects.core.clock,
      onChange: () => this.#loop.add(key),
    });
    this.#runs.set(key, run);
    void run.start();
    return run;
  }

  /** A token of the Pod's service account that dies with the Pod. */
  #tokenFor({ metadata: { namespace = "", name = "", uid = "" }, spec }: AnyObject): string {
    const account = textAt(spec, "serviceAccountName");
    const accountUid = textAt(this.#objects.get("/serviceaccounts", namespace, account), "metadata", "uid");
    const serviceAccount = { name: account, uid: accountUid };
    const claims = { namespace, serviceAccount, audiences: [issuer], bound: { kind: "Pod" as const, name, uid } };
    return this.#context.signer.issue(claims, this.#objects.now);
  }

  async #keep(key: string, pod: AnyObject, run: PodRun): Promise<void> {
    const hostPorts = JSON.stringify(run.hostPorts);
    await this.#objects.change(pods, pod, (current) => {
      const bound = valueAt(current, "spec", "nodeName") === nodeName;
      const known = current.metadata.annotations?.[hostPortsAnnotation] === hostPorts;
      if (bound && known) return current;
      const annotations = { ...current.metadata.annotations, [hostPortsAnnotation]: hostPorts };
      const spec = { ...(current.spec as Fields), nodeName };
      return { ...current, metadata: { ...current.metadata, annotations }, spec };
    });
    if (this.#runs.get(key) !== run) return;
    await this.#objects.changeStatus(pods, pod, (current) => {
      const before = current.status as Fields | undefined;
      const status = statusOf(current, run, this.#objects.now);
      return { ...before, ...status, conditions: keepTimes(status.conditions, listAt(before, "conditions")) };
    });
  }
}
