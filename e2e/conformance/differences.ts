/**
 * Answers of the embedded server that differ from the recorded ones on purpose, by topic and case: why.
 * The case still runs, against the answers beside it in `answers/embedded/`.
 */
export const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {};
