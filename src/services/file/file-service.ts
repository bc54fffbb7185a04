import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";

/** The File service: what its operations mean. */
export class FileService {
  readonly parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.parts = parts;
  }

  /** Stored access policies of a share; undefined when there is no such share. */
  async policies(_account: string, _name: string): Promise<readonly StoredPolicy[] | undefined> {
    return undefined;
  }

  /** Its work in the background. */
  chores(): readonly Chore[] {
    return [];
  }
}
