import type { Socket } from "node:net";
import { LIMITS } from "../../base/limits.ts";
import { bufferPool } from "../../memory/buffer-pool.ts";
import { freeNow } from "../../memory/free-now.ts";
import { type OwnedChunk, PooledBuffer, release } from "../../memory/pooled-buffer.ts";
import { readInto } from "../../memory/read-into.ts";
import type { ReplyReservation } from "../../memory/reply-memory.ts";
import type { SmbContext } from "../context.ts";
import type { PreauthHash } from "../crypto/preauth.ts";
import { SMB_LIMITS } from "../limits.ts";
import type { Binding, Channel, Session } from "../session/session.ts";
import { FrameAssembler, PREFIX_BYTES, prefixFor } from "../wire/framing.ts";
import {
  COMMAND,
  FLAG,
  type Header,
  PROTOCOL,
  protocolOf,
  SIGNATURE_AT,
  writeHeader,
} from "../wire/header.ts";
import { align8, HEADER_BYTES } from "../wire/layout.ts";
import { decodeSmb1Negotiate } from "../wire/smb1-negotiate.ts";
import { ProtocolError, protocolError, refuse, STATUS } from "../wire/status.ts";
import { decodeTransform } from "../wire/transform.ts";
import { CreditWindow } from "./credits.ts";
import type { Answer, Reply, Request } from "./request.ts";

const NOTHING: readonly Buffer[] = [];

function borrowedBy({ isBorrowed, payload }: Reply): readonly Buffer[] {
  return isBorrowed === true && payload !== undefined ? payload : NOTHING;
}

/** A message and its prefix in one buffer. */
function joined(parts: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.allocUnsafe(PREFIX_BYTES + length);
  whole.writeUInt32BE(length);
  let at = PREFIX_BYTES;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What a connection reports to the server, and hands over to the layers above. */
export interface ConnectionHost {
  /** Runs a message. True when no command refers to a byte of `payload` afterwards. */
  run(connection: Connection, payload: Buffer, encryptedBy: Session | undefined): Promise<boolean>;
  negotiateFromSmb1(connection: Connection, dialects: readonly string[]): void;
  loggedIn(): void;
  closed(): void;
}

/** A client's TCP connection: messages in, replies out, and the result of NEGOTIATE. */
export class Connection implements Channel {
  readonly context: SmbContext;
  readonly address: string;
  readonly credits = new CreditWindow();
  readonly sessions = new Map<bigint, Session>();
  /** Logins in progress that bind sessions of other connections. */
  readonly bindings = new Map<bigint, Binding>();
  dialect = 0;
  cipher = 0;
  signing = 0;
  /** Only with 3.1.1. */
  preauth: PreauthHash | undefined;
  clientGuid: Buffer = Buffer.alloc(16);
  clientCapabilities = 0;
  clientSecurityMode = 0;
  clientDialects: readonly number[] = [];
  capabilities = 0;
  openCount = 0;
  isClosed = false;
  isLoggedIn = false;
  isSmb1Greeted = false;
  activeAt: number;
  readonly startedAt: number;
  readonly replies: ReplyReservation;
  readonly #host: ConnectionHost;
  readonly #socket: Socket;
  readonly #frames: FrameAssembler;
  readonly #async = new Map<bigint, Request>();
  #lastAsyncId = 0n;
  #bytesInFlight = 0;
  #isPaused = false;

  constructor(context: SmbContext, socket: Socket, host: ConnectionHost) {
    this.context = context;
    this.#host = host;
    this.replies = context.replyMemory.reservationFor(
      { destroy: () => this.close() },
      SMB_LIMITS.replyBytesMax,
    );
    this.#frames = new FrameAssembler(SMB_LIMITS.anonymousFrameBytesMax, bufferPool);
    this.#socket = readInto(socket, {
      nextBuffer: () => this.#frames.place,
      onFilled: (count) => this.#receive(() => this.#frames.placed(count, this.#onFrame)),
      onBorrowed: (chunk) => this.#receive(() => this.#frames.add(chunk, this.#onFrame)),
    });
    this.address = `${this.#socket.remoteAddress ?? ""}:${this.#socket.remotePort ?? 0}`;
    this.startedAt = context.clock.now();
    this.activeAt = this.startedAt;
    this.#socket.setNoDelay(true);
    this.#socket.setKeepAlive(true, SMB_LIMITS.keepAliveMillis);
    this.#socket.on("drain", () => {
      this.replies.setUnsent(0);
      this.#mayResume();
    });
    this.#socket.on("error", () => this.close());
    this.#socket.on("close", () => this.close());
    this.#socket.on("end", () => this.close());
  }

  get host(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get localAddress(): string {
    return this.#socket.localAddress ?? "";
  }

  /** Whether a session that uses this connection has an open, wherever it was made. */
  get hasOpens(): boolean {
    for (const { opens } of this.sessions.values()) if (opens.size > 0) return true;
    return false;
  }

  /** After a login: messages may carry payload. */
  loggedIn(): void {
    this.isLoggedIn = true;
    this.#host.loggedIn();
    this.#frames.allow(
      Math.max(SMB_LIMITS.transactBytesMax, SMB_LIMITS.readBytesMax, SMB_LIMITS.writeBytesMax) +
        LIMITS.frameOverheadBytes,
    );
  }

  #receive(assemble: () => void): void {
    if (this.isClosed) return;
    this.activeAt = this.context.clock.now();
    try {
      assemble();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Owns the frame: a request that is done releases it. */
  readonly #onFrame = (frame: OwnedChunk): void => {
    if (this.isClosed) {
      release(frame);
      return;
    }
    if (this.isLoggedIn) this.context.busyPoll.poke(frame.length);
    const protocol = protocolOf(frame);
    if (protocol === PROTOCOL.SMB2) this.#run(frame, frame);
    else if (protocol === PROTOCOL.TRANSFORM) this.#runEncrypted(frame);
    else if (protocol === PROTOCOL.SMB1 && this.dialect === 0 && !this.isSmb1Greeted)
      this.#host.negotiateFromSmb1(this, decodeSmb1Negotiate(frame));
    else throw protocolError("not a message of SMB2");
  };

  #runEncrypted(frame: OwnedChunk): void {
    const session = this.sessions.get(decodeTransform(frame).sessionId);
    if (session?.decryptor === undefined || session.state !== "valid")
      throw protocolError("encrypted for no session");
    session.usesEncryption = true;
    const plain = session.decryptor.decrypt(frame);
    if (protocolOf(plain) !== PROTOCOL.SMB2) throw protocolError("what was encrypted is not SMB2");
    const isInPlace = plain.buffer === frame.buffer;
    if (!isInPlace) release(frame);
    this.#run(plain, isInPlace ? frame : plain, session);
  }

  /** `payload` lies in `frame`, which the requests of the chain share. */
  #run(payload: Buffer, frame: OwnedChunk, encryptedBy?: Session): void {
    this.#bytesInFlight += payload.length;
    this.#mayPause();
    this.#host.run(this, payload, encryptedBy).then(
      (isReleased) => {
        if (isReleased) release(frame);
        this.#bytesInFlight -= payload.length;
        this.#mayResume();
      },
      (error) => this.#fail(error),
    );
  }

  /** Too many bytes are in flight or unsent. While the memory for replies is full, one byte is too many. */
  get #isFull(): boolean {
    const unsentBytesMax = this.context.replyMemory.isFull ? 0 : SMB_LIMITS.replyBytesMax;
    return this.#bytesInFlight > SMB_LIMITS.requestBytesMax || this.replies.unsentBytes > unsentBytesMax;
  }

  #mayPause(): void {
    if (!this.#isFull || this.#isPaused) return;
    this.#isPaused = true;
    this.#socket.pause();
  }

  #mayResume(): void {
    if (this.#isFull || !this.#isPaused || this.isClosed) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  #fail(error: unknown): void {
    if (error instanceof ProtocolError)
      this.context.log.debug({ client: this.address, what: error.message }, "SMB protocol error");
    else this.context.log.error({ err: error, client: this.address }, "an SMB connection failed");
    this.close();
  }

  get mayWaitAsync(): boolean {
    return this.#async.size < SMB_LIMITS.asyncRequestsMax;
  }

  enterAsync(request: Request): bigint {
    if (this.#async.size >= SMB_LIMITS.asyncRequestsMax) throw refuse(STATUS.INSUFFICIENT_RESOURCES);
    const id = ++this.#lastAsyncId;
    this.#async.set(id, request);
    return id;
  }

  leaveAsync(request: Request): void {
    this.#async.delete(request.asyncId);
  }

  cancel({ flags, asyncId, messageId }: Header): void {
    const isNamed = (flags & FLAG.ASYNC) !== 0 && asyncId !== 0n;
    if (isNamed) {
      this.#async.get(asyncId)?.cancel();
      return;
    }
    for (const request of this.#async.values()) if (request.header.messageId === messageId) request.cancel();
  }

  /** Ends requests of a session or a tree that wait for something. */
  cancelWhere(isMeant: (request: Request) => boolean): void {
    for (const request of this.#async.values()) if (isMeant(request)) request.cancel(request.endStatus);
  }

  /** Sends replies as one message, signed or encrypted as their requests were. */
  send(answers: readonly Answer[]): void {
    if (this.isClosed) return;
    const [first] = answers;
    const { request, reply } = first!;
    const encryptFor = request.isEncrypted ? request.session : undefined;
    if (answers.length === 1) {
      this.write(this.#replyParts(first!, "alone"), encryptFor, borrowedBy(reply));
      this.#releaseReserved(first!);
      return;
    }
    const parts: Buffer[] = [];
    for (const [index, answer] of answers.entries())
      parts.push(...this.#replyParts(answer, index === answers.length - 1 ? "last" : "followed"));
    this.write(
      parts,
      encryptFor,
      answers.flatMap((answer) => borrowedBy(answer.reply)),
    );
    for (const answer of answers) this.#releaseReserved(answer);
  }

  /** The socket has the reply, and counts it as unsent from here on. */
  #releaseReserved({ request, isInterim }: Answer): void {
    if (isInterim || request.reservedBytes === 0) return;
    this.replies.release(request.reservedBytes);
    request.reservedBytes = 0;
  }

  /** In a compound every reply ends on a boundary of 8 bytes, also the last. */
  #replyParts({ request, reply, isInterim }: Answer, place: "alone" | "followed" | "last"): Buffer[] {
    const { header, session, isRelated } = request;
    const { body, payload = NOTHING, status } = reply;
    const length = HEADER_BYTES + body.length + payload.reduce((sum, part) => sum + part.length, 0);
    const padded = place === "alone" ? length : align8(length);
    const isAsync = request.asyncId !== 0n;
    const isSigned = !request.isEncrypted && !isInterim && (request.isSigned || reply.isSigned === true);
    const signer = isSigned ? (request.signer ?? session?.channels.get(this)) : undefined;
    // A reply that cannot be signed repeats the request's signature and flag: by that, clients accept the
    // status of a session or a tree that is gone.
    const isEcho = signer === undefined && !request.isEncrypted && !isInterim;
    const head = Buffer.allocUnsafe(HEADER_BYTES + body.length);
    writeHeader(head, {
      creditCharge: header.creditCharge,
      status,
      command: header.command,
      // A client does not learn before its login how many credits it could have.
      credits: isAsync && !isInterim ? 0 : this.credits.grant(this.isLoggedIn ? header.credits : 1),
      flags:
        FLAG.RESPONSE |
        (header.flags & FLAG.PRIORITY) |
        (isRelated ? FLAG.RELATED : 0) |
        (isAsync ? FLAG.ASYNC : 0) |
        (isEcho ? header.flags & FLAG.SIGNED : signer === undefined ? 0 : FLAG.SIGNED),
      nextCommand: place === "followed" ? padded : 0,
      messageId: header.messageId,
      asyncId: request.asyncId,
      processId: header.processId,
      treeId: request.tree?.id ?? header.treeId,
      sessionId: session?.id ?? header.sessionId,
    });
    head.set(body, HEADER_BYTES);
    if (isEcho) request.pdu.copy(head, SIGNATURE_AT, SIGNATURE_AT, HEADER_BYTES);
    const parts = [head, ...payload];
    if (padded > length) parts.push(Buffer.alloc(padded - length));
    if (signer !== undefined) {
      const message = { messageId: header.messageId, isFromServer: true, isCancel: false };
      head.set(signer(parts, message), SIGNATURE_AT);
    }
    reply.onBytes?.(parts);
    return parts;
  }

  /** Sends these parts as one message, and releases the borrowed ones once they were sent. */
  write(
    parts: readonly Buffer[],
    encryptFor: Session | undefined,
    borrowed: readonly Buffer[] = NOTHING,
  ): void {
    if (this.isClosed) return;
    // All holes of files share one buffer of zeros: encryption overwrites only pooled buffers.
    const sent =
      encryptFor?.encryptor === undefined
        ? parts
        : encryptFor.encryptor.encrypt(
            encryptFor.id,
            parts,
            borrowed.filter((buffer) => buffer instanceof PooledBuffer),
          );
    const length = sent.reduce((sum, part) => sum + part.length, 0);
    if (length <= SMB_LIMITS.joinedReplyBytesMax) {
      this.#socket.write(joined(sent, length));
      borrowed.forEach(release);
      this.#wrote(length);
      return;
    }
    this.context.busyPoll.poke(length);
    const [first, ...rest] = sent;
    // These were encrypted into other buffers.
    for (const buffer of borrowed) if (!rest.includes(buffer)) release(buffer);
    const onSent = (error?: Error | null): void => {
      if (error) return;
      for (const part of rest) {
        if (borrowed.includes(part)) release(part);
        else if (sent !== parts) freeNow(part);
      }
    };
    this.#socket.cork();
    // The prefix and the small first part are one chunk.
    const head = Buffer.allocUnsafe(PREFIX_BYTES + first!.length);
    head.set(prefixFor(length));
    head.set(first!, PREFIX_BYTES);
    this.#socket.write(head);
    const last = rest.length - 1;
    for (const [index, part] of rest.entries()) {
      if (index === last) this.#socket.write(part, onSent);
      else this.#socket.write(part);
    }
    this.#socket.uncork();
    this.#wrote(length);
  }

  /** Nearly always the kernel has all bytes by now. Others count as unsent until the event "drain". */
  #wrote(bytes: number): void {
    const unsentBytes = this.#socket.writableNeedDrain ? this.#socket.writableLength : 0;
    if (unsentBytes > 0 || this.replies.unsentBytes > 0) this.replies.setUnsent(unsentBytes, bytes);
    this.#mayPause();
  }

  /** Closes in favour of a new connection. */
  evict(): void {
    this.close();
  }

  /** Ends the connection and the sessions that have no other. Durable opens stay for their time. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#socket.destroy();
    this.replies.close();
    // A CREATE in progress stays for the session's other connections: the client sends it again there.
    this.cancelWhere(
      ({ header, session }) => header.command !== COMMAND.CREATE || session?.reachable === undefined,
    );
    this.#async.clear();
    this.#host.closed();
  }
}
