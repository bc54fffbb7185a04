import { LIMITS } from "../base/limits.ts";
import { Refusal } from "../base/refusals.ts";
import type { Query } from "./exchange.ts";

export type Pair = readonly [name: string, value: string];

const NO_QUERY: Query = { pairs: [], repeated: undefined, get: () => undefined, has: () => false };

export function readQuery(text: string): Query {
  if (text === "") return NO_QUERY;
  const pairs: Pair[] = [];
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf("&", start);
    if (end < 0) end = text.length;
    if (end > start) {
      const equals = text.indexOf("=", start);
      const isNamed = equals >= 0 && equals < end;
      const isShort = equals - start <= SAS_NAME_MAX && end - start <= LIMITS.seenPairBytesMax;
      pairs.push(
        isNamed && isShort
          ? readOften(text.slice(start, end), equals - start)
          : readPair(text.slice(start, end), isNamed ? equals - start : -1),
      );
    }
    start = end + 1;
  }
  return new PairQuery(pairs, pairs.length < 2 ? undefined : repeatedIn(pairs));
}

/**
 * The fields of a SAS but for its signature: its holder sends them with every request. The same text gives
 * the same pair, so whoever has seen a token can tell it by its pairs, without comparing what they say.
 */
export const SAS_NAMES: ReadonlySet<string> = new Set([
  "sv",
  "ss",
  "srt",
  "sr",
  "sp",
  "st",
  "se",
  "sip",
  "spr",
  "ses",
  "si",
]);
const SAS_NAME_MAX = 3;

/** Every field of a SAS of any kind: what is signed of it, or says what was signed. */
const SAS_FIELDS: ReadonlySet<string> = new Set([
  ...SAS_NAMES,
  ...["sig", "tn", "sdd", "spk", "srk", "epk", "erk", "rscc", "rscd", "rsce", "rscl", "rsct"],
  ...["skoid", "sktid", "skt", "ske", "sks", "skv", "skdutid", "saoid", "suoid", "sduoid", "scid"],
  ...["srh", "srq"],
]);

/**
 * Parameters that decide who is calling, which operation is meant, or what it is about. One that comes twice
 * could be read as one value by whoever judges the request and as the other by whoever carries it out, so it
 * is refused.
 */
const SINGLE_NAMES: ReadonlySet<string> = new Set([
  ...SAS_FIELDS,
  ...["comp", "restype", "api-version", "snapshot", "versionid", "sharesnapshot"],
  ...["prevsnapshot", "prevsharesnapshot", "copyid", "blockid", "popreceipt", "peekonly", "deletetype"],
]);

/** Up to here each name is compared with those before it, which costs less than to look them up in a set. */
const COMPARED_MAX = 16;

function repeatedIn(pairs: readonly Pair[]): readonly string[] | undefined {
  if (pairs.length > COMPARED_MAX) return repeatedInMany(pairs);
  let repeated: string[] | undefined;
  for (let at = 1; at < pairs.length; at++) {
    const name = pairs[at]![0];
    for (let before = 0; before < at; before++) {
      if (pairs[before]![0] !== name) continue;
      if (SINGLE_NAMES.has(name)) {
        repeated ??= [];
        repeated.push(name);
      }
      break;
    }
  }
  return repeated;
}

/** A hostile query must not cost the square of its size. */
function repeatedInMany(pairs: readonly Pair[]): readonly string[] | undefined {
  const before = new Set<string>();
  const repeated: string[] = [];
  for (const [name] of pairs) {
    if (before.has(name)) repeated.push(name);
    else if (SINGLE_NAMES.has(name)) before.add(name);
  }
  return repeated.length === 0 ? undefined : repeated;
}

export function isSasParameter(name: string): boolean {
  return SAS_FIELDS.has(name);
}

let seen = new Map<string, Pair>();

function readOften(text: string, equals: number): Pair {
  const known = seen.get(text);
  if (known !== undefined) return known;
  const pair = readPair(text, equals);
  if (SAS_NAMES.has(pair[0])) {
    if (seen.size >= LIMITS.seenPairsMax) seen = new Map();
    seen.set(text, pair);
  }
  return pair;
}

function readPair(text: string, equals: number): Pair {
  const name = decoded(equals < 0 ? text : text.slice(0, equals)).toLowerCase();
  return [name, equals < 0 ? "" : decodeValue(name, text.slice(equals + 1))];
}

/**
 * Go's clients (rclone among them) send a space as a plus sign, and sign it as the space they mean.
 * Signatures, block ids and pop receipts are Base64, which has no spaces: a plus sign in them is one that a
 * careless client left as it was.
 */
function decodeValue(name: string, text: string): string {
  const isPlain = !text.includes("+") || name === "sig" || name === "blockid" || name === "popreceipt";
  return decoded(isPlain ? text : text.replaceAll("+", " "));
}

/**
 * Text of an address with its percent signs read. Those of ASCII by hand: a Base64 text in an address (a
 * signature, a pop receipt) has one or two, and a call of the engine's function costs several times as much.
 */
export function decoded(text: string): string {
  let percent = text.indexOf("%");
  if (percent < 0) return text;
  let read = "";
  let from = 0;
  while (percent >= 0) {
    const code = 16 * hexDigit(text.charCodeAt(percent + 1)) + hexDigit(text.charCodeAt(percent + 2));
    if (!(code < 0x80)) return decodedUtf8(text);
    read += text.slice(from, percent) + String.fromCharCode(code);
    from = percent + 3;
    percent = text.indexOf("%", from);
  }
  return read + text.slice(from);
}

/** Its value, or NaN. */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

function decodedUtf8(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal("InvalidUri");
  }
}

class PairQuery implements Query {
  readonly pairs: readonly Pair[];
  readonly repeated: readonly string[] | undefined;

  constructor(pairs: readonly Pair[], repeated: readonly string[] | undefined) {
    this.pairs = pairs;
    this.repeated = repeated;
  }

  get(name: string): string | undefined {
    for (const pair of this.pairs) if (pair[0] === name) return pair[1];
    const lower = name.toLowerCase();
    return lower === name ? undefined : this.get(lower);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }
}
