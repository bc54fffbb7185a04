import { HmacKey } from "../../base/hmac.ts";

/** What signatures are checked against. Looked up on every request, so `find` answers from memory, in O(1). */
export interface Accounts {
  find(name: string): Account | undefined;
}

/** `keys` and `rawKeys` hold the same one or two keys in the same order; either of them signs for the account. */
export interface Account {
  readonly name: string;
  readonly keys: readonly HmacKey[];
  readonly rawKeys: readonly Buffer[];
}

const KEYS_MAX = 2;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * An account from its base64 keys, as configuration gives them. Throws a `RangeError` when there is no key, more
 * than two, or one that is not base64: a key read as shorter than it was meant would protect nothing.
 */
export function accountOf(name: string, base64Keys: readonly string[]): Account {
  if (base64Keys.length === 0 || base64Keys.length > KEYS_MAX) {
    throw new RangeError(`account ${name} needs one or two keys, not ${base64Keys.length}`);
  }
  const rawKeys = base64Keys.map((text, index) => {
    // The text itself stays out of the message: messages end in logs.
    if (text === "" || !BASE64.test(text)) {
      throw new RangeError(`key ${index + 1} of account ${name} is not base64`);
    }
    return Buffer.from(text, "base64");
  });
  return { name, rawKeys, keys: rawKeys.map((key) => new HmacKey(key)) };
}

export function accountsOf(accounts: Iterable<Account>): Accounts {
  const byName = new Map<string, Account>();
  for (const account of accounts) byName.set(account.name, account);
  return { find: (name) => byName.get(name) };
}
