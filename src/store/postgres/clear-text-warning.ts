import type { Log } from "../../observability/log.ts";

/** What is known of a connection that has come about: a socket of Node.js, encrypted or not. */
export interface Link {
  /** Undefined for a socket of this machine. */
  readonly remoteAddress?: string | undefined;
  readonly encrypted?: boolean;
}

/** Says once that records and payload cross a network in clear. */
export class ClearTextWarning {
  readonly #log: Log;
  #isSaid = false;

  constructor(log: Log) {
    this.#log = log;
  }

  check({ remoteAddress, encrypted = false }: Link, place: string): void {
    if (this.#isSaid || encrypted || remoteAddress === undefined || isLoopback(remoteAddress)) return;
    this.#isSaid = true;
    this.#log.warn(
      {},
      `the connection to the database at ${place} is not encrypted: records and payload cross the network in ` +
        "clear; turn on ssl in PostgreSQL and add sslmode=verify-full to the address",
    );
  }
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
