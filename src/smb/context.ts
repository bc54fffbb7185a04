import type { BusyPoll } from "../base/busy-poll.ts";
import type { Clock, Timers } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { ReplyMemory } from "../memory/reply-memory.ts";
import type { Log } from "../observability/log.ts";
import type { FileService } from "../services/file/file-service.ts";
import type { Acls } from "../services/file/security/acls.ts";
import type { LoginAccounts } from "./crypto/login.ts";
import type { OpenInodes } from "./session/caches.ts";
import type { ChangeHub } from "./session/change-notification.ts";
import type { CreateReplays } from "./session/create-replays.ts";
import type { DurableOpens } from "./session/durable-opens.ts";
import type { LoginDelay } from "./session/login-delay.ts";
import type { PendingOpens } from "./session/pending-opens.ts";
import type { Channel, Session, Tree } from "./session/session.ts";
import type { FileTime } from "./wire/filetime.ts";

/** What connections and commands share: the accounts, the file service, and the opens of all clients. */
export interface SmbContext {
  readonly files: FileService;
  /** Files and directories may have named streams; Azure Files refuses them. */
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
  readonly sessions: Map<bigint, Session>;
  readonly inodes: OpenInodes;
  readonly changes: ChangeHub;
  readonly durables: DurableOpens;
  readonly replays: CreateReplays;
  readonly pendingOpens: PendingOpens;
  readonly loginDelay: LoginDelay;
  readonly replyMemory: ReplyMemory;
  readonly busyPoll: BusyPoll;
  now(): FileTime;
  nextOpenId(): bigint;
  newSessionId(): bigint;
  /** The ACLs of an account; undefined where they are not enforced. */
  aclsOf(account: string): Acls | undefined;
  /** The oldest connection of a client. A lease belongs to the client, not to one of its connections. */
  channelOf(clientGuid: Buffer): Channel | undefined;
  /** Durable opens survive a logoff and a lost connection, for their time. */
  endSession(session: Session, reason: "logoff" | "lost" | "revoked" | "shutdown"): Promise<void>;
  endTree(tree: Tree): Promise<void>;
}
