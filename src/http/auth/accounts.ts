import { HmacKey } from "../../digest/hmac.ts";

/**
 * What signatures are checked against. Looked up on every request, so `find` answers from memory, in O(1).
 */
export interface Accounts {
  find(name: string): Account | undefined;
}

/**
 * `keys` and `rawKeys` hold the same one or two keys in the same order; either of them signs for the account.
 */
export interface Account {
  readonly name: string;
  readonly keys: readonly HmacKey[];
  readonly rawKeys: readonly Buffer[];
}

const KEYS_MAX = 2;

/**
 * An account and its decoded keys, ready to check signatures. Throws a `RangeError` without a key, with more
 * than two, or with an empty one, which would let anybody sign.
 */
export function accountOf(name: string, rawKeys: readonly Buffer[]): Account {
  const isSound = rawKeys.length > 0 && rawKeys.length <= KEYS_MAX && rawKeys.every((key) => key.length > 0);
  if (!isSound) throw new RangeError(`account ${name} needs one or two keys`);
  return { name, rawKeys, keys: rawKeys.map((key) => new HmacKey(key)) };
}
