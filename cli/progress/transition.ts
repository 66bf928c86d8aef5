/** `kyma deploy`, `kyma undeploy`: one moment of a phase; the keys are a contract of `-o json`. */
export interface Transition {
  readonly step: string;
  readonly state: "started" | "running" | "done" | "failed";
  readonly message?: string;
  /** For example the module that the message is about. */
  readonly topic?: string;
  readonly elapsedSeconds: number;
}

export type Emit = (transition: Transition) => void;
