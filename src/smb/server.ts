import type { Socket } from "node:net";
import { BusyPoll } from "../base/busy-poll.ts";
import type { Clock, Timer, Timers } from "../base/clock.ts";
import { ConnectionLimit } from "../base/connection-limit.ts";
import type { Random } from "../base/random.ts";
import { bufferPool } from "../memory/buffer-pool.ts";
import { ReplyMemory } from "../memory/reply-memory.ts";
import type { Log } from "../observability/log.ts";
import { sendBreak } from "./commands/oplock-break.ts";
import type { LoginAccounts } from "./crypto/login.ts";
import type { FileSystem } from "./file-system.ts";
import { SMB_LIMITS } from "./limits.ts";
import { type CacheEntry, OpenInodes } from "./session/caches.ts";
import { ChangeHub } from "./session/change-notification.ts";
import { CreateReplays } from "./session/create-replays.ts";
import { DurableOpens } from "./session/durable-opens.ts";
import { closeOpen } from "./session/end-open.ts";
import { LoginDelay } from "./session/login-delay.ts";
import type { Session, Tree } from "./session/session.ts";
import { Connection } from "./transport/connection.ts";
import { type FileTime, fileTimeAt } from "./wire/filetime.ts";

export interface SmbServerOptions {
  readonly fileSystem: FileSystem;
  readonly accounts: LoginAccounts;
  /** As clients see it in the login: up to 15 characters. */
  readonly serverName: string;
  /** "required": a client that cannot encrypt is refused. "enabled": signed messages are enough. */
  readonly encryption: "required" | "enabled";
  /** "enabled": a client that does not ask for signing may do without. For trials; "required" is the default. */
  readonly signing?: "required" | "enabled";
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  /** Counts the connections; without it they are limited to `SMB_LIMITS.connectionsMax`. */
  readonly limit?: ConnectionLimit;
  /** Of the replies of all connections. */
  readonly replyMemory?: ReplyMemory | undefined;
}

const SWEEP_MILLIS = 5_000;

/** Everything that connections share: the accounts, the files, who has what open. */
export class SmbServer {
  readonly fileSystem: FileSystem;
  readonly accounts: LoginAccounts;
  readonly serverName: string;
  readonly isEncryptionRequired: boolean;
  readonly isSigningRequired: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly guid: Buffer;
  readonly startedAt: FileTime;
  readonly sessions = new Map<bigint, Session>();
  readonly inodes: OpenInodes;
  readonly changes = new ChangeHub();
  readonly durables: DurableOpens;
  readonly replays = new CreateReplays();
  readonly loginDelay: LoginDelay;
  readonly replyMemory: ReplyMemory;
  readonly busyPoll = new BusyPoll();
  readonly #connections = new Set<Connection>();
  readonly #limit: ConnectionLimit;
  readonly #sweep: Timer;
  #lastOpenId: bigint;

  constructor(options: SmbServerOptions) {
    this.fileSystem = options.fileSystem;
    this.accounts = options.accounts;
    this.serverName = options.serverName;
    this.isEncryptionRequired = options.encryption === "required";
    this.isSigningRequired = options.signing !== "enabled";
    this.clock = options.clock;
    this.timers = options.timers;
    this.replyMemory =
      options.replyMemory ??
      new ReplyMemory({ bytesMax: SMB_LIMITS.replyMemoryBytesMax, timers: options.timers });
    this.random = options.random;
    this.#limit = options.limit ?? new ConnectionLimit({ max: SMB_LIMITS.connectionsMax });
    this.log = options.log;
    this.guid = this.random.bytes(16);
    this.startedAt = fileTimeAt(this.clock.now());
    // Handles of an earlier run must not be mistaken for those of this one.
    this.#lastOpenId = BigInt(this.random.bytes(4).readUInt32LE()) << 24n;
    this.inodes = new OpenInodes(this.timers, (entry: CacheEntry, to, isAnswerNeeded) =>
      sendBreak(this, entry, to, isAnswerNeeded),
    );
    this.durables = new DurableOpens(this);
    this.loginDelay = new LoginDelay(this.clock, this.timers);
    this.#sweep = this.timers.every(SWEEP_MILLIS, () => this.#endSilent());
  }

  now(): FileTime {
    return fileTimeAt(this.clock.now());
  }

  accept(socket: Socket): void {
    if (!this.#limit.admit()) {
      socket.destroy();
      return;
    }
    const connection = new Connection(this, socket);
    this.#connections.add(connection);
    this.#limit.add(connection);
  }

  /** From now on the connection does not give way to new ones. */
  connectionLoggedIn(connection: Connection): void {
    this.#limit.heard(connection);
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** A lease belongs to a client, whichever of its connections opened the file: it is told on the oldest. */
  connectionOf(clientGuid: Buffer): Connection | undefined {
    for (const connection of this.#connections)
      if (connection.isLoggedIn && !connection.isClosed && connection.clientGuid.equals(clientGuid))
        return connection;
    return undefined;
  }

  nextOpenId(): bigint {
    return ++this.#lastOpenId;
  }

  /** Nobody learns how many credits there are before a login. */
  grantCredits(connection: Connection, requested: number): number {
    return connection.credits.grant(connection.isLoggedIn ? requested : 1);
  }

  newSessionId(): bigint {
    for (;;) {
      // No secret: who uses it must hold the session's key. Some clients keep only the low half of it.
      const id = BigInt(this.random.bytes(4).readUInt32LE());
      if (id !== 0n && !this.sessions.has(id)) return id;
    }
  }

  #endSilent(): void {
    bufferPool.sweep();
    const now = this.clock.now();
    for (const connection of this.#connections) {
      const { isLoggedIn } = connection;
      // Nobody has to say something to keep a file open: a client that is gone is noticed by the socket.
      if (isLoggedIn && connection.hasOpens) continue;
      const silentSince = isLoggedIn ? connection.activeAt : connection.startedAt;
      if (now - silentSince > (isLoggedIn ? SMB_LIMITS.idleMillis : SMB_LIMITS.loginMillis))
        connection.close();
    }
  }

  connectionClosed(connection: Connection): void {
    if (this.#connections.delete(connection)) this.#limit.remove(connection);
    for (const session of [...connection.sessions.values()]) {
      session.channels.delete(connection);
      connection.sessions.delete(session.id);
      if (session.channels.size === 0) void this.endSession(session, "lost");
    }
  }

  /**
   * Durable opens wait for their client, whether it logged off or was lost, unless the server itself ends or the
   * client's key is gone.
   */
  async endSession(session: Session, how: "logoff" | "lost" | "revoked" | "shutdown"): Promise<void> {
    if (session.state === "ended") return;
    session.state = "ended";
    this.sessions.delete(session.id);
    session.connection.sessions.delete(session.id);
    for (const connection of session.channels.keys()) {
      connection.sessions.delete(session.id);
      connection.cancelWhere((request) => request.session === session);
    }
    const opens = [...session.opens.values()];
    session.opens.clear();
    session.trees.clear();
    await Promise.all(
      opens.map((open) => {
        session.connection.openCount--;
        const mayWait = how === "logoff" || how === "lost";
        if (mayWait && open.file !== undefined && this.durables.keep(open)) return undefined;
        return closeOpen(this, open);
      }),
    );
  }

  /** The accounts have changed: sessions end whose key is not among them any more. Others go on. */
  async endRevoked(): Promise<void> {
    const isRevoked = (session: Session): boolean =>
      !session.isAllowedBy(this.accounts.find(session.account));
    const revoked = [...this.sessions.values()].filter(isRevoked);
    const ended = [...revoked.map((session) => this.#revoke(session)), this.durables.dropOf(isRevoked)];
    if (revoked.length > 0)
      this.log.info({ sessions: revoked.length }, "SMB sessions ended: the key of their login was removed");
    await Promise.all(ended);
  }

  async #revoke(session: Session): Promise<void> {
    const connections = [...session.channels.keys()];
    const ended = this.endSession(session, "revoked");
    for (const connection of connections) if (connection.sessions.size === 0) connection.close();
    await ended;
  }

  async endTree(tree: Tree): Promise<void> {
    const { session } = tree;
    session.trees.delete(tree.id);
    for (const connection of session.channels.keys())
      connection.cancelWhere((request) => request.tree === tree);
    const opens = [...session.opens.values()].filter((open) => open.tree === tree);
    for (const open of opens) {
      session.opens.delete(open.fileId.volatile);
      session.connection.openCount--;
    }
    await Promise.all(opens.map((open) => closeOpen(this, open)));
  }

  /** What clients have open is not there any more. They connect again, and open again what they need. */
  cutOff(): void {
    this.log.warn(
      { connections: this.#connections.size },
      "SMB clients are cut off: their handles were lost",
    );
    for (const session of [...this.sessions.values()]) void this.endSession(session, "shutdown");
    for (const connection of [...this.#connections]) connection.close();
    void this.durables.close();
  }

  async close(): Promise<void> {
    this.#sweep.cancel();
    const sessions = [...this.sessions.values()];
    await Promise.all(sessions.map((session) => this.endSession(session, "shutdown")));
    for (const connection of [...this.#connections]) connection.close();
    await this.durables.close();
  }
}
