import { Refusal } from "../../base/refusals.ts";
import type { SmbContext } from "../context.ts";
import type { Signer } from "../crypto/signing.ts";
import type { AnyOpen, InFlightRequest, Open } from "../session/open.ts";
import type { Session, Tree } from "../session/session.ts";
import { COMMAND, FLAG, type Header } from "../wire/header.ts";
import { type FileId, isNoFile } from "../wire/layout.ts";
import { DIALECT } from "../wire/negotiate.ts";
import { refuse, STATUS } from "../wire/status.ts";
import { enterSequence, type Generation, leaveSequence } from "./channel-sequence.ts";
import type { Connection } from "./connection.ts";
import { chargeFor } from "./credits.ts";

export interface Reply {
  readonly status: number;
  readonly body: Buffer;
  /** Follows the body without being copied into it. */
  readonly payload?: readonly Buffer[];
  /** The connection owns the payload and releases it once it was sent (`src/memory/pooled-buffer.ts`). */
  readonly isBorrowed?: boolean;
  /** The reply to a login is signed even if the request was not. */
  readonly isSigned?: boolean;
  /** Gets the reply as it is sent, for the preauthentication hash. */
  readonly onBytes?: (parts: readonly Buffer[]) => void;
}

export interface Answer {
  readonly request: Request;
  readonly reply: Reply;
  readonly isInterim: boolean;
}

/** Commands that wait only for the file service: CLOSE lets them finish. */
const ENDS_BY_ITSELF: readonly number[] = [
  COMMAND.READ,
  COMMAND.WRITE,
  COMMAND.FLUSH,
  COMMAND.QUERY_DIRECTORY,
  COMMAND.QUERY_INFO,
  COMMAND.SET_INFO,
];

export const success = (body: Buffer): Reply => ({ status: STATUS.SUCCESS, body });

/** The state that the PDUs of a compound pass on to each other. */
export interface ChainState {
  session: Session | undefined;
  tree: Tree | undefined;
  fileId: FileId | undefined;
  /** Why there is no file id: the status of the CREATE that failed. */
  error: number | undefined;
}

/** One PDU and the state of the command that it runs. */
export class Request implements InFlightRequest {
  readonly context: SmbContext;
  readonly connection: Connection;
  readonly header: Header;
  readonly pdu: Buffer;
  readonly chain: ChainState;
  readonly isRelated: boolean;
  readonly isEncrypted: boolean;
  /** Of its compound: only the last PDU may wait for another client. */
  readonly isLast: boolean;
  isSigned = false;
  /** No code refers to the bytes of the PDU any more. */
  isReleased = false;
  /** Signs the reply in place of the connection's own key for the session. */
  signer: Signer | undefined;
  session: Session | undefined;
  tree: Tree | undefined;
  /** Of the memory for replies. */
  reservedBytes = 0;
  /** Not 0 once the interim reply was sent. */
  asyncId = 0n;
  readonly #sendInterim: (request: Request) => void;
  #entered: { readonly open: Open; readonly generation: Generation } | undefined;
  #cancel: ((status: number) => void) | undefined;
  #used: Open | undefined;
  #done: Promise<void> | undefined;
  #notifyDone: () => void = () => {};

  constructor(
    input: Pick<
      Request,
      "connection" | "header" | "pdu" | "chain" | "isRelated" | "isEncrypted" | "isLast"
    > & {
      readonly sendInterim: (request: Request) => void;
    },
  ) {
    this.context = input.connection.context;
    this.connection = input.connection;
    this.header = input.header;
    this.pdu = input.pdu;
    this.chain = input.chain;
    this.isRelated = input.isRelated;
    this.isEncrypted = input.isEncrypted;
    this.isLast = input.isLast;
    this.#sendInterim = input.sendInterim;
  }

  /** The session of a request that needs one. */
  get user(): Session {
    if (this.session === undefined) throw refuse(STATUS.USER_SESSION_DELETED);
    return this.session;
  }

  /** The status of a waiting request whose session or tree ends. */
  get endStatus(): number {
    if (this.header.command === COMMAND.CHANGE_NOTIFY) return STATUS.NOTIFY_CLEANUP;
    return this.header.command === COMMAND.LOCK ? STATUS.RANGE_NOT_LOCKED : STATUS.CANCELLED;
  }

  /** Refuses a payload, sent or requested, that costs more credits than the request pays. */
  checkCharge(bytes: number): void {
    if (chargeFor(bytes) > Math.max(1, this.header.creditCharge)) throw refuse(STATUS.INVALID_PARAMETER);
  }

  /**
   * Before a long reply: a client that sends requests and does not read replies must not fill the memory. It
   * waits only when all of the memory is in use.
   */
  reserveReply(bytes: number): Promise<void> | undefined {
    const reserved = this.connection.replies.reserve(bytes);
    if (reserved !== undefined)
      return reserved.then((isReserved) => {
        if (!isReserved) throw new Refusal("ServerBusy");
        this.reservedBytes += bytes;
      });
    this.reservedBytes += bytes;
    return undefined;
  }

  /** The open a request names: in a related compound the one of the request before it. */
  open(fileId: FileId): AnyOpen {
    const isUnnamed = isNoFile(fileId);
    if (this.isRelated) {
      const { fileId: earlier, error } = this.chain;
      if (earlier === undefined && (isUnnamed || error !== undefined))
        throw refuse(error ?? STATUS.INVALID_HANDLE);
      if (earlier !== undefined) return this.#named(earlier);
    }
    if (isUnnamed) throw refuse(STATUS.FILE_CLOSED);
    return this.#named(fileId);
  }

  #named(fileId: FileId): AnyOpen {
    const open = this.user.openOf(fileId, this.tree);
    if (open.file?.isClosed === true) throw refuse(STATUS.FILE_CLOSED);
    this.chain.fileId = fileId;
    if (open.file !== undefined && ENDS_BY_ITSELF.includes(this.header.command)) {
      this.#used = open;
      open.inFlight.add(this);
    }
    if (open.file !== undefined && this.connection.dialect >= DIALECT.SMB_3_0) this.#enter(open);
    return open;
  }

  #enter(open: Open): void {
    this.#leaveSequence();
    const { command } = this.header;
    const generation = enterSequence(open, {
      sequence: this.channelSequence,
      command,
      isReplay: this.isReplay,
    });
    this.#entered = { open, generation };
    // A client that uses the handle has the reply to its CREATE and will not replay it.
    if (open.createName !== undefined) this.context.replays.forget(open);
  }

  /** The request is answered. */
  leave(): void {
    this.#leaveSequence();
    this.#used?.inFlight.delete(this);
    this.#notifyDone();
  }

  /** Waits for earlier requests with this open: a client may send CLOSE before they are answered. */
  async afterOthers({ inFlight }: Open): Promise<void> {
    const others = [...inFlight].filter((other) => other !== this && other.asyncId === 0n);
    if (others.length > 0) await Promise.all(others.map((other) => other.whenDone()));
  }

  /** Resolves when the request is answered, or waits for another client. */
  whenDone(): Promise<void> {
    this.#done ??= new Promise((resolve) => {
      this.#notifyDone = resolve;
    });
    return this.#done;
  }

  #leaveSequence(): void {
    if (this.#entered !== undefined) leaveSequence(this.#entered.open, this.#entered.generation);
    this.#entered = undefined;
  }

  /** How often the client has lost a connection of this session. */
  get channelSequence(): number {
    return this.header.status & 0xffff;
  }

  /** The client sends it again, because it lost the reply. */
  get isReplay(): boolean {
    return (this.header.flags & FLAG.REPLAY) !== 0;
  }

  file(fileId: FileId, onPipe: number = STATUS.INVALID_DEVICE_REQUEST): Open {
    const open = this.open(fileId);
    if (open.file === undefined) throw refuse(onPipe);
    return open;
  }

  /** Sends an interim reply. From here on CANCEL finds the request. */
  pend(): void {
    if (this.asyncId === 0n) {
      this.asyncId = this.connection.enterAsync(this);
      // It waits for another client, which may wait for the CLOSE.
      this.#notifyDone();
      this.#sendInterim(this);
    }
  }

  /** The same where it is optional: not inside a compound, and not beyond the limit. */
  pendIfMay(): void {
    if (!this.isLast || this.connection.isClosed || !this.connection.mayWaitAsync) return;
    this.pend();
  }

  /** Waits, as an asynchronous request, for `work` or for CANCEL, which runs `undo`. */
  async wait<T>(work: Promise<T>, undo: () => void = () => {}): Promise<T> {
    if (!this.isLast) {
      // A break ends after a limit, and a compound can wait for it; a change or a lock may never come.
      if (this.header.command !== COMMAND.CHANGE_NOTIFY && this.header.command !== COMMAND.LOCK)
        return await work;
      undo();
      throw refuse(STATUS.INTERNAL_ERROR);
    }
    let cancel: (status: number) => void = () => {};
    const cancelled = new Promise<never>((_, reject) => {
      cancel = (status) => {
        undo();
        reject(refuse(status));
      };
    });
    this.#cancel = cancel;
    this.pend();
    try {
      return await Promise.race([work, cancelled]);
    } finally {
      this.#cancel = undefined;
    }
  }

  cancel(status: number = STATUS.CANCELLED): void {
    this.#cancel?.(status);
  }
}
