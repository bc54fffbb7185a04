import type { Headers, Query, Target } from "../exchange.ts";
/**
 * The JavaScript SDK, given a path-style endpoint, leaves the account out of the address it renames to: it asks for
 * `/share/new` where it should ask for `/account/share/new`. The address it renames from, in a header, has the
 * account, so the one can be mended by the other. The signature covers the path as it was sent, and still does.
 */
export declare function mendRenameTarget(target: Target, query: Query, headers: Headers): Target;
