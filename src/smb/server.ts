import type { Socket } from "node:net";
import { BusyPoll } from "../base/busy-poll.ts";
import type { Clock, Timer, Timers } from "../base/clock.ts";
import { ConnectionLimit } from "../base/connection-limit.ts";
import type { Random } from "../base/random.ts";
import { bufferPool } from "../memory/buffer-pool.ts";
import { ReplyMemory } from "../memory/reply-memory.ts";
import type { Log } from "../observability/log.ts";
import type { FileService } from "../services/file/file-service.ts";
import { Acls } from "../services/file/security/acls.ts";
import { negotiateFromSmb1 } from "./commands/negotiate.ts";
import { sendBreak } from "./commands/oplock-break.ts";
import type { SmbContext } from "./context.ts";
import type { LoginAccounts } from "./crypto/login.ts";
import { SMB_LIMITS } from "./limits.ts";
import { OpenInodes } from "./session/caches.ts";
import { ChangeHub } from "./session/change-notification.ts";
import { CreateReplays } from "./session/create-replays.ts";
import { DurableOpens } from "./session/durable-opens.ts";
import { closeOpen } from "./session/end-open.ts";
import { LoginDelay } from "./session/login-delay.ts";
import { PendingOpens } from "./session/pending-opens.ts";
import type { Channel, Session, Tree } from "./session/session.ts";
import { runChain } from "./transport/chain.ts";
import { Connection } from "./transport/connection.ts";
import { type FileTime, fileTimeAt } from "./wire/filetime.ts";

export interface SmbServerOptions {
  readonly files: FileService;
  /** Named streams of files and directories; Azure Files has none. */
  readonly streams?: "refused" | "kept" | undefined;
  /** "enforced": security descriptors decide on every open. "shown", the default: they deny nothing. */
  readonly acls?: "shown" | "enforced" | undefined;
  readonly accounts: LoginAccounts;
  /** As clients see it in the login: up to 15 characters. */
  readonly serverName: string;
  /** "required": a client that cannot encrypt is refused. "enabled": signed messages are enough. */
  readonly encryption: "required" | "enabled";
  /** "enabled", for tests: a client that does not request signing may do without. */
  readonly signing?: "required" | "enabled";
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  /** Without it connections are limited to `SMB_LIMITS.connectionsMax`. */
  readonly limit?: ConnectionLimit;
  readonly replyMemory?: ReplyMemory | undefined;
}

const SWEEP_MILLIS = 5_000;

export class SmbServer implements SmbContext {
  readonly files: FileService;
  readonly hasStreams: boolean;
  readonly accounts: LoginAccounts;
  readonly serverName: string;
  readonly isEncryptionRequired: boolean;
  readonly isSigningRequired: boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: Log;
  readonly guid: Buffer;
  readonly sessions = new Map<bigint, Session>();
  readonly inodes: OpenInodes;
  readonly changes = new ChangeHub();
  readonly durables: DurableOpens;
  readonly replays = new CreateReplays();
  readonly pendingOpens = new PendingOpens();
  readonly loginDelay: LoginDelay;
  readonly replyMemory: ReplyMemory;
  readonly busyPoll = new BusyPoll();
  /** By account; undefined where ACLs are not enforced. */
  readonly #acls: Map<string, Acls> | undefined;
  readonly #connections = new Set<Connection>();
  readonly #limit: ConnectionLimit;
  readonly #sweep: Timer;
  #lastOpenId: bigint;

  constructor(options: SmbServerOptions) {
    this.files = options.files;
    this.hasStreams = options.streams === "kept";
    this.#acls = options.acls === "enforced" ? new Map() : undefined;
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
    // A client must not mistake an open of an earlier run for one of this run.
    this.#lastOpenId = BigInt(this.random.bytes(4).readUInt32LE()) << 24n;
    this.inodes = new OpenInodes(this.timers, (entry, to, isAnswerNeeded) =>
      sendBreak(this, entry, to, isAnswerNeeded),
    );
    this.durables = new DurableOpens(this.timers, (open) => closeOpen(this, open));
    this.loginDelay = new LoginDelay(this.clock, this.timers);
    this.#sweep = this.timers.every(SWEEP_MILLIS, () => this.#endIdle());
  }

  now(): FileTime {
    return fileTimeAt(this.clock.now());
  }

  aclsOf(account: string): Acls | undefined {
    if (this.#acls === undefined) return undefined;
    const acls = this.#acls.get(account) ?? new Acls(account);
    this.#acls.set(account, acls);
    return acls;
  }

  accept(socket: Socket): void {
    if (!this.#limit.admit()) {
      socket.destroy();
      return;
    }
    const connection = new Connection(this, socket, {
      run: runChain,
      negotiateFromSmb1,
      // From now on the connection is not closed in favour of new ones.
      loggedIn: () => this.#limit.heard(connection),
      closed: () => this.#connectionClosed(connection),
    });
    this.#connections.add(connection);
    this.#limit.add(connection);
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  channelOf(clientGuid: Buffer): Channel | undefined {
    for (const connection of this.#connections)
      if (connection.isLoggedIn && !connection.isClosed && connection.clientGuid.equals(clientGuid))
        return connection;
    return undefined;
  }

  nextOpenId(): bigint {
    return ++this.#lastOpenId;
  }

  newSessionId(): bigint {
    for (;;) {
      // The id is no secret: a request proves the session's key. Some clients keep only the low half of the
      // id.
      const id = BigInt(this.random.bytes(4).readUInt32LE());
      if (id !== 0n && !this.sessions.has(id)) return id;
    }
  }

  #endIdle(): void {
    bufferPool.sweep();
    const now = this.clock.now();
    for (const connection of this.#connections) {
      const { isLoggedIn } = connection;
      // A client may keep a file open in silence: keep-alive of the socket finds a client that is gone.
      if (isLoggedIn && connection.hasOpens) continue;
      const idleSince = isLoggedIn ? connection.activeAt : connection.startedAt;
      if (now - idleSince > (isLoggedIn ? SMB_LIMITS.idleMillis : SMB_LIMITS.loginMillis)) connection.close();
    }
  }

  #connectionClosed(connection: Connection): void {
    if (this.#connections.delete(connection)) this.#limit.remove(connection);
    for (const session of [...connection.sessions.values()]) {
      session.channels.delete(connection);
      connection.sessions.delete(session.id);
      if (session.channels.size === 0) void this.endSession(session, "lost");
    }
  }

  async endSession(session: Session, reason: "logoff" | "lost" | "revoked" | "shutdown"): Promise<void> {
    if (session.state === "ended") return;
    session.state = "ended";
    this.sessions.delete(session.id);
    session.connection.sessions.delete(session.id);
    for (const connection of session.channels.keys()) {
      connection.sessions.delete(session.id);
      connection.cancelWhere((request) => request.session === session);
    }
    const opens = [...session.opens.values()];
    session.trees.clear();
    const mayReconnect = reason === "logoff" || reason === "lost";
    await Promise.all(
      opens.map((open) => {
        session.removeOpen(open);
        if (mayReconnect && open.file !== undefined && this.durables.keep(open)) return undefined;
        return closeOpen(this, open);
      }),
    );
  }

  /** Ends the sessions whose account key was removed. */
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
    for (const open of opens) session.removeOpen(open);
    await Promise.all(opens.map((open) => closeOpen(this, open)));
  }

  /** The handles are lost: clients connect again, and open again what they need. */
  cutOff(): void {
    this.log.warn(
      { connections: this.#connections.size },
      "SMB clients were disconnected: their handles were lost",
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
