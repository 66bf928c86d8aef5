import { helm } from "../errors.ts";
import { engineName } from "../functions/helm.ts";
import { Regex } from "../go/regex.ts";
import type { GoValue } from "../go/values.ts";
import { weigh } from "../go/weigh.ts";
import type { HelmLimits } from "../limits.ts";
import type { Functions } from "../template/func.ts";
import { parseText } from "../template/set.ts";
import type { FunctionRuntime, LookupKey, ParsedText, Runtime, State } from "../template/state.ts";
import type { Compat } from "../version.ts";

/** Nested includes of one name beyond this are refused, as in helm. */
const maxIncludes = 1_000;

/** What a rendering is allowed and given. */
export interface RuntimeOptions {
  readonly chart: string;
  readonly limits: HelmLimits;
  readonly strict: boolean;
  readonly functions: Functions;
  readonly lookup: (key: LookupKey) => GoValue;
  readonly now: () => number;
  readonly zone: string;
  readonly crypto: boolean;
  readonly compat: Compat;
  /** Texts that `tpl` has parsed before; shared by the renders of one chart. */
  readonly texts: Map<string, ParsedText>;
}

/** Texts of `tpl` that are kept parsed: how many, and how long. */
const maxTexts = 1_000;
const longestText = 1_000;
/** What a token takes once it is parsed and compiled, as the weights of values. */
const tokenWeight = 128;

/** The budget of one rendering. */
export class RenderRuntime implements Runtime, FunctionRuntime {
  readonly strict: boolean;
  readonly functions: FunctionRuntime = this;
  readonly now: () => number;
  readonly zone: string;
  readonly crypto: boolean;
  readonly compat: Compat;
  readonly #options: RuntimeOptions;
  readonly #includes = new Map<string, number>();
  readonly #regexes = new Map<string, Regex | string>();
  #steps = 0;
  #produced = 0;
  #depth = 0;
  #state: State | undefined;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.strict = options.strict;
    this.now = options.now;
    this.zone = options.zone;
    this.crypto = options.crypto;
    this.compat = options.compat;
  }

  /** Tells of the file that is rendered from now on, which errors name. */
  starts(state: State): void {
    this.#state = state;
  }

  /** Steps taken so far; the caller decides by it when to let others run. */
  get steps(): number {
    return this.#steps;
  }

  step(): void {
    if (++this.#steps > this.#options.limits.maxSteps) throw this.#limit("maxSteps");
  }

  produced(length: number): void {
    this.#produced += length;
    if (this.#produced > this.#options.limits.maxOutputLength) throw this.#limit("maxOutputLength");
  }

  enter(): void {
    if (++this.#depth > this.#options.limits.maxTemplateDepth) throw this.#limit("maxTemplateDepth");
  }

  /** The error of a template that nests deeper than the stack allows. */
  tooDeep(): Error {
    return this.#limit("maxTemplateDepth");
  }

  /** The error of a text that is longer than JavaScript allows. */
  tooLong(): Error {
    return this.#limit("maxValueLength");
  }

  mayEnter(): boolean {
    return this.#depth < this.#options.limits.maxTemplateDepth;
  }

  leave(): void {
    this.#depth--;
  }

  charge(size: number): void {
    this.#visit(size);
    this.produced(size);
  }

  traverse(value: GoValue): void {
    this.#visit(weigh(value, this.#options.limits.maxValueLength));
  }

  /** Going through a large value is work, even if nothing of it is printed. */
  #visit(size: number): void {
    if (size > this.#options.limits.maxValueLength) throw this.tooLong();
    this.work(size / 1_024);
  }

  work(steps: number): void {
    this.#steps += Math.floor(steps);
    this.step();
  }

  regex(pattern: string): Regex | string {
    const known = this.#regexes.get(pattern);
    if (known !== undefined) return known;
    const regex = Regex.compile(pattern);
    this.#regexes.set(pattern, regex);
    return regex;
  }

  parse(source: string): ParsedText {
    const { texts, functions } = this.#options;
    const known = texts.get(source);
    if (known !== undefined) return known;
    const parsed = parseText({ file: engineName, source }, functions, () => this.produced(tokenWeight));
    if (texts.size >= maxTexts) texts.clear();
    if (source.length <= longestText) texts.set(source, parsed);
    return parsed;
  }

  enterInclude(name: string): (() => void) | undefined {
    const count = this.#includes.get(name) ?? 0;
    if (count > maxIncludes) return undefined;
    this.#includes.set(name, count + 1);
    return () => this.#includes.set(name, count);
  }

  lookup(key: LookupKey): GoValue {
    return this.#options.lookup(key);
  }

  #limit(limit: keyof HelmLimits): Error {
    const { chart, limits } = this.#options;
    return helm.LIMIT({ chart, limit, max: limits[limit], place: this.#state?.location });
  }
}
