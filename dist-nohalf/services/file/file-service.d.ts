import type { Reader, Writer } from "../../store/kv.ts";
import type { StoredPolicy } from "../account/stored-policy.ts";
import type { ServiceParts } from "../parts.ts";
import type { Chore } from "../reclaim/chores.ts";
import { type Grants } from "./access.ts";
export interface FileServiceOptions {
    /** How long deleted shares can be had back; 0: not at all. */
    readonly shareRetentionDays?: number;
}
/**
 * The File service: what its operations mean. Each operation is a function of its own file in this folder, given
 * this service; HTTP and SMB call the same ones.
 */
export declare class FileService {
    readonly parts: ServiceParts;
    readonly shareRetentionDays: number;
    constructor(parts: ServiceParts, options?: FileServiceOptions);
    /** One snapshot of the store, and what the table of handles says about the nodes that are touched in it. */
    read<T>(fn: (read: Reader, grants: Grants) => Promise<T>): Promise<T>;
    /** One durable transaction; see access.ts for how it meets open handles. */
    change<T>(fn: (write: Writer, grants: Grants) => Promise<T>): Promise<T>;
    /** Stored access policies of a share; undefined when there is no such share. */
    policies(account: string, name: string): Promise<readonly StoredPolicy[] | undefined>;
    /** Its work in the background. */
    chores(): readonly Chore[];
}
