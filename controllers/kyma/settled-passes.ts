/**
 * Which Kymas have nothing to do, and what that was found out from.
 *
 * Inputs are compared by identity: stores give the same object until it changes. Only ever a reason to do nothing; when
 * it is lost, the next pass does everything again.
 */
export class SettledPasses {
  readonly #inputs = new Map<string, readonly unknown[]>();

  /** True when the last pass with the very same inputs had nothing to do. */
  has(kyma: string, inputs: readonly unknown[]): boolean {
    const known = this.#inputs.get(kyma);
    return known?.length === inputs.length && known.every((input, index) => input === inputs[index]);
  }

  keep(kyma: string, inputs: readonly unknown[]): void {
    this.#inputs.set(kyma, inputs);
  }

  drop(kyma: string): void {
    this.#inputs.delete(kyma);
  }
}
