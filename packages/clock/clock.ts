/** Where time comes from. Tests pass a fake one. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after the delay, or rejects with the signal's reason when it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after the delay; the returned function cancels it. Never keeps a process alive alone. */
  after(delayMs: number, callback: () => void): () => void;
}
