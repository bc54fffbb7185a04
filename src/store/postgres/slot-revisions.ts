import { type Revision, RevisionSource } from "../../base/revision.ts";

/** The largest number of members: each makes the revisions with its own remainder. */
export const SLOTS = 100n;

/**
 * Revisions of one member: the hybrid logical clock of base/revision.ts in steps of `SLOTS` ticks (10 us), so
 * that two members never make the same one. A slot belongs to one member at a time, and a member makes no
 * revision above the one it has reserved in its row, so that the next owner of the slot starts higher.
 */
export class SlotRevisions extends RevisionSource {
  #slot = 0n;

  assign(slot: number, above: Revision): void {
    this.#slot = BigInt(slot);
    this.observe(above);
  }

  protected override align(revision: Revision): Revision {
    return revision + ((this.#slot - (revision % SLOTS) + SLOTS) % SLOTS);
  }
}
