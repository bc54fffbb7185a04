import { pause } from "../../base/clock.ts";
import { badHeader, Refusal } from "../../base/refusals.ts";
import {
  beginCopyFromUrl,
  type CopiedFile,
  type CopyFile,
  checkCopyTarget,
  copyFile,
} from "../../services/file/copy-file.ts";
import { getFileProperties } from "../../services/file/get-file.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { runCopy } from "../../services/file/run-copy.ts";
import { mayOverwrite } from "../auth/caller.ts";
import { type CopySource, locateCopySource } from "../common/copy-source.ts";
import { type FetchedSource, fetchedMetadata, fetchedProperties } from "../common/fetched-source.ts";
import { readBoolean, readLeaseId } from "../common/read-headers.ts";
import { stamp } from "../common/replies.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { readMetadata } from "../wire/metadata.ts";
import { fileSource, type OwnSource } from "./copy-source.ts";
import { readChanges, readPathRef } from "./read-request.ts";
import type { FileServices } from "./services.ts";

/** Properties that come from the source where the header has the value `source`. */
const COPIED_PROPERTIES = {
  attributes: "x-ms-file-attributes",
  createdAt: "x-ms-file-creation-time",
  writtenAt: "x-ms-file-last-write-time",
  changedAt: "x-ms-file-change-time",
} as const;

function readCopiedProperties(headers: Headers): { fromSource: CopyFile["fromSource"]; rest: Headers } {
  const fromSource = new Set<keyof typeof COPIED_PROPERTIES | "permission">();
  const rest: Record<string, string | undefined> = { ...headers };
  for (const [field, name] of Object.entries(COPIED_PROPERTIES)) {
    if (headers[name]?.toLowerCase() !== "source") continue;
    fromSource.add(field as keyof typeof COPIED_PROPERTIES);
    delete rest[name];
  }
  const mode = headers["x-ms-file-permission-copy-mode"]?.toLowerCase();
  if (mode === "source") fromSource.add("permission");
  else if (mode !== undefined && mode !== "override") throw badHeader("x-ms-file-permission-copy-mode", mode);
  return { fromSource, rest };
}

/** PUT /{share}/{file} with x-ms-copy-source */
export async function handleCopyFile(request: HttpRequest, services: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const { files } = services;
  const { fromSource, rest } = readCopiedProperties(headers);
  const target = {
    ref: readPathRef(request),
    leaseId: readLeaseId(headers),
    mayOverwrite: mayOverwrite(request.caller),
    ignoresReadOnly: readBoolean(headers, "x-ms-file-copy-ignore-readonly") ?? false,
  };
  const source = await locateCopySource(fileSource(request, services), () => checkCopyTarget(files, target));
  const copy: CopyFile = {
    ...target,
    copyId: files.parts.random.uuid(),
    shown: source.shown,
    metadata: readMetadata(request.rawHeaders),
    requested: readChanges(rest),
    fromSource,
    setsArchive: readBoolean(headers, "x-ms-file-copy-set-archive") ?? false,
  };
  const { inode, work } = await startCopy(request, services, copy, source);
  const copyStatus = work === undefined ? "success" : inode.record.copy!.status;
  return {
    status: 202,
    headers: {
      ...stamp(inode.record.revision),
      "x-ms-copy-id": copy.copyId,
      "x-ms-copy-status": copyStatus,
    },
  };
}

async function startCopy(
  request: HttpRequest,
  { files, sources }: FileServices,
  copy: CopyFile,
  source: CopySource<OwnSource>,
): Promise<CopiedFile> {
  if (source.kind === "here") {
    const started = await copyFile(files, copy, source.ref);
    return started.work === undefined ? started : finishOrReply(files, started, runCopy(files, started.work));
  }
  const fetched = await sources.fetch(request, source, { isBackground: true });
  try {
    const started = await beginFetched(files, copy, fetched);
    const running = runCopy(files, started.work!, fetched.body).finally(fetched.close);
    return await finishOrReply(files, started, running);
  } catch (error) {
    fetched.close();
    throw error;
  }
}

function beginFetched(
  files: FileServices["files"],
  copy: CopyFile,
  fetched: FetchedSource,
): Promise<CopiedFile> {
  const { length: size } = fetched;
  // Without a length the server cannot distinguish a whole copy from a part of one.
  if (size === undefined) throw new Refusal("CannotVerifyCopySource");
  const [headers, metadata] = [fetchedProperties(fetched), fetchedMetadata(fetched)];
  return beginCopyFromUrl(files, copy, { size, headers, metadata });
}

/** The reply reports a short copy as done; a long one continues after the reply. */
async function finishOrReply(
  files: FileServices["files"],
  started: CopiedFile,
  running: Promise<void>,
): Promise<CopiedFile> {
  const isDone = await Promise.race([
    running.then(() => true),
    pause(FILE_LIMITS.copyAnswerMillis).then(() => false),
  ]);
  if (!isDone) return started;
  const { inode } = await getFileProperties(files, { ref: started.work!.request.ref });
  return { inode, work: started.work };
}
