import { Refusal } from "../../base/refusals.ts";
import type { Headers, Query } from "../exchange.ts";

/**
 * The canonical forms that Shared Key signs. This runs for every request, so it goes over the headers once,
 * sorts in scratch arrays that are kept, and leaves all leniency to the second look that a mismatch gets.
 * The scratch arrays are safe because nothing here waits.
 */
const names: string[] = [];
const pairs: (readonly [name: string, value: string])[] = [];
/** Up to here sorting by insertion is fastest; past it a hostile request must not cost the square of its size. */
const INSERTION_MAX = 16;
/** Since this version an x-ms- header without a value is signed; before, it was left out. */
const EMPTY_HEADERS_SIGNED_SINCE = "2016-05-31";

/** The x-ms- header names by character code. Good until the next call. */
export function signedHeaderNames(headers: Headers): string[] {
  let count = 0;
  names.length = 0;
  for (const name in headers) {
    if (name.charCodeAt(0) !== 0x78 || !name.startsWith("x-ms-")) continue;
    let at = count++;
    if (count > INSERTION_MAX) {
      names.push(name);
      continue;
    }
    while (at > 0 && names[at - 1]! > name) {
      names[at] = names[at - 1]!;
      at--;
    }
    names[at] = name;
  }
  if (count > INSERTION_MAX) names.sort();
  return names;
}

/** `name:value` and a line feed for each of the names. A request without a version follows the current rules. */
export function canonicalHeaders(headers: Headers, ordered: readonly string[], version: string): string {
  let text = "";
  const keepsEmpty = version >= EMPTY_HEADERS_SIGNED_SINCE || version === "";
  for (let at = 0; at < ordered.length; at++) {
    const name = ordered[at]!;
    const value = headers[name];
    if (value === undefined || (value === "" && !keepsEmpty)) continue;
    text += `${name}:${value}\n`;
  }
  return text;
}

/** Every query parameter on a line of its own, by name; several values of one name sorted and joined by commas. */
export function canonicalQuery(query: Query): string {
  const sent = query.pairs;
  if (sent.length === 0) return "";
  const sorted = sent.length > INSERTION_MAX ? [...sent].sort(comparePairs) : sortedByInsertion(sent);
  let text = "";
  let previous: string | undefined;
  for (let at = 0; at < sorted.length; at++) {
    const [name, value] = sorted[at]!;
    refuseAmbiguous(name, value);
    text += name === previous ? `,${value}` : `\n${name}:${value}`;
    previous = name;
  }
  return text;
}

function sortedByInsertion(sent: Query["pairs"]): Query["pairs"] {
  pairs.length = 0;
  for (let count = 0; count < sent.length; count++) {
    const pair = sent[count]!;
    let at = count;
    while (at > 0 && comparePairs(pairs[at - 1]!, pair) > 0) {
      pairs[at] = pairs[at - 1]!;
      at--;
    }
    pairs[at] = pair;
  }
  return pairs;
}

type Pair = readonly [name: string, value: string];

function comparePairs(one: Pair, two: Pair): number {
  if (one[0] !== two[0]) return one[0] < two[0] ? -1 : 1;
  return one[1] === two[1] ? 0 : one[1] < two[1] ? -1 : 1;
}

/**
 * The format has no escapes: `?a=1&b=2` and `?a=1%0Ab:2` sign alike, so whoever can change a request on its way
 * could make the second out of the first. No client means such a query.
 */
function refuseAmbiguous(name: string, value: string): void {
  const feed = value.indexOf("\n");
  if (
    name.indexOf(":") !== -1 ||
    name.indexOf("\n") !== -1 ||
    (feed !== -1 && value.indexOf(":", feed) !== -1)
  ) {
    throw new Refusal("AuthenticationFailed", {
      elements: { AuthenticationErrorDetail: "A query parameter could be read as two when it is signed." },
    });
  }
}
