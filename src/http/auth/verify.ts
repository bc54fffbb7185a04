import { HmacKey } from "../../base/hmac.ts";
import { systemRandom } from "../../base/random.ts";
import type { Account } from "./accounts.ts";

/**
 * Keys nobody holds. They stand in for the keys of an account that does not exist, and for the second key of an
 * account that has one, so a refusal takes the same work whatever the account is.
 */
const DECOYS: readonly HmacKey[] = [new HmacKey(systemRandom.bytes(64)), new HmacKey(systemRandom.bytes(64))];

/** Whether `given`, from `start`, signs the text under one of the account's keys. Without an account: never. */
export function isSigned(account: Account | undefined, text: string, given: string, start: number): boolean {
  const keys = account === undefined ? DECOYS : account.keys;
  if (keys[0]!.matches(text, given, start)) return account !== undefined;
  return (
    (keys[1] ?? DECOYS[1]!).matches(text, given, start) && keys[1] !== undefined && account !== undefined
  );
}
