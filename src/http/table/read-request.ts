import { Refusal, type RefusalCode } from "../../base/refusals.ts";
import type { EntityBounds } from "../../services/table/entity-bounds.ts";
import type { Filter } from "../../services/table/filter/filter.ts";
import { TABLE_LIMITS } from "../../services/table/limits.ts";
import type { Headers, HttpRequest, Query, ReplyHeaders, Target } from "../exchange.ts";
import { isXmlOperation, type Operation, type RefusedRequest, type ResourceKind } from "../operation.ts";
import { normalizePath, resourceKindOf } from "../wire/odata/address.ts";
import { parseFilter } from "../wire/odata/filter-parser.ts";
import { JSON_TYPES, type MetadataLevel, metadataLevelOf } from "../wire/odata/formats.ts";

/** `http://host/account`: the prefix of every address in a reply. */
export function baseOf({ isSecure, headers, target }: HttpRequest): string {
  const account = target.isPathStyle ? `/${target.account}${target.isSecondary ? "-secondary" : ""}` : "";
  return `${isSecure ? "https" : "http"}://${headers.host ?? ""}${account}`;
}

export function levelOf({ headers, query, version }: HttpRequest): MetadataLevel {
  return metadataLevelOf(headers.accept, query.get("$format"), version);
}

/** The range of keys that a SAS covers. */
export function boundsOf({ caller }: HttpRequest): EntityBounds | undefined {
  return caller.kind === "serviceSas" ? caller.tableBounds : undefined;
}

const NEVER_IMPLEMENTED = ["$orderby", "$skip", "$count", "$inlinecount", "$expand", "$apply", "$search"];

/** OData options that the service does not support: a reply without them would be wrong. */
export function refuseUnknownOptions(query: Query): void {
  for (const name of NEVER_IMPLEMENTED) if (query.has(name)) throw new Refusal("NotImplemented");
}

export function readFilter(query: Query): Filter | undefined {
  const text = query.get("$filter");
  return text === undefined || text.trim() === "" ? undefined : parseFilter(text);
}

export function readTop(query: Query): number | undefined {
  const text = query.get("$top");
  if (text === undefined || text === "") return undefined;
  const top = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(top <= TABLE_LIMITS.pageEntitiesMax))
    throw new Refusal("InvalidInput", {
      text: `The value of $top must be between 0 and ${TABLE_LIMITS.pageEntitiesMax}.`,
    });
  return top;
}

export function readSelect(query: Query): ReadonlySet<string> | undefined {
  const text = query.get("$select");
  if (text === undefined || text.trim() === "") return undefined;
  const names = new Set(text.split(",").map((name) => name.trim()));
  names.delete("");
  if (names.size > TABLE_LIMITS.selectedPropertiesMax)
    throw new Refusal("InvalidInput", { text: "The $select lists too many properties." });
  return names.size === 0 || names.has("*") ? undefined : names;
}

const NOSNIFF = { "X-Content-Type-Options": "nosniff" } as const;
/** What every reply of the OData operations carries. */
export const COMMON_HEADERS = { "Cache-Control": "no-cache", ...NOSNIFF } as const;

export function jsonHeaders(level: MetadataLevel) {
  return { ...COMMON_HEADERS, "Content-Type": JSON_TYPES[level] } as const;
}

export type Preference = "return-content" | "return-no-content" | undefined;

export function preferenceOf(prefer: string | undefined): Preference {
  if (prefer === undefined || prefer === "return-no-content") return prefer;
  const preference = prefer.trim().toLowerCase();
  return preference === "return-no-content" || preference === "return-content" ? preference : undefined;
}

/** Refused before the operation begins: nothing is said about caches and preferences. */
const EARLY: ReadonlySet<RefusalCode> = new Set(["TableNotFound", "InvalidInput"]);

/** Refused before OData runs: the caller, and the size of the body. */
function isBeforeOData({ row }: Refusal, isAuthenticated: boolean): boolean {
  return row.http === 401 || row.http === 413 || (row.http === 403 && !isAuthenticated);
}

/** An OData error names its code in the body only; a HEAD has none. */
export function refusalHeaders(refusal: Refusal, request: RefusedRequest): ReplyHeaders | undefined {
  const { operation, isAuthenticated, head } = request;
  if (head.method === "HEAD" || isBeforeOData(refusal, isAuthenticated)) return undefined;
  if (operation !== undefined && isXmlOperation(operation)) return undefined;
  return errorHeaders(refusal.code, head.headers.prefer);
}

export function errorHeaders(code: RefusalCode, prefer: string | undefined): ReplyHeaders {
  return EARLY.has(code) ? NOSNIFF : withPreference(prefer);
}

export function withPreference(prefer: string | undefined): ReplyHeaders {
  return { ...COMMON_HEADERS, "Preference-Applied": preferenceOf(prefer) };
}

const TUNNELLED: ReadonlySet<string> = new Set(["PUT", "MERGE", "PATCH", "DELETE"]);

/** The resource that a path names. X-HTTP-Method selects the operation of a POST, so it is checked here. */
export function resourceOfTables(path: string, _query: Query, headers: Headers): ResourceKind {
  const method = headers["x-http-method"];
  if (method !== undefined && !TUNNELLED.has(method.toUpperCase()))
    throw new Refusal(method.includes(",") ? "XMethodIncorrectCount" : "XMethodIncorrectValue");
  return resourceKindOf(path);
}

export function normalizeTableTarget(
  target: Target,
  _query: Query,
  _headers: Headers,
  method: string,
): Target {
  // Nearly all paths hold no slash and need no change.
  if (!target.path.includes("/")) return target;
  return { ...target, path: normalizePath(target.path, method) };
}

/** Refuses what every operation of the service refuses. */
export function guarded<Services>(handle: Operation<Services>["handle"]): Operation<Services>["handle"] {
  return (request, services) => {
    const { host, "x-http-method": tunnelled } = request.headers;
    if (host === undefined || host === "") throw new Refusal("HostInformationNotPresent");
    if (tunnelled !== undefined && request.method !== "POST") throw new Refusal("XMethodNotUsingPost");
    return handle(request, services);
  };
}
