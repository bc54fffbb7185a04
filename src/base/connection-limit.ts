/**
 * How many connections may be open: those of one listener, and those of all listeners of a process together
 * (`parent`), which the descriptors of the process limit. A client proves nothing by connecting: where a
 * limit is reached, the oldest connection that has asked for nothing yet is closed for the new one; without
 * such a connection the new one is refused.
 */
export interface Evictable {
  /** Closes the connection at once; it has left its limit (`remove`) when this returns. */
  evict(): void;
}

/** Hears of each connection that a limit turned away. */
export interface TurnedAway {
  note(what: "refused" | "evicted"): void;
}

export interface ConnectionLimitOptions {
  readonly max: number;
  readonly parent?: ConnectionLimit | undefined;
  readonly report?: TurnedAway | undefined;
}

export class ConnectionLimit {
  readonly #max: number;
  readonly #parent: ConnectionLimit | undefined;
  readonly #report: TurnedAway | undefined;
  /** Connections that have asked for nothing yet, the oldest first. */
  readonly #silent = new Set<Evictable>();
  #open = 0;
  #refused = 0;

  constructor({ max, parent, report }: ConnectionLimitOptions) {
    this.#max = max;
    this.#parent = parent;
    this.#report = report;
  }

  /** Connections that were not admitted, since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether one more connection may be added, which the caller then does. May close another one for it. */
  admit(): boolean {
    if (this.#hasPlace() && (this.#parent === undefined || this.#parent.#hasPlace())) return true;
    this.#refused++;
    this.#report?.note("refused");
    return false;
  }

  #hasPlace(): boolean {
    if (this.#open < this.#max) return true;
    const [oldest] = this.#silent;
    if (oldest === undefined) return false;
    oldest.evict();
    this.#report?.note("evicted");
    return this.#open < this.#max;
  }

  /** A new connection, which is silent. */
  add(connection: Evictable): void {
    this.#open++;
    this.#silent.add(connection);
    this.#parent?.add(connection);
  }

  /** The connection has sent a request, or has logged in: from now on it does not give way. */
  heard(connection: Evictable): void {
    if (this.#silent.size > 0 && this.#silent.delete(connection)) this.#parent?.heard(connection);
  }

  /** Once for each connection that was added. */
  remove(connection: Evictable): void {
    this.#open--;
    this.#silent.delete(connection);
    this.#parent?.remove(connection);
  }
}
