import type { Property } from "../../../base/edm.ts";
/** An entity as a client sends it. Nulls are gone; the Timestamp is the server's and is not read. */
export interface SentEntity {
    readonly partitionKey: string | undefined;
    readonly rowKey: string | undefined;
    readonly properties: Property[];
}
export declare function readEntity(body: Buffer): SentEntity;
export declare function readGuid(text: string): string;
