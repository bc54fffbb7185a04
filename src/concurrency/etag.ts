import { etagOf, type Revision } from "../base/revision.ts";

/**
 * ETags as conditions compare them. An object's ETag is its revision in print, so two are equal exactly when
 * no write came between. On the wire they are quoted; a condition may come bare (clients before 2011 send it
 * so), as
 * `*` for "any", or, on two reads, as a list of several.
 */
export type EtagMatch = "*" | readonly string[];

const ONE = /^\s*(?:(W\/)?"([^"]*)"|([^\s",]+))\s*(?:,|$)/;

/** The value of If-Match or If-None-Match; undefined when it cannot be read as one or more ETags. */
export function parseEtags(text: string): EtagMatch | undefined {
  const whole = text.trim();
  if (whole === "*") return "*";
  const found: string[] = [];
  let rest = whole;
  while (rest !== "") {
    const parts = ONE.exec(rest);
    if (parts === null) return undefined;
    // A weak ETag promises less than equality of bytes: kept with its mark, it equals none of ours.
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
