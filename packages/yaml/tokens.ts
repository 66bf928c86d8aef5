export type TokenType =
  | "streamEnd"
  | "directive"
  | "documentStart"
  | "documentEnd"
  | "blockSequenceStart"
  | "blockMappingStart"
  | "blockEnd"
  | "flowSequenceStart"
  | "flowSequenceEnd"
  | "flowMappingStart"
  | "flowMappingEnd"
  | "blockEntry"
  | "flowEntry"
  | "key"
  | "value"
  | "alias"
  | "anchor"
  | "tag"
  | "scalar";

export interface Token {
  readonly type: TokenType;
  /** Counted from 0. */
  readonly line: number;
  readonly offset: number;
  /** Text of a scalar, name of an anchor or alias, a tag as written. */
  readonly text: string;
  /** Of a scalar: written without quotes or block indicators. */
  readonly plain: boolean;
}

/** A syntax error in the words of libyaml. */
export class YamlProblem extends Error {
  override readonly name = "YamlProblem";
  readonly offset: number;
  /** As Go prints it: the line is often one less than a reader expects, and missing where it is zero. */
  readonly goText: string;

  constructor(problem: string, init: { readonly offset: number; readonly line: number }) {
    super(problem);
    this.offset = init.offset;
    this.goText = `yaml: ${init.line === 0 ? "" : `line ${init.line}: `}${problem}`;
  }
}
