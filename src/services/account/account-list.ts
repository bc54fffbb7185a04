import { ConfigError } from "../../base/config-error.ts";
import { LIMITS } from "../../base/limits.ts";

/**
 * Accounts as an operator writes them: `name:key1[:key2]`, separated by `;` in an environment variable and by
 * line ends in a file, where `#` starts a comment. Keys are base64.
 *
 * Azure allows names of 3 to 24 lower-case letters and digits. Azurite takes anything, and scripts rely on
 * it, so other names work here too, with a warning, as long as they can stand in an address: letters, digits,
 * `.`, `_` and `-`. A name that ends in `-secondary` is refused: it would hide behind the read-only address
 * of another account.
 */
export interface AccountKeys {
  readonly name: string;
  readonly keys: readonly Buffer[];
}

export interface AccountList {
  readonly accounts: readonly AccountKeys[];
  readonly warnings: readonly string[];
}

const AZURE_NAME = /^[a-z0-9]{3,24}$/;
const USABLE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const KEYS_MAX = 2;

/** The public account of every emulator of this protocol; its key protects nothing. */
export const WELL_KNOWN_ACCOUNT = "devstoreaccount1";
export const WELL_KNOWN_KEY =
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

export function defaultAccounts(): AccountList {
  return {
    accounts: [{ name: WELL_KNOWN_ACCOUNT, keys: [Buffer.from(WELL_KNOWN_KEY, "base64")] }],
    warnings: [],
  };
}

/** Reads the value of an environment variable. `setting` is the variable's name, for the error line. */
export function parseAccountsVariable(setting: string, text: string): AccountList {
  return parseAccounts(
    text.split(";").map((entry, index) => ({ text: entry, where: `account ${index + 1}` })),
    setting,
  );
}

/** Reads the content of an accounts file. `setting` names the file in the error line. */
export function parseAccountsFile(setting: string, text: string): AccountList {
  return parseAccounts(
    text.split("\n").map((line, index) => ({ text: line.replace(/#.*/, ""), where: `line ${index + 1}` })),
    setting,
  );
}

function parseAccounts(entries: readonly { text: string; where: string }[], setting: string): AccountList {
  const byName = new Map<string, AccountKeys>();
  const warnings: string[] = [];
  for (const { text, where } of entries) {
    const entry = text.trim();
    if (entry === "") continue;
    // The entry contains keys, so messages name only its position, and the account name once it is valid.
    const fail = (expected: string): never => {
      throw new ConfigError(setting, `${where}: ${expected}`);
    };
    const [name = "", ...keys] = entry.split(":").map((part) => part.trim());
    if (!USABLE_NAME.test(name) || name.length > LIMITS.accountNameCharsMax)
      fail("expected name:key1[:key2] with a name of 3 to 24 lower-case letters and digits");
    if (name.toLowerCase().endsWith("-secondary"))
      fail(`the name ${name} is taken by the secondary address of another account`);
    if (byName.has(name)) fail(`the account ${name} is given twice`);
    if (keys.length < 1 || keys.length > KEYS_MAX) fail(`account ${name}: expected one or two keys`);
    if (!AZURE_NAME.test(name))
      warnings.push(`account name ${name} is not one Azure allows (3 to 24 lower-case letters and digits)`);
    byName.set(name, { name, keys: keys.map((key) => decodeKey(key) ?? fail(badKey(name))) });
    if (byName.size > LIMITS.accountsMax) fail(`more than ${LIMITS.accountsMax} accounts`);
  }
  if (byName.size === 0) throw new ConfigError(setting, "expected at least one account as name:key1[:key2]");
  return { accounts: [...byName.values()], warnings };
}

/** Canonical base64 only, because another spelling of the same key would fail in some clients. */
function decodeKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, "base64");
  const isValid =
    key.length > 0 && key.length <= LIMITS.accountKeyBytesMax && key.toString("base64") === text;
  return isValid ? key : undefined;
}

const badKey = (name: string): string => `account ${name}: each key must be base64 with its padding`;
