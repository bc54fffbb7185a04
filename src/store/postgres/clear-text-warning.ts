import type { Log } from "../../observability/log.ts";

/** The fields of a Node.js socket, encrypted or not. */
export interface Link {
  /** Undefined for a Unix socket. */
  readonly remoteAddress?: string | undefined;
  readonly encrypted?: boolean;
}

/** Warns once that records and payload cross a network unencrypted. */
export class ClearTextWarning {
  readonly #log: Log;
  #isWarned = false;

  constructor(log: Log) {
    this.#log = log;
  }

  check({ remoteAddress, encrypted = false }: Link, place: string): void {
    if (this.#isWarned || encrypted || remoteAddress === undefined || isLoopback(remoteAddress)) return;
    this.#isWarned = true;
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
