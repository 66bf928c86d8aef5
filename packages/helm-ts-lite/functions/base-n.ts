interface Alphabet {
  readonly name: string;
  readonly chars: string;
  readonly bits: number;
  /** Characters of one full group. */
  readonly group: number;
}

const base64: Alphabet = {
  name: "base64",
  chars: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  bits: 6,
  group: 4,
};
const base32: Alphabet = { name: "base32", chars: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: 8 };

/** How many characters of a group may stand before its padding. */
const lengths: Readonly<Record<string, readonly number[]>> = { base64: [2, 3], base32: [2, 4, 5, 7] };

/** The characters that count, and where they stand: line ends are skipped. */
interface Kept {
  readonly text: string;
  readonly offsets: readonly number[];
  /** How many of them come before the padding. */
  readonly body: number;
}

function keptOf(text: string): Kept {
  const offsets = Array.from(text, (_char, at) => at).filter((at) => text[at] !== "\n" && text[at] !== "\r");
  const pad = offsets.findIndex((at) => text[at] === "=");
  return { text, offsets, body: pad < 0 ? offsets.length : pad };
}

/** The offset of the first character that is wrong, or undefined. */
function badOffset(text: string, alphabet: Alphabet): number | undefined {
  const kept = keptOf(text);
  const bad = kept.offsets.slice(0, kept.body).find((at) => !alphabet.chars.includes(text.charAt(at)));
  if (bad !== undefined) return bad;
  return kept.body === kept.offsets.length ? badUnpadded(kept, alphabet) : badPadding(kept, alphabet);
}

function badUnpadded({ text, body }: Kept, alphabet: Alphabet): number | undefined {
  const rest = body % alphabet.group;
  if (rest === 0) return undefined;
  return alphabet.name === "base32" ? text.length : text.length - rest;
}

function badPadding({ text, offsets, body }: Kept, alphabet: Alphabet): number | undefined {
  const rest = body % alphabet.group;
  if (!(lengths[alphabet.name] ?? []).includes(rest)) return offsets[body];
  const wanted = body - rest + alphabet.group;
  for (let index = body; index < wanted; index++) {
    const at = offsets[index];
    if (at === undefined || text[at] !== "=") return at ?? text.length;
  }
  return offsets[wanted];
}

function decode(text: string, alphabet: Alphabet): Uint8Array | string {
  const bad = badOffset(text, alphabet);
  if (bad !== undefined) return `illegal ${alphabet.name} data at input byte ${bad}`;
  const bytes: number[] = [];
  let buffer = 0;
  let held = 0;
  for (const char of text.replace(/[\r\n=]/g, "")) {
    buffer = ((buffer << alphabet.bits) | alphabet.chars.indexOf(char)) & 0xffff;
    held += alphabet.bits;
    if (held < 8) continue;
    held -= 8;
    bytes.push((buffer >> held) & 0xff);
  }
  return Uint8Array.from(bytes);
}

/** Decodes standard base64 with padding; a text in the result is Go's error. */
export function base64Decode(text: string): Uint8Array | string {
  return decode(text, base64);
}

/** Decodes standard base32 with padding; a text in the result is Go's error. */
export function base32Decode(text: string): Uint8Array | string {
  return decode(text, base32);
}

export function base32Encode(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let held = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    held += 8;
    while (held >= 5) {
      held -= 5;
      text += base32.chars.charAt((buffer >> held) & 31);
    }
  }
  if (held > 0) text += base32.chars.charAt((buffer << (5 - held)) & 31);
  return text.padEnd(Math.ceil(text.length / 8) * 8, "=");
}
