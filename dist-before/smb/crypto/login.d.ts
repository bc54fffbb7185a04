import type { FileTime } from "../wire/filetime.ts";
/** What a login is checked against: the account by its name, with a hash for each of its one or two keys. */
export interface LoginAccount {
    readonly name: string;
    readonly ntHashes: readonly Buffer[];
}
export interface LoginAccounts {
    find(name: string): LoginAccount | undefined;
}
/** The password is the account key as its base64 text, as it is on Azure. */
export declare function loginAccountOf(name: string, keys: readonly Buffer[]): LoginAccount;
export interface LoginOptions {
    readonly accounts: LoginAccounts;
    readonly serverName: string;
    readonly serverChallenge: Buffer;
    readonly now: FileTime;
}
export type LoginStep = {
    readonly kind: "continue";
    readonly token: Buffer;
} | {
    readonly kind: "done";
    readonly token: Buffer;
    readonly account: string;
    readonly user: string;
    readonly domain: string;
    readonly workstation: string;
    readonly sessionKey: Buffer;
};
/**
 * One login: NEGOTIATE in, CHALLENGE out, AUTHENTICATE in, an account and a session key out. Guests, anonymous users
 * and NTLMv1 are refused, each with the same status as a wrong password.
 */
export declare class Login {
    #private;
    constructor(options: LoginOptions);
    step(data: Buffer): LoginStep;
}
