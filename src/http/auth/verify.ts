import { systemRandom } from "../../base/random.ts";
import { type Account, accountOf } from "./accounts.ts";

/**
 * Keys nobody holds. They stand in for the keys of an account that does not exist, and for the second key of an
 * account that has one, so a refusal takes the same work whatever the account is.
 */
const DECOY = accountOf("", [systemRandom.bytes(64), systemRandom.bytes(64)]);

/** Whether `given`, from `start`, signs the text under one of the account's keys. Without an account: never. */
export function isSigned(account: Account | undefined, text: string, given: string, start: number): boolean {
  const keys = account === undefined ? DECOY.keys : account.keys;
  const isByFirst = keys[0]!.matches(text, given, start);
  if (isByFirst) return account !== undefined;
  const isBySecond = (keys[1] ?? DECOY.keys[1]!).matches(text, given, start);
  return isBySecond && account !== undefined && keys.length === 2;
}

/** The same under keys that are derived from the account's. */
export function isSignedBy(
  account: Account | undefined,
  derive: (rawKey: Buffer) => Buffer,
  text: string,
  given: string,
): boolean {
  const { rawKeys } = account ?? DECOY;
  const derived = accountOf("", [derive(rawKeys[0]!), derive(rawKeys[1] ?? DECOY.rawKeys[1]!)]);
  return isSigned(derived, text, given, 0) && account !== undefined;
}

/** Takes as long for a text that differs at its end as for one that differs at its beginning. */
export function isSameText(known: string, given: string): boolean {
  if (known.length !== given.length) return false;
  let difference = 0;
  for (let at = 0; at < known.length; at++) difference |= known.charCodeAt(at) ^ given.charCodeAt(at);
  return difference === 0;
}
