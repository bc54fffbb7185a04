import type { EphemeralSpace } from "../../store/kv.ts";
/**
 * Whether this process plays the role; the first to ask gets it and keeps it until it dies, when the record
 * vanishes with its owner and the next to ask takes over.
 */
export declare function playsRole(ephemeral: EphemeralSpace, name: string): Promise<boolean>;
/** At an orderly end: another process may take over at once. */
export declare function leaveRole(ephemeral: EphemeralSpace, name: string): Promise<void>;
