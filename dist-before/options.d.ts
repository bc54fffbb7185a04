import { ConfigError } from "./base/config-error.ts";
import type { LogLevel } from "./base/log.ts";
import { type Certificate } from "./certificate.ts";
import { environmentName } from "./options-flags.ts";
import { type AccountKeys } from "./services/account/account-list.ts";
/** Everything the operator decided, from the command line and the environment, checked and with defaults. */
export interface Options {
    readonly store: StoreChoice;
    readonly addresses: Readonly<Record<ListenerName, Address>>;
    readonly workers: number;
    readonly certificate: Certificate | undefined;
    /** "basic": bearer tokens are taken and their claims checked. */
    readonly oauth: "basic" | undefined;
    /** Headers and parameters this build does not know are ignored rather than refused. */
    readonly isLoose: boolean;
    /** Blobs keep their versions. On Azure a setting of the account, made outside the protocol. */
    readonly isBlobVersioned: boolean;
    readonly shareRetentionDays: number;
    /** False: only path-style addresses (`/account/...`). */
    readonly allowsHostStyle: boolean;
    readonly ready: "text" | "json";
    readonly isSilent: boolean;
    readonly logLevel: LogLevel;
    readonly debugFile: string | undefined;
    /** A path, "-" for stdout, or "off". */
    readonly accessLog: string;
    readonly accounts: readonly AccountKeys[];
    /** Set when the accounts came from a file that is to be watched; `text` is what was read. */
    readonly accountsFile: {
        readonly path: string;
        readonly text: string;
    } | undefined;
    /** For the ready message: what was accepted but is unusual or has no effect. */
    readonly warnings: readonly string[];
}
export type StoreChoice = {
    readonly kind: "memory";
} | {
    readonly kind: "embedded";
    readonly directory: string;
};
export declare const LISTENERS: readonly ["blob", "queue", "table", "file", "smb", "admin"];
export type ListenerName = (typeof LISTENERS)[number];
export interface Address {
    readonly host: string;
    /** 0: any free one. */
    readonly port: number;
}
export type Environment = Readonly<Record<string, string | undefined>>;
export interface CommandLineInput {
    /** Without the program's own name. */
    readonly argv: readonly string[];
    readonly env: Environment;
    readonly cwd: string;
    readonly version: string;
}
/** Either what to run, or a text to print and be done (`--help`, `--version`). */
export type CommandLine = {
    readonly kind: "serve";
    readonly options: Options;
} | {
    readonly kind: "print";
    readonly text: string;
};
/** Throws `ConfigError` with one clear line. A flag outranks its environment variable. */
export declare function readCommandLine({ argv, env, cwd, version }: CommandLineInput): CommandLine;
export { ConfigError, environmentName };
