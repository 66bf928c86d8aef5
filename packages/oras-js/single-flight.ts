interface Flight<V> {
  readonly result: Promise<V>;
  readonly abort: AbortController;
  waiting: number;
}

/**
 * Lets callers that want the same thing at the same time share one run.
 *
 * A run is aborted only when nobody waits for it any more. Nothing is remembered after it has ended.
 */
export class SingleFlight<K, V> {
  readonly #flights = new Map<K, Flight<V>>();

  /** Joins the run of `key`, or starts it. Rejects at once when the caller's own signal aborts. */
  async run(key: K, start: (signal: AbortSignal) => Promise<V>, signal?: AbortSignal): Promise<V> {
    signal?.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#start(key, start);
    flight.waiting += 1;
    try {
      return await (signal === undefined ? flight.result : orAborted(flight.result, signal));
    } finally {
      flight.waiting -= 1;
      if (flight.waiting === 0) {
        // The next caller must not join a run that is being given up.
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
        flight.abort.abort();
      }
    }
  }

  #start(key: K, start: (signal: AbortSignal) => Promise<V>): Flight<V> {
    const abort = new AbortController();
    const result = start(abort.signal);
    result.catch(() => undefined); // each waiter gets the error; a run without waiters must not end the process
    const flight: Flight<V> = { result, abort, waiting: 0 };
    this.#flights.set(key, flight);
    return flight;
  }
}

function orAborted<V>(result: Promise<V>, signal: AbortSignal): Promise<V> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
