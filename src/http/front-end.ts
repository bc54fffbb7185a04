import { InvariantBroken } from "../base/assert.ts";
import { type Clock, monotonic } from "../base/clock.ts";
import { isTransientFault, MemoryLimitReached, OutcomeUnknown } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import type { MaybePromise } from "../base/maybe-promise.ts";
import { badHeader, Refusal } from "../base/refusals.ts";
import type { ReplyHold, ReplyMemory } from "../memory/reply-memory.ts";
import type { AccessLog } from "../observability/access-log.ts";
import type { Log } from "../observability/log.ts";
import type { Metrics, OperationMeter } from "../observability/metrics.ts";
import type { CorsRule } from "../services/account/service-properties.ts";
import { type AuthContext, authenticate } from "./auth/authenticate.ts";
import { authorize, refuseWriteToSecondary } from "./auth/authorize.ts";
import type { Caller } from "./auth/caller.ts";
import { RequestBody } from "./body.ts";
import type { InnerRead } from "./common/copy-source-fetcher.ts";
import type { Connection, Incoming } from "./connection/connection.ts";
import { ClientGone } from "./connection/incoming-body.ts";
import type { RequestHead } from "./connection/request-head.ts";
import { CorsRulesCache } from "./cors-rules-cache.ts";
import type { Body, Headers, HttpReply, HttpRequest, ServiceName } from "./exchange.ts";
import type { Operation, OperationTable, ResourceKind } from "./operation.ts";
import { type Outgoing, ReplyWriter } from "./reply-writer.ts";
import type { RequestIds } from "./request-id.ts";
import { Router } from "./router.ts";
import { readAddress } from "./target.ts";
import { corsHeaders } from "./wire/cors.ts";
import { errorCodeOf, errorFormatOf, printError, reasonOf } from "./wire/error-body.ts";
import { readTimeout } from "./wire/list-params.ts";

/**
 * One service's front end: the road of a request from the parsed message to the reply.
 *
 *   address -> operation row -> who is calling -> may they -> handler -> reply
 *
 * Every step may throw a refusal; all of them are printed in one place.
 */
export interface FrontEndOptions<Services> {
  readonly table: OperationTable<Services>;
  readonly services: Services;
  readonly auth: AuthContext;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly accessLog: AccessLog | undefined;
  readonly requestIds: RequestIds;
  readonly isSecure: boolean;
  readonly isHostStyleAllowed: boolean;
  readonly keepAliveMillis?: number | undefined;
  /** Of all replies of the process. */
  readonly replyMemory: ReplyMemory;
  /** Cross-origin rules of an account's service, read for requests that carry an Origin. */
  readonly corsRules: (service: ServiceName, account: string) => Promise<readonly CorsRule[]>;
  /** What a request is taken for that names no version itself, where the account has said so. */
  readonly defaultVersion: (service: ServiceName, account: string) => Promise<string | undefined>;
}

export class FrontEnd<Services> {
  readonly #options: FrontEndOptions<Services>;
  readonly #router: Router<Services>;
  readonly #writer: ReplyWriter;
  readonly #corsRules: CorsRulesCache;
  readonly #meters = new Map<Operation<Services> | undefined, OperationMeter>();

  constructor(options: FrontEndOptions<Services>) {
    this.#options = options;
    this.#router = new Router(options.table);
    this.#writer = new ReplyWriter(options.keepAliveMillis, options.replyMemory);
    const { service, operations } = options.table;
    this.#corsRules = new CorsRulesCache((account) => options.corsRules(service, account));
    this.#meters.set(undefined, options.metrics.operation(service, "unknown"));
    for (const row of operations) this.#meters.set(row, options.metrics.operation(service, row.name));
  }

  /** Nothing is waited for that is there: most small reads are answered without a single promise. */
  handle(incoming: Incoming, connection: Connection): void {
    const exchange = new Exchange<Services>(incoming, this.#options.requestIds.next(), connection);
    let answer: MaybePromise<HttpReply>;
    try {
      answer = this.#answer(exchange);
    } catch (error) {
      this.#fail(exchange, error);
      return;
    }
    if (!(answer instanceof Promise)) this.#reply(exchange, answer);
    else
      answer.then(
        (reply) => this.#reply(exchange, reply),
        (error) => this.#fail(exchange, error),
      );
  }

  /**
   * A read that a copy makes inside this server: routed and judged like any other, with the address and the
   * protocol of the client that asked for the copy. Only what is content can be copied.
   */
  async readInside({ url, host, headers, outer }: InnerRead): Promise<HttpReply> {
    const { table, isHostStyleAllowed, auth, services } = this.#options;
    const address = readAddress(url, host, table.service, isHostStyleAllowed);
    const { query } = address;
    const target = table.normalizeTarget?.(address.target, query, headers, "GET") ?? address.target;
    const operation =
      target.isWebsite === true
        ? this.#router.findOnWebsite("GET")
        : this.#router.find("GET", target.path, query, headers);
    if (!COPIED.has(operation.name)) {
      throw new Refusal("CopySourceNotAllowed", {
        text: "Only the content of a blob or a file can be copied.",
      });
    }
    const { id, isSecure, remoteAddress, receivedAt, client } = outer;
    const version = readVersion(headers, undefined);
    const sender = { id, isSecure, remoteAddress, receivedAt, client, version, body: NO_BODY };
    const asked = { ...sender, method: "GET", target, query, headers, rawHeaders: [], caller: ANONYMOUS };
    const caller = await authenticate(asked, auth);
    await authorize(caller, operation, asked, auth);
    return operation.handle({ ...asked, caller }, services);
  }

  #fail(exchange: Exchange<Services>, error: unknown): void {
    if (error instanceof ClientGone) {
      exchange.connection.destroy();
      exchange.hold?.close();
    } else this.#reply(exchange, this.#refuse(exchange, error));
  }

  #reply(exchange: Exchange<Services>, reply: HttpReply): void {
    if (exchange.head.headers.origin !== undefined)
      this.#withCors(exchange, reply).then((added) => this.#send(exchange, added));
    else this.#send(exchange, reply.status < 400 ? this.#forCaches(exchange, reply) : reply);
  }

  #send(exchange: Exchange<Services>, reply: HttpReply): void {
    const { status } = reply;
    this.#writer.send(exchange.connection, this.#outgoing(exchange, reply), ({ bytes, error }) => {
      if (error !== undefined) this.#logFault(exchange, error, "a reply broke off");
      this.#account(exchange, status, bytes);
    });
  }

  #answer(exchange: Exchange<Services>): MaybePromise<HttpReply> {
    const { table, isHostStyleAllowed, defaultVersion } = this.#options;
    const { head } = exchange;
    const { method, headers } = head;
    checkHeaders(head);
    const address = readAddress(head.url, headers.host, table.service, isHostStyleAllowed);
    const { query } = address;
    const target = table.normalizeTarget?.(address.target, query, headers, method) ?? address.target;
    exchange.account = target.account;
    const version = readVersion(headers, query.get("api-version") ?? query.get("sv"));
    if (version !== "") return this.#perform(exchange, { target, query, version });
    return defaultVersion(table.service, target.account).then((known) =>
      this.#perform(exchange, { target, query, version: known ?? "" }),
    );
  }

  #perform(
    exchange: Exchange<Services>,
    { target, query, version }: Pick<HttpRequest, "target" | "query" | "version">,
  ): MaybePromise<HttpReply> {
    const { auth, clock, isSecure } = this.#options;
    const { head, remoteAddress } = exchange.incoming;
    const { method, headers } = head;
    exchange.version = version;
    const operation =
      target.isWebsite === true
        ? this.#router.findOnWebsite(method)
        : this.#router.find(method, target.path, query, headers);
    exchange.operation = operation;
    const request: Writable<HttpRequest> = {
      id: exchange.id,
      method,
      target,
      query,
      headers,
      rawHeaders: head.rawHeaders,
      isSecure,
      remoteAddress,
      receivedAt: clock.now(),
      timeout: undefined,
      version,
      body: NO_BODY,
      caller: ANONYMOUS,
      client: exchange.connection,
    };
    const caller = authenticate(request, auth);
    if (caller instanceof Promise)
      return caller.then((known) => this.#performFor(known, exchange, operation, request));
    return this.#performFor(caller, exchange, operation, request);
  }

  #performFor(
    caller: Caller,
    exchange: Exchange<Services>,
    operation: Operation<Services>,
    request: Writable<HttpRequest>,
  ): MaybePromise<HttpReply> {
    request.caller = caller;
    const judgement = authorize(caller, operation, request, this.#options.auth);
    if (judgement instanceof Promise)
      return judgement.then(() => this.#carryOut(exchange, operation, request));
    return this.#carryOut(exchange, operation, request);
  }

  #carryOut(
    exchange: Exchange<Services>,
    operation: Operation<Services>,
    request: Writable<HttpRequest>,
  ): MaybePromise<HttpReply> {
    if (request.target.isSecondary) refuseWriteToSecondary(operation);
    if (operation.replyBytesMax !== undefined)
      return this.#reserveAndRun(exchange, operation, request, operation.replyBytesMax);
    return this.#run(exchange, operation, request);
  }

  /**
   * A long reply is made when there is memory for it: made earlier, it would take the memory while it waits.
   */
  #reserveAndRun(
    exchange: Exchange<Services>,
    operation: Operation<Services>,
    request: Writable<HttpRequest>,
    bytes: number,
  ): MaybePromise<HttpReply> {
    const { connection } = exchange;
    const hold = this.#options.replyMemory.hold(connection);
    exchange.hold = hold;
    const reserved = hold.reserve(bytes);
    if (reserved === undefined) return this.#run(exchange, operation, request);
    return reserved.then((isReserved) => {
      if (connection.isGone) throw new ClientGone();
      if (!isReserved) throw new Refusal("ServerBusy");
      return this.#run(exchange, operation, request);
    });
  }

  #run(
    exchange: Exchange<Services>,
    operation: Operation<Services>,
    request: Writable<HttpRequest>,
  ): MaybePromise<HttpReply> {
    const { target, query } = request;
    // Nothing here takes as long as a client may allow, but what is no time at all is a mistake that is told.
    if (target.service !== "table" && query.has("timeout")) request.timeout = readTimeout(query);
    const bytesMax = operation.bodyBytesMax || LIMITS.ignoredBodyBytesMax;
    const body = new RequestBody(exchange.incoming, exchange.connection, bytesMax);
    exchange.body = body;
    request.body = body;
    const reply = operation.handle(request, this.#options.services);
    return operation.name === SETS_RULES ? this.#withNewRules(exchange, target.account, reply) : reply;
  }

  async #withNewRules(
    { startedAt }: Exchange<Services>,
    account: string,
    reply: MaybePromise<HttpReply>,
  ): Promise<HttpReply> {
    const answer = await reply;
    await this.#corsRules.put(account, startedAt);
    return answer;
  }

  /** A page may see a refusal as it may see a success: without these headers its browser shows it neither. */
  async #withCors(exchange: Exchange<Services>, reply: HttpReply): Promise<HttpReply> {
    const { account, head } = exchange;
    const { origin } = head.headers;
    if (account === undefined || head.method === "OPTIONS") return reply;
    try {
      const rules = await this.#options.corsRules(this.#options.table.service, account);
      const added = corsHeaders(rules, { origin, method: head.method }, this.#namesIn(exchange, reply));
      return { ...reply, headers: { ...reply.headers, ...added } };
    } catch (error) {
      reply.release?.();
      return this.#refuse(exchange, error);
    }
  }

  /** A read without an Origin may be given to a browser later, by a cache. */
  #forCaches(exchange: Exchange<Services>, reply: HttpReply): HttpReply {
    const { account, head } = exchange;
    if (account === undefined || (head.method !== "GET" && head.method !== "HEAD")) return reply;
    const rules = this.#corsRules.of(account, exchange.startedAt);
    if (rules.length === 0) return reply;
    const names = this.#namesIn(exchange, reply);
    const added = corsHeaders(rules, { origin: undefined, method: head.method }, names);
    return { ...reply, headers: { ...reply.headers, ...added } };
  }

  /** The headers a page may be shown: those of the reply, and those that every reply carries. */
  #namesIn(exchange: Exchange<Services>, reply: HttpReply): readonly string[] {
    const { version, clientRequestId } = this.#outgoing(exchange, reply);
    const names = ["x-ms-request-id", "Server"];
    if (version !== undefined) names.push("x-ms-version");
    if (clientRequestId !== undefined) names.push("x-ms-client-request-id");
    for (const name in reply.headers) if (reply.headers[name] !== undefined) names.push(name);
    names.push("Content-Length", "Date");
    return names;
  }

  #refuse(exchange: Exchange<Services>, error: unknown): HttpReply {
    const refusal = this.#refusalOf(exchange, error);
    const code = errorCodeOf(refusal);
    exchange.errorCode = code;
    const headers = { "x-ms-error-code": code, ...refusal.detail.headers };
    const resource = NAMES[exchange.operation?.resource ?? "service"] ?? "blob";
    const reason = reasonOf(refusal, this.#options.table.service === "table", resource);
    const isBodyless = exchange.head.method === "HEAD" || refusal.row.http === 304;
    if (isBodyless) return { status: refusal.row.http, reason, headers };
    const format = errorFormatOf({
      service: this.#options.table.service,
      accept: exchange.head.headers.accept,
      isXmlOperation: exchange.operation?.body === "xml",
    });
    const context = { requestId: exchange.id, time: this.#options.clock.now(), resource };
    const { contentType, body } = printError(refusal, format, context);
    return { status: refusal.row.http, reason, headers: { ...headers, "Content-Type": contentType }, body };
  }

  /** A fault or a bug becomes a refusal the client can read; the log has the rest. */
  #refusalOf(exchange: Exchange<Services>, error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    const text = error instanceof InvariantBroken ? "a broken invariant" : "a request failed";
    this.#logFault(exchange, error, text);
    if (error instanceof MemoryLimitReached) return new Refusal("MemoryExtentStoreAtSizeLimit");
    // ServerBusy says that nothing was done; of an unknown outcome that cannot be said.
    if (error instanceof OutcomeUnknown) return new Refusal("OperationTimedOut");
    return new Refusal(isTransientFault(error) ? "ServerBusy" : "InternalError");
  }

  #logFault({ id, head, operation }: Exchange<Services>, error: unknown, text: string): void {
    const { service } = this.#options.table;
    const fields = { err: error, requestId: id, service, operation: operation?.name, url: head.url };
    this.#options.log.error(fields, text);
  }

  #outgoing(exchange: Exchange<Services>, reply: HttpReply): Outgoing {
    const { method, headers, isOld } = exchange.head;
    return {
      reply,
      isHead: method === "HEAD",
      isOld,
      requestId: exchange.id,
      version: headers["x-ms-version"] ?? (exchange.version || undefined),
      clientRequestId: clientRequestIdOf(headers),
      hold: exchange.hold,
    };
  }

  #account(exchange: Exchange<Services>, status: number, bytesOut: number): void {
    const duration = monotonic() - exchange.startedAt;
    this.#meters.get(exchange.operation)?.record(status, duration);
    this.#options.accessLog?.record({
      service: this.#options.table.service,
      operation: exchange.operation?.name ?? "",
      method: exchange.head.method,
      url: exchange.head.url,
      status,
      errorCode: exchange.errorCode,
      requestId: exchange.id,
      clientRequestId: exchange.head.headers["x-ms-client-request-id"],
      bytesIn: exchange.body?.bytesRead ?? 0,
      bytesOut,
      duration,
      remoteAddress: exchange.incoming.remoteAddress,
    });
  }
}

/** How refusals call what a request was for. */
const NAMES: Partial<Record<ResourceKind, string>> = {
  container: "container",
  share: "file share",
  directory: "file",
  file: "file",
};

/** The operations that read content. */
const COPIED: ReadonlySet<string> = new Set(["GetBlob", "GetFile", "GetWebsite"]);

const SETS_RULES = "SetServiceProperties";

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** Until the caller is known and may do what it asks, there is no body to read and nobody to act for. */
const NO_BODY: Body = {
  length: 0,
  stream: () => {
    throw new InvariantBroken("the body was read before the caller was known");
  },
  read: () => Promise.reject(new InvariantBroken("the body was read before the caller was known")),
};
const ANONYMOUS: Caller = { kind: "anonymous", account: "" };

/** What is known of one request while it is on its way; filled in step by step. */
class Exchange<Services> {
  readonly incoming: Incoming;
  readonly id: string;
  readonly connection: Connection;
  readonly startedAt = monotonic();
  operation: Operation<Services> | undefined;
  account: string | undefined;
  /** By which the request is served: that of a SAS where no header names one. */
  version = "";
  body: RequestBody | undefined;
  /** The memory reserved for the reply. */
  hold: ReplyHold | undefined;
  errorCode: string | undefined;

  constructor(incoming: Incoming, id: string, connection: Connection) {
    this.incoming = incoming;
    this.id = id;
    this.connection = connection;
  }

  get head(): RequestHead {
    return this.incoming.head;
  }
}

function checkHeaders({ rawHeaders, headers, repeated }: RequestHead): void {
  if (rawHeaders.length > 2 * LIMITS.headerCountMax) {
    throw new Refusal("InvalidInput", { text: "Too many headers." });
  }
  if (repeated !== undefined) throw badHeader(repeated, headers[repeated.toLowerCase()] ?? "");
}

const VERSION = /^\d{4}-\d\d-\d\d$/;

/** Any well-formed version is served: refusing new ones is what makes an emulator age. */
function readVersion(headers: Headers, inQuery: string | undefined): string {
  const given = headers["x-ms-version"];
  if (given === undefined) return inQuery !== undefined && VERSION.test(inQuery) ? inQuery : "";
  if (!VERSION.test(given)) throw badHeader("x-ms-version", given);
  return given;
}

function clientRequestIdOf(headers: Headers): string | undefined {
  const given = headers["x-ms-client-request-id"];
  if (given === undefined || given.length > LIMITS.clientRequestIdCharsMax) return undefined;
  return isVisible(given) ? given : undefined;
}

/**
 * By hand: for a text of a few dozen characters, a regular expression takes longer to start than to match.
 */
function isVisible(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}
