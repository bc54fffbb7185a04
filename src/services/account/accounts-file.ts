import { readFileSync, statSync } from "node:fs";
import type { Timer, Timers } from "../../base/clock.ts";
import { ConfigError } from "../../base/config-error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";
import { type AccountList, parseAccountsFile } from "./account-list.ts";

/** Reads and parses an accounts file. A `ConfigError` names the file, never its content. */
export function readAccountsFile(path: string): { list: AccountList; text: string } {
  const setting = `accounts file ${path}`;
  let text: string;
  try {
    if (statSync(path).size > LIMITS.accountsFileBytesMax)
      throw new ConfigError(setting, `expected at most ${LIMITS.accountsFileBytesMax} bytes`);
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(setting, `cannot be read: ${(error as Error).message}`);
  }
  return { list: parseAccountsFile(setting, text), text };
}

export interface WatchAccountsFile {
  readonly path: string;
  readonly timers: Timers;
  readonly log: Log;
  /** Called for each later valid content. */
  readonly apply: (list: AccountList) => void;
}

/**
 * Reloads the accounts when their file changes, so that keys can be rotated without a restart. It compares
 * the content rather than the modification time, which editors, mounted secrets and copies treat differently.
 * Invalid content changes nothing and is logged once.
 */
export class AccountsFile {
  readonly #watch: WatchAccountsFile;
  #text: string;
  #lastError: string | undefined;
  #timer: Timer | undefined;

  constructor(watch: WatchAccountsFile, text: string) {
    this.#watch = watch;
    this.#text = text;
  }

  start(): void {
    this.#timer ??= this.#watch.timers.every(LIMITS.accountsPollMillis, () => this.reload());
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Reads the file now, on SIGHUP. */
  reload(): void {
    const { path, log, apply } = this.#watch;
    try {
      const { list, text } = readAccountsFile(path);
      this.#lastError = undefined;
      if (text === this.#text) return;
      this.#text = text;
      apply(list);
      for (const warning of list.warnings) log.warn({ path }, warning);
      log.info({ path, accounts: list.accounts.length }, "accounts re-read");
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message === this.#lastError) return;
      this.#lastError = error.message;
      log.error({ path }, `accounts unchanged, ${error.message}`);
    }
  }
}
