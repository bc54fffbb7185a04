import type { AsyncCommit, MaybePromise, Reader, Writer } from "../../store/kv.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../context.ts";
import { Wakeup } from "../reclaim/wakeup.ts";
import { type Admissions, withAdmissions } from "./access.ts";
import type { FileContext } from "./cache-breaks.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { Liveness } from "./liveness.ts";
import { InFlightWrites } from "./opens/in-flight-writes.ts";
import { findShare } from "./shares.ts";

const isDurable = (): Promise<void> => Promise.resolve();

export interface FileServiceOptions {
  /** How long deleted shares can be restored; 0 turns that off. */
  readonly shareRetentionDays?: number;
}

/** An `OpenFile`, as far as Force Close Handles needs it. */
export interface RegisteredOpen {
  readonly share: bigint;
  readonly inode: bigint;
  isClosed: boolean;
}

/**
 * The File service: what its operations mean. Each operation is a function of its own file in this folder,
 * given this service; HTTP and SMB call the same ones.
 */
export class FileService {
  readonly parts: ServiceParts;
  readonly shareRetentionDays: number;
  readonly inFlightWrites: InFlightWrites;
  readonly context: FileContext;
  /** Rings when a background job has content to remove. */
  readonly contentLeft = new Wakeup();
  /** What SMB clients of this process have open, by handle id. */
  readonly openFiles = new Map<bigint, RegisteredOpen>();
  /** Undefined unless this process serves SMB clients. */
  liveness: Liveness | undefined;

  constructor(parts: ServiceParts, options: FileServiceOptions = {}) {
    const { store, messages, log } = parts;
    this.parts = parts;
    this.inFlightWrites = new InFlightWrites();
    const patienceMillis = FILE_LIMITS.cacheWaitMillisMax;
    this.context = { ephemeral: store.ephemeral, messages, log, patienceMillis };
    this.shareRetentionDays = options.shareRetentionDays ?? FILE_LIMITS.shareRetentionDays;
  }

  /** The same service for a call that waits at most this long for SMB clients. */
  within(patienceMillis: number): FileService {
    const context = { ...this.context, patienceMillis };
    return Object.create(this, { context: { value: context } }) as FileService;
  }

  /** One snapshot of the store; admissions decide how the call meets open handles (access.ts). */
  read<T>(fn: (read: Reader, admissions: Admissions) => MaybePromise<T>): Promise<T> {
    const { store } = this.parts;
    return withAdmissions(this.context, (admissions) => store.read((read) => fn(read, admissions)));
  }

  /** The same for one durable transaction. */
  change<T>(fn: (write: Writer, admissions: Admissions) => MaybePromise<T>): Promise<T> {
    const { store } = this.parts;
    return withAdmissions(this.context, (admissions) => store.write((write) => fn(write, admissions)));
  }

  /** The same for a change through an open handle, which does not conflict with itself. */
  changeAs<T>(handle: bigint, fn: (write: Writer, admissions: Admissions) => MaybePromise<T>): Promise<T> {
    const { store } = this.parts;
    return withAdmissions(
      this.context,
      (admissions) => store.write((write) => fn(write, admissions)),
      handle,
    );
  }

  /** For an SMB client, which requests durability with FLUSH or CLOSE, or write-through for one request. */
  async writeForHandle<T>(
    fn: (write: Writer) => MaybePromise<T>,
    mayCommitAsync: boolean,
  ): Promise<AsyncCommit<T>> {
    const { store } = this.parts;
    if (mayCommitAsync) return store.commitAsync(fn);
    return { value: await store.write(fn), durable: isDurable };
  }

  /** Stored access policies of a share; undefined when there is no such share. */
  async policies(account: string, name: string): Promise<readonly StoredPolicy[] | undefined> {
    const share = await this.parts.store.read((read) => findShare(read, { account, share: name }));
    return share === undefined ? undefined : (share.policies ?? []);
  }
}
