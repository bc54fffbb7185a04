import assert from "node:assert/strict";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { Refusal } from "../../src/base/refusals.ts";
import {
  conflictingLock,
  type HandleLock,
  mayRead,
  mayRestWrite,
  mayWrite,
  withoutLock,
} from "../../src/concurrency/byte-range-lock.ts";
import {
  AVAILABLE,
  checkLeaseRead,
  checkLeaseWrite,
  type Lease,
  leaseAfterWrite,
  leaseAt,
} from "../../src/concurrency/lease.ts";
import { checkRestUse, DELETE, mayOpen, type Open, READ, WRITE } from "../../src/concurrency/share-mode.ts";
import { applyLeaseAction } from "../../src/services/lease-action.ts";
import { type PlainAction, PlainLease } from "./blob-model.ts";
import { HandleModel, REST_CALLS, type RestCall, SHARE_MODES } from "./handle-model.ts";

/**
 * The rules alone, without a service around them, against the same plain models: no store and no waiting, so
 * a hundred times as many sequences in the same time.
 */
function warm(seed: number): Random {
  const random = seededRandom(seed);
  // The first numbers of nearby seeds are alike.
  for (let i = 0; i < 8; i++) random.fraction();
  return random;
}

const IDS = ["one", "two", "three"];
const WAITS = [0, 1, 1_000, 15_000, 60_000];

export function runLeaseSequence(seed: number, steps: number, visited: Set<string>): void {
  const random = warm(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random.fraction() * of.length)]!;
  const what = pick(["Blob", "Container"] as const);
  const plain = new PlainLease(what, visited);
  let lease: Lease = AVAILABLE;
  let now = 1_000_000;
  for (let step = 0; step < steps; step++) {
    now += pick(WAITS);
    if (random.fraction() < 0.4) {
      const kind = pick(["read", "write"] as const);
      const id = pick([undefined, ...IDS]);
      const check = kind === "read" ? checkLeaseRead : checkLeaseWrite;
      const found = check(lease, id, now, what) ?? "ok";
      assert.equal(found, plain.use(kind, id, now));
      if (kind !== "write" || found !== "ok") continue;
      plain.written(now);
      if (what === "Blob") lease = leaseAfterWrite(lease, now);
      continue;
    }
    const action = actionOf(pick);
    const expected = plain.act(action, "made", now);
    try {
      lease = applyLeaseAction(lease, realAction(action), now).lease;
      const { state } = leaseAt(lease, now);
      assert.equal(state, expected.split(" ")[0]);
      if (lease.state === "leased") assert.equal(`leased ${lease.id}`, expected);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      assert.equal(error.code, expected);
    }
  }
}

function actionOf(pick: <T>(of: readonly T[]) => T): PlainAction {
  const id = pick(IDS);
  switch (pick(["acquire", "acquire", "renew", "release", "change", "break"] as const)) {
    case "acquire":
      return {
        do: "acquire",
        id: pick([undefined, id]),
        length: pick([15_000, 60_000, "infinite"] as const),
      };
    case "renew":
      return { do: "renew", id };
    case "release":
      return { do: "release", id };
    case "change":
      return { do: "change", id, to: pick(IDS) };
    case "break":
      return { do: "break", period: pick([undefined, 0, 10_000]) };
  }
}

function realAction(action: PlainAction): Parameters<typeof applyLeaseAction>[1] {
  switch (action.do) {
    case "acquire": {
      const isProposed = action.id !== undefined;
      return { action: "acquire", id: action.id ?? "made", isProposed, length: action.length };
    }
    case "change":
      return { action: "change", current: action.id, proposed: action.to };
    case "break":
      return { action: "break", period: action.period };
    default:
      return { action: action.do, id: action.id };
  }
}

const BITS: Readonly<Record<string, number>> = { R: READ, W: WRITE, D: DELETE };
const bits = (text: string): number => [...text].reduce((all, letter) => all | BITS[letter]!, 0);
const SIZE = 12;

export function runLockSequence(seed: number, steps: number, visited: Set<string>): void {
  const random = warm(seed);
  const below = (limit: number): number => Math.floor(random.fraction() * limit);
  const model = new HandleModel(visited);
  let opens: (Open & { readonly handle: number })[] = [];
  let locks: HandleLock[] = [];
  for (let step = 0; step < steps; step++) {
    const choice = below(12);
    const from = below(SIZE - 1);
    const to = from + 1 + below(SIZE - from - 1);
    const range = { offset: BigInt(from), length: BigInt(to - from) };
    const { handle = 0 } = opens[below(opens.length)] ?? {};
    if (choice < 3 || handle === 0) {
      const access = SHARE_MODES[below(SHARE_MODES.length)]!;
      const share = below(2) === 0 ? "RWD" : SHARE_MODES[below(SHARE_MODES.length)]!;
      const open = { handle: step + 1, access: bits(access), share: bits(share) };
      const isLetIn = mayOpen(open, opens);
      const expected = model.open({ handle: open.handle, access, share, isDeleteOnClose: false });
      assert.equal(isLetIn ? "ok" : "SharingViolation", expected);
      if (isLetIn) opens.push(open);
    } else if (choice < 6) {
      const call = REST_CALLS[below(REST_CALLS.length)]!;
      assert.equal(restAnswer(call, opens, locks, range), model.rest(call, from, to));
      model.isLeased = false;
      model.exists = true;
    } else if (choice === 6) {
      model.close(handle);
      opens = opens.filter((open) => open.handle !== handle);
      locks = locks.filter((lock) => lock.handle !== BigInt(handle));
    } else if (choice < 9) {
      const wanted = { ...range, isExclusive: below(2) === 0 };
      const isFree = conflictingLock(locks, wanted, BigInt(handle)) === undefined;
      const expected = model.lock({ handle, from, to, isExclusive: wanted.isExclusive });
      assert.equal(isFree ? "ok" : "FileLockConflict", expected);
      if (isFree) locks.push({ ...wanted, handle: BigInt(handle) });
    } else if (choice === 9) {
      const own = locks.filter((lock) => lock.handle === BigInt(handle));
      const left = withoutLock(own, range);
      assert.equal(left === undefined ? "notLocked" : "unlocked", model.unlock(handle, from, to));
      const others = locks.filter((lock) => lock.handle !== BigInt(handle));
      if (left !== undefined)
        locks = [...others, ...left.map((lock) => ({ ...lock, handle: BigInt(handle) }))];
    } else {
      const use = choice === 10 ? "read" : "write";
      const may = use === "read" ? mayRead : mayWrite;
      assert.equal(may(locks, range, BigInt(handle)), model.mayAccess(handle, from, to, use));
    }
  }
}

function restAnswer(
  call: RestCall,
  opens: readonly Open[],
  locks: readonly HandleLock[],
  range: { readonly offset: bigint; readonly length: bigint },
): string {
  const refusal = checkRestUse(call, opens);
  if (refusal !== undefined) return refusal;
  if (call === "read") return mayRead(locks, range, undefined) ? "ok" : "FileLockConflict";
  if (call === "look" || call === "lease") return "ok";
  return mayRestWrite(locks) ? "ok" : "FileLockConflict";
}
