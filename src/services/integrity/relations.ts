import type { Entry, Key, Range } from "../../store/kv.ts";

/**
 * What refers to what. Each family of records is described once (families.ts), as the relations of one of its
 * records, and `check`, the scrub and the repair all read this description:
 *
 *   declare   the record makes a name exist: "container/638..."
 *   need      the record makes sense only while a name exists
 *   post      an entry of a ledger. Records agree when the entries of each account add up to 0: a blob posts
 *             +1 for each slice it names, the record of the slice posts its number of references, negative
 *   look      another record that must have some property
 *   problem   what is wrong in the record by itself
 *
 * No relation is more than a name or a sum, so a check needs the same memory for any number of records.
 */
export interface RelationSink {
  declare(name: string): void;
  need(name: string): void;
  /** Of the families that `declaresFirst`: whether one of their records declared the name. */
  isDeclared(name: string): boolean;
  post(ledger: LedgerName, account: string, amount: number): void;
  /** Reads the first entry of the range; `examine` returns what is wrong with it, or undefined. */
  look(range: Range, examine: (found: Entry | undefined) => Problem | undefined): void;
  problem(problem: Problem): void;
  /** Numbers below a limit that another record states. */
  atMost(limit: string, value: bigint): void;
  limit(limit: string, value: bigint, raised: (value: bigint) => Put): void;
}

export interface Put {
  readonly key: Key;
  readonly value: Buffer;
}

export interface Problem {
  readonly kind: string;
  readonly message: string;
  /** The record as it should be, where other records say so. */
  readonly put?: Put;
  /** The record itself is of no use and hides nothing: it can be moved away. */
  readonly isUseless?: boolean;
}

export interface Family {
  /** What an operator calls the record. */
  readonly what: string;
  /** Its names are complete before any other family is described. */
  readonly declaresFirst?: boolean;
  /**
   * Decodes the record and reports its relations. Throws on a record that cannot be decoded. `previous` is
   * the entry before it, if that is of the same family.
   */
  describe(entry: Entry, to: RelationSink, previous: Entry | undefined): void;
}

/** Each ledger: what its accounts count. */
export const LEDGERS = {
  references: "references to a slice of payload",
  movedSlice: "place of a moved slice",
  liveBytes: "live bytes of an extent",
  contentReferences: "references to the content of a blob",
  epochReferences: "references to an epoch of a page blob",
  stagedBlocks: "uncommitted blocks of a blob",
  staging: "uncommitted blocks that a blob names",
  tag: "tag index",
  guard: "immutability index",
  messages: "messages of a queue",
  usage: "bytes used in a share",
  snapshots: "snapshots of a share",
  entry: "directory entry of a file or directory",
  eaSize: "size of extended attributes",
  version: "index of versions kept for a snapshot",
  purge: "end of a share's retention",
} as const;

export type LedgerName = keyof typeof LEDGERS;

/** A hash of 32 bits; `seed` gives an independent one. */
function hashOf(text: string, seed: number): number {
  let hash = seed | 0;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a_2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const SEEDS = [0x811c_9dc5, 0x1234_5679, 0x5bd1_e995, 0x2545_f491];
const NAME_BITS = 2 ** 28;

/**
 * Names that exist, as a Bloom filter: it never misses a name, and takes one in a million for another when it
 * holds two million.
 */
export class NameSet {
  readonly #bits = new Uint32Array(NAME_BITS / 32);

  add(name: string): void {
    for (const seed of SEEDS) {
      const bit = hashOf(name, seed) % NAME_BITS;
      this.#bits[bit >>> 5]! |= 1 << (bit & 31);
    }
  }

  has(name: string): boolean {
    return SEEDS.every((seed) => {
      const bit = hashOf(name, seed) % NAME_BITS;
      return (this.#bits[bit >>> 5]! & (1 << (bit & 31))) !== 0;
    });
  }
}

const BUCKETS = 2 ** 22;

/** Sums of many accounts in one table: a bucket that is not 0 has an account that does not add up. */
export class Balances {
  readonly #sums = new Float64Array(BUCKETS);

  post(ledger: LedgerName, account: string, amount: number): void {
    this.#sums[bucketOf(ledger, account)]! += amount;
  }

  isEven(ledger: LedgerName, account: string): boolean {
    return this.#sums[bucketOf(ledger, account)] === 0;
  }

  get isAllEven(): boolean {
    return this.#sums.every((sum) => sum === 0);
  }
}

function bucketOf(ledger: LedgerName, account: string): number {
  return hashOf(account, hashOf(ledger, SEEDS[0]!)) % BUCKETS;
}
