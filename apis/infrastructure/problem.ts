/** One thing wrong with an object: the field as a path and what to do about it. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}
