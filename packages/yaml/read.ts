import { type Event, getScalarValue, parseEvents, YAMLException } from "js-yaml";
import { Composer, type YamlValue } from "./compose.ts";
import { yaml } from "./errors.ts";
import { defaultLimits, type YamlOptions } from "./options.ts";

/**
 * Reads the first document of a text; the others are not looked at beyond their syntax. An empty text is `null`.
 *
 * Throws `YAML_SYNTAX`, `YAML_VALUE` (each with line and column) or `YAML_LIMIT`.
 */
export function parseYaml(text: string, options: YamlOptions = {}): YamlValue {
  return parseYamlDocuments(text, options)[0] ?? null;
}

/** Reads all documents of a text in order; an empty document is `null`. Throws as {@link parseYaml}. */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): YamlValue[] {
  const limits = { ...defaultLimits, ...options.limits };
  const name = options.name ?? "YAML";
  if (text.length > limits.maxLength) throw yaml.LIMIT({ name, limit: "maxLength", max: limits.maxLength });
  const composer = new Composer(text, options);
  const open: ("document" | "node")[] = [];
  for (const event of readEvents(text, name, limits.maxDepth)) feed(composer, text, event, open);
  return composer.documents;
}

function readEvents(text: string, name: string, maxDepth: number): Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    if (error.reason.includes("nesting exceeded")) throw yaml.LIMIT({ name, limit: "maxDepth", max: maxDepth }, error);
    const { reason } = error;
    throw yaml.SYNTAX({
      name,
      line: line + 1,
      column: column + 1,
      reason,
      goText: `yaml: line ${line + 1}: ${reason}`,
    });
  }
}

const short: Readonly<Record<string, string>> = { "!!": "tag:yaml.org,2002:" };

function tagOf(text: string, event: { tagStart: number; tagEnd: number }): string {
  if (event.tagStart < 0) return "";
  const tag = text.slice(event.tagStart, event.tagEnd);
  if (tag.startsWith("!<")) return tag.slice(2, -1);
  return tag.startsWith("!!") ? `${short["!!"]}${tag.slice(2)}` : tag;
}

function anchorOf(text: string, event: { anchorStart: number; anchorEnd: number }): string {
  return event.anchorStart < 0 ? "" : text.slice(event.anchorStart, event.anchorEnd);
}

function feed(composer: Composer, text: string, event: Event, open: ("document" | "node")[]): void {
  switch (event.type) {
    case 1:
      open.push("document");
      composer.startDocument();
      break;
    case 2:
      open.push("node");
      composer.startList(anchorOf(text, event), event.start);
      break;
    case 3:
      open.push("node");
      composer.startMap(anchorOf(text, event), event.start);
      break;
    case 4:
      composer.scalar(getScalarValue(text, event), {
        plain: event.style === 1,
        tag: tagOf(text, event),
        anchor: anchorOf(text, event),
        offset: Math.max(0, event.valueStart),
      });
      break;
    case 5:
      composer.alias(text.slice(event.anchorStart, event.anchorEnd), event.anchorStart);
      break;
    case 6:
      if (open.pop() === "document") composer.endDocument();
      else composer.end(0);
      break;
  }
}
