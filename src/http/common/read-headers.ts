import { badHeader, Refusal } from "../../base/refusals.ts";
import type { Headers } from "../exchange.ts";
import { parseGuid } from "../wire/guid.ts";

/** Headers that several services read, decoded; a malformed one is refused by its name. */

export function missingHeader(name: string): Refusal {
  return new Refusal("MissingRequiredHeader", { elements: { HeaderName: name } });
}

export function bodyTooLarge(bytesMax: number): Refusal {
  return new Refusal("RequestBodyTooLarge", { elements: { MaxLimit: String(bytesMax) } });
}

export function requireHeader(headers: Headers, name: string): string {
  const value = headers[name];
  if (value === undefined || value === "") throw missingHeader(name);
  return value;
}

/** Undefined when the text is a GUID in none of its forms. */
export function guidOf(text: string): string | undefined {
  return parseGuid(text.trim());
}

/** An empty header counts as absent. */
export function readGuid(headers: Headers, name: string): string | undefined {
  const text = headers[name];
  if (text === undefined || text === "") return undefined;
  const id = guidOf(text);
  if (id === undefined) throw badHeader(name, text);
  return id;
}

export function requireGuid(headers: Headers, name: string): string {
  const id = readGuid(headers, name);
  if (id === undefined) throw missingHeader(name);
  return id;
}

export function readLeaseId(headers: Headers): string | undefined {
  return headers["x-ms-lease-id"] === undefined ? undefined : readGuid(headers, "x-ms-lease-id");
}

export function readWhole(
  headers: Headers,
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  const text = headers[name];
  if (text === undefined) return undefined;
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw badHeader(name, text);
  return value;
}

export function readBoolean(headers: Headers, name: string): boolean | undefined {
  const text = headers[name]?.toLowerCase();
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") throw badHeader(name, text);
  return text === "true";
}

/** One of `words`, as the protocol spells it, in whatever case the client sent it. */
export function readWord<Word extends string>(
  headers: Headers,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = headers[name];
  if (text === undefined) return undefined;
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw badHeader(name, text);
  return found;
}
