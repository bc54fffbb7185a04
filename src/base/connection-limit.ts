/**
 * The maximum of open connections of one listener, and of all listeners of the process (`parent`), which the
 * descriptors of the process limit. At the maximum, a new connection replaces the oldest one that has sent no
 * request yet; without such a connection the new one is refused.
 */
export interface Evictable {
  /** Closes the connection at once; it has been removed from its limit (`remove`) when this returns. */
  evict(): void;
}

/** Counts connections that a limit refused or closed. */
export interface ConnectionLimitReport {
  note(what: "refused" | "evicted"): void;
}

export interface ConnectionLimitOptions {
  readonly max: number;
  readonly parent?: ConnectionLimit | undefined;
  readonly report?: ConnectionLimitReport | undefined;
}

export class ConnectionLimit {
  readonly #max: number;
  readonly #parent: ConnectionLimit | undefined;
  readonly #report: ConnectionLimitReport | undefined;
  /** Connections that have sent no request yet, the oldest first. */
  readonly #silent = new Set<Evictable>();
  #open = 0;
  #refused = 0;

  constructor({ max, parent, report }: ConnectionLimitOptions) {
    this.#max = max;
    this.#parent = parent;
    this.#report = report;
  }

  /** Connections refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether the caller may add one more connection. May close another one for it. */
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

  /** The connection has sent a request, or has logged in: it is no longer closed for a new one. */
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
