import { ACTION_TABLE, cellOf, type LeaseStateName, USE_TABLE } from "./lease-table.ts";

/**
 * One blob in one container as a plain object: what leases and conditions mean, told by looking things up in
 * the protocol's tables. Slow, and meant to be checked by reading.
 */
export interface PlainConditions {
  readonly ifMatch?: "own" | "stale" | "*";
  readonly ifNoneMatch?: "own" | "stale" | "*";
  /** Milliseconds beside the time of the last change. */
  readonly ifModifiedSince?: number;
  readonly ifUnmodifiedSince?: number;
  readonly ifTag?: "own" | "other";
}

export type PlainAction =
  | { readonly do: "acquire"; readonly id: string | undefined; readonly length: number | "infinite" }
  | { readonly do: "renew" | "release"; readonly id: string }
  | { readonly do: "change"; readonly id: string; readonly to: string }
  | { readonly do: "break"; readonly period: number | undefined };

type StoredState = Exclude<LeaseStateName, "expired">;

export class PlainLease {
  #state: StoredState = "available";
  #id = "";
  #length: number | "infinite" = "infinite";
  /** When the lease, or the break, is over. */
  #until = Number.POSITIVE_INFINITY;
  readonly #what: "Blob" | "Container";
  readonly #visited: Set<string>;

  constructor(what: "Blob" | "Container", visited: Set<string>) {
    this.#what = what;
    this.#visited = visited;
  }

  state(now: number): LeaseStateName {
    if (this.#state === "leased" && this.#until <= now) return "expired";
    if (this.#state === "breaking" && this.#until <= now) return "broken";
    return this.#state;
  }

  #letter(id: string | undefined, now: number): string {
    if (id === undefined) return "none";
    return this.state(now) !== "available" && id === this.#id ? "A" : "B";
  }

  #look(table: Parameters<typeof cellOf>[0], row: string, now: number): string {
    this.#visited.add(`${this.#what} ${row} | ${this.state(now)}`);
    return cellOf(table, row, this.state(now));
  }

  /** "ok", or the code. */
  use(kind: "read" | "write", id: string | undefined, now: number): string {
    const cell = this.#look(USE_TABLE[this.#what], `${kind} ${this.#letter(id, now)}`, now);
    return cell.startsWith("ok") ? "ok" : cell;
  }

  /** A write has gone through. */
  written(now: number): void {
    if (this.#what === "Blob" && ["broken", "expired"].includes(this.state(now))) this.clear();
  }

  clear(): void {
    this.#state = "available";
    this.#id = "";
  }

  act(action: PlainAction, made: string, now: number): string {
    const cell = this.#look(ACTION_TABLE, this.#rowOf(action, now), now);
    if (!/^(available|leased|breaking|broken)/.test(cell)) return cell;
    const before = this.state(now);
    const [state] = cell.split(" ") as [StoredState];
    if (action.do === "acquire") {
      this.#lease(action.id ?? made, action.length, now);
    } else if (action.do === "change") this.#id = action.to;
    else if (action.do !== "break") {
      if (action.do === "renew") this.#lease(action.id, this.#length, now);
      else this.clear();
    } else {
      const left = before === "leased" || before === "breaking" ? this.#until - now : 0;
      const fallback = left === Number.POSITIVE_INFINITY ? 0 : left;
      this.#until = now + Math.min(left, action.period ?? fallback);
      // Only an infinite lease breaks at once for want of a period; the table says so for that one.
      this.#state = this.#until > now ? "breaking" : "broken";
      return this.state(now);
    }
    return state === "available" ? state : `${state} ${this.#id}`;
  }

  #lease(id: string, length: number | "infinite", now: number): void {
    this.#state = "leased";
    this.#id = id;
    this.#length = length;
    this.#until = length === "infinite" ? Number.POSITIVE_INFINITY : now + length;
  }

  #rowOf(action: PlainAction, now: number): string {
    switch (action.do) {
      case "acquire":
        return `acquire ${this.#letter(action.id, now)}`;
      case "renew":
      case "release":
        return `${action.do} ${this.#letter(action.id, now)}`;
      case "change": {
        const from = this.#letter(action.id, now);
        // To the id it has: the first letter does not matter then.
        if (this.#letter(action.to, now) === "A") return from === "A" ? "change A B" : "change B A";
        return from === "A" ? "change A B" : "change B C";
      }
      case "break":
        return action.period === undefined ? "break none" : action.period === 0 ? "break 0" : "break n";
    }
  }
}

export class PlainBlob {
  readonly lease: PlainLease;
  readonly container: PlainLease;
  readonly visited: Set<string>;
  exists = false;
  tag = "";
  modifiedAt = 0;
  /** Counts writes: equal exactly when the ETag is. */
  etag = 0;
  now: number;

  constructor(now: number, visited: Set<string>) {
    this.now = now;
    this.visited = visited;
    this.lease = new PlainLease("Blob", visited);
    this.container = new PlainLease("Container", visited);
  }

  #holds(conditions: PlainConditions): Record<string, boolean | undefined> {
    const second = (millis: number): number => Math.floor(millis / 1_000);
    const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince, ifTag } = conditions;
    const modified = second(this.modifiedAt);
    return {
      match: ifMatch === undefined ? undefined : ifMatch !== "stale",
      none: ifNoneMatch === undefined ? undefined : ifNoneMatch === "stale",
      modified:
        ifModifiedSince === undefined ? undefined : modified > second(this.modifiedAt + ifModifiedSince),
      unmodified:
        ifUnmodifiedSince === undefined ? undefined : modified <= second(this.modifiedAt + ifUnmodifiedSince),
      tag: ifTag === undefined ? undefined : ifTag === "own" && this.tag !== "",
    };
  }

  /** The names of the four that are given, for the table of combinations. */
  static combination(conditions: PlainConditions): string {
    const given: string[] = [];
    if (conditions.ifMatch !== undefined) given.push("match");
    if (conditions.ifNoneMatch !== undefined) given.push("none");
    if (conditions.ifModifiedSince !== undefined) given.push("modified");
    if (conditions.ifUnmodifiedSince !== undefined) given.push("unmodified");
    return given.join("+");
  }

  #write(kind: "create" | "change", conditions: PlainConditions, leaseId: string | undefined): string {
    const combination = PlainBlob.combination(conditions);
    const taken = ["", "match", "none", "modified", "unmodified", "none+modified", "match+unmodified"];
    if (!taken.includes(combination)) return "MultipleConditionHeadersNotSupported";
    if (kind === "change" && !this.exists) return "BlobNotFound";
    const lease = this.lease.use("write", leaseId, this.now);
    if (lease !== "ok") return lease;
    if (!this.exists) {
      return conditions.ifMatch !== undefined || conditions.ifTag !== undefined ? "ConditionNotMet" : "ok";
    }
    if (kind === "create" && conditions.ifNoneMatch === "*") return "BlobAlreadyExists";
    const { match, none, modified, unmodified, tag } = this.#holds(conditions);
    const isMet = (match ?? unmodified ?? true) && (none ?? modified ?? true) && (tag ?? true);
    return isMet ? "ok" : "ConditionNotMet";
  }

  put(conditions: PlainConditions, leaseId: string | undefined): string {
    const verdict = this.#write("create", conditions, leaseId);
    if (verdict !== "ok") return verdict;
    this.exists = true;
    this.tag = "";
    return this.#changed();
  }

  setMetadata(conditions: PlainConditions, leaseId: string | undefined): string {
    const verdict = this.#write("change", conditions, leaseId);
    return verdict === "ok" ? this.#changed() : verdict;
  }

  #changed(): string {
    this.etag++;
    this.modifiedAt = this.now;
    this.lease.written(this.now);
    return "ok";
  }

  delete(conditions: PlainConditions, leaseId: string | undefined): string {
    const verdict = this.#write("change", conditions, leaseId);
    if (verdict !== "ok") return verdict;
    this.exists = false;
    this.lease.clear();
    return "ok";
  }

  read(conditions: PlainConditions, leaseId: string | undefined): string {
    if (!this.exists) return "BlobNotFound";
    const lease = this.lease.use("read", leaseId, this.now);
    if (lease !== "ok") return lease;
    if (conditions.ifNoneMatch === "*") return "UnsatisfiableCondition";
    const { match, none, modified, unmodified, tag } = this.#holds(conditions);
    if (match === false || unmodified === false || tag === false) return "ConditionNotMet";
    const news = [none, modified].filter((holds) => holds !== undefined);
    return news.length > 0 && !news.includes(true) ? "NotModified" : `ok ${this.etag}`;
  }

  setTag(tag: string, leaseId: string | undefined): string {
    if (!this.exists) return "BlobNotFound";
    const lease = this.lease.use("write", leaseId, this.now);
    if (lease === "ok") this.tag = tag;
    return lease;
  }

  leaseBlob(action: PlainAction, conditions: PlainConditions, made: string): string {
    const combination = PlainBlob.combination(conditions);
    if (combination.includes("+") && !["none+modified", "match+unmodified"].includes(combination)) {
      return "MultipleConditionHeadersNotSupported";
    }
    if (!this.exists) return "BlobNotFound";
    const { match, none, modified, unmodified, tag } = this.#holds(conditions);
    const isMet = (match ?? unmodified ?? true) && (none ?? modified ?? true) && (tag ?? true);
    return isMet ? this.lease.act(action, made, this.now) : "ConditionNotMet";
  }

  leaseContainer(action: PlainAction, made: string): string {
    return this.container.act(action, made, this.now);
  }

  setContainerMetadata(leaseId: string | undefined): string {
    return this.container.use("read", leaseId, this.now);
  }

  /** Deleted, and made again under the same name. */
  recreateContainer(leaseId: string | undefined): string {
    const verdict = this.container.use("write", leaseId, this.now);
    if (verdict !== "ok") return verdict;
    this.container.clear();
    this.lease.clear();
    this.exists = false;
    return "ok";
  }
}
