import type { MaybePromise } from "../base/maybe-promise.ts";
import type { Refusal, RefusalCode } from "../base/refusals.ts";
import type {
  Headers,
  HttpReply,
  HttpRequest,
  Query,
  ReplyHeaders,
  ServiceName,
  Target,
} from "./exchange.ts";

/**
 * A row of an operation table. Routing, authorisation, condition parsing and the documentation's matrices all
 * come from these rows, and a test walks them: a reader who knows the protocol can check the product by
 * reading four tables.
 */
export interface Operation<Services> {
  /** As the protocol names it: "PutBlockList". Unique within its service. */
  readonly name: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE" | "PATCH" | "MERGE" | "OPTIONS";
  /** The kind of resource the path must name. */
  readonly resource: ResourceKind;
  /** Query parameters that single the operation out: a value, or `true` for any value but the empty one. */
  readonly query?: Readonly<Record<string, string | true>>;
  /** Headers that single it out, compared without regard to case; `true` for "present". */
  readonly header?: Readonly<Record<string, string | true>>;
  readonly permission: Permission;
  readonly returnsEtag: boolean;
  /** Which conditional headers it obeys; the others are ignored or refused as `otherConditions` says. */
  readonly conditions: readonly ConditionHeader[];
  /** How it meets a lease: not at all, checked when the resource is leased, or the lease operation itself. */
  readonly lease: "none" | "checked" | "manages";
  readonly body: "none" | "xml" | "json" | "stream" | "multipart";
  /** Largest body; more is refused with 413 before anything is read. */
  readonly bodyBytesMax: number;
  /** Memory that is reserved before a long reply is made, in bytes; other operations reserve none. */
  readonly replyBytesMax?: number;
  /** Its 304 has no Content-Length. */
  readonly isBare?: boolean;
  /** Statuses of success, for the documentation and the walk test. */
  readonly ok: readonly number[];
  readonly handle: (request: HttpRequest, services: Services) => MaybePromise<HttpReply>;
}

export type ResourceKind =
  | "service"
  | "container"
  | "blob"
  | "website"
  | "queue"
  | "messages"
  | "message"
  | "tables"
  | "tableItem"
  | "table"
  | "entity"
  | "batch"
  | "share"
  | "directory"
  | "file"
  | "path";

export type ConditionHeader =
  | "if-match"
  | "if-none-match"
  | "if-modified-since"
  | "if-unmodified-since"
  | "x-ms-if-tags";

/**
 * What a SAS must grant. `account` and `service` list alternatives: one of them must be held in full, so
 * ["c", "w"] reads "c or w" and ["au"] reads "a and u". An empty list: no such SAS may do it.
 */
export interface Permission {
  /** srt of an account SAS: s(ervice), c(ontainer) or o(bject); of several letters any one is enough. */
  readonly type: "s" | "c" | "o" | "co" | "sco";
  readonly account: readonly string[];
  readonly service: readonly string[];
  /** Anonymous callers, on a container whose public access is at least this. */
  readonly anonymous?: "blob" | "container";
  /** For anonymous callers there is no such operation. */
  readonly isHidden?: boolean;
  /** Bearer tokens may do it since this version; without it, whenever tokens are accepted. */
  readonly bearerSince?: string;
  /** A token of the File service need not state its intent: the SDK cannot. */
  readonly isIntentFree?: boolean;
  /** The operation answers anyone, signed or not (CORS preflight). */
  readonly isOpen?: boolean;
}

/** What is known of a request when it is refused. */
export interface RefusedRequest {
  readonly head: { readonly method: string; readonly headers: Headers };
  readonly operation: Operation<never> | undefined;
  readonly isAuthenticated: boolean;
}

/** Tables only: operations whose bodies are XML, not OData. */
export function isXmlOperation({ body, resource }: Pick<Operation<never>, "body" | "resource">): boolean {
  return body === "xml" || resource === "service";
}

export interface OperationTable<Services> {
  readonly service: ServiceName;
  readonly operations: readonly Operation<Services>[];
  /** Which kind of resource a decoded path names; throws a refusal when it names none. */
  readonly resourceOf: (path: string, query: Query, headers: Headers) => ResourceKind;
  /** The refusal when no row fits. */
  readonly unknownOperation: RefusalCode;
  /** The headers of a refusal where they are not `x-ms-error-code` and what the refusal brings. */
  readonly refusalHeaders?: (refusal: Refusal, request: RefusedRequest) => ReplyHeaders | undefined;
  /** What a request means whose address a widespread client is known to get wrong. */
  readonly normalizeTarget?: (target: Target, query: Query, headers: Headers, method: string) => Target;
  /** The refusal when the resource knows no operation of that method; UnsupportedHttpVerb without it. */
  readonly unknownMethod?: RefusalCode;
}
