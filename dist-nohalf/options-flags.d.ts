import { Command } from "commander";
import { type LogLevel } from "./base/log.ts";
/**
 * Every flag, in the groups `--help` shows. A flag `--blobPort` is also the variable `HOLDFAST_BLOB_PORT`; the
 * two go through the same check, which names whichever was used. Flags of Azurite keep their names and meaning,
 * so that Holdfast can take its place in a script; those that have nothing to do here are accepted.
 */
export interface FlagValues {
    readonly location: string;
    readonly store?: string;
    readonly inMemory?: boolean;
    readonly inMemoryPersistence?: boolean;
    readonly extentMemoryLimit?: number;
    readonly host?: string;
    readonly blobHost?: string;
    readonly queueHost?: string;
    readonly tableHost?: string;
    readonly fileHost?: string;
    readonly smbHost?: string;
    readonly adminHost?: string;
    readonly blobPort: number;
    readonly queuePort: number;
    readonly tablePort: number;
    readonly filePort: number;
    readonly smbPort: number;
    readonly adminPort: number;
    readonly workers: number;
    readonly cert?: string;
    readonly key?: string;
    readonly pwd?: string;
    readonly oauth?: "basic";
    readonly accountsFile?: string;
    readonly loose?: boolean;
    readonly skipApiVersionCheck?: boolean;
    readonly blobVersioning?: boolean;
    readonly shareRetentionDays: number;
    readonly disableProductStyleUrl?: boolean;
    readonly silent?: boolean;
    readonly debug?: string | true;
    readonly logLevel: LogLevel;
    readonly accessLog: string;
    readonly ready: "text" | "json";
}
export declare function environmentName(flag: string): string;
export declare function buildCommand(version: string, env: Readonly<Record<string, string | undefined>>, print: (text: string) => void): Command;
