/**
 * One file, what SMB clients have open of it, and what REST calls meet: the matrices of the protocol as data,
 * and locks byte by byte. A second version of src/concurrency/share-mode.ts and byte-range-lock.ts, and of
 * the order in which src/services/file asks them.
 */
export const SHARE_MODES = ["", "R", "W", "D", "RW", "RD", "WD", "RWD"] as const;
export const REST_CALLS = ["look", "read", "write", "overwrite", "delete", "lease"] as const;
export type RestCall = (typeof REST_CALLS)[number];

/**
 * Share mode of an open handle against a REST call: F is SharingViolation. Lease asks for more, see below.
 */
const MATRIX: Readonly<Record<string, Readonly<Record<RestCall, "F" | "ok">>>> = {
  "": { look: "ok", read: "F", write: "F", overwrite: "F", delete: "F", lease: "F" },
  R: { look: "ok", read: "ok", write: "F", overwrite: "F", delete: "F", lease: "F" },
  W: { look: "ok", read: "F", write: "ok", overwrite: "F", delete: "F", lease: "F" },
  D: { look: "ok", read: "F", write: "F", overwrite: "F", delete: "F", lease: "F" },
  RW: { look: "ok", read: "ok", write: "ok", overwrite: "F", delete: "F", lease: "F" },
  RD: { look: "ok", read: "ok", write: "F", overwrite: "F", delete: "F", lease: "F" },
  WD: { look: "ok", read: "F", write: "ok", overwrite: "ok", delete: "F", lease: "F" },
  RWD: { look: "ok", read: "ok", write: "ok", overwrite: "ok", delete: "F", lease: "ok" },
};

interface ModelOpen {
  readonly handle: number;
  readonly access: string;
  readonly share: string;
  readonly isDeleteOnClose: boolean;
}

interface ModelLock {
  readonly handle: number;
  readonly from: number;
  readonly to: number;
  readonly isExclusive: boolean;
}

const isInside = (one: string, other: string): boolean => [...one].every((letter) => other.includes(letter));

export class HandleModel {
  exists = true;
  isLeased = false;
  isPending = false;
  opens: ModelOpen[] = [];
  locks: ModelLock[] = [];
  /** Which cells have been asked. */
  readonly visited: Set<string>;

  constructor(visited: Set<string>) {
    this.visited = visited;
  }

  open(wanted: ModelOpen): string {
    if (!this.exists) return "ResourceNotFound";
    if (this.isPending) return "SMBDeletePending";
    for (const there of this.opens) {
      this.visited.add(
        `open ${wanted.access || "none"} over ${there.access || "none"}/${there.share || "none"}`,
      );
      if (wanted.access === "" || there.access === "") continue;
      if (!isInside(wanted.access, there.share) || !isInside(there.access, wanted.share)) {
        return "SharingViolation";
      }
    }
    this.visited.add(`open ${wanted.access || "none"} ${this.isLeased ? "leased" : "free"}`);
    if (this.isLeased && !isInside(wanted.access, "R")) return "SharingViolation";
    this.opens.push(wanted);
    return "ok";
  }

  close(handle: number): void {
    const open = this.opens.find((one) => one.handle === handle)!;
    this.opens = this.opens.filter((one) => one !== open);
    this.locks = this.locks.filter((lock) => lock.handle !== handle);
    if (open.isDeleteOnClose) this.isPending = true;
    if (this.isPending && this.opens.length === 0) this.vanish();
  }

  vanish(): void {
    this.exists = false;
    this.isPending = false;
    this.isLeased = false;
  }

  setPending(handle: number, isPending: boolean): string {
    const { access } = this.opens.find((one) => one.handle === handle)!;
    if (!access.includes("D")) return "AuthorizationPermissionMismatch";
    this.isPending = isPending;
    return "ok";
  }

  lock(wanted: ModelLock): string {
    for (let byte = wanted.from; byte < wanted.to; byte++) {
      for (const held of this.locksAt(byte)) {
        const whose = held.handle === wanted.handle ? "own" : "other's";
        this.visited.add(`lock ${kindOf(wanted)} over ${whose} ${kindOf(held)}`);
        const bearsIt = !wanted.isExclusive && (!held.isExclusive || whose === "own");
        if (!bearsIt) return "FileLockConflict";
      }
    }
    this.locks.push(wanted);
    return "ok";
  }

  /** Exactly the one that was taken, or none. */
  unlock(handle: number, from: number, to: number): string {
    const at = this.locks.findIndex((lock) => lock.handle === handle && lock.from === from && lock.to === to);
    if (at < 0) return "notLocked";
    this.locks = this.locks.toSpliced(at, 1);
    return "unlocked";
  }

  mayAccess(handle: number, from: number, to: number, use: "read" | "write"): boolean {
    for (let byte = from; byte < to; byte++) {
      for (const held of this.locksAt(byte)) {
        const whose = held.handle === handle ? "own" : "other's";
        this.visited.add(`${use} through ${whose} ${kindOf(held)}`);
        if (use === "read" && held.isExclusive && whose === "other's") return false;
        if (use === "write" && !(held.isExclusive && whose === "own")) return false;
      }
    }
    return true;
  }

  /** The order: is it there, is it going, whose lease is it, who has it open, who has locked it. */
  rest(call: RestCall, from: number, to: number): string {
    if (!this.exists) return call === "overwrite" ? this.#made() : "ResourceNotFound";
    this.visited.add(`${call} ${this.isPending ? "pending" : "staying"}`);
    if (this.isPending) return "SMBDeletePending";
    const changes = call === "write" || call === "overwrite" || call === "delete";
    if (this.isLeased && changes) return "LeaseIdMissing";
    if (this.isLeased && call === "lease") return "LeaseAlreadyPresent";
    for (const { share, access } of this.opens)
      if (this.#isViolated(call, share, access)) return "SharingViolation";
    if (changes && this.locks.length > 0) return "FileLockConflict";
    if (call === "read" && !this.mayAccess(-1, from, to, "read")) return "FileLockConflict";
    if (call === "delete") this.vanish();
    if (call === "lease") this.isLeased = true;
    return "ok";
  }

  #made(): string {
    this.exists = true;
    return "ok";
  }

  /** A handle that only looks at attributes is felt by a deletion and by nobody else. */
  #isViolated(call: RestCall, share: string, access: string): boolean {
    this.visited.add(`${call} against ${share || "none"}/${access || "none"}`);
    if (call === "delete") return true;
    if (access === "") return false;
    if (call === "lease" && access !== "R") return true;
    return MATRIX[share]![call] === "F";
  }

  locksAt(byte: number): ModelLock[] {
    return this.locks.filter(({ from, to }) => from <= byte && byte < to);
  }
}

const kindOf = ({ isExclusive }: ModelLock): string => (isExclusive ? "exclusive" : "shared");

/** Every cell there is. */
export function handleCells(): string[] {
  const cells: string[] = [];
  const named = SHARE_MODES.map((mode) => mode || "none");
  for (const call of REST_CALLS) {
    for (const share of named) for (const access of named) cells.push(`${call} against ${share}/${access}`);
    cells.push(`${call} pending`, `${call} staying`);
  }
  for (const access of named) {
    cells.push(`open ${access} leased`, `open ${access} free`);
    for (const there of named) for (const share of named) cells.push(`open ${access} over ${there}/${share}`);
  }
  for (const whose of ["own", "other's"]) {
    for (const held of ["shared", "exclusive"]) {
      cells.push(`read through ${whose} ${held}`, `write through ${whose} ${held}`);
      for (const wanted of ["shared", "exclusive"]) cells.push(`lock ${wanted} over ${whose} ${held}`);
    }
  }
  return cells;
}
