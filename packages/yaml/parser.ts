import type { Composer } from "./compose.ts";
import { Scanner } from "./scanner.ts";
import { type Token, type TokenType, YamlProblem } from "./tokens.ts";

/** What a parser tells of a text, piece by piece. */
export type YamlEvents = Pick<
  Composer,
  "startDocument" | "endDocument" | "scalar" | "startList" | "startMap" | "end" | "alias"
>;

const defaultHandles: ReadonlyMap<string, string> = new Map([
  ["!", "!"],
  ["!!", "tag:yaml.org,2002:"],
]);

interface Properties {
  readonly anchor: string;
  readonly tag: string;
}

const noProperties: Properties = { anchor: "", tag: "" };

const startsDocument = new Set<TokenType>(["directive", "documentStart", "documentEnd", "streamEnd"]);
const endsBlockEntry = new Set<TokenType>(["blockEntry", "blockEnd"]);
const endsIndentless = new Set<TokenType>(["blockEntry", "key", "value", "blockEnd"]);
const endsBlockNode = new Set<TokenType>(["key", "value", "blockEnd"]);
const endsFlowKey = new Set<TokenType>(["value", "flowEntry", "flowSequenceEnd"]);
const endsFlowValue = new Set<TokenType>(["flowEntry", "flowSequenceEnd"]);
const endsFlowMapKey = new Set<TokenType>(["value", "flowEntry", "flowMappingEnd"]);
const endsFlowMapValue = new Set<TokenType>(["flowEntry", "flowMappingEnd"]);

/** Reads a text by libyaml's grammar and hands what it finds to a composer. */
export class Parser {
  readonly #scanner: Scanner;
  readonly #composer: YamlEvents;
  #handles: ReadonlyMap<string, string> = defaultHandles;
  #first = true;

  constructor(text: string, control: number, composer: YamlEvents) {
    this.#scanner = new Scanner(text, control);
    this.#composer = composer;
  }

  /** Reads the next document; false when there is none. */
  document(): boolean {
    while (!this.#first && this.#is("documentEnd")) this.#scanner.next();
    if (this.#is("streamEnd")) return false;
    const token = this.#scanner.peek();
    const implicit = this.#first && token.type !== "directive" && token.type !== "documentStart";
    this.#first = false;
    if (!implicit) this.#documentStart();
    this.#composer.startDocument();
    if (!implicit && startsDocument.has(this.#scanner.peek().type)) this.#empty(this.#scanner.peek());
    else this.#node(true, false);
    // An error in what follows comes before one in the values.
    this.#scanner.peek();
    this.#composer.endDocument();
    if (this.#is("documentEnd")) this.#scanner.next();
    return true;
  }

  #is(type: TokenType): boolean {
    return this.#scanner.peek().type === type;
  }

  #documentStart(): void {
    const handles = new Map(defaultHandles);
    while (this.#is("directive")) {
      const [name, handle, prefix] = this.#scanner.next().text.split(/[ \t]+/);
      if (name === "%TAG" && handle !== undefined && prefix !== undefined) handles.set(handle, prefix);
    }
    this.#handles = handles;
    const token = this.#scanner.peek();
    if (token.type !== "documentStart") throw problem("did not find expected <document start>", token);
    this.#scanner.next();
  }

  #empty(token: Token, { anchor, tag }: Properties = noProperties): void {
    this.#composer.scalar("", { plain: true, tag, anchor, offset: token.offset });
  }

  #node(block: boolean, indentless: boolean): void {
    const first = this.#scanner.peek();
    if (first.type === "alias") {
      this.#scanner.next();
      this.#composer.alias(first.text, first.offset);
      return;
    }
    const properties = first.type === "anchor" || first.type === "tag" ? this.#properties() : noProperties;
    const token = this.#scanner.peek();
    if (token.type === "scalar") this.#scalar(token, properties);
    else if (indentless && token.type === "blockEntry") this.#indentless(token, properties);
    else if (!this.#collection(token, block, properties)) this.#noContent(token, { first, block, properties });
  }

  #properties(): Properties {
    let anchor = "";
    let tag = "";
    for (;;) {
      const token = this.#scanner.peek();
      if (token.type === "anchor" && anchor === "") anchor = token.text;
      else if (token.type === "tag" && tag === "") tag = this.#fullTag(token);
      else return { anchor, tag };
      this.#scanner.next();
    }
  }

  #fullTag(token: Token): string {
    if (token.text.startsWith("!<")) return token.text.slice(2, -1);
    const [handle = "!"] = /^!(?:[\w-]*!)?/.exec(token.text) ?? [];
    const prefix = this.#handles.get(handle);
    if (prefix === undefined) throw problem("found undefined tag handle", token, token);
    return prefix + token.text.slice(handle.length);
  }

  #scalar(token: Token, { anchor, tag }: Properties): void {
    this.#scanner.next();
    this.#composer.scalar(token.text, { plain: token.plain, tag, anchor, offset: token.offset });
  }

  #collection(token: Token, block: boolean, { anchor }: Properties): boolean {
    if (token.type === "flowSequenceStart") this.#flowSequence(token, anchor);
    else if (token.type === "flowMappingStart") this.#flowMapping(token, anchor);
    else if (block && token.type === "blockSequenceStart") this.#blockSequence(token, anchor);
    else if (block && token.type === "blockMappingStart") this.#blockMapping(token, anchor);
    else return false;
    return true;
  }

  #noContent(token: Token, node: { first: Token; block: boolean; properties: Properties }): void {
    if (node.properties !== noProperties) this.#empty(token, node.properties);
    else throw problem("did not find expected node content", token, node.first);
  }

  #blockSequence(start: Token, anchor: string): void {
    this.#scanner.next();
    this.#composer.startList(anchor);
    while (!this.#is("blockEnd")) {
      const entry = this.#scanner.peek();
      if (entry.type !== "blockEntry") throw problem("did not find expected '-' indicator", entry, start);
      this.#scanner.next();
      if (endsBlockEntry.has(this.#scanner.peek().type)) this.#empty(entry);
      else this.#node(true, false);
    }
    this.#scanner.next();
    this.#composer.end(start.offset);
  }

  /** A list at the column of its key. */
  #indentless(start: Token, { anchor }: Properties): void {
    this.#composer.startList(anchor);
    while (this.#is("blockEntry")) {
      const entry = this.#scanner.next();
      if (endsIndentless.has(this.#scanner.peek().type)) this.#empty(entry);
      else this.#node(true, false);
    }
    this.#composer.end(start.offset);
  }

  #blockMapping(start: Token, anchor: string): void {
    this.#scanner.next();
    this.#composer.startMap(anchor);
    while (!this.#is("blockEnd")) {
      const key = this.#scanner.peek();
      if (key.type === "key") this.#blockPart(this.#scanner.next());
      else throw problem("did not find expected key", key, start);
      if (this.#is("value")) this.#blockPart(this.#scanner.next());
      else this.#empty(this.#scanner.peek());
    }
    this.#scanner.next();
    this.#composer.end(start.offset);
  }

  /** What follows the indicator of a key or value. */
  #blockPart(indicator: Token): void {
    if (endsBlockNode.has(this.#scanner.peek().type)) this.#empty(indicator);
    else this.#node(true, true);
  }

  #flowSequence(start: Token, anchor: string): void {
    this.#scanner.next();
    this.#composer.startList(anchor);
    for (let first = true; !this.#is("flowSequenceEnd"); first = false) {
      if (!first) this.#comma("did not find expected ',' or ']'", start);
      if (this.#is("key")) this.#pair(this.#scanner.next());
      else if (!this.#is("flowSequenceEnd")) this.#node(false, false);
    }
    this.#scanner.next();
    this.#composer.end(start.offset);
  }

  #comma(missing: string, start: Token): void {
    const token = this.#scanner.peek();
    if (token.type !== "flowEntry") throw problem(missing, token, start);
    this.#scanner.next();
  }

  /** A single pair in a flow list, which is a map of its own. */
  #pair(key: Token): void {
    this.#composer.startMap("");
    if (endsFlowKey.has(this.#scanner.peek().type)) this.#empty(key);
    else this.#node(false, false);
    this.#flowValue(endsFlowValue);
    this.#composer.end(key.offset);
  }

  #flowValue(ends: ReadonlySet<TokenType>): void {
    if (this.#is("value")) {
      const value = this.#scanner.next();
      if (ends.has(this.#scanner.peek().type)) this.#empty(value);
      else this.#node(false, false);
    } else {
      this.#empty(this.#scanner.peek());
    }
  }

  #flowMapping(start: Token, anchor: string): void {
    this.#scanner.next();
    this.#composer.startMap(anchor);
    for (let first = true; !this.#is("flowMappingEnd"); first = false) {
      if (!first) this.#comma("did not find expected ',' or '}'", start);
      if (!this.#is("flowMappingEnd")) this.#flowEntry();
    }
    this.#scanner.next();
    this.#composer.end(start.offset);
  }

  #flowEntry(): void {
    if (!this.#is("key")) {
      const token = this.#scanner.peek();
      this.#node(false, false);
      this.#empty(token);
      return;
    }
    const key = this.#scanner.next();
    if (endsFlowMapKey.has(this.#scanner.peek().type)) this.#empty(key);
    else this.#node(false, false);
    this.#flowValue(endsFlowMapValue);
  }
}

/** An error of the parser; unlike the scanner's, its line counts from 0 in Go. */
function problem(text: string, at: Token, context?: Token): YamlProblem {
  return new YamlProblem(text, { offset: at.offset, line: at.line === 0 ? (context?.line ?? 0) : at.line });
}
