import { createShare } from "../../services/file/create-share.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import type { ShareSettings } from "../../services/file/records.ts";
import type { HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { readSnapshotRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";
import { readProtocols, readSettings, shareWrittenHeaders } from "./share-settings.ts";

function withoutUndefined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as never;
}

/** PUT /{share}?restype=share */
export async function handleCreateShare(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const settings = {
    quotaGib: FILE_LIMITS.shareQuotaGibDefault,
    tier: "TransactionOptimized",
    ...withoutUndefined(readSettings(headers)),
    protocols: readProtocols(headers),
  } as Omit<ShareSettings, "tierChangedAt">;
  const metadata = readMetadata(request.rawHeaders);
  const share = await createShare(files, { ref: readSnapshotRef(request), settings, metadata });
  return { status: 201, headers: shareWrittenHeaders(share, request) };
}
