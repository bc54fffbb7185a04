import type { Instant } from "../../base/clock.ts";
import { type Revision } from "../../base/revision.ts";
import type { Node } from "../../services/file/nodes.ts";
import type { CopyRecord, FileHeaders, LeaseRecord } from "../../services/file/records.ts";
import type { HttpRequest } from "../exchange.ts";
/** Headers many replies share. */
export declare const XML: {
    readonly "Content-Type": "application/xml";
};
type Printed = Record<string, string | undefined>;
export declare function quotedEtag(revision: Revision): string;
export declare function stamp(revision: Revision): Record<string, string>;
export declare function leaseHeaders(lease: LeaseRecord | undefined, now: Instant): Printed;
export declare function printAttributes(attributes: number): string;
/** The three times of a file are mostly one. */
export declare function printTicks(ticks: bigint): string;
/** What SMB clients see of a file or directory, too. */
export declare function nodeHeaders({ id, record }: Node): Printed;
export declare function contentHeaders(headers: FileHeaders | undefined): Printed;
export declare function copyHeaders(copy: CopyRecord | undefined): Printed;
/** The address the client used, up to the account: listings repeat it. */
export declare function serviceEndpoint({ headers, target, isSecure }: HttpRequest): string;
export {};
