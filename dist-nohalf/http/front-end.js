import { InvariantBroken } from "../base/assert.js";
import { monotonic } from "../base/clock.js";
import { StorageFault } from "../base/faults.js";
import { LIMITS } from "../base/limits.js";
import { badHeader, Refusal } from "../base/refusals.js";
import { authenticate } from "./auth/authenticate.js";
import { authorize } from "./auth/authorize.js";
import { RequestBody } from "./body.js";
import { ClientGone } from "./connection/incoming-body.js";
import { ReplyWriter } from "./reply-writer.js";
import { Router } from "./router.js";
import { readAddress } from "./target.js";
import { corsHeaders } from "./wire/cors.js";
import { errorCodeOf, errorFormatOf, printError } from "./wire/error-body.js";
export class FrontEnd {
    #options;
    #router;
    #writer = new ReplyWriter();
    #meters = new Map();
    constructor(options) {
        this.#options = options;
        this.#router = new Router(options.table);
        const { service, operations } = options.table;
        this.#meters.set(undefined, options.metrics.operation(service, "unknown"));
        for (const row of operations)
            this.#meters.set(row, options.metrics.operation(service, row.name));
    }
    async handle(incoming, connection) {
        const exchange = new Exchange(incoming, this.#options.requestIds.next());
        let reply;
        try {
            reply = await this.#answer(exchange, connection);
        }
        catch (error) {
            if (error instanceof ClientGone)
                connection.destroy();
            else
                reply = this.#refuse(exchange, error);
        }
        if (reply === undefined)
            return;
        const { status } = reply;
        this.#writer.send(connection, this.#outgoing(exchange, reply), ({ bytes, error }) => {
            if (error !== undefined)
                this.#logFault(exchange, error, "a reply broke off");
            this.#account(exchange, status, bytes);
        });
    }
    async #answer(exchange, connection) {
        const { table, services, auth, clock, isSecure, isHostStyleAllowed, corsRules } = this.#options;
        const { head, remoteAddress } = exchange.incoming;
        const { method, headers } = head;
        checkHeaders(head);
        const address = readAddress(head.url, headers.host, table.service, isHostStyleAllowed);
        const { query } = address;
        const target = table.mendTarget?.(address.target, query, headers) ?? address.target;
        const version = readVersion(headers, query.get("api-version") ?? query.get("sv"));
        const operation = target.isWebsite === true
            ? this.#router.findOnWebsite(method)
            : this.#router.find(method, target.path, query, headers);
        exchange.operation = operation;
        const request = {
            id: exchange.id,
            method,
            target,
            query,
            headers,
            rawHeaders: head.rawHeaders,
            isSecure,
            remoteAddress,
            receivedAt: clock.now(),
            version,
            body: NO_BODY,
            caller: NOBODY,
        };
        // Most callers are known and judged at once. Waiting for what is already there costs a turn of the queue.
        const proven = authenticate(request, auth);
        request.caller = proven instanceof Promise ? await proven : proven;
        const judgement = authorize(request.caller, operation, request, auth);
        if (judgement !== undefined)
            await judgement;
        const body = new RequestBody(exchange.incoming, connection, operation.bodyBytesMax);
        exchange.body = body;
        request.body = body;
        const reply = await operation.handle(request, services);
        if (headers.origin === undefined)
            return reply;
        const rules = await corsRules(table.service, target.account);
        const cors = { origin: headers.origin, method: request.method };
        return {
            ...reply,
            headers: { ...reply.headers, ...corsHeaders(rules, cors, Object.keys(reply.headers ?? {})) },
        };
    }
    #refuse(exchange, error) {
        const refusal = this.#refusalOf(exchange, error);
        const code = errorCodeOf(refusal);
        exchange.errorCode = code;
        const headers = { "x-ms-error-code": code, ...refusal.detail.headers };
        const isBodyless = exchange.head.method === "HEAD" || refusal.row.http === 304;
        if (isBodyless)
            return { status: refusal.row.http, headers };
        const format = errorFormatOf({
            service: this.#options.table.service,
            accept: exchange.head.headers.accept,
            isXmlOperation: exchange.operation?.body === "xml",
        });
        const context = { requestId: exchange.id, time: this.#options.clock.now() };
        const { contentType, body } = printError(refusal, format, context);
        return { status: refusal.row.http, headers: { ...headers, "Content-Type": contentType }, body };
    }
    /** A fault or a bug becomes a refusal the client can read; the log has the rest. */
    #refusalOf(exchange, error) {
        if (error instanceof Refusal)
            return error;
        const text = error instanceof InvariantBroken ? "a broken invariant" : "a request failed";
        this.#logFault(exchange, error, text);
        const isTransient = error instanceof StorageFault && error.isTransient;
        return new Refusal(isTransient ? "ServerBusy" : "InternalError");
    }
    #logFault({ id, head, operation }, error, text) {
        const { service } = this.#options.table;
        const fields = { err: error, requestId: id, service, operation: operation?.name, url: head.url };
        this.#options.log.error(fields, text);
    }
    #outgoing(exchange, reply) {
        const { method, headers, isOld } = exchange.head;
        return {
            reply,
            isHead: method === "HEAD",
            isOld,
            requestId: exchange.id,
            version: headers["x-ms-version"],
            clientRequestId: clientRequestIdOf(headers),
        };
    }
    #account(exchange, status, bytesOut) {
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
/** Until the caller is known and may do what it asks, there is no body to read and nobody to act for. */
const NO_BODY = {
    length: 0,
    stream: () => {
        throw new InvariantBroken("the body was read before the caller was known");
    },
    read: () => Promise.reject(new InvariantBroken("the body was read before the caller was known")),
};
const NOBODY = { kind: "anonymous", account: "" };
/** What is known of one request while it is on its way; filled in step by step. */
class Exchange {
    incoming;
    id;
    startedAt = monotonic();
    operation;
    body;
    errorCode;
    constructor(incoming, id) {
        this.incoming = incoming;
        this.id = id;
    }
    get head() {
        return this.incoming.head;
    }
}
function checkHeaders({ rawHeaders, headers, repeated }) {
    if (rawHeaders.length > 2 * LIMITS.headerCountMax) {
        throw new Refusal("InvalidInput", { text: "Too many headers." });
    }
    if (repeated !== undefined)
        throw badHeader(repeated, headers[repeated.toLowerCase()] ?? "");
}
const VERSION = /^\d{4}-\d\d-\d\d$/;
/** Any well-formed version is served: refusing new ones is what makes an emulator age. */
function readVersion(headers, inQuery) {
    const given = headers["x-ms-version"];
    if (given === undefined)
        return inQuery !== undefined && VERSION.test(inQuery) ? inQuery : "";
    if (!VERSION.test(given))
        throw badHeader("x-ms-version", given);
    return given;
}
const VISIBLE = /^[\x20-\x7e]*$/;
function clientRequestIdOf(headers) {
    const given = headers["x-ms-client-request-id"];
    if (given === undefined || given.length > LIMITS.clientRequestIdCharsMax)
        return undefined;
    return VISIBLE.test(given) ? given : undefined;
}
