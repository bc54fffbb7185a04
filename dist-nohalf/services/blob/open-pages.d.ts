import type { Reader } from "../../store/kv.ts";
import type { OpenPayload, Payloads, SliceRange } from "../payload/payloads.ts";
import { type PageContent } from "./page-content.ts";
/**
 * Opens pages for reading: written ranges from their slices, zeros between them. Slices are opened some at a
 * time; ranges whose bytes follow each other there, as those of a blob written from end to end do, are read
 * as one.
 */
export declare function openPages(payloads: Payloads, read: Reader, { content, length }: {
    readonly content: PageContent;
    readonly length: number;
}, range: SliceRange): Promise<OpenPayload>;
