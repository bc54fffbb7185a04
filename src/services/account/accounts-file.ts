import { readFileSync, statSync } from "node:fs";
import type { Timer, Timers } from "../../base/clock.ts";
import { ConfigError } from "../../base/config-error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Log } from "../../observability/log.ts";
import { type AccountList, parseAccountsFile } from "./account-list.ts";

/** Reads and checks an accounts file; a `ConfigError` names the file, never what is in it. */
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
  /** Called with each new sound content, not with the first one. */
  readonly apply: (list: AccountList) => void;
}

/**
 * Keeps the accounts in step with a file, without a restart: keys are rotated by editing it. The content is
 * compared rather than its time, because an editor, a mounted secret and a copy each treat times differently.
 * Content that cannot be used changes nothing: the old set stays, and one line says so, once for each
 * content.
 */
export class AccountsFile {
  readonly #watch: WatchAccountsFile;
  #text: string;
  #complaint: string | undefined;
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

  /** Looks now; for SIGHUP. */
  reload(): void {
    const { path, log, apply } = this.#watch;
    try {
      const { list, text } = readAccountsFile(path);
      this.#complaint = undefined;
      if (text === this.#text) return;
      this.#text = text;
      apply(list);
      for (const warning of list.warnings) log.warn({ path }, warning);
      log.info({ path, accounts: list.accounts.length }, "accounts re-read");
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      if (error.message === this.#complaint) return;
      this.#complaint = error.message;
      log.error({ path }, `accounts unchanged, ${error.message}`);
    }
  }
}
