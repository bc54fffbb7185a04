import type { Headers } from "../exchange.ts";

/**
 * The source of a copy on another server, or at another service of this one: its headers, and its unread
 * body.
 */
export interface FetchedSource {
  readonly headers: Headers;
  /** Undefined when the other server sends none. */
  readonly length: number | undefined;
  readonly body: AsyncIterable<Buffer>;
  /** May be called more than once. */
  close(): void;
}

const META = "x-ms-meta-";

export function fetchedMetadata({ headers }: FetchedSource): Record<string, string> {
  const found: [string, string][] = [];
  for (const name in headers) {
    const value = headers[name];
    if (name.startsWith(META) && value !== undefined) found.push([name.slice(META.length), value]);
  }
  return Object.fromEntries(found);
}

const PROPERTIES = {
  contentType: "content-type",
  contentEncoding: "content-encoding",
  contentLanguage: "content-language",
  contentDisposition: "content-disposition",
  cacheControl: "cache-control",
  contentMd5: "content-md5",
} as const;

/** The properties of a source, from the headers that any HTTP server sends. */
export function fetchedProperties({
  headers,
}: FetchedSource): Partial<Record<keyof typeof PROPERTIES, string>> {
  const found: [string, string][] = [];
  for (const [field, name] of Object.entries(PROPERTIES)) {
    const value = headers[name];
    if (value !== undefined) found.push([field, value]);
  }
  return Object.fromEntries(found);
}
