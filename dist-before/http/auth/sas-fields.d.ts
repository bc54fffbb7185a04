import type { Instant } from "../../base/clock.ts";
import type { Query } from "../exchange.ts";
import type { AuthContext, Unauthenticated } from "./context.ts";
/** What all kinds of SAS share: reading fields, and the limits of time, protocol and source address. */
/**
 * The decoded value as sent, "" when absent. A line feed inside a value is refused: fields are joined by line
 * feeds when signed, so one value with a feed could stand in for two.
 */
export declare function sasField(query: Query, name: string): string;
/** The `sv`, when it is a date not before `since`. Versions we have never heard of follow the newest rules. */
export declare function sasVersion(query: Query, since: string): string;
export declare function refuseUnsigned(query: Query, signed: readonly string[], context: AuthContext): void;
/** A time of the SAS; undefined when it is absent. */
export declare function sasTime(query: Query, name: string): Instant | undefined;
export interface Window {
    readonly start: Instant | undefined;
    readonly expiry: Instant;
}
export declare function checkWindow({ start, expiry }: Window, now: Instant): void;
/** `spr` and `sip`, when this version signs them. */
export declare function checkOrigin(request: Unauthenticated, signed: readonly string[]): void;
/** Reply headers the SAS asks for. They go onto the wire, so what cannot be a header value is refused here. */
export declare function sasOverrides(query: Query, signed: readonly string[]): Readonly<Record<string, string>>;
/**
 * The fields of a string to sign, joined by line feeds. `own` answers for the names that are not query
 * parameters ("cr", the canonicalized resource) or are not taken as sent.
 */
export declare function joinFields(query: Query, signed: readonly string[], own: Readonly<Record<string, string>>): string;
/** A comma list of names (`srh`, `srq`), bounded. */
export declare function nameList(query: Query, name: string): readonly string[];
