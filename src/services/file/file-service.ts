import type { AsyncCommit, MaybePromise, Reader, Writer } from "../../store/kv.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../context.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { Wakeup } from "../reclaim/wakeup.ts";
import { type Admissions, withAdmissions } from "./access.ts";
import type { FileContext } from "./cache-breaks.ts";
import { FILE_LIMITS } from "./limits.ts";
import type { Liveness } from "./liveness.ts";
import { InFlightWrites } from "./opens/writes-under-way.ts";
import { fileJobs } from "./reclaim.ts";
import { findShare } from "./shares.ts";

const isDurable = (): Promise<void> => Promise.resolve();

export interface FileServiceOptions {
  /** How long deleted shares can be had back; 0: not at all. */
  readonly shareRetentionDays?: number;
}

/**
 * The File service: what its operations mean. Each operation is a function of its own file in this folder, given
 * this service; HTTP and SMB call the same ones.
 */
export class FileService {
  readonly parts: ServiceParts;
  readonly shareRetentionDays: number;
  readonly inFlightWrites: InFlightWrites;
  readonly context: FileContext;
  /** Rings when content was left behind that the sweep takes apart. */
  readonly contentLeft = new Wakeup();
  /** Where SMB clients are served. */
  liveness: Liveness | undefined;

  constructor(parts: ServiceParts, options: FileServiceOptions = {}) {
    const { store, messages, log } = parts;
    this.parts = parts;
    this.inFlightWrites = new InFlightWrites();
    const patienceMillis = FILE_LIMITS.cacheWaitMillisMax;
    this.context = { ephemeral: store.ephemeral, messages, log, patienceMillis };
    this.shareRetentionDays = options.shareRetentionDays ?? FILE_LIMITS.shareRetentionDays;
  }

  /** The same service for a call that waits no longer than this. */
  within(patienceMillis: number): FileService {
    const context = { ...this.context, patienceMillis };
    return Object.create(this, { context: { value: context } }) as FileService;
  }

  /** One snapshot of the store, and what the table of handles says about the nodes that are touched in it. */
  read<T>(fn: (read: Reader, admissions: Admissions) => MaybePromise<T>): Promise<T> {
    const { store } = this.parts;
    return withAdmissions(this.context, (admissions) => store.read((read) => fn(read, admissions)));
  }

  /** One durable transaction; see access.ts for how it meets open handles. */
  change<T>(fn: (write: Writer, admissions: Admissions) => MaybePromise<T>): Promise<T> {
    const { store } = this.parts;
    return withAdmissions(this.context, (admissions) => store.write((write) => fn(write, admissions)));
  }

  /** The same as the act of an open handle, which is not in its own way. */
  changeAs<T>(handle: bigint, fn: (write: Writer, admissions: Admissions) => MaybePromise<T>): Promise<T> {
    const { store } = this.parts;
    return withAdmissions(
      this.context,
      (admissions) => store.write((write) => fn(write, admissions)),
      handle,
    );
  }

  /** For a client that asks for durability when it closes or flushes what it has open, unless it wants it at once. */
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

  /** Its work in the background. */
  jobs(): readonly BackgroundJob[] {
    return fileJobs(this);
  }
}
