import type { EntityKeys, Property } from "../../base/edm.ts";
export declare function checkTableName(name: string): void;
export declare function checkKeys({ partitionKey, rowKey }: EntityKeys): void;
export declare function checkProperties(properties: readonly Property[]): void;
/** The size of an entity as the protocol counts it: texts in UTF-16, a few bytes for each property. */
export declare function entityBytes({ partitionKey, rowKey }: EntityKeys, properties: readonly Property[]): number;
/** The whole entity, as it would be stored: after a merge it may be larger than what either side sent. */
export declare function checkEntity(keys: EntityKeys, properties: readonly Property[]): void;
