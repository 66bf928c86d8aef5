/** One thing wrong with an object: the field as a path and what to do about it. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

/** A problem where a text that must say something is missing or empty. */
export function filled(field: string, value: string | undefined): readonly Problem[] {
  return value ? [] : [{ field, message: "is required" }];
}
