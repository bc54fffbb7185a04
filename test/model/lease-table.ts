/**
 * The lease tables of the protocol, cell by cell, as data: a second version of src/concurrency/lease.ts that
 * knows nothing of how the first one is written. A cell is the state that follows ("leased A") or the code of
 * the refusal. A is the id of the lease there is, B and C are others, X is one the server makes up.
 */
export const LEASE_STATES = ["available", "leased", "breaking", "broken", "expired"] as const;
export type LeaseStateName = (typeof LEASE_STATES)[number];

type Row = readonly [available: string, leased: string, breaking: string, broken: string, expired: string];

const MISMATCH = "LeaseIdMismatchWithLeaseOperation";
const NOT_PRESENT = "LeaseNotPresentWithLeaseOperation";
const PRESENT = "LeaseAlreadyPresent";
const NO_RENEWAL = "LeaseIsBrokenAndCannotBeRenewed";

export const ACTION_TABLE: Readonly<Record<string, Row>> = {
  "acquire none": ["leased X", PRESENT, PRESENT, "leased X", "leased X"],
  "acquire A": ["leased A", "leased A", "LeaseIsBreakingAndCannotBeAcquired", "leased A", "leased A"],
  "acquire B": ["leased B", PRESENT, PRESENT, "leased B", "leased B"],
  "renew A": [MISMATCH, "leased A", NO_RENEWAL, NO_RENEWAL, "leased A"],
  "renew B": [MISMATCH, MISMATCH, MISMATCH, MISMATCH, MISMATCH],
  "change A B": [NOT_PRESENT, "leased B", "LeaseIsBreakingAndCannotBeChanged", NOT_PRESENT, NOT_PRESENT],
  "change B A": [NOT_PRESENT, "leased A", MISMATCH, NOT_PRESENT, NOT_PRESENT],
  "change B C": [NOT_PRESENT, MISMATCH, MISMATCH, NOT_PRESENT, NOT_PRESENT],
  "release A": [MISMATCH, "available", "available", "available", "available"],
  "release B": [MISMATCH, MISMATCH, MISMATCH, MISMATCH, MISMATCH],
  "break 0": [NOT_PRESENT, "broken", "broken", "broken", "broken"],
  "break n": [NOT_PRESENT, "breaking", "breaking", "broken", "broken"],
  // Of an infinite lease; one with an end breaks when it would have ended.
  "break none": [NOT_PRESENT, "broken", "breaking", "broken", "broken"],
};

const B_NONE = "LeaseNotPresentWithBlobOperation";
const B_OTHER = "LeaseIdMismatchWithBlobOperation";
const C_NONE = "LeaseNotPresentWithContainerOperation";
const C_OTHER = "LeaseIdMismatchWithContainerOperation";
const LOST = "LeaseLost";
const MISSING = "LeaseIdMissing";

/**
 * How operations meet a lease: "ok", "ok -> available" where the write ends what was left of it, or the code.
 */
export const USE_TABLE: Readonly<Record<"Blob" | "Container", Readonly<Record<string, Row>>>> = {
  Blob: {
    "write A": [B_NONE, "ok", "ok", LOST, LOST],
    "write B": [B_NONE, B_OTHER, B_OTHER, LOST, LOST],
    "write none": ["ok", MISSING, MISSING, "ok -> available", "ok -> available"],
    "read A": [B_NONE, "ok", "ok", LOST, LOST],
    "read B": [B_NONE, B_OTHER, B_OTHER, LOST, LOST],
    "read none": ["ok", "ok", "ok", "ok", "ok"],
  },
  Container: {
    "write A": [C_NONE, "ok", "ok", LOST, LOST],
    "write B": [C_NONE, C_OTHER, C_OTHER, LOST, LOST],
    "write none": ["ok", MISSING, MISSING, "ok", "ok"],
    "read A": [C_NONE, "ok", "ok", LOST, LOST],
    "read B": [C_NONE, C_OTHER, C_OTHER, LOST, LOST],
    "read none": ["ok", "ok", "ok", "ok", "ok"],
  },
};

export function cellOf(table: Readonly<Record<string, Row>>, row: string, state: LeaseStateName): string {
  return table[row]![LEASE_STATES.indexOf(state)]!;
}

/** Every cell of the tables, for blobs and for containers, as a model names those it has looked up. */
export function leaseCells(): string[] {
  const cells: string[] = [];
  for (const what of ["Blob", "Container"] as const) {
    for (const row of [...Object.keys(ACTION_TABLE), ...Object.keys(USE_TABLE[what])]) {
      for (const state of LEASE_STATES) {
        // Without a lease there is no id A to name: every id is another one then.
        const namesNone = state === "available" && / A( |$)/.test(row);
        if (!namesNone) cells.push(`${what} ${row} | ${state}`);
      }
    }
  }
  return cells;
}
