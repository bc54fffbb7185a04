import { systemRandom } from "../../base/random.ts";
import { type Account, accountOf } from "./accounts.ts";

/**
 * Random keys in place of those of an account that does not exist, and of the second key of an account that
 * has one: a refusal takes the same work for every account name.
 */
const DECOY = accountOf("", [systemRandom.bytes(64), systemRandom.bytes(64)]);

/**
 * Whether `given`, from `start`, signs the text under one of the account's keys. Never without an account.
 */
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

/** In constant time for texts of one length. */
export function isSameText(expected: string, given: string): boolean {
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++) difference |= expected.charCodeAt(at) ^ given.charCodeAt(at);
  return difference === 0;
}
