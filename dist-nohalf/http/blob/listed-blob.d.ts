import type { Instant } from "../../base/clock.ts";
import type { ListedBlob } from "../../services/blob/list-blobs.ts";
/** One entry of List Blobs, elements in the order the service prints them. Thousands of these make a page. */
export declare function printBlob({ blob, past, record, hasVersionsOnly }: Extract<ListedBlob, {
    readonly blob: string;
}>, include: ReadonlySet<string>, now: Instant): string;
