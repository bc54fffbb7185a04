import { type AccountKeys } from "./account-list.ts";
/**
 * The accounts this server answers for. What authentication needs of a key (an HMAC state, an NTLM hash) is
 * derived once, when the account arrives, and found by name in one step for every request.
 */
export declare class AccountSet<T> {
    #private;
    constructor(derive: (name: string, keys: readonly Buffer[]) => T, accounts?: readonly AccountKeys[]);
    find(name: string): T | undefined;
    names(): string[];
    /**
     * Swaps the whole set in one step: a request sees the old set or the new one. An account whose keys did not
     * change keeps what was derived for it.
     */
    replace(accounts: readonly AccountKeys[]): void;
}
export declare function isWellKnown(account: AccountKeys): boolean;
/** Base addresses of the services, without the account: `http://127.0.0.1:10000`. */
export interface ServiceEndpoints {
    readonly blob: string;
    readonly queue: string;
    readonly table: string;
    readonly file: string;
}
/** What a client is configured with. It holds the account's first key: never print it, see below. */
export declare function connectionString(account: AccountKeys, endpoints: ServiceEndpoints): string;
/**
 * A connection string to show. It holds the key only when everybody knows it anyway; any other key would end up
 * in a console history or a log, so its place is marked instead.
 */
export declare function displayConnectionString(account: AccountKeys, endpoints: ServiceEndpoints): string;
/** What to warn about when a listener is open to other machines while an account's key is public. */
export declare function wellKnownKeyWarning(hosts: readonly string[], accounts: readonly AccountKeys[]): string | undefined;
export declare function isLoopback(host: string): boolean;
