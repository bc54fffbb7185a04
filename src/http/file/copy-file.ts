import { collect } from "../../base/bytes.ts";
import { pause } from "../../base/clock.ts";
import { answerOf, badHeader, badQuery, Refusal, sourceRefusal } from "../../base/refusals.ts";
import {
  abortCopy as abort,
  beginCopyFromUrl,
  type CopiedFile,
  type CopyFile,
  checkCopyTarget,
  copyFile as copy,
} from "../../services/file/copy-file.ts";
import { getFile, getFileProperties } from "../../services/file/get-file.ts";
import { FILE_LIMITS } from "../../services/file/limits.ts";
import { checkRangeTarget, type PutRange, putRange } from "../../services/file/put-range.ts";
import { runCopy } from "../../services/file/run-copy.ts";
import { ingest } from "../../services/payload/content.ts";
import { mayOverwrite } from "../auth/caller.ts";
import type { RemoteSource } from "../common/copy-source-fetcher.ts";
import { type FetchedSource, fetchedMetadata, fetchedProperties } from "../common/fetched-source.ts";
import type { Headers, HttpReply, HttpRequest } from "../exchange.ts";
import { checkBytes } from "../wire/digest.ts";
import { readMetadata } from "../wire/metadata.ts";
import { parseRange, resolveRange } from "../wire/range.ts";
import { type CopySource, readCopySource } from "./copy-source.ts";
import { rangeReply, readPutRange } from "./range.ts";
import { guidOf, missingHeader, readChanges, readFlag, readLeaseId, readPathRef } from "./read-request.ts";
import { stamp } from "./replies.ts";
import { type FileRow, type FileServices, onInode, row } from "./rows.ts";

/** Copy File, Abort Copy File, and Put Range From URL. */
const TAKEN = {
  attributes: "x-ms-file-attributes",
  createdAt: "x-ms-file-creation-time",
  writtenAt: "x-ms-file-last-write-time",
  changedAt: "x-ms-file-change-time",
} as const;

function readCopyId(headers: Headers): { takes: CopyFile["takes"]; rest: Headers } {
  const takes = new Set<keyof typeof TAKEN | "permission">();
  const rest: Record<string, string | undefined> = { ...headers };
  for (const [field, name] of Object.entries(TAKEN)) {
    if (headers[name]?.toLowerCase() !== "source") continue;
    takes.add(field as keyof typeof TAKEN);
    delete rest[name];
  }
  const mode = headers["x-ms-file-permission-copy-mode"]?.toLowerCase();
  if (mode === "source") takes.add("permission");
  else if (mode !== undefined && mode !== "override") throw badHeader("x-ms-file-permission-copy-mode", mode);
  return { takes, rest };
}

async function copyFile(request: HttpRequest, services: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const { files } = services;
  const { takes, rest } = readCopyId(headers);
  const target = {
    ref: readPathRef(request),
    leaseId: readLeaseId(headers),
    mayOverwrite: mayOverwrite(request.caller),
    ignoresReadOnly: readFlag(headers, "x-ms-file-copy-ignore-readonly") ?? false,
  };
  const source = await readCopySource(request, services, () => checkCopyTarget(files, target));
  const wanted: CopyFile = {
    ...target,
    copyId: files.parts.random.uuid(),
    shown: source.shown,
    metadata: readMetadata(request.rawHeaders),
    requested: readChanges(rest),
    takes,
    setsArchive: readFlag(headers, "x-ms-file-copy-set-archive") ?? false,
  };
  const { inode, work } = await startCopy(request, services, wanted, source);
  const copyStatus = work === undefined ? "success" : inode.record.copy!.status;
  return {
    status: 202,
    headers: {
      ...stamp(inode.record.revision),
      "x-ms-copy-id": wanted.copyId,
      "x-ms-copy-status": copyStatus,
    },
  };
}

async function startCopy(
  request: HttpRequest,
  { files, sources }: FileServices,
  wanted: CopyFile,
  source: CopySource,
): Promise<CopiedFile> {
  if (source.kind === "here") {
    await verifySource(files, source);
    const started = await copy(files, wanted, source.ref);
    return started.work === undefined ? started : finishSoon(files, started, runCopy(files, started.work));
  }
  const fetched = await sources.fetch(request, source, { isBackground: true });
  try {
    const started = await beginFetched(files, wanted, fetched);
    const running = runCopy(files, started.work!, fetched.body).finally(fetched.close);
    return await finishSoon(files, started, running);
  } catch (error) {
    fetched.close();
    throw error;
  }
}

function beginFetched(
  files: FileServices["files"],
  wanted: CopyFile,
  fetched: FetchedSource,
): Promise<CopiedFile> {
  const { length: size } = fetched;
  // Without a length nobody could tell a copy from half of one.
  if (size === undefined) throw new Refusal("CannotVerifyCopySource");
  const [headers, metadata] = [fetchedProperties(fetched), fetchedMetadata(fetched)];
  return beginCopyFromUrl(files, wanted, { size, headers, metadata });
}

/** A short copy is told as done at once; a long one goes on after the answer. */
async function finishSoon(
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

/** A source that is not there is told in the words of a copy, with the source's own status. */
async function verifySource(
  files: FileServices["files"],
  { ref }: CopySource & { kind: "here" },
): Promise<void> {
  try {
    await getFileProperties(files, { ref });
  } catch (error) {
    if (error instanceof Refusal && error.row.http === 404) throw sourceRefusal(answerOf(error));
    throw error;
  }
}

async function abortCopy(request: HttpRequest, { files }: FileServices): Promise<HttpReply> {
  const action = request.headers["x-ms-copy-action"];
  if (action === undefined) throw missingHeader("x-ms-copy-action");
  if (action.toLowerCase() !== "abort") throw badHeader("x-ms-copy-action", action);
  const copyId = request.query.get("copyid");
  if (copyId === undefined || guidOf(copyId) === undefined) {
    throw badQuery("copyid", copyId?.slice(0, 64) ?? "", "The id of a copy is expected.");
  }
  await abort(files, { ref: readPathRef(request), copyId, leaseId: readLeaseId(request.headers) });
  return { status: 204 };
}

/** Bytes of a source, at most what one range may hold. */
async function readSource(request: HttpRequest, services: FileServices, target: PutRange): Promise<Buffer> {
  const length = target.to - target.from;
  const text = request.headers["x-ms-source-range"];
  const range = text === undefined ? { from: 0, to: length - 1 } : parseRange({ "x-ms-range": text });
  if (range?.to === undefined) throw badHeader("x-ms-source-range", text ?? "");
  if (range.to - range.from + 1 !== length) throw badHeader("x-ms-source-range", text ?? "");
  const checkTarget = () => checkRangeTarget(services.files, target);
  const source = await readCopySource(request, services, checkTarget, { isOwnEnough: false });
  if (source.kind === "elsewhere") return fetchRange(request, services, source, { from: range.from, length });
  await verifySource(services.files, source);
  const { content } = await getFile(services.files, {
    ref: source.ref,
    part: (size) => {
      const { from, to } = resolveRange(range, size);
      return { from, to: to + 1 };
    },
  });
  try {
    return content.whole ?? (await collect(content.stream()));
  } finally {
    content.close();
  }
}

/** A source that says it sends another part, or sends more than it said, is not read to its end. */
async function fetchRange(
  request: HttpRequest,
  { sources }: FileServices,
  source: RemoteSource,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<Buffer> {
  const fetched = await sources.fetch(request, source, { range: `bytes=${from}-${from + length - 1}` });
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of fetched.body) {
      bytes += piece.length;
      if (bytes > length) throw new Refusal("CannotVerifyCopySource");
      pieces.push(piece);
    }
    return Buffer.concat(pieces, bytes);
  } finally {
    fetched.close();
  }
}

async function putRangeFromUrl(request: HttpRequest, services: FileServices): Promise<HttpReply> {
  const { headers } = request;
  const action = headers["x-ms-write"];
  if (action === undefined) throw missingHeader("x-ms-write");
  if (action.toLowerCase() !== "update") throw badHeader("x-ms-write", action);
  const range = readPutRange(request);
  const length = range.to - range.from;
  if (length > FILE_LIMITS.rangeBytesMax) throw new Refusal("RequestBodyTooLarge");
  const bytes = await readSource(request, services, range);
  if (bytes.length !== length) throw badHeader("x-ms-source-range", headers["x-ms-source-range"] ?? "");
  const declared = headers["x-ms-source-content-crc64"];
  const { crc64 } = checkBytes(bytes, {
    declared: declared === undefined ? {} : { crc64: declared },
    wantsCrc64: true,
  });
  checkSourceConditions(headers, crc64!);
  const taken = await ingest(services.files.parts.payloads, bytes);
  return rangeReply(await putRange(services.files, { ...range, bytes: taken }), {
    crc64,
  });
}

/** The one kind of condition this service has: on the checksum of what is copied. */
function checkSourceConditions(headers: Headers, crc64: string): void {
  const match = headers["x-ms-source-if-match-crc64"];
  const noneMatch = headers["x-ms-source-if-none-match-crc64"];
  if ((match !== undefined && match !== crc64) || noneMatch === crc64) throw new Refusal("ConditionNotMet");
}

const resource = "file" as const;

export const COPY_ROWS: readonly FileRow[] = [
  row({
    name: "CopyFile",
    method: "PUT",
    resource,
    header: { "x-ms-copy-source": true },
    permission: onInode(["c", "w"]),
    returnsEtag: true,
    lease: "checked",
    ok: [202],
    handle: copyFile,
  }),
  row({
    name: "AbortCopyFile",
    method: "PUT",
    resource,
    query: { comp: "copy" },
    permission: onInode(["w"]),
    lease: "checked",
    ok: [204],
    handle: abortCopy,
  }),
  row({
    name: "PutRangeFromURL",
    method: "PUT",
    resource,
    query: { comp: "range" },
    header: { "x-ms-copy-source": true },
    permission: onInode(["w"]),
    returnsEtag: true,
    lease: "checked",
    ok: [201],
    handle: putRangeFromUrl,
  }),
];
