import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  ACTION_TABLE,
  cellOf,
  LEASE_STATES,
  type LeaseStateName,
  USE_TABLE,
} from "../../test/model/lease-table.ts";
import {
  AVAILABLE,
  acquireLease,
  breakLease,
  changeLease,
  checkLeaseRead,
  checkLeaseWrite,
  type Lease,
  type LeaseOutcome,
  leaseAfterWrite,
  leaseAt,
  leaseStatus,
  releaseLease,
  renewLease,
  secondsToBreak,
} from "./lease.ts";

const NOW = 1_000_000;

/** The states as they are stored: time has made expired and broken of the last two. */
const STORED: Readonly<Record<LeaseStateName, Lease>> = {
  available: AVAILABLE,
  leased: { state: "leased", id: "A", length: "infinite", endsAt: "never" },
  breaking: { state: "breaking", id: "A", brokenAt: NOW + 30_000 },
  broken: { state: "breaking", id: "A", brokenAt: NOW },
  expired: { state: "leased", id: "A", length: 15_000, endsAt: NOW },
};

function act(action: string, lease: Lease): LeaseOutcome {
  const [verb, first, second] = action.split(" ") as [string, string, string];
  switch (verb) {
    case "acquire": {
      const isProposed = first !== "none";
      return acquireLease(lease, { id: isProposed ? first : "X", isProposed, length: 20_000 }, NOW);
    }
    case "renew":
      return renewLease(lease, first, NOW);
    case "change":
      return changeLease(lease, { current: first, proposed: second }, NOW);
    case "release":
      return releaseLease(lease, first, NOW);
    default:
      return breakLease(lease, first === "none" ? undefined : first === "0" ? 0 : 10_000, NOW);
  }
}

function show(outcome: LeaseOutcome): string {
  if (!outcome.ok) return outcome.code;
  const { next } = outcome;
  return next.state === "leased" ? `leased ${next.id}` : next.state;
}

suite("lease actions, every cell", () => {
  for (const action of Object.keys(ACTION_TABLE)) {
    for (const state of LEASE_STATES) {
      const cell = cellOf(ACTION_TABLE, action, state);
      test(`${action} on ${state}: ${cell}`, () => assert.equal(show(act(action, STORED[state])), cell));
    }
  }
});

suite("lease use, every cell", () => {
  for (const what of ["Blob", "Container"] as const) {
    for (const use of Object.keys(USE_TABLE[what])) {
      for (const state of LEASE_STATES) {
        const cell = cellOf(USE_TABLE[what], use, state);
        test(`${what}: ${use} on ${state}: ${cell}`, () => {
          const [kind, id] = use.split(" ");
          const check = kind === "write" ? checkLeaseWrite : checkLeaseRead;
          const code = check(STORED[state], id === "none" ? undefined : id, NOW, what);
          assert.equal(code ?? "ok", cell.startsWith("ok") ? "ok" : cell);
          if (what !== "Blob" || kind !== "write" || code !== undefined) return;
          const after = leaseAfterWrite(STORED[state], NOW);
          assert.equal(after.state, cell === "ok -> available" ? "available" : STORED[state].state);
        });
      }
    }
  }
});

suite("the times of leases", () => {
  const fixed: Lease = { state: "leased", id: "A", length: 15_000, endsAt: NOW + 15_000 };
  const next = (outcome: LeaseOutcome): Lease => {
    assert.ok(outcome.ok);
    return outcome.next;
  };

  test("a lease of 15 s is held up to the 15th second, and not in it", () => {
    assert.equal(leaseAt(fixed, NOW + 14_999).state, "leased");
    assert.equal(leaseAt(fixed, NOW + 15_000).state, "expired");
  });

  test("renewing starts the same length again; acquiring again sets a new one", () => {
    const later = NOW + 10_000;
    assert.deepEqual(next(renewLease(fixed, "A", later)), { ...fixed, endsAt: later + 15_000 });
    const again = next(acquireLease(fixed, { id: "A", isProposed: true, length: 60_000 }, later));
    assert.deepEqual(again, { state: "leased", id: "A", length: 60_000, endsAt: later + 60_000 });
  });

  test("a change of the id lets the clock run on", () => {
    const changed = next(changeLease(fixed, { current: "A", proposed: "B" }, NOW + 5_000));
    assert.deepEqual(changed, { ...fixed, id: "B" });
  });

  test("a break takes the shorter of what is asked for and what is left", () => {
    const broken = (lease: Lease, period: number | undefined): number =>
      secondsToBreak(next(breakLease(lease, period, NOW)), NOW);
    assert.equal(broken(fixed, 60_000), 15);
    assert.equal(broken(fixed, 7_000), 7);
    assert.equal(broken(fixed, undefined), 15);
    assert.equal(broken(fixed, 0), 0);
    const infinite: Lease = { state: "leased", id: "A", length: "infinite", endsAt: "never" };
    assert.equal(broken(infinite, 60_000), 60);
    assert.equal(broken(infinite, undefined), 0);
    const breaking: Lease = { state: "breaking", id: "A", brokenAt: NOW + 20_000 };
    assert.equal(broken(breaking, 60_000), 20);
    assert.equal(broken(breaking, 5_000), 5);
    assert.equal(broken(breaking, undefined), 20);
  });

  test("a second that has begun counts as one to wait for", () => {
    assert.equal(secondsToBreak({ state: "breaking", id: "A", brokenAt: NOW + 1 }, NOW), 1);
    assert.equal(secondsToBreak(AVAILABLE, NOW), 0);
  });

  test("status and duration as headers show them", () => {
    const shown = (lease: Lease | undefined): string =>
      Object.values(leaseStatus(lease, NOW))
        .map((value) => value ?? "-")
        .join(" ");
    assert.equal(shown(undefined), "available unlocked -");
    assert.equal(shown(fixed), "leased locked fixed");
    assert.equal(shown(STORED.leased), "leased locked infinite");
    assert.equal(shown(STORED.breaking), "breaking locked -");
    assert.equal(shown(STORED.broken), "broken unlocked -");
    assert.equal(shown(STORED.expired), "expired unlocked -");
  });
});
