import { systemTimers } from "../../base/clock.ts";
import { LIMITS } from "../../base/limits.ts";
import { FILE_LIMITS } from "../../base/limits-file.ts";
import type { CacheConflict } from "../../concurrency/cache-lease.ts";
import { CacheHolder, type NodeName } from "../../services/file/cache-breaks.ts";
import type { FileService } from "../../services/file/file-service.ts";
import { hearEnded } from "../../services/file/list-handles.ts";
import { type ListedShare, listShares } from "../../services/file/list-shares.ts";
import { findConnected } from "../../services/file/opens/share-facts.ts";
import { Presence } from "../../services/file/presence.ts";
import { AccessLists } from "../../services/file/security/access-lists.ts";
import { ItemPage } from "../../services/page.ts";
import type { FileSystem, Outside, Share, ShareEntry } from "../file-system.ts";
import { ChangesElsewhere } from "./changes-elsewhere.ts";
import type { ServiceHandle } from "./handle.ts";
import { OpensUnderWay } from "./opens-under-way.ts";
import { type FileSystemOptions, type HandleTable, ServiceShare } from "./share.ts";

/** The file service as the file system of the SMB front end. */
export class ServiceFileSystem implements FileSystem {
  readonly #files: FileService;
  readonly #options: FileSystemOptions;
  readonly #handles = new Map<bigint, ServiceHandle>();
  readonly #underWay = new OpensUnderWay();
  /** By account; undefined where they are not enforced. */
  readonly #lists: Map<string, AccessLists> | undefined;

  constructor(files: FileService, options: FileSystemOptions = {}) {
    this.#files = files;
    this.#options = options;
    this.#lists = options.accessLists === "enforced" ? new Map() : undefined;
  }

  #listsOf(account: string): AccessLists | undefined {
    if (this.#lists === undefined) return undefined;
    const lists = this.#lists.get(account) ?? new AccessLists(account);
    this.#lists.set(account, lists);
    return lists;
  }

  attach(outside: Outside): () => void {
    const { surroundings } = this.#files;
    const holder = new CacheHolder(surroundings, (node, conflict) => this.#makeRoom(outside, node, conflict));
    const presence = new Presence(surroundings.ephemeral, systemTimers, {
      isInUse: () => this.#handles.size > 0,
      lost: () => {
        this.#underWay.disturbAll();
        outside.cutOff();
      },
    });
    this.#files.presence = presence;
    const changes = new ChangesElsewhere({
      messages: surroundings.messages,
      hub: outside.changes,
      timers: systemTimers,
      random: this.#files.parts.random,
    });
    // A message may be lost: a handle that is gone is noticed when it is used, a request for caches by looking.
    const timer = systemTimers.every(FILE_LIMITS.cacheLookMillis, () => {
      if (this.#handles.size > 0) holder.look();
    });
    const stop = hearEnded(surroundings, (id) => {
      const ended = this.#handles.get(id);
      if (ended === undefined) return;
      ended.isClosed = true;
      outside.handleEnded(ended.handle.share, ended);
    });
    return () => {
      timer.cancel();
      holder.close();
      presence.close();
      changes.close();
      stop();
    };
  }

  /** What another node's client, or a REST call, waits for: caches that go, and writes that have begun. */
  #makeRoom(outside: Outside, node: NodeName, conflict: CacheConflict): Promise<unknown> | undefined {
    this.#underWay.disturb(node.share, node.node);
    const broken = outside.breakCaches(node.share, node.node, conflict);
    const { writesUnderWay } = this.#files;
    return broken === undefined ? writesUnderWay.ended(node) : broken.then(() => writesUnderWay.ended(node));
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
      .filter(({ facts }) => facts.settings.protocols === "SMB")
      .map(({ name }) => ({ name, comment: "" }));
  }

  /** Names of shares have no capital letters, whatever a client writes. */
  async share(account: string, name: string): Promise<Share | undefined> {
    const folded = name.toLowerCase();
    const record = await findConnected(this.#files, { account, share: folded });
    if (record?.settings.protocols !== "SMB") return undefined;
    const handles: HandleTable = {
      underWay: this.#underWay,
      lists: this.#listsOf(account),
      opened: (handle) => this.#handles.set(handle.handle.id, handle),
      closed: (handle) => this.#handles.delete(handle.handle.id),
    };
    return new ServiceShare(this.#files, { account, name: folded, record }, handles, this.#options);
  }
}
