import { Refusal } from "../../base/refusals.ts";
import type { Signer } from "../crypto/signing.ts";
import type { FileOpen, Open } from "../session/open.ts";
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
  /** The answer to a login is signed whatever the request was. */
  readonly isSigned?: boolean;
  /** Sees the reply as it is sent, for hashes over the conversation. */
  readonly onBytes?: (parts: readonly Buffer[]) => void;
}

/** Commands that wait for nobody but the file system: CLOSE lets them finish. */
const ENDS_BY_ITSELF: readonly number[] = [
  COMMAND.READ,
  COMMAND.WRITE,
  COMMAND.FLUSH,
  COMMAND.QUERY_DIRECTORY,
  COMMAND.QUERY_INFO,
  COMMAND.SET_INFO,
];

export const success = (body: Buffer): Reply => ({ status: STATUS.SUCCESS, body });

/** What the PDUs of one compound hand on to each other. */
export interface ChainState {
  session: Session | undefined;
  tree: Tree | undefined;
  fileId: FileId | undefined;
  /** Why there is no file id: the status of the CREATE that failed. */
  error: number | undefined;
}

/** One PDU on its way through a command. */
export class Request {
  readonly connection: Connection;
  readonly header: Header;
  readonly pdu: Buffer;
  readonly chain: ChainState;
  readonly isRelated: boolean;
  readonly isEncrypted: boolean;
  /** Of its compound: only the last one may keep the client waiting. */
  readonly isLast: boolean;
  isSigned = false;
  /** The command is through with the bytes of the PDU, and so is everybody it gave them to. */
  isReleased = false;
  /** Signs the reply in place of the connection's own key for the session. */
  signer: Signer | undefined;
  session: Session | undefined;
  tree: Tree | undefined;
  /** Memory that waits for the reply. */
  reservedBytes = 0;
  /** Not 0 once the interim reply was sent. */
  asyncId = 0n;
  readonly #sendInterim: (request: Request) => void;
  #entered: { readonly open: FileOpen; readonly generation: Generation } | undefined;
  #cancel: ((status: number) => void) | undefined;
  #used: FileOpen | undefined;
  #left: Promise<void> | undefined;
  #notifyLeft: () => void = () => {};

  constructor(input: {
    readonly connection: Connection;
    readonly header: Header;
    readonly pdu: Buffer;
    readonly chain: ChainState;
    readonly isRelated: boolean;
    readonly isEncrypted: boolean;
    readonly isLast: boolean;
    readonly sendInterim: (request: Request) => void;
  }) {
    this.connection = input.connection;
    this.header = input.header;
    this.pdu = input.pdu;
    this.chain = input.chain;
    this.isRelated = input.isRelated;
    this.isEncrypted = input.isEncrypted;
    this.isLast = input.isLast;
    this.#sendInterim = input.sendInterim;
  }

  /** Of a request that the table lets through only with a session. */
  get user(): Session {
    if (this.session === undefined) throw refuse(STATUS.USER_SESSION_DELETED);
    return this.session;
  }

  /** How a request ends that waits while its session or tree goes. */
  get endStatus(): number {
    if (this.header.command === COMMAND.CHANGE_NOTIFY) return STATUS.NOTIFY_CLEANUP;
    return this.header.command === COMMAND.LOCK ? STATUS.RANGE_NOT_LOCKED : STATUS.CANCELLED;
  }

  /** The payload sent or asked for is paid for. */
  checkCharge(bytes: number): void {
    if (chargeFor(bytes) > Math.max(1, this.header.creditCharge)) throw refuse(STATUS.INVALID_PARAMETER);
  }

  /**
   * Before a long reply is made: a client that asks and does not read must not fill the memory. Nothing is to be
   * waited for unless all of it is in use.
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
  open(fileId: FileId): Open {
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

  #named(fileId: FileId): Open {
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

  #enter(open: FileOpen): void {
    this.#leaveSequence();
    const { command } = this.header;
    const generation = enterSequence(open, {
      sequence: this.channelSequence,
      command,
      isReplay: this.isReplay,
    });
    this.#entered = { open, generation };
    // Who uses the handle has seen the answer to its CREATE and has no need to ask for it again.
    if (open.createName !== undefined) this.connection.server.replays.forget(open);
  }

  /** The request is answered. */
  leave(): void {
    this.#leaveSequence();
    this.#used?.inFlight.delete(this);
    this.#notifyLeft();
  }

  /** Ends when the requests are through that came for this open before: a client need not wait for them to send CLOSE. */
  async afterOthers({ inFlight }: FileOpen): Promise<void> {
    const others = [...inFlight].filter((one) => one !== this && one.asyncId === 0n);
    if (others.length > 0) await Promise.all(others.map((one) => one.#whenLeft()));
  }

  #whenLeft(): Promise<void> {
    this.#left ??= new Promise((resolve) => {
      this.#notifyLeft = resolve;
    });
    return this.#left;
  }

  #leaveSequence(): void {
    if (this.#entered !== undefined) leaveSequence(this.#entered.open, this.#entered.generation);
    this.#entered = undefined;
  }

  /** How often the client has lost a connection of this session. */
  get channelSequence(): number {
    return this.header.status & 0xffff;
  }

  /** The client sends it again, because it does not know what became of it. */
  get isReplay(): boolean {
    return (this.header.flags & FLAG.REPLAY) !== 0;
  }

  file(fileId: FileId, onPipe: number = STATUS.INVALID_DEVICE_REQUEST): FileOpen {
    const open = this.open(fileId);
    if (open.file === undefined) throw refuse(onPipe);
    return open;
  }

  /** Tells the client that the answer will take time. From here on CANCEL finds the request. */
  pend(): void {
    if (this.asyncId === 0n) {
      this.asyncId = this.connection.enterAsync(this);
      // It waits for somebody else, who may be waiting for the CLOSE.
      this.#notifyLeft();
      this.#sendInterim(this);
    }
  }

  /** The same where it is only a courtesy: not inside a compound, and not beyond the limit. */
  pendIfMay(): void {
    if (!this.isLast || this.connection.isClosed || !this.connection.mayWaitAsync) return;
    this.pend();
  }

  /** Waits, as an asynchronous request, for `work` or for being cancelled, in which case `undo` runs. */
  async wait<T>(work: Promise<T>, undo: () => void): Promise<T> {
    if (!this.isLast) {
      // A break ends by itself and the chain can wait for it; a change or a lock may never come.
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
