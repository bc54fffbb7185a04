import type { AccountKeys } from "./services/account/account-list.ts";
/** What is known once every listener is up: the ports are the real ones, also where 0 was asked for. */
export interface ReadyFacts {
    readonly version: string;
    readonly pid: number;
    readonly workers: number;
    /** undefined: everything is in memory. */
    readonly dataDirectory: string | undefined;
    readonly isSecure: boolean;
    readonly addresses: ReadyAddresses;
    readonly accounts: readonly AccountKeys[];
    readonly warnings: readonly string[];
}
interface Address {
    readonly host: string;
    readonly port: number;
}
export interface ReadyAddresses {
    readonly blob: Address;
    readonly queue: Address;
    readonly table: Address;
    readonly file: Address;
    /** undefined: this build or configuration has no such listener. */
    readonly smb?: Address | undefined;
    readonly admin?: Address | undefined;
}
/** For people. */
export declare function printReadyText(facts: ReadyFacts): string;
/** For programs: one line of JSON. */
export declare function printReadyJson(facts: ReadyFacts): string;
export {};
