import type { Clock } from "../../base/clock.ts";
import { type Revision, revisionAt } from "../../base/revision.ts";

/** How many nodes there can be at once: each hands out the revisions that leave its own remainder. */
export const SLOTS = 100n;

/**
 * Revisions of one node: the hybrid logical clock of base/revision.ts, in steps of `SLOTS` ticks (10 us), so that
 * no two nodes ever make the same one without having asked each other. A slot belongs to one node at a time, and
 * a node hands out nothing above what it has reserved in its row, so the next holder of the slot starts higher.
 */
export class SlotRevisions {
  readonly #clock: Clock;
  #slot = 0n;
  #last: Revision = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take(slot: number, above: Revision): void {
    this.#slot = BigInt(slot);
    this.observe(above);
  }

  get last(): Revision {
    return this.#last;
  }

  observe(seen: Revision): void {
    if (seen > this.#last) this.#last = seen;
  }

  next(above: Revision = 0n): Revision {
    const wall = revisionAt(this.#clock.now());
    const floor = (above > this.#last ? above : this.#last) + 1n;
    this.#last = this.#ours(wall > floor ? wall : floor);
    return this.#last;
  }

  /** The first revision of this node at or above. */
  #ours(revision: Revision): Revision {
    return revision + ((this.#slot - (revision % SLOTS) + SLOTS) % SLOTS);
  }
}
