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
          ? sasPairs.get(text.slice(start, end), equals - start)
          : readPair(text.slice(start, end), isNamed ? equals - start : -1),
      );
    }
    start = end + 1;
  }
  return new PairQuery(pairs, pairs.length < 2 ? undefined : repeatedIn(pairs));
}

/**
 * The fields of a SAS without its signature: its holder sends them with every request. The same text gives
 * the same pair, so the cache of checked tokens recognizes a token by its pairs without comparing their text.
 */
export const SAS_NAMES: ReadonlySet<string> = new Set("sv ss srt sr sp st se sip spr ses si".split(" "));
const SAS_NAME_MAX = 3;

/** Every field of every kind of SAS. */
const SAS_FIELDS: ReadonlySet<string> = new Set([
  ...SAS_NAMES,
  ..."sig tn sdd spk srk epk erk rscc rscd rsce rscl rsct srh srq".split(" "),
  ..."skoid sktid skt ske sks skv skdutid saoid suoid sduoid scid".split(" "),
]);

/**
 * Parameters that decide the caller, the operation or its subject. A repeated one is refused: authorization
 * might read the first value and the handler the second.
 */
const SINGLE_NAMES: ReadonlySet<string> = new Set([
  ...SAS_FIELDS,
  ..."comp restype api-version snapshot versionid sharesnapshot prevsnapshot prevsharesnapshot".split(" "),
  ..."copyid blockid popreceipt peekonly deletetype".split(" "),
]);

/** Up to so many names, comparing each with those before it costs less than a set. */
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

/** Pairs of SAS fields: the same text gives the same pair. Starts anew when it is full. */
class SasPairCache {
  readonly #pairs = new Map<string, Pair>();

  get(text: string, equals: number): Pair {
    const cached = this.#pairs.get(text);
    if (cached !== undefined) return cached;
    const pair = readPair(text, equals);
    if (SAS_NAMES.has(pair[0])) {
      if (this.#pairs.size >= LIMITS.seenPairsMax) this.#pairs.clear();
      this.#pairs.set(text, pair);
    }
    return pair;
  }
}

const sasPairs = new SasPairCache();

function readPair(text: string, equals: number): Pair {
  const name = decoded(equals < 0 ? text : text.slice(0, equals)).toLowerCase();
  return [name, equals < 0 ? "" : decodeValue(name, text.slice(equals + 1))];
}

/**
 * Go's clients (rclone among them) send a space as a plus sign, and sign it as a space. Signatures, block ids
 * and pop receipts are Base64, which has no spaces: a plus sign in them is one that a client did not encode.
 */
function decodeValue(name: string, text: string): string {
  const isPlain = !text.includes("+") || name === "sig" || name === "blockid" || name === "popreceipt";
  return decoded(isPlain ? text : text.replaceAll("+", " "));
}

/**
 * Decodes the percent signs of an address. ASCII by hand: a signature or a pop receipt has one or two of
 * them, and decodeURIComponent costs several times as much.
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
