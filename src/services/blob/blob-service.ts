import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";

/** The Blob service: what its operations mean. */
export class BlobService {
  readonly parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.parts = parts;
  }

  /** Stored access policies of a container; undefined when there is no such container. */
  async policies(_account: string, _name: string): Promise<readonly StoredPolicy[] | undefined> {
    return undefined;
  }

  /** What anonymous callers may read of a container. */
  async publicAccess(_account: string, _container: string): Promise<"none" | "blob" | "container"> {
    return "none";
  }

  /** Its work in the background. */
  chores(): readonly Chore[] {
    return [];
  }
}
