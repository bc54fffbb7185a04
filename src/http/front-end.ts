import { InvariantBroken } from "../base/assert.ts";
import { type Clock, monotonic } from "../base/clock.ts";
import { isTransientFault, MemoryLimitReached, OutcomeUnknown } from "../base/faults.ts";
import { LIMITS } from "../base/limits.ts";
import { type MaybePromise, then } from "../base/maybe-promise.ts";
import { badHeader, Refusal } from "../base/refusals.ts";
import type { ReplyMemory, ReplyReservation } from "../memory/reply-memory.ts";
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
import { CorsReplies } from "./cors-replies.ts";
import type { Body, Headers, HttpReply, HttpRequest, Query, ServiceName } from "./exchange.ts";
import { isXmlOperation, type Operation, type OperationTable, type ResourceKind } from "./operation.ts";
import { type Outgoing, ReplyWriter } from "./reply-writer.ts";
import type { RequestIds } from "./request-id.ts";
import { Router } from "./router.ts";
import { SERVICE_VERSIONS } from "./service-versions.ts";
import { type Address, readAddress } from "./target.ts";
import { errorCodeOf, errorFormatOf, printError, reasonOf } from "./wire/error-body.ts";
import { readTimeout } from "./wire/list-params.ts";
import { withoutNewer } from "./wire/since.ts";

/**
 * One service's front end: the path of a request from the parsed head to the reply.
 *
 *   address -> operation row -> authenticate -> authorize -> reserve reply memory -> handle -> reply
 *
 * `#answer` holds the steps. Each of them may throw a refusal; `#refuse` prints all of them.
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
  /** An x-ms-version that Azure does not know is refused. */
  readonly isStrict?: boolean;
  readonly keepAliveMillis?: number | undefined;
  /** Of all replies of the process. */
  readonly replyMemory: ReplyMemory;
  /** Cross-origin rules of an account's service, read for requests that carry an Origin. */
  readonly corsRules: (service: ServiceName, account: string) => Promise<readonly CorsRule[]>;
  /** The version that the account has set for requests that name none. */
  readonly defaultVersion: (service: ServiceName, account: string) => Promise<string | undefined>;
}

export class FrontEnd<Services> {
  readonly #options: FrontEndOptions<Services>;
  readonly #router: Router<Services>;
  readonly #writer: ReplyWriter;
  readonly #cors: CorsReplies;
  readonly #meters = new Map<Operation<Services> | undefined, OperationMeter>();

  constructor(options: FrontEndOptions<Services>) {
    this.#options = options;
    this.#router = new Router(options.table);
    this.#writer = new ReplyWriter(options.keepAliveMillis, options.replyMemory);
    const { service, operations } = options.table;
    this.#cors = new CorsReplies((account) => options.corsRules(service, account));
    this.#meters.set(undefined, options.metrics.operation(service, "unknown"));
    for (const row of operations) this.#meters.set(row, options.metrics.operation(service, row.name));
  }

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
   * The steps of one request. `then` runs the next step at once unless the step before it returned a promise,
   * so most small reads are answered synchronously.
   */
  #answer(exchange: Exchange<Services>): MaybePromise<HttpReply> {
    const { auth, services, isSecure, clock } = this.#options;
    const { incoming, connection } = exchange;
    const { head, remoteAddress } = incoming;
    checkHeaders(head);
    const { target, query } = this.#readTarget(head);
    exchange.account = target.account;

    return then(this.#chooseVersion(head.headers, query, target.account), (version) => {
      exchange.version = version;
      const request: Writable<HttpRequest> = {
        id: exchange.id,
        method: head.method,
        target,
        query,
        headers: head.headers,
        rawHeaders: head.rawHeaders,
        isSecure,
        remoteAddress,
        receivedAt: clock.now(),
        timeout: undefined,
        version,
        body: NO_BODY,
        caller: ANONYMOUS,
        client: connection,
      };
      const operation = this.#router.find(request);
      exchange.operation = operation;

      return then(authenticate(request, auth), (caller) => {
        request.caller = caller;
        exchange.isAuthenticated = true;

        return then(authorize(caller, operation, request, auth), () => {
          if (target.isSecondary) refuseWriteToSecondary(operation);

          return then(this.#reserveReply(exchange, operation.replyBytesMax), () => {
            if (target.service !== "table" && query.has("timeout")) request.timeout = readTimeout(query);
            const bytesMax = operation.bodyBytesMax || LIMITS.ignoredBodyBytesMax;
            exchange.body = new RequestBody(incoming, connection, bytesMax);
            request.body = exchange.body;
            const reply = operation.handle(request, services);
            if (operation.name !== "SetServiceProperties") return reply;
            return this.#cors.refreshAfter(reply, target.account, exchange.startedAt);
          });
        });
      });
    });
  }

  #readTarget({ method, url, headers }: Pick<RequestHead, "method" | "url" | "headers">): Address {
    const { table, isHostStyleAllowed } = this.#options;
    const address = readAddress(url, headers.host, table.service, isHostStyleAllowed);
    const { target, query } = address;
    const normalized = table.normalizeTarget?.(target, query, headers, method) ?? target;
    return normalized === target ? address : { target: normalized, query };
  }

  #chooseVersion(headers: Headers, query: Query, account: string): MaybePromise<string> {
    const version = readVersion(headers, query.get("api-version") ?? query.get("sv"));
    if (this.#options.isStrict && version !== "" && !SERVICE_VERSIONS.has(version))
      throw badHeader("x-ms-version", version);
    if (version !== "") return version;
    return this.#options.defaultVersion(this.#options.table.service, account).then((set) => set ?? "");
  }

  /**
   * A long reply is made only when there is memory for it: made earlier, it would occupy the memory it waits
   * for.
   */
  #reserveReply(exchange: Exchange<Services>, bytes: number | undefined): MaybePromise<void> {
    if (bytes === undefined) return undefined;
    const { connection } = exchange;
    exchange.reservation = this.#options.replyMemory.reservationFor(connection);
    return exchange.reservation.reserve(bytes)?.then((isReserved) => {
      if (connection.isGone) throw new ClientGone();
      if (!isReserved) throw new Refusal("ServerBusy");
    });
  }

  /**
   * A read that a copy makes inside this server. It is routed and authorized like any other, with the address
   * and protocol of the client that asked for the copy. Only content can be copied.
   */
  async readInside({ url, host, headers, outer }: InnerRead): Promise<HttpReply> {
    const { auth, services } = this.#options;
    const { target, query } = this.#readTarget({ method: "GET", url, headers: { ...headers, host } });
    const { id, isSecure, remoteAddress, receivedAt, client } = outer;
    const request: Writable<HttpRequest> = {
      ...{ id, isSecure, remoteAddress, receivedAt, client, target, query, headers, rawHeaders: [] },
      ...{ method: "GET", version: readVersion(headers, undefined), body: NO_BODY, caller: ANONYMOUS },
    };
    const operation = this.#router.find(request);
    if (!COPYABLE.has(operation.name)) {
      throw new Refusal("CopySourceNotAllowed", {
        text: "Only the content of a blob or a file can be copied.",
      });
    }
    request.caller = await authenticate(request, auth);
    await authorize(request.caller, operation, request, auth);
    return operation.handle(request, services);
  }

  #fail(exchange: Exchange<Services>, error: unknown): void {
    if (error instanceof ClientGone) {
      exchange.connection.destroy();
      exchange.reservation?.close();
    } else this.#reply(exchange, this.#refuse(exchange, error));
  }

  #reply(exchange: Exchange<Services>, reply: HttpReply): void {
    const outgoing = this.#outgoing(exchange, reply);
    const { account } = exchange;
    const { method, headers } = exchange.head;
    if (account === undefined || method === "OPTIONS") this.#send(exchange, outgoing);
    else if (headers.origin === undefined)
      this.#send(exchange, this.#cors.addForCaches(outgoing, { account, method, now: exchange.startedAt }));
    else
      this.#cors.addForOrigin(outgoing, { account, method, origin: headers.origin }).then(
        (added) => this.#send(exchange, added),
        (error) => {
          reply.release?.();
          this.#send(exchange, this.#outgoing(exchange, this.#refuse(exchange, error)));
        },
      );
  }

  #send(exchange: Exchange<Services>, outgoing: Outgoing): void {
    this.#writer.send(exchange.connection, outgoing, ({ bytes, error }) => {
      if (error !== undefined) this.#logFault(exchange, error, "a reply was cut short");
      this.#record(exchange, outgoing.reply.status, bytes);
    });
  }

  #refuse(exchange: Exchange<Services>, error: unknown): HttpReply {
    const refusal = this.#refusalOf(exchange, error);
    const code = errorCodeOf(refusal);
    exchange.errorCode = code;
    const { service, refusalHeaders } = this.#options.table;
    const headers = refusalHeaders?.(refusal, exchange) ?? {
      "x-ms-error-code": code,
      ...withoutNewer(exchange.version, refusal.detail.headers),
    };
    const resource = NAMES[exchange.operation?.resource ?? "service"] ?? "blob";
    const reason = reasonOf(refusal, service === "table", resource);
    const isBodyless = exchange.head.method === "HEAD" || refusal.row.http === 304;
    if (isBodyless) {
      const isBare = exchange.operation?.isBare === true;
      return { status: refusal.row.http, reason, headers, length: isBare ? undefined : 0 };
    }
    const format = errorFormatOf({
      service,
      accept: exchange.head.headers.accept,
      isXmlOperation: exchange.operation !== undefined && isXmlOperation(exchange.operation),
    });
    const { id: requestId, version } = exchange;
    const context = { requestId, version, time: this.#options.clock.now(), resource };
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
      reservation: exchange.reservation,
    };
  }

  #record(exchange: Exchange<Services>, status: number, bytesOut: number): void {
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
const COPYABLE: ReadonlySet<string> = new Set(["GetBlob", "GetFile", "GetWebsite"]);

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

/** The body and the caller of a request that is not authorized yet. */
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
  isAuthenticated = false;
  account: string | undefined;
  /** By which the request is served: that of a SAS where no header names one. */
  version = "";
  body: RequestBody | undefined;
  /** The memory reserved for the reply. */
  reservation: ReplyReservation | undefined;
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

/** Without --strict, any well-formed version is served: refusing new ones is what makes an emulator age. */
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
