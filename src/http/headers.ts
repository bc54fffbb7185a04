import { LIMITS } from "../base/limits.ts";
import { badHeader, Refusal } from "../base/refusals.ts";
import type { Headers } from "./exchange.ts";

/**
 * Headers by lower-cased name, from the raw list. Those that decide something (signed, conditional, addressed)
 * must not come twice: two readers of such a request could disagree about what it says.
 */
const lowered = new Map<string, string>();

function lower(name: string): string {
  const known = lowered.get(name);
  if (known !== undefined) return known;
  const result = name.toLowerCase();
  // Clients send a few dozen names; anything beyond that is not worth remembering.
  if (lowered.size < 512) lowered.set(name, result);
  return result;
}

const JOINABLE = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "cookie",
  "forwarded",
  "keep-alive",
  "pragma",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "via",
  "x-forwarded-for",
]);

export function readHeaders(raw: readonly string[]): Headers {
  if (raw.length > 2 * LIMITS.headerCountMax)
    throw new Refusal("InvalidInput", { text: "Too many headers." });
  const headers: Record<string, string | undefined> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const name = lower(raw[i]!);
    const value = raw[i + 1]!;
    const former = headers[name];
    if (typeof former !== "string") headers[name] = value;
    else if (JOINABLE.has(name)) headers[name] = `${former}, ${value}`;
    else throw badHeader(raw[i]!, value);
  }
  return headers;
}
