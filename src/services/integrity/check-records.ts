import { DamagedData, DamagedRecord } from "../../base/faults.ts";
import { keyAfter, packKey, prefixRange } from "../../store/keys/pack.ts";
import type { Entry, Key, KeySpace, Range, Reader } from "../../store/kv.ts";
import { FAMILIES, familyOf } from "./families.ts";
import { INTEGRITY_LIMITS } from "./limits.ts";
import {
  Balances,
  LEDGERS,
  type LedgerName,
  NameSet,
  type Problem,
  type Put,
  type RelationSink,
} from "./relations.ts";

/** What is wrong, and what a repair would do about it. */
export interface Finding {
  readonly kind: string;
  /** What the record is: "blob", "message". */
  readonly what: string;
  readonly key: Key;
  readonly message: string;
  readonly repair?: Repair;
}

export type Repair = { readonly put: Put } | { readonly quarantine: Key };

/** An account whose entries do not add up to 0. */
export interface UnevenAccount {
  readonly ledger: LedgerName;
  readonly account: string;
  sum: number;
  /** The sum of the positive entries: what the negative one should be. */
  due: number;
  /** Keys of records with positive entries, and with negative ones. */
  readonly owed: Key[];
  readonly stated: Key[];
}

export interface RecordReport {
  readonly records: number;
  readonly findings: readonly Finding[];
  /** Also those that are not listed. */
  readonly findingCount: number;
  readonly uneven: readonly UnevenAccount[];
}

const EVERYTHING: Range = { from: "\x01", to: "\xff\xff\xff\xff" };

interface Limited {
  value: bigint;
  key: Key | undefined;
  limit: bigint | undefined;
  raised: ((value: bigint) => Put) | undefined;
}

/**
 * Checks every record of a store that does not change meanwhile: first the families that declare names, then
 * all of them, and once more if a ledger does not add up. Memory does not grow with the records.
 */
export class RecordCheck {
  readonly #store: KeySpace;
  readonly #progress: (records: number) => void;
  readonly #names = new NameSet();
  readonly #balances = new Balances();
  readonly #limits = new Map<string, Limited>();
  readonly #findings: Finding[] = [];
  #findingCount = 0;

  constructor(store: KeySpace, progress: (records: number) => void) {
    this.#store = store;
    this.#progress = progress;
  }

  async run(): Promise<RecordReport> {
    for (const [name, { declaresFirst }] of Object.entries(FAMILIES)) {
      if (declaresFirst !== true) continue;
      const sink = { ...SILENT, declare: (declared: string) => this.#names.add(declared) };
      await this.#scan(prefixRange(packKey([name])), () => sink, { isQuiet: true });
    }
    const records = await this.#scan(EVERYTHING, (entry, looks) => this.#sinkOf(entry, looks), {});
    for (const { value, limit, raised, key } of this.#limits.values()) {
      if (limit === undefined || value <= limit || key === undefined) continue;
      const message = `the last number given out is ${limit}, and ${value} is in use`;
      this.#add(key, { kind: "last-number", message, put: raised!(value) });
    }
    return {
      records,
      findings: this.#findings,
      findingCount: this.#findingCount,
      uneven: this.#balances.isAllEven ? [] : await this.#findUneven(),
    };
  }

  /** Counts a finding, and lists the first ones. */
  #add(key: Key, { kind, message, put, isUseless }: Problem): void {
    this.#findingCount++;
    if (this.#findings.length >= INTEGRITY_LIMITS.findingsMax) return;
    const { name, family } = familyOf(key);
    const repair = put !== undefined ? { put } : isUseless === true ? { quarantine: key } : undefined;
    const finding = { kind, what: family?.what ?? `record of family ${name}`, key, message };
    this.#findings.push(repair === undefined ? finding : { ...finding, repair });
  }

  #sinkOf({ key }: Entry, looks: Look[]): RelationSink {
    return {
      ...SILENT,
      need: (name) => {
        if (this.#names.has(name)) return;
        this.#add(key, { kind: "orphan", message: `belongs to ${name}, which does not exist` });
      },
      isDeclared: (name) => this.#names.has(name),
      post: (ledger, account, amount) => this.#balances.post(ledger, account, amount),
      look: (range, examine) => looks.push({ key, range, examine }),
      problem: (problem) => this.#add(key, problem),
      atMost: (limit, value) => {
        const limited = this.#limited(limit);
        if (value < limited.value) return;
        limited.value = value;
        limited.key = key;
      },
      limit: (limit, value, raised) => Object.assign(this.#limited(limit), { limit: value, raised }),
    };
  }

  #limited(name: string): Limited {
    const limited = this.#limits.get(name) ?? { value: 0n, key: undefined, limit: 0n, raised: undefined };
    this.#limits.set(name, limited);
    return limited;
  }

  /** Describes all records of a range, in short read transactions. Returns their number. */
  async #scan(
    range: Range,
    sinkOf: (entry: Entry, looks: Look[]) => RelationSink,
    { isQuiet = false }: { readonly isQuiet?: boolean },
  ): Promise<number> {
    let records = 0;
    let previous: Entry | undefined;
    for (let from: Key | undefined = range.from; from !== undefined; ) {
      const first: Key = from;
      const { entries, next } = await this.#store.read(async (read) => {
        const page = await this.#readPage(read, { from: first, to: range.to }, isQuiet);
        const looks: Look[] = [];
        for (const entry of page.entries) {
          this.#describe(entry, sinkOf(entry, looks), previous, isQuiet);
          previous = entry;
        }
        if (!isQuiet) {
          await this.#compareWithGets(read, page.entries);
          await this.#examine(read, looks);
        }
        return page;
      });
      records += entries.length;
      if (!isQuiet) this.#progress(records);
      from = next;
    }
    return records;
  }

  /** Entries in order, and where the next ones begin. It steps over a record with a wrong checksum. */
  async #readPage(read: Reader, { from, to }: Range, isQuiet: boolean): Promise<Page> {
    try {
      const entries = await read.take({ from, to }, INTEGRITY_LIMITS.recordsPerRead);
      const isLast = entries.length < INTEGRITY_LIMITS.recordsPerRead;
      return { entries, next: isLast ? undefined : keyAfter(entries.at(-1)!.key) };
    } catch (error) {
      if (!(error instanceof DamagedRecord)) throw error;
      const { key, message } = error;
      if (!isQuiet) this.#add(key, { kind: "damaged-record", message });
      // The store keeps long names elsewhere: where they continue cannot be seen from there.
      if (key < from) return { entries: [], next: undefined };
      return {
        entries: await read.take({ from, to: key }, INTEGRITY_LIMITS.recordsPerRead),
        next: keyAfter(key),
      };
    }
  }

  async #examine(read: Reader, looks: readonly Look[]): Promise<void> {
    for (const { key, range, examine } of looks) {
      try {
        const problem = examine((await read.take(range, 1))[0]);
        if (problem !== undefined) this.#add(key, problem);
      } catch (error) {
        // The scan reports the damaged record itself.
        if (!(error instanceof DamagedData)) throw error;
      }
    }
  }

  #describe(entry: Entry, sink: RelationSink, previous: Entry | undefined, isQuiet: boolean): void {
    const { name, family } = familyOf(entry.key);
    if (family === undefined) {
      if (!isQuiet)
        this.#add(entry.key, { kind: "unknown-family", message: `no record has the family ${name}` });
      return;
    }
    const isSame = previous !== undefined && familyOf(previous.key).name === name;
    try {
      family.describe(entry, sink, isSame ? previous : undefined);
    } catch (error) {
      // Whatever decoding arbitrary bytes may throw: the record cannot be read, and requests fail as well.
      if (isQuiet) return;
      const message = `cannot be decoded: ${(error as Error).message}`;
      this.#add(entry.key, { kind: "undecodable", message, isUseless: true });
    }
  }

  /** A damaged tree may show a record in a scan and hide it from requests. */
  async #compareWithGets(read: Reader, entries: readonly Entry[]): Promise<void> {
    const found = await read.getMany(entries.map(({ key }) => key));
    for (const [i, { key, value }] of entries.entries()) {
      if (found[i]?.equals(value) !== true)
        this.#add(key, { kind: "unreachable", message: "a scan shows it, and a read of its key does not" });
      if (i > 0 && entries[i - 1]!.key >= key)
        this.#add(key, { kind: "key-order", message: "lies after a larger key" });
    }
  }

  async #findUneven(): Promise<UnevenAccount[]> {
    const accounts = new Map<string, UnevenAccount>();
    const sinkOf = ({ key }: Entry): RelationSink => ({
      ...SILENT,
      isDeclared: (name) => this.#names.has(name),
      post: (ledger, account, amount) => {
        if (this.#balances.isEven(ledger, account)) return;
        const id = `${ledger}\0${account}`;
        let found = accounts.get(id);
        if (found === undefined) {
          if (accounts.size >= INTEGRITY_LIMITS.findingsMax) return;
          found = { ledger, account, sum: 0, due: 0, owed: [], stated: [] };
          accounts.set(id, found);
        }
        found.sum += amount;
        // Also an entry of -0 is one that states a number.
        const isStated = amount < 0 || Object.is(amount, -0);
        if (!isStated) found.due += amount;
        const keys = isStated ? found.stated : found.owed;
        if (keys.length < INTEGRITY_LIMITS.keysPerAccountMax) keys.push(key);
      },
    });
    await this.#scan(EVERYTHING, sinkOf, { isQuiet: true });
    return [...accounts.values()].filter(({ sum }) => sum !== 0);
  }
}

/** How a finding describes an account. */
export function findingOf({ ledger, due, sum, owed, stated }: UnevenAccount): Omit<Finding, "repair"> {
  const key = stated[0] ?? owed[0]!;
  const { family } = familyOf(key);
  const message =
    stated.length === 0
      ? `${LEDGERS[ledger]}: no record states it, and others say ${due}`
      : `${LEDGERS[ledger]}: the record says ${due - sum}, and others say ${due}`;
  return { kind: ledger, what: family?.what ?? "record", key, message };
}

interface Page {
  readonly entries: readonly Entry[];
  readonly next: Key | undefined;
}

interface Look {
  readonly key: Key;
  readonly range: Range;
  readonly examine: (found: Entry | undefined) => Problem | undefined;
}

const nothing = (): void => {};
const SILENT: RelationSink = {
  declare: nothing,
  need: nothing,
  isDeclared: () => false,
  post: nothing,
  look: nothing,
  problem: nothing,
  atMost: nothing,
  limit: nothing,
};
