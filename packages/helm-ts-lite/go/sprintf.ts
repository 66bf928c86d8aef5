import { Int } from "./int.ts";
import { formatValue } from "./print.ts";
import { formatArg, newSpec, type Spec } from "./printf.ts";
import { type GoValue, typeName } from "./values.ts";

/** Widths and precisions beyond this are refused by Go, too. */
const maxNumber = 1_000_000;

/** One run over a format. */
class Format {
  readonly #format: string;
  readonly #args: readonly GoValue[];
  #at = 0;
  #next = 0;
  #reordered = false;
  #goodIndex = true;
  #afterIndex = false;
  #out = "";

  constructor(format: string, args: readonly GoValue[]) {
    this.#format = format;
    this.#args = args;
  }

  run(): string {
    for (;;) {
      const percent = this.#format.indexOf("%", this.#at);
      if (percent < 0) break;
      this.#out += this.#format.slice(this.#at, percent);
      this.#at = percent + 1;
      this.#directive();
    }
    this.#out += this.#format.slice(this.#at);
    return this.#out + this.#extra();
  }

  #directive(): void {
    const spec = newSpec();
    this.#goodIndex = true;
    this.#afterIndex = false;
    this.#flags(spec);
    this.#index();
    this.#width(spec);
    if (this.#peek() === ".") this.#precision(spec);
    if (!this.#afterIndex) this.#index();
    const verb = String.fromCodePoint(this.#format.codePointAt(this.#at) ?? 0);
    if (this.#at >= this.#format.length) {
      this.#out += "%!(NOVERB)";
      return;
    }
    this.#at += verb.length;
    this.#verb(verb, spec);
  }

  #verb(verb: string, spec: Spec): void {
    if (verb === "%") this.#out += "%";
    else if (!this.#goodIndex) this.#out += `%!${verb}(BADINDEX)`;
    else if (this.#next >= this.#args.length) this.#out += `%!${verb}(MISSING)`;
    else {
      if (verb === "v") moveFlags(spec);
      this.#out += formatArg(this.#args[this.#next], verb, spec);
      this.#next++;
    }
  }

  #peek(): string {
    return this.#format.charAt(this.#at);
  }

  #flags(spec: Spec): void {
    for (; "+-# 0".includes(this.#peek()) && this.#peek() !== ""; this.#at++) {
      const flag = this.#peek();
      if (flag === "+") spec.plus = true;
      else if (flag === "-") spec.minus = true;
      else if (flag === "#") spec.sharp = true;
      else if (flag === " ") spec.space = true;
      else spec.zero = true;
    }
    if (spec.minus) spec.zero = false;
  }

  /** `[n]`: the argument to take next. */
  #index(): void {
    if (this.#peek() !== "[") return;
    this.#reordered = true;
    const close = this.#format.indexOf("]", this.#at);
    const number = close < 0 ? "" : this.#format.slice(this.#at + 1, close);
    const wanted = Number(number);
    if (/^\d+$/.test(number) && wanted >= 1 && wanted <= this.#args.length) {
      this.#next = wanted - 1;
      this.#afterIndex = true;
    } else {
      this.#goodIndex = false;
    }
    this.#at = close < 0 ? this.#at + 1 : close + 1;
  }

  #number(): number | undefined {
    const start = this.#at;
    while (this.#peek() >= "0" && this.#peek() <= "9" && this.#peek() !== "") this.#at++;
    const number = Number(this.#format.slice(start, this.#at));
    return this.#at > start && number <= maxNumber ? number : undefined;
  }

  #fromArg(): number | undefined {
    this.#at++;
    const arg = this.#args[this.#next];
    if (this.#next < this.#args.length) this.#next++;
    this.#afterIndex = false;
    const number = arg instanceof Int ? Number(arg.value) : undefined;
    return number !== undefined && Math.abs(number) <= maxNumber ? number : undefined;
  }

  #width(spec: Spec): void {
    if (this.#peek() !== "*") {
      spec.width = this.#number();
      if (this.#afterIndex && spec.width !== undefined) this.#goodIndex = false;
      return;
    }
    const width = this.#fromArg();
    if (width === undefined) this.#out += "%!(BADWIDTH)";
    else spec.width = Math.abs(width);
    if (width !== undefined && width < 0) {
      spec.minus = true;
      spec.zero = false;
    }
  }

  #precision(spec: Spec): void {
    this.#at++;
    if (this.#afterIndex) this.#goodIndex = false;
    this.#index();
    if (this.#peek() !== "*") {
      spec.precision = this.#number() ?? 0;
      return;
    }
    const precision = this.#fromArg();
    if (precision === undefined || precision < 0) this.#out += "%!(BADPREC)";
    else spec.precision = precision;
  }

  #extra(): string {
    if (this.#reordered || this.#next >= this.#args.length) return "";
    const rest = this.#args.slice(this.#next);
    return `%!(EXTRA ${rest.map(extraText).join(", ")})`;
  }
}

function extraText(value: GoValue): string {
  return value === null || value === undefined ? "<nil>" : `${typeName(value)}=${formatValue(value)}`;
}

function moveFlags(spec: Spec): void {
  spec.sharpV = spec.sharp;
  spec.plusV = spec.plus;
  spec.sharp = false;
  spec.plus = false;
}

/** Go's `fmt.Sprintf`. Mistakes in the format show in the text, as in Go. */
export function sprintf(format: string, args: readonly GoValue[]): string {
  return new Format(format, args).run();
}
