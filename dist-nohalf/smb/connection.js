import { SMB_LIMITS } from "../base/limits-smb.js";
import { runChain } from "./chain.js";
import { negotiateFromSmb1 } from "./commands/negotiate.js";
import { CreditWindow } from "./credits.js";
import { Breach, breach, refuse, STATUS } from "./status.js";
import { FrameAssembler, PREFIX_BYTES, prefixFor } from "./wire/framing.js";
import { FLAG, PROTOCOL, protocolOf, SIGNATURE_AT, writeHeader } from "./wire/header.js";
import { align8, HEADER_BYTES } from "./wire/layout.js";
import { decodeSmb1Negotiate } from "./wire/smb1-negotiate.js";
import { decodeTransform } from "./wire/transform.js";
/** A client's TCP connection: messages in, replies out, and what NEGOTIATE settled for all of it. */
export class Connection {
    server;
    address;
    credits = new CreditWindow();
    sessions = new Map();
    dialect = 0;
    cipher = 0;
    signing = 0;
    /** Only with 3.1.1. */
    preauth;
    clientGuid = Buffer.alloc(16);
    clientCapabilities = 0;
    clientSecurityMode = 0;
    clientDialects = [];
    capabilities = 0;
    openCount = 0;
    isClosed = false;
    isLoggedIn = false;
    isSmb1Greeted = false;
    activeAt;
    startedAt;
    #socket;
    #frames = new FrameAssembler(SMB_LIMITS.anonymousFrameBytesMax);
    #async = new Map();
    #lastAsyncId = 0n;
    #bytesUnderWay = 0;
    #isPaused = false;
    constructor(server, socket) {
        this.server = server;
        this.#socket = socket;
        this.address = `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`;
        this.startedAt = server.clock.now();
        this.activeAt = this.startedAt;
        socket.setNoDelay(true);
        socket.on("data", (piece) => this.#receive(piece));
        socket.on("drain", () => this.#mayResume());
        socket.on("error", () => this.close());
        socket.on("close", () => this.close());
        socket.on("end", () => this.close());
    }
    get host() {
        return this.#socket.remoteAddress ?? "";
    }
    /** After a login: messages may carry payload. */
    loggedIn() {
        this.isLoggedIn = true;
        this.#frames.allow(Math.max(SMB_LIMITS.transactBytesMax, SMB_LIMITS.readBytesMax, SMB_LIMITS.writeBytesMax) +
            SMB_LIMITS.frameOverheadBytes);
    }
    #receive(piece) {
        if (this.isClosed)
            return;
        this.activeAt = this.server.clock.now();
        try {
            this.#frames.add(piece, (frame) => this.#take(frame));
        }
        catch (error) {
            this.#fail(error);
        }
    }
    #take(frame) {
        if (this.isClosed)
            return;
        const protocol = protocolOf(frame);
        if (protocol === PROTOCOL.SMB2)
            this.#run(frame, undefined);
        else if (protocol === PROTOCOL.TRANSFORM)
            this.#run(...this.#unseal(frame));
        else if (protocol === PROTOCOL.SMB1 && this.dialect === 0 && !this.isSmb1Greeted)
            negotiateFromSmb1(this, decodeSmb1Negotiate(frame));
        else
            throw breach("not a message of SMB2");
    }
    #unseal(frame) {
        const session = this.sessions.get(decodeTransform(frame).sessionId);
        if (session?.opener === undefined || session.state !== "valid")
            throw breach("encrypted for no session");
        session.usesEncryption = true;
        const plain = session.opener.decrypt(frame);
        if (protocolOf(plain) !== PROTOCOL.SMB2)
            throw breach("what was encrypted is not SMB2");
        return [plain, session];
    }
    #run(payload, sealedBy) {
        this.#bytesUnderWay += payload.length;
        this.#mayPause();
        runChain(this, payload, sealedBy).then(() => this.#ran(payload.length), (error) => this.#fail(error));
    }
    #ran(bytes) {
        this.#bytesUnderWay -= bytes;
        this.#mayResume();
    }
    #mayPause() {
        const isFull = this.#bytesUnderWay > SMB_LIMITS.requestBytesMax ||
            this.#socket.writableLength > SMB_LIMITS.replyBytesMax;
        if (!isFull || this.#isPaused)
            return;
        this.#isPaused = true;
        this.#socket.pause();
    }
    #mayResume() {
        const isFull = this.#bytesUnderWay > SMB_LIMITS.requestBytesMax ||
            this.#socket.writableLength > SMB_LIMITS.replyBytesMax;
        if (isFull || !this.#isPaused || this.isClosed)
            return;
        this.#isPaused = false;
        this.#socket.resume();
    }
    #fail(error) {
        if (error instanceof Breach)
            this.server.log.debug({ client: this.address, what: error.message }, "SMB breach");
        else
            this.server.log.error({ err: error, client: this.address }, "an SMB connection failed");
        this.close();
    }
    enterAsync(request) {
        if (this.#async.size >= SMB_LIMITS.asyncRequestsMax)
            throw refuse(STATUS.INSUFFICIENT_RESOURCES);
        const id = ++this.#lastAsyncId;
        this.#async.set(id, request);
        return id;
    }
    leaveAsync(request) {
        this.#async.delete(request.asyncId);
    }
    cancel({ flags, asyncId, messageId }) {
        const isNamed = (flags & FLAG.ASYNC) !== 0 && asyncId !== 0n;
        if (isNamed) {
            this.#async.get(asyncId)?.cancel();
            return;
        }
        for (const request of this.#async.values())
            if (request.header.messageId === messageId)
                request.cancel();
    }
    /** Ends requests of a session or a tree that wait for something. */
    cancelWhere(isMeant) {
        for (const request of this.#async.values())
            if (isMeant(request))
                request.cancel(request.endStatus);
    }
    /** Sends replies as one message, signed or sealed as their requests were. */
    send(answers) {
        if (this.isClosed)
            return;
        const parts = [];
        for (const [index, answer] of answers.entries())
            parts.push(...this.#replyParts(answer, index === answers.length - 1));
        const { request } = answers[0];
        this.write(parts, request.isEncrypted ? request.session : undefined);
    }
    #replyParts({ request, reply, isInterim }, isLast) {
        const { header, session, isRelated } = request;
        const { body, payload = [], status } = reply;
        const length = HEADER_BYTES + body.length + payload.reduce((sum, part) => sum + part.length, 0);
        const padded = isLast ? length : align8(length);
        const isAsync = request.asyncId !== 0n;
        const isSigned = !request.isEncrypted && !isInterim && (request.isSigned || reply.isSigned === true);
        const signer = isSigned ? session?.signer : undefined;
        const head = Buffer.allocUnsafe(HEADER_BYTES + body.length);
        writeHeader(head, {
            creditCharge: header.creditCharge,
            status,
            command: header.command,
            credits: isAsync && !isInterim ? 0 : this.server.grantCredits(this, header.credits),
            flags: FLAG.RESPONSE |
                (header.flags & FLAG.PRIORITY) |
                (isRelated ? FLAG.RELATED : 0) |
                (isAsync ? FLAG.ASYNC : 0) |
                (signer === undefined ? 0 : FLAG.SIGNED),
            nextCommand: isLast ? 0 : padded,
            messageId: header.messageId,
            asyncId: request.asyncId,
            processId: header.processId,
            treeId: request.tree?.id ?? header.treeId,
            sessionId: session?.id ?? header.sessionId,
        });
        head.set(body, HEADER_BYTES);
        // A reply that cannot be signed carries the request's signature back: clients tell by it that it is an answer
        // to them, and believe the status of a session or a tree that is gone.
        if (signer === undefined && !request.isEncrypted)
            request.pdu.copy(head, SIGNATURE_AT, SIGNATURE_AT, HEADER_BYTES);
        const parts = [head, ...payload];
        if (padded > length)
            parts.push(Buffer.alloc(padded - length));
        if (signer !== undefined) {
            const message = { messageId: header.messageId, isFromServer: true, isCancel: false };
            head.set(signer(parts, message), SIGNATURE_AT);
        }
        reply.onBytes?.(parts);
        return parts;
    }
    /** One message of these parts, sealed for a session if one is given. */
    write(parts, sealFor) {
        if (this.isClosed)
            return;
        const sent = sealFor?.sealer === undefined ? parts : sealFor.sealer.encrypt(sealFor.id, parts);
        const length = sent.reduce((sum, part) => sum + part.length, 0);
        const [first, ...rest] = sent;
        this.#socket.cork();
        // The prefix and the small first part go out as one piece.
        const head = Buffer.allocUnsafe(PREFIX_BYTES + first.length);
        head.set(prefixFor(length));
        head.set(first, PREFIX_BYTES);
        this.#socket.write(head);
        for (const part of rest)
            this.#socket.write(part);
        this.#socket.uncork();
        this.#mayPause();
    }
    /** Ends the connection and what lives on it. Durable opens stay behind for their time. */
    close() {
        if (this.isClosed)
            return;
        this.isClosed = true;
        this.#socket.destroy();
        this.cancelWhere(() => true);
        this.#async.clear();
        this.server.connectionClosed(this);
    }
}
