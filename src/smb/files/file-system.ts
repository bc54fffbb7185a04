import { systemTimers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import type { CacheConflict } from "../../concurrency/cache-lease.ts";
import { GrantedCache, type InodeName } from "../../services/file/cache-breaks.ts";
import type { FileService } from "../../services/file/file-service.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { hearEnded } from "../../services/file/list-handles.ts";
import { type ListedShare, listShares } from "../../services/file/list-shares.ts";
import { Liveness } from "../../services/file/liveness.ts";
import { findConnected } from "../../services/file/opens/share-facts.ts";
import { Acls } from "../../services/file/security/acls.ts";
import { ItemPage } from "../../services/page.ts";
import type { FileSystem, FileSystemHost, Share, ShareEntry } from "../file-system.ts";
import { ChangesElsewhere } from "./changes-elsewhere.ts";
import type { ServiceHandle } from "./handle.ts";
import { PendingOpens } from "./pending-opens.ts";
import { type FileSystemOptions, type HandleTable, ServiceShare } from "./share.ts";

/** The file service as the file system of the SMB front end. */
export class ServiceFileSystem implements FileSystem {
  readonly #files: FileService;
  readonly #options: FileSystemOptions;
  readonly #handles = new Map<bigint, ServiceHandle>();
  readonly #inFlight = new PendingOpens();
  /** By account; undefined where they are not enforced. */
  readonly #lists: Map<string, Acls> | undefined;

  constructor(files: FileService, options: FileSystemOptions = {}) {
    this.#files = files;
    this.#options = options;
    this.#lists = options.acls === "enforced" ? new Map() : undefined;
  }

  #listsOf(account: string): Acls | undefined {
    if (this.#lists === undefined) return undefined;
    const lists = this.#lists.get(account) ?? new Acls(account);
    this.#lists.set(account, lists);
    return lists;
  }

  attach(host: FileSystemHost): () => void {
    const { context } = this.#files;
    const holder = new GrantedCache(context, (inode, conflict) => this.#evict(host, inode, conflict));
    const liveness = new Liveness(context.ephemeral, systemTimers, {
      isInUse: () => this.#handles.size > 0,
      lost: () => {
        this.#inFlight.disturbAll();
        host.cutOff();
      },
    });
    this.#files.liveness = liveness;
    const changes = new ChangesElsewhere({
      messages: context.messages,
      hub: host.changes,
      timers: systemTimers,
      random: this.#files.parts.random,
    });
    // A message may be lost: a handle that is gone is noticed when it is used, a request for caches by looking.
    const timer = systemTimers.every(FILE_LIMITS.cacheLookMillis, () => {
      if (this.#handles.size > 0) holder.look();
    });
    const stop = hearEnded(context, (id) => {
      const ended = this.#handles.get(id);
      if (ended === undefined) return;
      ended.isClosed = true;
      host.handleEnded(ended.handle.share, ended);
    });
    return () => {
      timer.cancel();
      holder.close();
      liveness.close();
      changes.close();
      stop();
    };
  }

  /** What another node's client, or a REST call, waits for: caches that go, and writes that have begun. */
  #evict(host: FileSystemHost, inode: InodeName, conflict: CacheConflict): Promise<unknown> | undefined {
    this.#inFlight.disturb(inode.share, inode.inode);
    const broken = host.breakCaches(inode.share, inode.inode, conflict);
    const { inFlightWrites } = this.#files;
    return broken === undefined
      ? inFlightWrites.ended(inode)
      : broken.then(() => inFlightWrites.ended(inode));
  }

  async shares(account: string): Promise<readonly ShareEntry[]> {
    const { page } = await listShares(this.#files, {
      account,
      prefix: "",
      newPage: () => new ItemPage<ListedShare>(LIMITS.listResultsMax),
      includesDeleted: false,
      includesSnapshots: false,
    });
    return page.items
      .filter(({ info }) => info.settings.protocols === "SMB")
      .map(({ name }) => ({ name, comment: "" }));
  }

  /** Names of shares have no capital letters, whatever a client writes. */
  async share(account: string, name: string): Promise<Share | undefined> {
    const folded = name.toLowerCase();
    const record = await findConnected(this.#files, { account, share: folded });
    if (record?.settings.protocols !== "SMB") return undefined;
    const handles: HandleTable = {
      inFlight: this.#inFlight,
      lists: this.#listsOf(account),
      opened: (handle) => this.#handles.set(handle.handle.id, handle),
      closed: (handle) => this.#handles.delete(handle.handle.id),
    };
    return new ServiceShare(this.#files, { account, name: folded, record }, handles, this.#options);
  }
}
