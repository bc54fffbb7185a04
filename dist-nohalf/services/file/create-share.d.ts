import { type ShareRecord, type ShareSettings } from "../../store/records/file.ts";
import type { FileService } from "./file-service.ts";
import { type ShareRef } from "./names.ts";
export interface CreateShare {
    readonly ref: ShareRef;
    readonly settings: Omit<ShareSettings, "tierChangedAt">;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
}
export declare function createShare(files: FileService, request: CreateShare): Promise<ShareRecord>;
