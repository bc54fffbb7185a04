import { FILE_LIMITS } from "../../base/limits-file.ts";
import { Wakeup } from "../../base/wakeup.ts";
import type { Ahead, Reader, Soon, Writer } from "../../store/kv.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";
import { type Grants, withGrants } from "./access.ts";
import type { Surroundings } from "./cache-breaks.ts";
import { WritesUnderWay } from "./opens/writes-under-way.ts";
import type { Presence } from "./presence.ts";
import { fileChores } from "./reclaim.ts";
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
  readonly writesUnderWay: WritesUnderWay;
  readonly surroundings: Surroundings;
  /** Rings when content was left behind that the sweep takes apart. */
  readonly contentLeft = new Wakeup();
  /** Where SMB clients are served. */
  presence: Presence | undefined;

  constructor(parts: ServiceParts, options: FileServiceOptions = {}) {
    const { store, messages, log } = parts;
    this.parts = parts;
    this.writesUnderWay = new WritesUnderWay();
    const patienceMillis = FILE_LIMITS.cacheWaitMillisMax;
    this.surroundings = { ephemeral: store.ephemeral, messages, log, patienceMillis };
    this.shareRetentionDays = options.shareRetentionDays ?? FILE_LIMITS.shareRetentionDays;
  }

  /** The same service for a call that waits no longer than this. */
  within(patienceMillis: number): FileService {
    const surroundings = { ...this.surroundings, patienceMillis };
    return Object.create(this, { surroundings: { value: surroundings } }) as FileService;
  }

  /** One snapshot of the store, and what the table of handles says about the nodes that are touched in it. */
  read<T>(fn: (read: Reader, grants: Grants) => Soon<T>): Promise<T> {
    const { store } = this.parts;
    return withGrants(this.surroundings, (grants) => store.read((read) => fn(read, grants)));
  }

  /** One durable transaction; see access.ts for how it meets open handles. */
  change<T>(fn: (write: Writer, grants: Grants) => Soon<T>): Promise<T> {
    const { store } = this.parts;
    return withGrants(this.surroundings, (grants) => store.write((write) => fn(write, grants)));
  }

  /** The same as the act of an open handle, which is not in its own way. */
  changeAs<T>(handle: bigint, fn: (write: Writer, grants: Grants) => Soon<T>): Promise<T> {
    const { store } = this.parts;
    return withGrants(this.surroundings, (grants) => store.write((write) => fn(write, grants)), handle);
  }

  /** For a client that asks for durability when it closes or flushes what it has open, unless it wants it at once. */
  async writeForHandle<T>(fn: (write: Writer) => Soon<T>, isAhead: boolean): Promise<Ahead<T>> {
    const { store } = this.parts;
    if (isAhead) return store.writeAhead(fn);
    return { value: await store.write(fn), durable: isDurable };
  }

  /** Stored access policies of a share; undefined when there is no such share. */
  async policies(account: string, name: string): Promise<readonly StoredPolicy[] | undefined> {
    const share = await this.parts.store.read((read) => findShare(read, { account, share: name }));
    return share === undefined ? undefined : (share.policies ?? []);
  }

  /** Its work in the background. */
  chores(): readonly Chore[] {
    return fileChores(this);
  }
}
