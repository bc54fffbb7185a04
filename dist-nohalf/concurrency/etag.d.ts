import { type Revision } from "../base/revision.ts";
/**
 * ETags as conditions compare them. An object's ETag is its revision in print, so two are equal exactly when no
 * write came between. On the wire they are quoted; a condition may come bare (clients before 2011 send it so), as
 * `*` for "any", or, on two reads, as a list of several.
 */
export type EtagMatch = "*" | readonly string[];
/** The value of If-Match or If-None-Match; undefined when it cannot be read as one or more ETags. */
export declare function parseEtags(text: string): EtagMatch | undefined;
/** As headers carry it. */
export declare function quotedEtag(revision: Revision): string;
export declare function isEtagAmong(match: EtagMatch, revision: Revision): boolean;
