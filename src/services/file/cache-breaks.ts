import { monotonic, pause } from "../../base/clock.ts";
import type { Messages } from "../../base/messages.ts";
import type { CacheConflict } from "../../concurrency/cache-lease.ts";
import type { Log } from "../../observability/log.ts";
import { CACHE_BREAKS, cacheBreakKey, handlesOfInode, inodeOfCacheBreakKey } from "../../store/keys/file.ts";
import type { EphemeralSpace, Key, Reader, Writer } from "../../store/kv.ts";
import { cacheBreakRecord, type HandleRecord, handleRecord } from "../../store/records/file.ts";
import { FILE_LIMITS } from "./limits.ts";

/**
 * How caches of SMB clients (oplocks and leases) are broken for callers elsewhere: a REST call in any
 * process, or an SMB open at another member.
 *
 * A handle records whether its client requested a cache and which process serves it. Only that process knows
 * what the client caches at the moment. The caller puts a request for each such process into the ephemeral
 * space and wakes them. The process breaks the conflicting caches, waits for its clients and for in-flight
 * writes where it must, and answers by deleting the request. Messages only wake a process; both sides also
 * poll, in case one is lost.
 */
export interface FileContext {
  readonly ephemeral: EphemeralSpace;
  readonly messages: Messages;
  readonly log: Log;
  /** How long a call may wait for caches. */
  readonly patienceMillis: number;
}

const ASKED = "file-caches-asked";
const ANSWERED = "file-caches-answered";

export interface InodeName {
  readonly share: bigint;
  readonly inode: bigint;
}

/** Processes with handles on an inode for which `isMeant` is true. */
async function ownersOf(
  read: Reader,
  { share, inode }: InodeName,
  isMeant: (handle: HandleRecord) => boolean,
): Promise<ReadonlySet<string>> {
  const owners = new Set<string>();
  for await (const { value } of read.range(handlesOfInode(share, inode))) {
    const handle = handleRecord.unpack(value);
    if (isMeant(handle)) owners.add(handle.owner);
  }
  return owners;
}

/** Puts a request for each process whose clients may hold caches. The caller wakes them after the commit. */
export async function putBreaks(write: Writer, inode: InodeName, conflict: CacheConflict): Promise<Key[]> {
  const isForWhole = conflict === "sharing" || conflict === "remove";
  const owners = await ownersOf(
    write,
    inode,
    ({ mayCache, stream }) => mayCache === true && (stream === undefined || isForWhole),
  );
  return putRequests(write, inode, owners, conflict);
}

/** The same for given processes. */
export function putRequests(
  write: Writer,
  { share, inode }: InodeName,
  owners: Iterable<string>,
  conflict: CacheConflict,
): Key[] {
  return [...new Set(owners)].map((owner) => {
    const key = cacheBreakKey(share, inode, write.revision());
    write.put(key, cacheBreakRecord.pack({ owner, conflict }));
    return key;
  });
}

export function wakeHolders({ messages }: FileContext): void {
  messages.announce(ASKED);
}

/** True when each request was answered or its process has no handle left; false after `deadline`. */
export async function awaitBreaks(
  { ephemeral, messages }: FileContext,
  inode: InodeName,
  keys: readonly Key[],
  deadline: number,
): Promise<boolean> {
  let wake = (): void => {};
  const stop = messages.listen(ANSWERED, () => wake());
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      if (await ephemeral.read((read) => areAnswered(read, inode, keys))) return true;
      const left = deadline - monotonic();
      if (left <= 0) break;
      await Promise.race([woken, pause(Math.min(left, FILE_LIMITS.cachePollMillis))]);
    }
  } finally {
    stop();
  }
  await ephemeral.write(async (write) => {
    for (const key of keys) write.delete(key);
  });
  return false;
}

async function areAnswered(read: Reader, inode: InodeName, keys: readonly Key[]): Promise<boolean> {
  const open = (await read.getMany(keys)).filter((stored) => stored !== undefined);
  if (open.length === 0) return true;
  const owners = await ownersOf(read, inode, () => true);
  return !open.some((stored) => owners.has(cacheBreakRecord.unpack(stored).owner));
}

/** Undefined when there is nothing to wait for. */
export type BreakCaches = (inode: InodeName, conflict: CacheConflict) => Promise<unknown> | undefined;

/** Answers the requests of other callers, in a process that serves SMB clients. */
export class GrantedCache {
  readonly #context: FileContext;
  readonly #break: BreakCaches;
  readonly #inFlight = new Set<Key>();
  readonly #stop: () => void;
  #isLooking = false;
  #mustLookAgain = false;

  constructor(context: FileContext, breakCaches: BreakCaches) {
    this.#context = context;
    this.#break = breakCaches;
    this.#stop = context.messages.listen(ASKED, () => this.look());
  }

  /** Looks for requests; also runs at intervals, in case a message was lost. */
  look(): void {
    this.#mustLookAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    void this.#lookAll()
      .catch((err: unknown) => this.#context.log.error({ err }, "requests for SMB caches were not answered"))
      .finally(() => {
        this.#isLooking = false;
      });
  }

  close(): void {
    this.#stop();
  }

  async #lookAll(): Promise<void> {
    const { ephemeral } = this.#context;
    while (this.#mustLookAgain) {
      this.#mustLookAgain = false;
      const asked = await ephemeral.read(async (read) => {
        const found: { key: Key; inode: InodeName; conflict: CacheConflict }[] = [];
        for await (const { key, value } of read.range(CACHE_BREAKS)) {
          const { owner, conflict } = cacheBreakRecord.unpack(value);
          if (owner !== ephemeral.owner || this.#inFlight.has(key)) continue;
          found.push({ key, inode: inodeOfCacheBreakKey(key), conflict });
        }
        return found;
      });
      const done: Key[] = [];
      for (const { key, inode, conflict } of asked) {
        const wait = this.#break(inode, conflict);
        if (wait === undefined) {
          done.push(key);
          continue;
        }
        this.#inFlight.add(key);
        void wait.finally(() => this.#inFlight.delete(key)).then(() => this.#answer([key]));
      }
      if (done.length > 0) await this.#answer(done);
    }
  }

  async #answer(keys: readonly Key[]): Promise<void> {
    const { ephemeral, messages, log } = this.#context;
    try {
      await ephemeral.write(async (write) => {
        for (const key of keys) write.delete(key);
      });
      messages.announce(ANSWERED);
    } catch (err) {
      log.error({ err }, "requests for SMB caches were not answered");
    }
  }
}
