import assert from "node:assert/strict";
import { collect } from "../../src/base/bytes.ts";
import { ManualClock } from "../../src/base/clock.ts";
import { LocalMessages } from "../../src/base/messages.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { Refusal } from "../../src/base/refusals.ts";
import { DELETE, READ, WRITE } from "../../src/concurrency/share-mode.ts";
import { MemoryDevice } from "../../src/extents/memory-device.ts";
import { silentLog } from "../../src/observability/log.ts";
import { createFile } from "../../src/services/file/create-file.ts";
import { createShare } from "../../src/services/file/create-share.ts";
import { deleteFile } from "../../src/services/file/delete-file.ts";
import { FileService } from "../../src/services/file/file-service.ts";
import { getFile, getFileProperties } from "../../src/services/file/get-file.ts";
import { leaseFile } from "../../src/services/file/lease.ts";
import type { OpenFile } from "../../src/services/file/open-file.ts";
import { openInode } from "../../src/services/file/opens/open-inode.ts";
import { putRange } from "../../src/services/file/put-range.ts";
import { ingest } from "../../src/services/payload/content.ts";
import { PayloadService } from "../../src/services/payload/payload-service.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { mayAccess } from "../kit/lock-access.ts";
import { HandleModel, REST_CALLS, type RestCall, SHARE_MODES } from "./handle-model.ts";

/**
 * Random histories of opens, locks, deletions and REST calls of one file, by the service and by the model.
 */
const SHARE = { account: "account", share: "share" };
const REF = { ...SHARE, path: ["f"] };
const SIZE = 12;
const LEASE = "11111111-2222-3333-4444-555555555555";
const BITS: Readonly<Record<string, number>> = { R: READ, W: WRITE, D: DELETE };
const bits = (text: string): number => [...text].reduce((all, letter) => all | BITS[letter]!, 0);

/** Services over an empty memory store; made once for many histories, each in a share of its own. */
export function openFiles(): FileService {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const onSyncFailure = (error: unknown): void => {
    throw error;
  };
  const payloads = new PayloadService({ store, device: new MemoryDevice(), log: silentLog, onSyncFailure });
  const messages = new LocalMessages();
  const parts = { store, payloads, clock, random: seededRandom(1), log: silentLog, messages };
  return new FileService(parts, { shareRetentionDays: 0 });
}

export async function runHandleHistory(seed: number, steps: number, visited: Set<string>): Promise<void> {
  const files = openFiles();
  const settings = { quotaGib: 1, tier: "Hot", protocols: "SMB" } as const;
  await createShare(files, { ref: SHARE, settings });
  await createFile(files, { ref: REF, size: SIZE, requested: {} });
  const history = new HandleHistory(files, seededRandom(seed), visited);
  for (let step = 0; step < steps; step++) await history.step();
}

class HandleHistory {
  readonly #files: FileService;
  readonly #random: Random;
  readonly #model: HandleModel;
  readonly #handles = new Map<number, OpenFile>();
  #made = 0;

  constructor(files: FileService, random: Random, visited: Set<string>) {
    this.#files = files;
    this.#random = random;
    this.#model = new HandleModel(visited);
    // The first numbers of nearby seeds are alike.
    for (let i = 0; i < 8; i++) random.fraction();
  }

  #below(limit: number): number {
    return Math.floor(this.#random.fraction() * limit);
  }

  async step(): Promise<void> {
    const choice = this.#below(20);
    if (choice < 5) return this.#open();
    if (choice < 11) return this.#rest(REST_CALLS[this.#below(REST_CALLS.length)]!);
    if (choice === 11 && this.#model.isLeased) return this.#unlease();
    const numbers = [...this.#handles.keys()];
    const number = numbers[this.#below(numbers.length)];
    if (number === undefined) return this.#rest("overwrite");
    const handle = this.#handles.get(number)!;
    if (choice < 14) return this.#close(number);
    if (choice === 14) return this.#pending(number, this.#below(2) === 0);
    const from = this.#below(SIZE - 1);
    const to = from + 1 + this.#below(SIZE - from - 1);
    const range = { offset: BigInt(from), length: BigInt(to - from) };
    if (choice < 17) {
      const isExclusive = this.#below(2) === 0;
      const expected = this.#model.lock({ handle: number, from, to, isExclusive });
      return this.#same(handle.lock([{ ...range, isExclusive }]), expected);
    }
    if (choice === 17) return this.#unlock(number, handle, from, to);
    const use = this.#below(2) === 0 ? "read" : "write";
    const may = await mayAccess(this.#files, handle, range, use);
    assert.equal(may, this.#model.mayAccess(number, from, to, use));
  }

  async #open(): Promise<void> {
    const access = SHARE_MODES[this.#below(SHARE_MODES.length)]!;
    // Mostly generous: otherwise hardly two opens ever meet.
    const share = this.#below(2) === 0 ? "RWD" : SHARE_MODES[this.#below(SHARE_MODES.length)]!;
    const isDeleteOnClose = access.includes("D") && this.#below(8) === 0;
    const handle = ++this.#made;
    const expected = this.#model.open({ handle, access, share, isDeleteOnClose });
    await this.#same(
      openInode(this.#files, {
        ref: REF,
        access: bits(access),
        shareMode: bits(share),
        session: 1n,
        clientAddress: "10.0.0.1:1",
        clientName: "model",
        isDeleteOnClose,
      }).then((opened) => {
        this.#handles.set(handle, opened);
      }),
      expected,
    );
  }

  async #close(number: number): Promise<void> {
    const was = this.#model.exists;
    this.#model.close(number);
    const expected = was && !this.#model.exists ? "removed" : "closed";
    assert.equal(await this.#handles.get(number)!.close(), expected);
    this.#handles.delete(number);
  }

  async #pending(number: number, isPending: boolean): Promise<void> {
    const expected = this.#model.setPending(number, isPending);
    await this.#same(this.#handles.get(number)!.setDeletePending(isPending), expected);
  }

  async #unlock(number: number, handle: OpenFile, from: number, to: number): Promise<void> {
    // Half of the time one that is there.
    const held = this.#model.locks.filter((lock) => lock.handle === number);
    const one = this.#below(2) === 0 ? undefined : held[this.#below(held.length)];
    const [start, end] = one === undefined ? [from, to] : [one.from, one.to];
    const expected = this.#model.unlock(number, start, end);
    const range = { offset: BigInt(start), length: BigInt(end - start) };
    assert.equal(await handle.unlock(range), expected);
  }

  async #unlease(): Promise<void> {
    const expected = this.#model.isPending ? "SMBDeletePending" : "ok";
    if (expected === "ok") this.#model.isLeased = false;
    await this.#same(leaseFile(this.#files, { ref: REF, lease: { action: "release", id: LEASE } }), expected);
  }

  async #rest(call: RestCall): Promise<void> {
    const from = this.#below(SIZE - 1);
    const to = from + 1 + this.#below(SIZE - from - 1);
    const expected = this.#model.rest(call, from, to);
    await this.#same(this.#call(call, from, to), expected);
  }

  async #call(call: RestCall, from: number, to: number): Promise<unknown> {
    const files = this.#files;
    switch (call) {
      case "look":
        return getFileProperties(files, { ref: REF });
      case "read": {
        const { content } = await getFile(files, { ref: REF, part: () => ({ from, to }) });
        await collect(content.stream());
        return content.close();
      }
      case "write": {
        const bytes = await ingest(files.parts.payloads, Buffer.alloc(to - from, 1));
        return putRange(files, { ref: REF, from, to, bytes });
      }
      case "overwrite":
        return createFile(files, { ref: REF, size: SIZE, requested: {} });
      case "delete":
        return deleteFile(files, { ref: REF });
      case "lease": {
        const lease = { action: "acquire", id: LEASE, isProposed: false, length: "infinite" } as const;
        return leaseFile(files, { ref: REF, lease });
      }
    }
  }

  async #same(call: Promise<unknown>, expected: string): Promise<void> {
    let outcome = "ok";
    try {
      await call;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      outcome = error.code;
    }
    assert.equal(outcome, expected);
  }
}
