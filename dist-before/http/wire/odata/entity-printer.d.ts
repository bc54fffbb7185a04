import type { EntityKeys, Property } from "../../../base/edm.ts";
import type { Revision } from "../../../base/revision.ts";
import type { MetadataLevel } from "./formats.ts";
/** Where answers say they come from. */
export interface PrintContext {
    readonly level: MetadataLevel;
    /** `http://host/account`, without a slash at the end. */
    readonly base: string;
    readonly account: string;
    readonly table: string;
    /** The properties wanted, or all. */
    readonly select: ReadonlySet<string> | undefined;
}
export interface PrintedEntity extends EntityKeys {
    readonly revision: Revision;
    readonly properties: readonly Property[];
}
/** One entity on its own, as Get Entity and Insert Entity answer. */
export declare function printEntity(context: PrintContext, entity: PrintedEntity, etag: string): string;
export declare function printEntities(context: PrintContext, entities: readonly PrintedEntity[]): string;
