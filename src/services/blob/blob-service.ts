import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../context.ts";
import type { BackgroundJob } from "../reclaim/background-jobs.ts";
import { findContainer } from "./containers.ts";
import { blobCopies } from "./pending-copies.ts";
import { defragmentPages } from "./piece-pages.ts";
import { reclaimGarbage } from "./reclaim-garbage.ts";
import { workDue } from "./work-due.ts";

export interface BlobServiceOptions {
  /** Every overwrite, metadata change and deletion leaves a version behind. */
  readonly isVersioned?: boolean;
  /** Blobs of containers made from now on may be put under immutability policies and legal holds. */
  readonly hasVersionLevelImmutability?: boolean;
}

/**
 * The Blob service: what its operations mean. Each operation is a function of its own, in a file named as the
 * protocol names it, and takes this as its first argument.
 */
export class BlobService {
  readonly parts: ServiceParts;
  readonly isVersioned: boolean;
  readonly hasVersionLevelImmutability: boolean;

  constructor(parts: ServiceParts, options: BlobServiceOptions = {}) {
    this.parts = parts;
    this.isVersioned = options.isVersioned ?? false;
    this.hasVersionLevelImmutability = options.hasVersionLevelImmutability ?? false;
  }

  /** Stored access policies of a container; undefined when there is no such container. */
  async policies(account: string, container: string): Promise<readonly StoredPolicy[] | undefined> {
    const found = await this.parts.store.read((read) => findContainer(read, { account, container }));
    return found === undefined ? undefined : (found.policies ?? []);
  }

  /** What anonymous callers may read of a container. */
  async publicAccess(account: string, container: string): Promise<"none" | "blob" | "container"> {
    const found = await this.parts.store.read((read) => findContainer(read, { account, container }));
    return found?.publicAccess ?? "none";
  }

  /** Its work in the background. */
  jobs(): readonly BackgroundJob[] {
    return [reclaimGarbage(this), workDue(this), defragmentPages(this), blobCopies(this)];
  }
}
