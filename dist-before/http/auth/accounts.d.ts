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
/**
 * An account and its decoded keys, ready to check signatures. Throws a `RangeError` without a key, with more than
 * two, or with an empty one, which would let anybody sign.
 */
export declare function accountOf(name: string, rawKeys: readonly Buffer[]): Account;
/** The same from base64, as a connection string has it. A key that is not base64 is a `RangeError`, too. */
export declare function accountOfBase64(name: string, base64Keys: readonly string[]): Account;
