import type { EntityBounds } from "../../services/table/entity-bounds.ts";
import type { Filter } from "../../services/table/filter/filter.ts";
import type { Headers, HttpReply, HttpRequest, Query } from "../exchange.ts";
import type { ResourceKind } from "../operation.ts";
import { type MetadataLevel } from "../wire/odata/formats.ts";
/** What the handlers of the Table service share: how its requests are read and its replies begin. */
/** `http://host/account`: in front of every address a reply names. */
export declare function baseOf({ isSecure, headers, target }: HttpRequest): string;
export declare function levelOf({ headers, query, version }: HttpRequest): MetadataLevel;
/** The part of the table a SAS reaches. */
export declare function boundsOf({ caller }: HttpRequest): EntityBounds | undefined;
/** Options of OData that this service has never had: answering without them would be a wrong answer. */
export declare function refuseUnknownOptions(query: Query): void;
export declare function readFilter(query: Query): Filter | undefined;
export declare function readTop(query: Query): number | undefined;
export declare function readSelect(query: Query): ReadonlySet<string> | undefined;
/** What every reply of the OData operations carries. */
export declare const COMMON_HEADERS: {
    readonly "Cache-Control": "no-cache";
    readonly "X-Content-Type-Options": "nosniff";
};
export declare function jsonHeaders(level: MetadataLevel): {
    readonly "Cache-Control": "no-cache";
    readonly "X-Content-Type-Options": "nosniff";
    readonly DataServiceVersion: "3.0;";
    readonly "Content-Type": string;
};
export type Preference = "return-content" | "return-no-content" | undefined;
export declare function preferenceOf(prefer: string | undefined): Preference;
/** What a path names. A POST to an entity says by X-HTTP-Method what it means, so that is looked at here. */
export declare function resourceOfTables(path: string, _query: Query, headers: Headers): ResourceKind;
/** Requests that no row of the table should have to look at. */
export declare function guarded<Services>(handle: (request: HttpRequest, services: Services) => Promise<HttpReply>): (request: HttpRequest, services: Services) => Promise<HttpReply>;
