import { type Account } from "./accounts.ts";
/** Whether `given`, from `start`, signs the text under one of the account's keys. Without an account: never. */
export declare function isSigned(account: Account | undefined, text: string, given: string, start: number): boolean;
/** The same under keys that are derived from the account's. */
export declare function isSignedBy(account: Account | undefined, derive: (rawKey: Buffer) => Buffer, text: string, given: string): boolean;
