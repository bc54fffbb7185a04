import { etagOf, type Revision } from "../base/revision.ts";

/**
 * ETags as conditions compare them. An object's ETag is its revision in print, so two are equal exactly when
 * no write came between. On the wire they are quoted. A condition may be unquoted (clients before 2011 send
 * it so), `*` for any ETag, or, on two reads, a list.
 */
export type EtagMatch = "*" | readonly string[];

const ETAG = /^\s*(?:(W\/)?"([^"]*)"|([^\s",]+))\s*(?:,|$)/;

/** Parses If-Match or If-None-Match; undefined when the text is not one or more ETags. */
export function parseEtags(text: string): EtagMatch | undefined {
  const whole = text.trim();
  if (whole === "*") return "*";
  const found: string[] = [];
  let rest = whole;
  while (rest !== "") {
    const parts = ETAG.exec(rest);
    if (parts === null) return undefined;
    // A weak ETag keeps its mark and so equals none of ours, because it promises less than equal bytes.
    found.push((parts[1] ?? "") + (parts[2] ?? parts[3]!));
    rest = rest.slice(parts[0].length);
  }
  return found.length === 0 ? undefined : found;
}

/** As headers carry it. */
export function quotedEtag(revision: Revision): string {
  return `"${etagOf(revision)}"`;
}

export function isEtagAmong(match: EtagMatch, revision: Revision): boolean {
  return match === "*" || match.includes(etagOf(revision));
}
